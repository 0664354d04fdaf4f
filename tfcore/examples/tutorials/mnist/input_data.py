"""Reads the MNIST files, with the interface of TensorFlow's tutorials.

    from tfcore.examples.tutorials.mnist import input_data
    mnist = input_data.read_data_sets("MNIST_data", one_hot=True)
    images, labels = mnist.train.next_batch(100)

`read_data_sets(None)` reads the sample that comes with the package; `download(directory)` fetches the
full set and checks it.
"""

import collections
import gzip
import hashlib
import operator
import os
import shutil
import struct
import urllib.request
import zlib

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.ops.random.random import get_seed

SAMPLE_DIR = os.path.join(os.path.dirname(__file__), "..", "..", "data", "mnist")
DEFAULT_SOURCE_URL = "https://storage.googleapis.com/cvdf-datasets/mnist/"

TRAIN_IMAGES = "train-images-idx3-ubyte.gz"
TRAIN_LABELS = "train-labels-idx1-ubyte.gz"
TEST_IMAGES = "t10k-images-idx3-ubyte.gz"
TEST_LABELS = "t10k-labels-idx1-ubyte.gz"

# SHA-256 of the uncompressed files of the full set.
CHECKSUMS = {
    TRAIN_IMAGES: "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    TRAIN_LABELS: "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    TEST_IMAGES: "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    TEST_LABELS: "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}
_IMAGE_MAGIC, _LABEL_MAGIC = 2051, 2049

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


def read_data_sets(
    train_dir,
    fake_data=False,
    one_hot=False,
    dtype=dtypes.float32,
    reshape=True,
    validation_size=5000,
    seed=None,
    source_url=None,
):
    """The three data sets of MNIST: a namedtuple (train, validation, test) of DataSet.

    Args:
      train_dir: directory with the four idx files, compressed (.gz) or not; None for the sample in the package.
      fake_data: artificial data for quick tests.
      one_hot: labels as rows of ten numbers instead of digits.
      dtype: tf.float32 for pixels in [0, 1], tf.uint8 for 0..255.
      reshape: images as rows of 784 instead of [28, 28, 1].
      validation_size: the number of training images to use as validation set.
      seed: of the order of the images.
      source_url: where to download missing files from; None: missing files are an error.

    Raises:
      FileNotFoundError: a file is missing. ValueError: a file is damaged.
    """
    options = {"dtype": dtype, "reshape": reshape, "seed": seed}
    if fake_data:
        fake = [DataSet([], [], fake_data=True, one_hot=one_hot, **options) for _ in range(3)]
        return Datasets(*fake)
    train_dir = SAMPLE_DIR if train_dir is None else train_dir
    if source_url:
        download(train_dir, source_url)
    images = _read(train_dir, TRAIN_IMAGES, extract_images)
    labels = _read(train_dir, TRAIN_LABELS, extract_labels, one_hot=one_hot)
    test_images = _read(train_dir, TEST_IMAGES, extract_images)
    test_labels = _read(train_dir, TEST_LABELS, extract_labels, one_hot=one_hot)
    if not 0 <= validation_size <= len(images):
        raise ValueError(f"Validation size should be between 0 and {len(images)}. Received: {validation_size}.")
    return Datasets(
        train=DataSet(images[validation_size:], labels[validation_size:], **options),
        validation=DataSet(images[:validation_size], labels[:validation_size], **options),
        test=DataSet(test_images, test_labels, **options),
    )


def load_mnist(train_dir="MNIST-data"):
    return read_data_sets(train_dir)


# ---- Files.


def download(directory, source_url=DEFAULT_SOURCE_URL):
    """Fetches the files of the full set that the directory lacks.

    Raises:
      ValueError: a file does not have the known checksum; it is not kept.
      OSError: no connection.
    """
    os.makedirs(directory, exist_ok=True)
    for name in CHECKSUMS:
        if _find(directory, name) is None:
            _fetch(source_url.rstrip("/") + "/" + name, os.path.join(directory, name))


def _fetch(url, path):
    part = path + ".part"
    try:
        with urllib.request.urlopen(url, timeout=60) as source, open(part, "wb") as target:
            shutil.copyfileobj(source, target)
        verify(part, os.path.basename(path))
        os.replace(part, path)
    finally:
        if os.path.exists(part):
            os.remove(part)


def verify(path, name):
    """Raises ValueError unless a file has the content of the full set's file of that name."""
    with open(path, "rb") as file:
        found = hashlib.sha256(_unpack(file.read(), path)).hexdigest()
    if found != CHECKSUMS[name]:
        raise ValueError(f"{path} is not MNIST's {name}: SHA-256 {found}, not {CHECKSUMS[name]}")


def _find(directory, name):
    """The path of the compressed or uncompressed file, or None."""
    for candidate in (name, name.removesuffix(".gz")):
        path = os.path.join(directory, candidate)
        if os.path.isfile(path):
            return path
    return None


def _read(directory, name, extract, **options):
    path = _find(directory, name)
    if path is None:
        raise FileNotFoundError(
            f"There is no {name} (nor {name.removesuffix('.gz')}) in {directory!r}. Fetch the data with "
            f"'python -m tfcore.examples.mnist --download --data {directory}', or use the sample in the "
            "package (no directory)."
        )
    with open(path, "rb") as file:
        return extract(file, **options)


def _unpack(data, name):
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{name} is damaged: {error}") from error


def _idx_array(f, magic, kind):
    """The array in an uncompressed idx file with the given magic number."""
    name = getattr(f, "name", "the file")
    data = _unpack(f.read(), name)
    rank = magic % 256
    head = 4 * (rank + 1)
    if len(data) < head:
        raise ValueError(f"{name} is damaged: {len(data)} bytes are not an MNIST {kind} file")
    found, *dims = struct.unpack(f">{rank + 1}I", data[:head])
    if found != magic:
        raise ValueError(f"Invalid magic number {found} in MNIST {kind} file: {name}")
    expected = head + int(np.prod(dims, dtype=np.int64))
    if len(data) != expected:
        raise ValueError(f"{name} is damaged: {len(data)} bytes instead of {expected}")
    return np.frombuffer(data, np.uint8, offset=head).reshape(dims)


def extract_images(f):
    """The images in an open idx file, compressed or not: uint8 [count, rows, columns, 1]."""
    return _idx_array(f, _IMAGE_MAGIC, "image")[..., np.newaxis]


def extract_labels(f, one_hot=False, num_classes=10):
    """The labels in an open idx file, compressed or not: uint8 [count], or float64 rows if one_hot."""
    labels = _idx_array(f, _LABEL_MAGIC, "label")
    if labels.size and labels.max() >= num_classes:
        raise ValueError(f"{getattr(f, 'name', 'The file')} has a label {labels.max()}")
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


def dense_to_one_hot(labels_dense, num_classes):
    """Converts class numbers to one-hot rows."""
    return np.eye(num_classes)[np.asarray(labels_dense).ravel()]


# ---- Batches.


class DataSet:
    """Images with labels, returned in batches, in a new order for each pass."""

    def __init__(
        self,
        images,
        labels,
        fake_data=False,
        one_hot=False,
        dtype=dtypes.float32,
        reshape=True,
        seed=None,
    ):
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        graph_seed, op_seed = get_seed(seed)
        self._random = np.random.RandomState(graph_seed if seed is None else op_seed)
        self._fake = fake_data
        self._one_hot = one_hot
        self._epochs_completed = 0
        self._index_in_epoch = 0
        if fake_data:
            self._images, self._labels, self._num_examples = images, labels, 10000
        else:
            self._take(np.asarray(images), np.asarray(labels), dtype, reshape)
        self._order = np.arange(self._num_examples)

    def _take(self, images, labels, dtype, reshape):
        if len(images) != len(labels):
            raise ValueError(f"images.shape: {images.shape} labels.shape: {labels.shape}")
        if reshape:
            if images.ndim != 4 or images.shape[3] != 1:
                raise ValueError(f"images of shape {images.shape} are not [count, rows, columns, 1]")
            images = images.reshape(len(images), images.shape[1] * images.shape[2])
        if dtype == dtypes.float32:
            images = np.multiply(images, np.float32(1.0 / 255.0), dtype=np.float32)
        self._images, self._labels, self._num_examples = images, labels, len(images)

    @property
    def images(self):
        return self._images

    @property
    def labels(self):
        return self._labels

    @property
    def num_examples(self):
        return self._num_examples

    @property
    def epochs_completed(self):
        """The number of completed passes over the data set."""
        return self._epochs_completed

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """The next `batch_size` (images, labels). A batch may span two passes."""
        if operator.index(batch_size) < 0:
            raise ValueError(f"batch_size must not be negative, but it is {batch_size}")
        if fake_data or self._fake:
            label = [1] + [0] * 9 if self._one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        if self._num_examples == 0:
            raise ValueError("The data set is empty")
        if self._epochs_completed == 0 and self._index_in_epoch == 0 and shuffle:
            self._shuffle()
        parts, missing = [], batch_size
        while missing > self._num_examples - self._index_in_epoch:
            parts.append(self._order[self._index_in_epoch :])
            missing -= len(parts[-1])
            self._epochs_completed += 1
            self._index_in_epoch = 0
            if shuffle:
                self._shuffle()
        end = self._index_in_epoch + missing
        parts.append(self._order[self._index_in_epoch : end])
        self._index_in_epoch = end
        chosen = np.concatenate(parts) if len(parts) > 1 else parts[0]
        return self._images[chosen], self._labels[chosen]

    def _shuffle(self):
        # Shuffles the current order, as TensorFlow's reader does: equal seeds give equal batches.
        order = np.arange(self._num_examples)
        self._random.shuffle(order)
        self._order = self._order[order]
