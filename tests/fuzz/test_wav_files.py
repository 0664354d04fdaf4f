"""Damaged WAV files are decoded without harm, in a program of its own with AddressSanitizer and UBSan."""

import os
import random
import struct

import numpy as np
import pytest

from tests.fuzz import programs
from tests.records.audio.wav import file_of

ROUNDS = int(6_000 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))


def write_inputs(folder):
    """Files of one and of more channels, with other chunks around."""
    folder.mkdir()
    draw = random.Random(1)
    for channels, count in ((1, 0), (1, 200), (2, 100), (5, 7)):
        whole = file_of(np.arange(channels * count).reshape(count, channels) * 31 - 9000, 8000)
        for before in (b"", b"JUNK" + struct.pack("<I", 4) + b"abcd", b"bext" + struct.pack("<I", 0)):
            after = draw.choice([b"", b"LIST" + struct.pack("<I", 2) + b"ab"])
            (folder / f"{channels}-{count}-{len(before)}").write_bytes(whole[:12] + before + whole[12:] + after)


@pytest.mark.alone
@pytest.mark.skipif(not programs.KERNELS.exists(), reason="needs the source tree")
def test_damaged_files(tmp_path):
    program = programs.build(tmp_path, "wav_files", ["audio/wav.c"])
    write_inputs(tmp_path / "files")
    rounds, decoded = programs.run(program, 1, ROUNDS, *sorted((tmp_path / "files").iterdir()))
    assert rounds == ROUNDS and ROUNDS / 10 < decoded < 0.9 * ROUNDS
