"""The kernel ABI is written twice, in C and for Cython: both must say the same."""

import os
import re

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = os.path.join(ROOT, "kernels_c", "include", "tfcore", "kernel.h")
PXD = os.path.join(ROOT, "tfcore", "kernel.pxd")
pytestmark = pytest.mark.skipif(not os.path.exists(HEADER), reason="needs the source tree")
OPAQUE = {"tfc_buffer*": "void*"}  # kernel.pxd leaves it to the runtime to say what a buffer is


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def split(text):
    """The parameters of a list; those of a function pointer stay together."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, text[start:]] if p.strip() not in ("", "void")]


def type_of(declaration):
    """A C type without names, `const` and spaces: 'const int64_t* dims' is 'int64_t*'."""
    pointer = re.fullmatch(r"(.*?)\(\*\s*\w*\)\s*\((.*)\)", declaration.strip())
    if pointer:
        return f"{type_of(pointer[1])}(*)({','.join(map(type_of, split(pointer[2])))})"
    text = re.sub(r"\b(const|struct)\b", " ", declaration)
    text, arrays = re.subn(r"\[\w+\]", "", text)
    words = re.findall(r"\w+", text) or ["..."]
    found = words[0] + "*" * (text.count("*") + arrays)
    return OPAQUE.get(found, found)


def functions_of(text, pattern):
    found = {}
    for result, name, parameters in re.findall(pattern, text):
        found[name] = type_of(result), [type_of(p) for p in split(parameters)]
    return found


def members_of(body, end):
    members = []
    for line in filter(None, (x.strip() for x in body.split(end))):
        pointer = re.fullmatch(r"(.*?)\(\*(\w+)\)\s*\((.*)\)", line, re.S)
        if pointer:
            members.append((pointer[2], type_of(pointer[1]), [type_of(p) for p in split(pointer[3])]))
        elif line != "pass":
            name = re.search(r"(\w+)(\[\w+\])?$", line)
            members.append((name[1], type_of(line[: name.start()] + (name[2] or "")), None))
    return members


def of_header(text):
    """(functions, structs, constants) of kernel.h."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    constants = set(re.findall(r"#define (TFC_\w+) \d", text))
    for body in re.findall(r"\benum\s*\{(.*?)\}", text, re.S):
        constants.update(re.findall(r"\bTFC_\w+(?=\s*=)", body))
    structs = {n: members_of(b, ";") for b, n in re.findall(r"typedef struct \w+ \{(.*?)\n\} (\w+);", text, re.S)}
    functions = functions_of(text, r"static inline ([\w ]+?\**)\s*\b(tfc_\w+)\(([^{]*)\)\s*\{")
    functions["tfc_error"] = (
        "int",
        ["tfc_context*", "int", "char*", "..."],
    )  # a macro, as it takes any number of arguments
    assert "#define tfc_error(" in text
    for result, name, parameters in re.findall(r"typedef (\w+) \(\*(\w+)\)\((.*?)\);", text):
        functions[name] = type_of(result), [type_of(p) for p in split(parameters)]
    return functions, structs, constants


def of_pxd(text):
    """(functions, structs, constants) of kernel.pxd."""
    text = re.sub(r"#.*", "", text).replace("tfc_bool", "bool")
    text = re.sub(r",\n\s+", ", ", text)
    text = re.sub(r"\s+noexcept|\s+nogil", "", text)
    constants = set(re.findall(r"^ {8}(TFC_\w+)$", text, re.M))
    structs = {
        name: members_of(body, "\n") for name, body in re.findall(r"ctypedef struct (\w+):\n((?: {8}.*\n)+)", text)
    }
    functions = functions_of(text, r"(?m)^ {4}(?!ctypedef)([\w ]+?\s\**)(tfc_\w+)\((.*)\)$")
    for result, name, parameters in re.findall(r"ctypedef (\w+) \(\*(\w+)\)\((.*)\)$", text, re.M):
        functions[name] = type_of(result), [type_of(p) for p in split(parameters)]
    return functions, structs, constants


def differences(header, pxd):
    """What is declared on one side only, or not alike, by name."""
    (functions, structs, constants), (functions2, structs2, constants2) = of_header(header), of_pxd(pxd)
    structs2 = {name: members for name, members in structs2.items() if members}  # the others are opaque
    found = constants ^ constants2
    for one, other in ((functions, functions2), (structs, structs2)):
        found |= {name for name in one.keys() | other.keys() if one.get(name) != other.get(name)}
    return sorted(found)


def test_the_reader_finds_what_there_is():
    functions, structs, constants = of_header(read(HEADER))
    assert {"tfc_output", "tfc_make", "tfc_on_low_memory", "tfc_range_fn"} <= functions.keys() and len(functions) > 30
    assert {"tfc_tensor", "tfc_api", "tfc_library_def"} <= structs.keys() and len(structs["tfc_api"]) == 45
    assert {"TFC_ABI_VERSION", "TFC_FLOAT", "TFC_PENDING", "TFC_KERNEL_LEAVES_LOOPS", "TFC_OP_COMMUTATIVE"} <= constants
    assert functions["tfc_string_set"] == ("int", ["tfc_context*", "tfc_tensor*", "int64_t", "char*", "size_t"])


def test_the_declarations_for_cython_are_those_of_the_header():
    assert differences(read(HEADER), read(PXD)) == []


@pytest.mark.parametrize(
    "line,name",
    [
        (r" {4}void tfc_hold\(.*\n", "tfc_hold"),
        (r" {8}tfc_bool \(\*claim\).*\n", "tfc_api"),
        (r" {8}int64_t n\n", "tfc_tensor"),
        (r" {8}TFC_KERNEL_LEAVES_LOOPS\n", "TFC_KERNEL_LEAVES_LOOPS"),
    ],
)
def test_what_is_missing_is_found(line, name):
    shorter, removed = re.subn(line, "", read(PXD))
    assert removed == 1 and differences(read(HEADER), shorter) == [name]


def test_what_is_new_or_changed_in_the_header_is_found():
    header = read(HEADER)
    more = header.replace(
        "/* ---- Small helpers. */", "static inline int tfc_new(tfc_context* ctx) {\n  return 0;\n}\n"
    )
    assert differences(more, read(PXD)) == ["tfc_new"]
    other = header.replace(
        "tfc_output_ref(tfc_context* ctx, int i, int input)", "tfc_output_ref(tfc_context* ctx, int64_t i, int input)"
    )
    assert other != header and differences(other, read(PXD)) == ["tfc_output_ref"]
