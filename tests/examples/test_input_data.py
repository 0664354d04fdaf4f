"""The MNIST reader: the sample in the package, batches, damaged and missing files, downloads."""

import gzip
import hashlib
import io
import os
import struct

import numpy as np
import pytest

import tfcore as tf
from tfcore.examples.tutorials.mnist import input_data


def idx(array):
    head = struct.pack(f">{array.ndim + 1}I", 0x800 + array.ndim, *array.shape)
    return head + array.astype(np.uint8).tobytes()


def small_set(directory, count=10, pack=True):
    """Files of a set with `count` training and 4 test images; image i is filled with i."""
    images = np.repeat(np.arange(count), 784).reshape(count, 28, 28)
    labels = np.arange(count) % 10
    files = {
        input_data.TRAIN_IMAGES: images,
        input_data.TRAIN_LABELS: labels,
        input_data.TEST_IMAGES: images[:4],
        input_data.TEST_LABELS: labels[:4],
    }
    for name, array in files.items():
        path = os.path.join(directory, name if pack else name.removesuffix(".gz"))
        with open(path, "wb") as file:
            file.write(gzip.compress(idx(array)) if pack else idx(array))
    return str(directory)


def test_sample_in_the_package():
    mnist = input_data.read_data_sets(None, one_hot=True, validation_size=1000)
    assert (mnist.train.num_examples, mnist.validation.num_examples) == (9000, 1000)
    assert mnist.test.images.shape == (2000, 784)
    assert mnist.test.images.dtype == np.float32
    assert mnist.test.labels.shape == (2000, 10)
    assert (mnist.test.images.min(), mnist.test.images.max()) == (0.0, 1.0)
    assert np.all(mnist.test.labels.sum(1) == 1)
    assert mnist.test.labels[:5].argmax(1).tolist() == [7, 2, 1, 0, 4]
    # All ten digits are there, none much rarer than the others.
    counts = mnist.train.labels.sum(0)
    assert counts.min() > 700


def test_sample_is_small():
    directory = input_data.SAMPLE_DIR
    total = sum(os.path.getsize(os.path.join(directory, name)) for name in input_data.CHECKSUMS)
    assert total < 2.5e6


@pytest.mark.parametrize("pack", [True, False])
def test_reads_packed_and_unpacked_files(tmp_path, pack):
    mnist = input_data.read_data_sets(small_set(tmp_path, pack=pack), validation_size=2)
    assert mnist.train.images[:, 0].tolist() == pytest.approx([i / 255 for i in range(2, 10)])
    assert mnist.validation.labels.tolist() == [0, 1]
    assert mnist.test.labels.tolist() == [0, 1, 2, 3]


def test_options(tmp_path):
    directory = small_set(tmp_path)
    options = {"dtype": tf.uint8, "reshape": False, "validation_size": 0}
    mnist = input_data.read_data_sets(directory, **options)
    assert mnist.train.images.shape == (10, 28, 28, 1)
    assert mnist.train.images.dtype == np.uint8
    assert mnist.validation.num_examples == 0
    with pytest.raises(TypeError, match="Invalid image dtype"):
        input_data.read_data_sets(directory, dtype=tf.int64, validation_size=0)
    with pytest.raises(ValueError, match="between 0 and 10. Received: 11"):
        input_data.read_data_sets(directory, validation_size=11)


def test_missing_file(tmp_path):
    directory = small_set(tmp_path)
    os.remove(tmp_path / input_data.TEST_LABELS)
    with pytest.raises(FileNotFoundError, match="There is no t10k-labels.*--download"):
        input_data.read_data_sets(directory, validation_size=0)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[: len(data) // 2], "is damaged"),
        (lambda data: gzip.compress(gzip.decompress(data)[:-5]), "is damaged: .* bytes instead of"),
        (lambda data: gzip.compress(b"abcd" + gzip.decompress(data)[4:]), "Invalid magic number"),
        (lambda data: gzip.compress(b"ab"), "is damaged: 2 bytes"),
        (lambda data: data[:40] + b"\x00\x01" + data[42:], "is damaged"),
    ],
)
def test_damaged_file(tmp_path, damage, message):
    directory = small_set(tmp_path)
    path = tmp_path / input_data.TRAIN_IMAGES
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError, match=message):
        input_data.read_data_sets(directory, validation_size=0)


def test_labels_that_are_no_digits():
    with pytest.raises(ValueError, match="has a label 10"):
        input_data.extract_labels(io.BytesIO(idx(np.array([1, 10]))))


def test_images_and_labels_of_different_number(tmp_path):
    directory = small_set(tmp_path)
    (tmp_path / input_data.TRAIN_LABELS).write_bytes(idx(np.zeros(9)))
    with pytest.raises(ValueError, match="labels.shape"):
        input_data.read_data_sets(directory, validation_size=0)


def test_one_hot():
    rows = input_data.dense_to_one_hot(np.array([2, 0]), 3)
    assert rows.tolist() == [[0, 0, 1], [1, 0, 0]]


# ---- Batches.


def numbers(images):
    """Which image each row is, in a set whose image i is filled with i."""
    return np.round(images[:, 0] * 255).astype(int).tolist()


def test_a_pass_gives_every_image_once(tmp_path):
    train = input_data.read_data_sets(small_set(tmp_path), validation_size=0, seed=1).train
    seen = []
    for _ in range(5):
        images, labels = train.next_batch(2)
        assert labels.tolist() == numbers(images)
        seen += numbers(images)
    assert sorted(seen) == list(range(10))
    assert seen != list(range(10))
    assert train.epochs_completed == 0
    train.next_batch(2)
    assert train.epochs_completed == 1


def test_the_rest_of_a_pass_comes_first(tmp_path):
    train = input_data.read_data_sets(small_set(tmp_path), validation_size=0, seed=1).train
    first = numbers(train.next_batch(8)[0])
    second = numbers(train.next_batch(8)[0])
    assert sorted(first + second[:2]) == list(range(10))
    third = numbers(train.next_batch(4)[0])
    assert sorted(second[2:] + third) == list(range(10))


def test_without_shuffling(tmp_path):
    train = input_data.read_data_sets(small_set(tmp_path), validation_size=0).train
    assert numbers(train.next_batch(6, shuffle=False)[0]) == [0, 1, 2, 3, 4, 5]
    assert numbers(train.next_batch(6, shuffle=False)[0]) == [6, 7, 8, 9, 0, 1]


def test_batches_larger_than_the_set(tmp_path):
    train = input_data.read_data_sets(small_set(tmp_path), validation_size=0).train
    assert np.bincount(numbers(train.next_batch(25)[0])).tolist().count(3) == 5
    assert train.epochs_completed == 2


def test_seeds_decide_the_order(tmp_path):
    directory = small_set(tmp_path)

    def order(seed):
        train = input_data.read_data_sets(directory, validation_size=0, seed=seed).train
        return numbers(train.next_batch(10)[0]) + numbers(train.next_batch(10)[0])

    assert order(1) == order(1)
    assert order(1) != order(2)
    expected = np.arange(10)
    np.random.RandomState(1).shuffle(expected)
    assert order(1)[:10] == expected.tolist()  # as TensorFlow's reader does


def test_fake_data():
    mnist = input_data.read_data_sets("nowhere", fake_data=True, one_hot=True)
    images, labels = mnist.train.next_batch(3)
    assert np.shape(images) == (3, 784)
    assert labels == [[1] + [0] * 9] * 3
    assert mnist.train.num_examples == 10000


# ---- Downloads, from a directory in place of a server.


def test_download_checks_what_comes(tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    small_set(source)
    with pytest.raises(ValueError, match="is not MNIST's train-images"):
        input_data.download(str(target), source.as_uri())
    assert list(target.iterdir()) == []


def test_download_keeps_what_is_right(tmp_path, monkeypatch):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    small_set(source)
    sums = {}
    for name in input_data.CHECKSUMS:
        sums[name] = hashlib.sha256(gzip.decompress((source / name).read_bytes())).hexdigest()
    monkeypatch.setattr(input_data, "CHECKSUMS", sums)
    input_data.download(str(target), source.as_uri())
    assert sorted(p.name for p in target.iterdir()) == sorted(sums)
    again = input_data.read_data_sets(str(target), validation_size=0, source_url="http://127.0.0.1:1/")
    assert again.train.num_examples == 10
