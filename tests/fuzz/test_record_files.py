"""Damaged files of records are read without harm, in a program of its own with AddressSanitizer and UBSan."""

import os
import random

import pytest

import tfcore as tf
from tests.fuzz import programs

ROUNDS = int(2000 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))  # 50 times the effort: 10^5


def write_inputs(folder):
    """Files of each compression, with records and lines of different kinds."""
    folder.mkdir()
    draw = random.Random(1)
    texts = [b"", b"line\nline\r\n", b"abc" * 2000, draw.randbytes(3000), b"\0" * 70000]
    for kind in ("", "ZLIB", "GZIP"):
        for level in (0, 1, 9)[: 3 if kind else 1]:
            options = tf.python_io.TFRecordOptions(kind, compression_level=level, compression_strategy=level // 2)
            with tf.python_io.TFRecordWriter(str(folder / f"{kind.lower() or 'plain'}-{level}"), options) as writer:
                for _ in range(12):
                    writer.write(draw.choice(texts)[: draw.randrange(1, 80000)])


@pytest.mark.alone
@pytest.mark.skipif(not programs.KERNELS.exists(), reason="needs the source tree")
def test_damaged_files(tmp_path):
    program = programs.build(
        tmp_path, "record_files", ["common/crc.c", "common/remote_files.c", "io/inflate.c", "io/lmdb.c", "io/records.c"]
    )
    write_inputs(tmp_path / "files")
    files = sorted((tmp_path / "files").iterdir())
    rounds, read = programs.run(program, tmp_path, 1, ROUNDS, *files)
    assert rounds == ROUNDS and read > 2 * ROUNDS, "most changes have to get past the checksums"
