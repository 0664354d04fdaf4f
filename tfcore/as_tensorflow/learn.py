"""What `contrib.learn` has: the keys of modes, and readers of small data sets.

`datasets.mnist` is the reader of `tfcore.examples.tutorials.mnist`.
"""

import collections
import csv
import os
import urllib.request

import numpy as np

from tfcore.platform import gfile
from tfcore.platform.gfile_object import GFile

Dataset = collections.namedtuple("Dataset", ["data", "target"])
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


class ModeKeys:
    """What a model is used for."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


def _rows(file, features_dtype, target_column):
    """Features and target of each row of a CSV file."""
    for row in csv.reader(file):
        target = row.pop(target_column)
        yield np.asarray(row, dtype=features_dtype), target


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """A data set from a CSV file whose first line begins with the numbers of samples and of features."""
    with GFile(filename) as file:
        samples, features = map(int, next(csv.reader(file))[:2])
        data, target = np.zeros((samples, features), features_dtype), np.zeros((samples,), target_dtype)
        for i, (values, wanted) in enumerate(_rows(file, features_dtype, target_column)):
            data[i], target[i] = values, np.asarray(wanted, dtype=target_dtype)
    return Dataset(data=data, target=target)


def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
    """A data set from a CSV file of samples."""
    with GFile(filename) as file:
        rows = list(_rows(file, features_dtype, target_column))
    return Dataset(
        data=np.array([values for values, _ in rows]), target=np.array([wanted for _, wanted in rows], target_dtype)
    )


def maybe_download(filename, work_directory, source_url):
    """The path of a file in a folder, downloaded if it is not there yet."""
    gfile.MakeDirs(work_directory)
    path = os.path.join(work_directory, filename)
    if not gfile.Exists(path):
        unfinished = f"{path}.tmp{os.urandom(6).hex()}"
        with urllib.request.urlopen(source_url) as source, GFile(unfinished, "wb") as file:
            file.write(source.read())
        gfile.Rename(unfinished, path)
    return path
