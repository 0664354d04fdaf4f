"""tf.compat, tf.version, tf.resource_loader, and the rest of tf.sysconfig and tf.errors."""

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


def test_v1_is_the_package_itself():
    code = (
        "import tfcore.compat.v1 as tf; from tfcore.compat import v1; import tfcore; assert tf is v1 is tfcore;"
        "from tfcore.compat.v1 import placeholder; assert tf.compat.v1.placeholder is placeholder"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.text())
def test_strings_and_bytes(text):
    assert tf.compat.as_bytes(text) == text.encode() == tf.compat.as_bytes(text.encode())
    assert tf.compat.as_text(text.encode()) == text == tf.compat.as_str(text) == tf.compat.as_str_any(text.encode())


def test_other_strings():
    assert tf.compat.as_bytes("ä", "latin-1") == b"\xe4" and tf.compat.as_text(b"\xe4", "latin-1") == "ä"
    assert tf.compat.as_bytes(bytearray(b"a")) == b"a" and tf.compat.as_str_any(3) == "3"
    for function in (tf.compat.as_bytes, tf.compat.as_text, tf.compat.as_str):
        with pytest.raises(TypeError, match="Expected binary or unicode string, got 3"):
            function(3)
        with pytest.raises(LookupError):
            function("a", "no such encoding")


def test_paths():
    assert tf.compat.path_to_str(pathlib.Path("a/b")) == "a/b" and tf.compat.path_to_str(3) == 3
    assert tf.compat.path_to_bytes(pathlib.Path("a/b")) == b"a/b"


def test_types():
    assert isinstance(np.int8(1), tf.compat.integral_types) and not isinstance(1.0, tf.compat.integral_types)
    assert isinstance(np.float16(1), tf.compat.real_types) and not isinstance(1j, tf.compat.real_types)
    assert isinstance(np.complex64(1), tf.compat.complex_types) and isinstance(b"", tf.compat.bytes_or_text_types)


def test_horizon():
    assert tf.compat.forward_compatible(2019, 6, 1) and not tf.compat.forward_compatible(2100, 1, 1)
    with tf.compat.forward_compatibility_horizon(2019, 5, 1):
        assert not tf.compat.forward_compatible(2019, 6, 1) and tf.compat.forward_compatible(2019, 4, 30)
    assert tf.compat.forward_compatible(2019, 6, 1)


def test_dimensions():
    assert [tf.dimension_value(d) for d in (tf.Dimension(3), tf.Dimension(None), 5, None)] == [3, None, 5, None]
    assert tf.compat.dimension_at_index(tf.TensorShape([2, 3]), 1) == tf.Dimension(3)
    assert tf.dimension_at_index(tf.TensorShape(None), 4).value is None


def test_versions():
    assert tf.version.VERSION == tf.VERSION == tf.__version__ and tf.GIT_VERSION == tf.version.GIT_VERSION
    assert tf.version.GRAPH_DEF_VERSION == tf.GRAPH_DEF_VERSION and tf.COMPILER_VERSION
    info = tf.sysconfig.get_build_info()
    assert info["cpu_compiler"] == tf.COMPILER_VERSION and info["is_cuda_build"] is False
    assert (tf.CXX11_ABI_FLAG, tf.MONOLITHIC_BUILD) == (1, 0) and tf.CXX_VERSION == tf.sysconfig.CXX_VERSION


def test_resources():
    here = os.path.dirname(os.path.abspath(__file__))
    loader = tf.resource_loader
    assert loader.get_data_files_path() == here == loader.get_root_dir_with_all_resources()
    assert loader.get_path_to_datafile("README.md") == os.path.join(here, "README.md")
    assert loader.load_resource("README.md").startswith(b"# platform")
    assert loader.readahead_file_path("x", readahead="1M") == "x"
    with pytest.raises(OSError):
        loader.load_resource("nothing")


def test_status():
    with tf.errors.raise_exception_on_not_ok_status() as status:
        assert status.code == tf.errors.OK
    with pytest.raises(tf.errors.DataLossError, match="gone"):
        with tf.errors.raise_exception_on_not_ok_status() as status:
            status.code, status.message = tf.errors.DATA_LOSS, "gone"
    with pytest.raises(ValueError, match="first"):
        with tf.errors.raise_exception_on_not_ok_status() as status:
            status.code = tf.errors.DATA_LOSS
            raise ValueError("first")
    assert tf.OpError is tf.errors.OpError
