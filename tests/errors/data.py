"""Data files that are missing or damaged, and checks of kernels that can't be made."""

import functools
import gzip
import os
import struct
import tempfile

import numpy as np

from tests.errors.table import wrong

NAMES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def images(count=3, magic=2051, data=None):
    return struct.pack(">4I", magic, count, 28, 28) + (bytes(784 * count) if data is None else data)


def labels(count=3, magic=2049, value=1):
    return struct.pack(">2I", magic, count) + bytes([value] * count)


@functools.cache
def folder(*changes):
    """A folder with the four files, some of them changed: (number, content) pairs; None leaves a file out."""
    made = tempfile.TemporaryDirectory()
    contents = [images(), labels(), images(), labels()]
    for number, content in changes:
        contents[number] = content
    for name, content in zip(NAMES, contents, strict=True):
        if content is not None:
            with open(os.path.join(made.name, name), "wb") as file:
                file.write(content)
    return made


def read(place, **options):
    from tfcore.examples.tutorials.mnist import input_data

    return input_data.read_data_sets(getattr(place, "name", place), **{"validation_size": 0, **options})


@wrong("FileNotFoundError", "train-images-idx3-ubyte", "nowhere")
def data_in_a_folder_that_does_not_exist(tf, sess):
    read("nowhere")  # <- wrong


@wrong("FileNotFoundError", "t10k-labels-idx1-ubyte")
def data_of_which_a_file_is_missing(tf, sess):
    read(folder((3, None)))  # <- wrong


@wrong("ValueError", "Invalid magic number 2049 in MNIST image file", "train-images")
def images_that_are_labels(tf, sess):
    read(folder((0, images(magic=2049))))  # <- wrong


@wrong("ValueError", "Invalid magic number 2051 in MNIST label file", "t10k-labels")
def labels_that_are_images(tf, sess):
    read(folder((3, images())))  # <- wrong


@wrong("ValueError", "damaged: 1016 bytes instead of 2368", "train-images")
def images_that_were_cut_off(tf, sess):
    read(folder((0, images(data=bytes(1000)))))  # <- wrong


@wrong("ValueError", "damaged: 12 bytes instead of 11", "train-labels")
def labels_with_a_byte_too_many(tf, sess):
    read(folder((1, labels() + b"x")))  # <- wrong


@wrong("ValueError", "damaged: 0 bytes", "t10k-images")
def images_in_an_empty_file(tf, sess):
    read(folder((2, b"")))  # <- wrong


@wrong("ValueError", "damaged", "train-images")
def images_of_which_a_header_promises_too_many(tf, sess):
    read(folder((0, struct.pack(">4I", 2051, 2**32 - 1, 2**32 - 1, 2**32 - 1) + bytes(9))))  # <- wrong


@wrong("ValueError", "damaged", "train-images")
def packed_images_that_were_cut_off(tf, sess):
    read(folder((0, gzip.compress(images(), mtime=0)[:-12])))  # <- wrong


@wrong("ValueError", "damaged", "train-labels")
def packed_labels_with_a_wrong_sum(tf, sess):
    packed = bytearray(gzip.compress(labels(), mtime=0))
    packed[-6] ^= 1
    read(folder((1, bytes(packed))))  # <- wrong


@wrong("ValueError", "label 77")
def label_that_is_no_digit(tf, sess):
    read(folder((1, labels(value=77))))  # <- wrong


@wrong("ValueError", "2", "3")
def more_images_than_labels(tf, sess):
    read(folder((1, labels(count=2))))  # <- wrong


@wrong("ValueError", "Validation size should be between 0 and 3. Received: 5000")
def validation_set_larger_than_the_data(tf, sess):
    read(folder(), validation_size=5000)  # <- wrong


@wrong("TypeError", "Invalid image dtype", "int32")
def images_of_another_type(tf, sess):
    read(folder(), dtype=tf.int32)  # <- wrong


@wrong("ValueError", "batch_size must not be negative, but it is -1")
def batch_of_a_negative_size(tf, sess):
    data = read(folder())
    data.train.next_batch(-1)  # <- wrong


@wrong("TypeError", "float")
def batch_of_half_an_image(tf, sess):
    data = read(folder())
    data.train.next_batch(0.5)  # <- wrong


# ---- Checks of kernels


@wrong("KeyError|ValueError|NotFoundError", "Teleport")
def check_of_an_op_that_does_not_exist(tf, sess):
    from tfcore.testing import check_kernel

    check_kernel("Teleport", np.sin)  # <- wrong


@wrong("ValueError", "No CPU kernel is registered for op type Exp", "string")
def check_of_a_type_without_kernel(tf, sess):
    from tfcore.testing import check_kernel

    check_kernel("Exp", np.exp, types={"T": ["string"]})  # <- wrong


@wrong("ValueError", "Op type Floor has no gradient|Floor")
def check_of_a_gradient_that_does_not_exist(tf, sess):
    from tfcore.testing import check_gradient

    check_gradient("Floor")  # <- wrong


@wrong("TypeError", "colour")
def check_with_an_unknown_option(tf, sess):
    from tfcore.testing import check_kernel

    check_kernel("Exp", np.exp, colour="red")  # <- wrong
