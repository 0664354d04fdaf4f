"""Kernel tables say things in one way: a file has one table, called `kernels`; TFC_ROW makes its rows; sets of types
are those of kernels_c/common/kernel_table.h."""

import itertools
import re

import pytest

from tests import harness

HEADER = "kernels_c/common/kernel_table.h"
ABI = "kernels_c/include"
pytestmark = pytest.mark.skipif(not (harness.ROOT / HEADER).exists(), reason="needs the source tree")

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
SET = re.compile(r"^#define TFC_TYPES_(\w+)((?:.*\\\n)*.*)", re.M)
LITERAL = re.compile(r'"[^"\n]*"(?:\s*"[^"\n]*")*')  # with those that the compiler joins to it
TABLE = re.compile(r"tfc_kernel_def (\w+)\[\] = \{(.*?)\};", re.S)
FIELD = re.compile(r"\.compute *=")  # of a row that is written out


def vocabulary(header):
    """The name of each set of types, without TFC_TYPES_, and its types."""
    sets = {}
    for name, definition in SET.findall(header):
        parts = re.findall(r'"([^"]*)"|TFC_TYPES_(\w+)', definition)
        sets[name] = frozenset().union(*(sets[other] if other else text.split("|") for text, other in parts)) - {""}
    return sets


def type_lists(text):
    """The types of each list such as half|float in a file's string literals."""
    for literal in LITERAL.findall(text):
        for found in re.findall(r"\w+(?:\|\w+)+", re.sub(r'"\s*"', "", literal)):
            yield frozenset(found.split("|"))


def violations(sources, sets):
    """[(file, what is said in another way)]"""
    found = []
    for file, text in sorted(sources.items()):
        text = COMMENT.sub("", text)
        tables = TABLE.findall(text)
        found += [(file, f"a table {name}") for name, _ in tables if name != "kernels"]
        found += [(file, "a second table") for _ in tables[1:]]
        if FIELD.search(text) or any("{" in rows for _, rows in tables):
            found.append((file, "a row without TFC_ROW"))
        found += [
            (file, f"the types {name}") for types in type_lists(text) for name, known in sets.items() if known <= types
        ]
    return found


@pytest.fixture(scope="module")
def sets():
    return vocabulary((harness.ROOT / HEADER).read_text())


@pytest.fixture(scope="module")
def sources():
    files = itertools.chain(*(harness.ROOT.glob(f"kernels_c{end}/**/*.[ch]") for end in ("", "uda")))
    names = {path.relative_to(harness.ROOT).as_posix(): path for path in files}
    return {name: path.read_text() for name, path in names.items() if name != HEADER and not name.startswith(ABI)}


def test_sets_of_types_differ(sets):
    assert len(sets) > 10 and len(set(sets.values())) == len(sets)
    assert sets["FLOATS"] == {"half", "bfloat16", "float", "double"}
    assert sets["FLOATS"] < sets["REALS"] < sets["NUMBERS"] < sets["VALUES"]
    for name in sets:
        if name.endswith("_BUT_INT32"):
            assert sets[name] == sets[name.removesuffix("_BUT_INT32")] - {"int32"}


def test_sets_of_types_are_used(sets, sources):
    text = "".join([(harness.ROOT / HEADER).read_text(), *sources.values()])
    assert not [name for name in sets if len(re.findall(rf"TFC_TYPES_{name}\b", text)) < 3]


def test_tables_say_things_in_one_way(sources, sets):
    assert sum(text.count("TFC_REGISTER_KERNELS(kernels)") for text in sources.values()) > 100
    assert not violations(sources, sets)


@pytest.mark.parametrize(
    "text, found",
    [
        ('#define T_FLOATS "T=float|double|half|bfloat16"', ["FLOATS", "WIDE_FLOATS", "FLOATS_BUT_BFLOAT16"]),
        ('TFC_ROW("Op", "T=int32|int64", f)', ["INDICES"]),
        ('TFC_ROW("Op", "T=complex64|"\n  "complex128|" TFC_TYPES_FLOATS, f)', ["COMPLEX"]),
        ('TFC_ROW("Op", "T=half|" TFC_TYPES_WIDE_FLOATS "|int8", f)', []),
        ('/* "T=int32|int64" */', []),
    ],
)
def test_written_out_types_are_found(text, found, sets):
    assert {what for _, what in violations({"a.c": text}, sets)} >= {f"the types {name}" for name in found}
    assert bool(violations({"a.c": text}, sets)) == bool(found)


@pytest.mark.parametrize(
    "text, found",
    [
        ('tfc_kernel_def kernels[] = {\n  {.op = "One", .device = "CPU", .compute = f},\n};', "a row without TFC_ROW"),
        ('tfc_kernel_def kernels[] = {\n  {"One", "CPU", "", f},\n};', "a row without TFC_ROW"),
        ("#define ROW(OP) {.op = #OP, .compute = f}", "a row without TFC_ROW"),
        ('tfc_kernel_def moves[] = {\n  TFC_ROW("One", "", f),\n};', "a table moves"),
        ("tfc_kernel_def kernels[] = {A};\ntfc_kernel_def kernels[] = {B};", "a second table"),
    ],
)
def test_other_tables_are_found(text, found, sets):
    assert violations({"a.c": text}, sets) == [("a.c", found)]
