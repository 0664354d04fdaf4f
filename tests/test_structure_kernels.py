"""The C files of kernels_c: they include headers of their own family, those of common/, and those that the README lists
as common headers, no others. Templates use only the names of common/template.h."""

import pathlib
import re

import pytest

from tests import harness

KERNELS = harness.ROOT / "kernels_c"
pytestmark = pytest.mark.skipif(not KERNELS.exists(), reason="needs the source tree")

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
ABI = "tfcore/kernel.h"
FORMAT = "checkpoint/format"  # a library of its own, which knows no kernels
TEMPLATES = "common/template.h"
INSTANCE = re.compile(r'^#define T \w+\n((?:#define .*\n)*)#include "kernels_c/(\w+/\w+_type\.h)"$', re.M)
DEFINE_T, INCLUDE_TEMPLATE = re.compile(r"^#define T\b", re.M), re.compile(r'^#include ".*_type\.h"$', re.M)
DEFINE, UNDEF = (re.compile(rf"^#{word} (\w+)", re.M) for word in ("define", "undef"))
NAME_OF_A_TYPE = re.compile(r"^#define (\w+)\((\w+)\) (?:\2##_\w+|v\w+_##\2)$", re.M)


def common_headers(readme):
    """The headers that a README lists in its section of that name."""
    section = re.search(r"^## Common headers\n(.*?)^## ", readme, re.S | re.M)
    return set(re.findall(r"`(\w+/\w+\.h)`", section[1]))


def includes(sources):
    """[(file, header)], both relative to kernels_c; the ABI is left out."""
    found = [(file, header) for file, text in sorted(sources.items()) for header in INCLUDE.findall(text)]
    return [(file, header.removeprefix("kernels_c/")) for file, header in found if header != ABI]


def family(path):
    return path.split("/")[0]


def foreign_includes(sources, common):
    """[(file, header)] of another family's headers."""
    return [
        (file, header)
        for file, header in includes(sources)
        if family(header) not in (family(file), "common") and header not in common
    ]


@pytest.fixture(scope="module")
def sources():
    found = (path for path in KERNELS.rglob("*.[ch]") if "include" not in path.parts)
    return {path.relative_to(KERNELS).as_posix(): path.read_text() for path in found}


@pytest.fixture(scope="module")
def common():
    return common_headers((KERNELS / "README.md").read_text())


def test_all_includes_are_found(sources):
    assert len(includes(sources)) > 300
    assert not [(file, header) for file, header in includes(sources) if header not in sources]


def test_families_include_common_headers_and_their_own(sources, common):
    assert len(common) > 3 and common <= set(sources)
    assert not foreign_includes(sources, common)


def test_common_headers_are_common(sources, common):
    """A header that only one family includes belongs to that family; what common uses itself is common."""
    shared = common | {file for file in sources if file.startswith("common/") and file.endswith(".h")}
    for header in shared:
        users = {family(file) for file, included in includes(sources) if included == header}
        own = header.startswith("common/")
        assert own and "common" in users or len(users - {family(header)}) > own, header


def test_a_foreign_include_is_found(sources, common):
    planted = {**sources, "reduce/sort.c": sources["reduce/sort.c"] + '\n#include "kernels_c/queues/queue.h"\n'}
    assert foreign_includes(planted, common) == [("reduce/sort.c", "queues/queue.h")]


def knowing_kernels(sources):
    """[(file, header)] of files of the checkpoint format that include more than it and common headers."""
    return [
        (file, header)
        for file, header in includes(sources)
        if file.startswith(FORMAT + "/") and not header.startswith((FORMAT + "/", "common/"))
    ]


def test_the_checkpoint_format_knows_no_kernels(sources):
    assert not knowing_kernels(sources)
    planted = {**sources, f"{FORMAT}/crc.c": '#include "kernels_c/checkpoint/op.h"\n'}
    assert knowing_kernels(planted) == [(f"{FORMAT}/crc.c", "checkpoint/op.h")]


def test_only_one_header_defines_vector_types(sources):
    assert [file for file, text in sorted(sources.items()) if "vector_size(" in text] == ["common/simd_types.h"]


def dialects(sources):
    """[(file, macro)] of macros that make names for an element type: x##_float or vf_##x instead of N(x) and OF(x)."""
    return [
        (file, name)
        for file, text in sorted(sources.items())
        for name, _ in NAME_OF_A_TYPE.findall(text)
        if file != TEMPLATES
    ]


def left_defined(sources):
    """[(template, macro)] that a template, or a file that includes it, defines and the template does not undefine."""
    found = set()
    for text in sources.values():
        for wanted, template in INSTANCE.findall(text):
            defined = {"T", *DEFINE.findall(wanted), *DEFINE.findall(sources[template])}
            found |= {(template, macro) for macro in defined - set(UNDEF.findall(sources[template]))}
    return sorted(found)


def incomplete_instances(sources):
    """Files that define T, or include a template, without the other."""
    return [
        file
        for file, text in sorted(sources.items())
        if not len(INSTANCE.findall(text)) == len(DEFINE_T.findall(text)) == len(INCLUDE_TEMPLATE.findall(text))
    ]


def test_templates_have_one_dialect(sources):
    assert sum(len(INSTANCE.findall(text)) for text in sources.values()) > 20
    assert not dialects(sources)
    assert not left_defined(sources)
    assert not incomplete_instances(sources)


@pytest.mark.parametrize(
    ("macro", "found"),
    [
        ("#define POOL_NAME(x) x##_float", ["POOL_NAME"]),
        ("#define OF(F) vd_##F", ["OF"]),
        ("#define TABLE(OP) {OP##_float, OP##_double}", []),
    ],
)
def test_another_dialect_is_found(sources, macro, found):
    planted = {**sources, "reduce/sort.c": f"{sources['reduce/sort.c']}\n{macro}\n"}
    assert dialects(planted) == [("reduce/sort.c", name) for name in found]


def test_a_macro_that_stays_defined_is_found(sources):
    planted = {
        "reduce/sort.c": '#define T float\n#define LEAST 0\n#include "kernels_c/reduce/sort_type.h"\n',
        "reduce/sort_type.h": "#define MOST 1\n#undef T\n",
        "reduce/scan.c": "#define T float\n",
    }
    assert left_defined(planted) == [("reduce/sort_type.h", "LEAST"), ("reduce/sort_type.h", "MOST")]
    assert incomplete_instances(planted) == ["reduce/scan.c"]


def test_only_one_header_declares_kernels_of_gpus():
    """TFC_KERNEL makes a kernel wait for the one ahead of it."""
    files = pathlib.Path(harness.ROOT / "kernels_cuda").rglob("*.cu*")
    assert [path.name for path in files if "__global__" in path.read_text()] == ["kernel.cuh"]
