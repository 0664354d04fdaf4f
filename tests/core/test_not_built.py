"""Importing a source tree that was not built."""

import os
import shutil
import subprocess
import sys

import tfcore


def test_a_source_tree_says_how_to_build_it(tmp_path):
    source = os.path.dirname(tfcore.__file__)
    shutil.copytree(source, tmp_path / "tfcore", ignore=shutil.ignore_patterns("*.so", "*.c", "*.gz", "__pycache__"))
    command = [sys.executable, "-c", "import tfcore"]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: tfcore is not built for this Python")
    assert last.endswith(f"Run `pip install -e .` in {tmp_path}.")
