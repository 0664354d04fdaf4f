"""The address of an op is family/file, the same in all trees: tfcore/ops/ADDRESS.py defines it, kernels_c/ADDRESS.c has
its kernels, kernels_cuda/ADDRESS.c launches them on GPUs, tests/records/ADDRESS.py has its record.

Ops whose kernels belong to the executor or to the cluster, which the registry calls internal, have no file in
kernels_c; ops that the compiler replaces have no kernel at all.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys

import pytest

from tests import harness
from tfcore.core.registry import registry

ROOT = harness.ROOT
KERNELS = ROOT / "kernels_c"
pytestmark = pytest.mark.skipif(not KERNELS.exists(), reason="needs the source tree")

# Watches registrations while tfcore is imported, and notes the module at whose top level each one happens.
WATCH = """
import json, sys
modules = {}
def watch(frame, event, arg):
    code = frame.f_code
    if event == "call" and code.co_name == "register" and code.co_filename.endswith("op_def.py"):
        if (op := frame.f_locals.get("op_def")) is not None:
            while frame.f_code.co_name != "<module>":
                frame = frame.f_back
            modules[op.name] = frame.f_globals["__name__"]
sys.setprofile(watch)
import tfcore
sys.setprofile(None)
json.dump(modules, sys.stdout)
"""
TABLE = re.compile(r"tfc_kernel_def kernels\[\] = \{(.*?)\};", re.S)
LIST = re.compile(r"^#define (\w+)\(((?:.*\\\n)*.*)", re.M)


def modules_of_definitions():
    done = subprocess.run([sys.executable, "-c", WATCH], cwd=ROOT, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def words(text):
    return set(re.findall(r"\w+", text))


def tables_of_kernels(folder, ops):
    """Op -> the addresses of the C files whose kernel tables name it, by itself or by a list of a names.h."""
    files = collections.defaultdict(set)
    headers = pathlib.Path(folder).rglob("names.h")
    lists = {name: words(ops_of) for path in headers for name, ops_of in LIST.findall(path.read_text())}
    for path in sorted(pathlib.Path(folder).rglob("*.c")):
        for table in TABLE.findall(path.read_text()):
            named = words(table)
            for word in ops & named.union(*(lists[name] for name in named & lists.keys())):
                files[word].add(path.relative_to(folder).with_suffix("").as_posix())
    return files


def addresses_of_records():
    addresses = collections.defaultdict(set)
    for record in harness.all_records():
        addresses[record.op].add(record.family)
    for module in harness._record_modules():
        for op in getattr(module, "EXPLICIT", ()):
            addresses[op].add(harness.address_of(module))
    return addresses


def library_ops():
    """The ops that have kernels in kernels_c."""
    return {k.op for k in registry.kernels() if k.level not in ("user", "internal")}


@pytest.fixture(scope="module")
def definitions():
    return modules_of_definitions()


def test_ops_are_defined_in_op_modules(definitions):
    elsewhere = {op.name: definitions[op.name] for op in harness.own_ops()
                 if not definitions[op.name].startswith("tfcore.ops.")}  # fmt: skip
    assert not elsewhere


def test_every_kernel_is_found_in_a_table():
    ops = library_ops()
    assert len(ops) > 400
    assert set(tables_of_kernels(KERNELS, ops)) == ops


def misplaced(definitions, kernels, records):
    """{op: the addresses that differ from that of its definition}"""
    found = {}
    for op, module in definitions.items():
        address = module.removeprefix("tfcore.ops.").replace(".", "/")
        others = {*records[op], *(kernels.get(op, ()))}
        if others != {address}:
            found[op] = (address, sorted(others))
    return found


@pytest.fixture(scope="module")
def own_definitions(definitions):
    return {op.name: definitions[op.name] for op in harness.own_ops()}


def test_definition_kernels_and_record_have_one_address(own_definitions):
    kernels = {op: files for op, files in tables_of_kernels(KERNELS, library_ops()).items()}
    assert not misplaced(own_definitions, kernels, addresses_of_records())


def test_a_file_in_the_wrong_family_is_found(own_definitions):
    records = addresses_of_records()
    kernels = tables_of_kernels(KERNELS, library_ops())
    planted = {**own_definitions, "MatMul": "tfcore.ops.conv.matmul"}
    assert misplaced(planted, kernels, records) == {"MatMul": ("conv/matmul", ["linalg/matmul"])}
    assert list(misplaced(own_definitions, {**kernels, "Conv2D": {"pooling/conv"}}, records)) == ["Conv2D"]


def test_tables_are_read(tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.c").write_text('tfc_kernel_def kernels[] = {\n    TFC_ROW("One", f),\n    LIST(ROW)};\n')
    (tmp_path / "x" / "b.c").write_text('tfc_kernel_def kernels[] = {\n    TFC_ROW("One", f),\n};\nint Two;\n')
    (tmp_path / "x" / "names.h").write_text("#define LIST(X) \\\n  X(Two) \\\n  X(Four)\n#define OTHERS(X) X(Three)\n")
    assert tables_of_kernels(tmp_path, {"One", "Two", "Three"}) == {"One": {"x/a", "x/b"}, "Two": {"x/a"}}
