"""Damaged files of records are read without harm, in a program of its own with AddressSanitizer and UBSan."""

import os
import pathlib
import random
import shutil
import subprocess

import pytest

import tfcore as tf

HERE = pathlib.Path(__file__).parent
KERNELS = HERE.parent.parent / "kernels_c"
ROUNDS = int(3000 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))  # 34 times the effort: 10^5


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
@pytest.mark.skipif(not KERNELS.exists(), reason="needs the source tree")
def test_damaged_files(tmp_path):
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    sources = [HERE / "record_files.c", *(KERNELS / f"{part}.c" for part in ("common/crc", "io/inflate", "io/records"))]
    flags = ["-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    includes = [f"-I{KERNELS.parent}", f"-I{KERNELS / 'include'}"]
    program = tmp_path / "record_files"
    built = subprocess.run([compiler, *flags, *includes, "-o", program, *sources, "-pthread"], capture_output=True)
    if built.returncode and b"asan" in built.stderr:
        pytest.skip("the compiler has no AddressSanitizer")
    assert built.returncode == 0, built.stderr.decode()
    folder = tmp_path / "files"
    write_inputs(folder)
    files = sorted(map(str, folder.iterdir()))
    command = [str(program), str(tmp_path), "1", str(ROUNDS), *files]
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=512"}
    environment.pop("LD_PRELOAD", None)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=3000)
    assert done.returncode == 0, done.stderr[-6000:]
    rounds, read = map(int, done.stdout.split()[1::2])
    assert rounds == ROUNDS and read > 2 * ROUNDS, "most changes have to get past the checksums"
