"""The C files of kernels_c: they include common headers and those of their own family, no others."""

import os
import re

import pytest

from tests import harness

KERNELS = harness.ROOT / "kernels_c"
pytestmark = pytest.mark.skipif(not KERNELS.exists(), reason="needs the source tree")

INCLUDE = re.compile(r'^#include "(?:\w+/)*(\w+\.h)"', re.M)
ABI = "kernel.h"


def common_headers(readme):
    """The headers that a README lists in its section of that name."""
    section = re.search(r"^## Common headers\n(.*?)^## ", readme, re.S | re.M)
    return set(re.findall(r"`(\w+\.h)`", section[1]))


def family(file):
    return os.path.splitext(file)[0].partition("_")[0]


def foreign_includes(sources, common):
    """[(file, header)] of another family's headers."""
    return [
        (file, header)
        for file, text in sorted(sources.items())
        for header in INCLUDE.findall(text)
        if header != ABI and header not in common and family(header) != family(file)
    ]


@pytest.fixture(scope="module")
def sources():
    return {path.name: path.read_text() for path in KERNELS.iterdir() if path.suffix in (".c", ".h")}


@pytest.fixture(scope="module")
def common():
    return common_headers((KERNELS / "README.md").read_text())


def test_families_include_common_headers_and_their_own(sources, common):
    assert len(common) > 10 and common <= set(sources)
    assert not foreign_includes(sources, common)


def test_common_headers_are_common(sources, common):
    """A header that only one family includes belongs to that family."""
    for header in common:
        users = {family(file) for file, text in sources.items() if header in INCLUDE.findall(text)}
        assert len(users) > 1, header


def test_a_foreign_include_is_found(sources, common):
    planted = {**sources, "sort.c": sources["sort.c"] + '\n#include "reduce.h"\n'}
    assert foreign_includes(planted, common) == [("sort.c", "reduce.h")]


def test_only_one_header_defines_vector_types(sources):
    assert [file for file, text in sorted(sources.items()) if "vector_size(" in text] == ["simd_types.h"]


def test_only_one_header_declares_kernels_of_gpus():
    """TFC_KERNEL makes a kernel wait for the one ahead of it."""
    files = [path for path in (harness.ROOT / "kernels_cuda").iterdir() if path.suffix in (".cu", ".cuh")]
    assert [path.name for path in files if "__global__" in path.read_text()] == ["kernel.cuh"]
