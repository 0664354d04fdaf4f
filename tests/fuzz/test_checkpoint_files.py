"""Damaged checkpoints are read without harm: the readers, in a program of their own with AddressSanitizer and UBSan."""

import glob
import os
import pathlib
import shutil

import pytest

from tests.fixtures.checkpoints import values
from tests.fuzz import programs

FIXTURES = pathlib.Path(values.__file__).parent
PARTS = "file index lock merge read slice snappy table_read table_write v1 write".split()
SOURCES = [*(f"checkpoint/format/{part}.c" for part in PARTS), "common/crc.c", "common/remote_files.c"]
ROUNDS = int(1300 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))  # 77 times the effort: 10^5


@pytest.mark.alone
@pytest.mark.skipif(not programs.KERNELS.exists(), reason="needs the source tree")
def test_damaged_files(tmp_path):
    program = programs.build(tmp_path, "checkpoint_files", SOURCES)
    folder = tmp_path / "files"
    shutil.copytree(FIXTURES, folder)
    files = [*glob.glob(f"{FIXTURES}/*.index"), *glob.glob(f"{FIXTURES}/*.data*"), f"{FIXTURES}/legacy"]
    rounds, opened = programs.run(program, folder, 1, ROUNDS, *sorted(files))
    assert rounds == ROUNDS and opened > ROUNDS // 10, "most changes have to get past the checksums"
