"""CUDA C++ sources of users: files, macros, and the parameters of their kernels."""

import collections
import hashlib
import os
import re
from typing import NamedTuple

import numpy as np

from tfcore.framework.types import dtypes

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)".*$', re.M)
_ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once\b.*$", re.M)
_NOISE = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])'|"(?:\\.|[^"\\\n])*\"""", re.S)
_QUALIFIERS = re.compile(
    r"\b(?:__restrict__|__restrict|restrict|volatile|__grid_constant__|struct)\b|\bstd::|(?<!\w)::"
)
_SPELLINGS = {
    "bool": "bool",
    "float32": "float",
    "float64": "double",
    "float16": "half, __half",
    "bfloat16": "nv_bfloat16, __nv_bfloat16",
    "int8": "char, signed char, int8_t",
    "uint8": "unsigned char, uint8_t",
    "int16": "short, int16_t",
    "uint16": "unsigned short, uint16_t",
    "int32": "int, int32_t",
    "uint32": "unsigned, uint32_t",
    "int64": "long, long long, int64_t, ptrdiff_t",
    "uint64": "unsigned long, unsigned long long, uint64_t, size_t",
    "complex64": "float2, cuComplex, cuFloatComplex, thrust::complex<float>, cuda::complex<float>",
    "complex128": "double2, cuDoubleComplex, thrust::complex<double>, cuda::complex<double>",
}
# CUDA's vectors: pointers to them are pointers to several elements, as of float32 for a float4*.
_VECTORS = {
    "float32": "float",
    "float64": "double",
    "float16": "half, __half",
    "bfloat16": "nv_bfloat16, __nv_bfloat16",
    "int8": "char",
    "uint8": "uchar",
    "int16": "short",
    "uint16": "ushort",
    "int32": "int",
    "uint32": "uint",
    "int64": "long, longlong",
    "uint64": "ulong, ulonglong",
}


def _table(spellings, ends):
    """{spelling of a C type: the DTypes that it may be}"""
    found = collections.defaultdict(tuple)
    for dtype, names in spellings.items():
        for name in names.split(", "):
            for end in ends:
                found[name + end] += (dtypes.as_dtype(dtype),)
    return found


_TYPES, _POINTED = _table(_SPELLINGS, [""]), _table(_VECTORS, "1234")


class Parameter(NamedTuple):
    """A parameter of a kernel. types: the DTypes that its C type, or what it points to, may be; None: any."""

    text: str
    is_pointer: bool
    is_const: bool  # what it points to can't be written
    types: tuple | None


def read(source, name):
    """A source, given as text or as the path of a file that ends in .cu, and its name for messages.

    What it includes by quotes becomes part of its text, which needs no other files then: what lies beside a file, or is
    named by its full path.

    Raises:
      OSError: the file can't be read.
    """
    if isinstance(source, str) and ("\n" in source or not source.endswith(".cu")):
        return _with_includes(source, f"{name}.cu", None, ()), f"{name}.cu"
    path = os.fspath(source)
    return _included(path, ()), path


def _included(path, within):
    """The text of a file that the files `within` include, one within the other."""
    within = (*within, os.path.realpath(path))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = _with_includes(text, path, os.path.dirname(path), within)
    if not _ONCE.search(text):
        return found
    guard = f"TFC_ONCE_{hashlib.sha256(within[-1].encode()).hexdigest()[:16]}"
    return f"#ifndef {guard}\n#define {guard}\n{_line(1, path)}{_ONCE.sub('', found)}\n#endif"


def _with_includes(text, label, folder, within):
    """A text with what it includes. folder: where its includes are, or None if it is not that of a file."""

    def include(match):
        if folder is None and not os.path.isabs(match[1]):
            return match[0]
        other = os.path.join(folder or "", match[1])
        if not os.path.exists(other):
            return match[0]  # the compiler's
        if os.path.realpath(other) in within:
            return ""
        line = text.count("\n", 0, match.start()) + 2
        return f"{_line(1, other)}{_included(other, within)}\n{_line(line, label).rstrip()}"

    return _INCLUDE.sub(include, text)


def _line(number, path):
    return f'#line {number} "{path}"\n'


def complete(source, label, name, constants):
    """The text for the compiler: macros, and the source in which the function has C's name.

    Args:
      label: the source's name in messages.
      constants: {name: number, bool, or the text that it stands for}.

    Raises:
      ValueError: a constant has no such form in C.
    """
    lines = [f"#define {key} {_literal(key, value)}\n" for key, value in (constants or {}).items()]
    for match in reversed(_find(source, name)):
        before, after = source[: match.start()], source[match.start() :]
        if not re.search(r'extern\s*"C"\s*$', before):
            before = re.sub(r"\bstatic(\s*)$", r"\1", before)  # what has C's name is not static
            source = f'{before}extern "C" {after}'
    return "".join(lines) + _line(1, label) + source


def _literal(name, value):
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ValueError(f"{name!r} can't be the name of a constant")
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, str) and "\n" not in value:
        return value
    if isinstance(value, (int, np.integer)) and -(2**63) < value < 2**64:
        text = f"{value}{'' if abs(value) < 2**31 else 'll' if value < 2**63 else 'ull'}"
        return f"({text})" if value < 0 else text
    if isinstance(value, (float, np.floating)) and np.isfinite(value):
        text = repr(float(value)) if isinstance(value, float) else f"{float(value)!r}f"
        return f"({text})" if value < 0 else text
    raise ValueError(f"constant {name} is {value!r}: expected a finite number, a bool, or a text of one line")


def _blank(source):
    """The source, of the same length, without comments, and with texts that have no letters."""
    return _NOISE.sub(
        lambda m: re.sub(r"[^\n\"]", " ", m[0]) if m[0][0] == '"' else re.sub(r"[^\n]", " ", m[0]), source
    )


_KERNEL = r"(?:inline\s+)?__global__\b[^;{}]*?\b(?P<name>%s)\s*\((?P<tail>[^;{]*)"


def _find(source, name):
    """The declarations of a kernel: matches in the source.

    Raises:
      ValueError: there is none, or it is a template.
    """
    blank = _blank(source)
    found = list(re.finditer(_KERNEL % re.escape(name), blank))
    if not found:
        others = sorted({m["name"] for m in re.finditer(_KERNEL % r"(?!__launch_bounds__)\w+", blank)})
        raise ValueError(
            f"The source has no kernel {name!r}: its __global__ functions are {', '.join(others) or 'none'}. Its "
            "declaration must be written out, not be made by a macro"
        )
    for match in found:
        before = re.split(r"[;{}]", blank[: match.start()])[-1]
        if re.search(r"\btemplate\s*<", before):
            raise ValueError(
                f"The kernel {name!r} is a template, which has no name of its own: write a __global__ function that "
                "calls it, or a __device__ template"
            )
    return found


def parameters(source, name, constants):
    """The lists of parameters of a kernel, one for each of its declarations: a source may have several, under #if.

    Raises:
      ValueError: the source has no such kernel, or it is a template.
    """
    texts = {key: value for key, value in (constants or {}).items() if isinstance(value, str)}
    lists = []
    for match in _find(source, name):
        parts = _split(match["tail"])
        lists.append([_parameter(part, texts) for part in parts if part not in ("", "void")])
    return lists


def _split(tail):
    """The parameters up to the parenthesis that ends them."""
    parts, depth, text = [], 0, ""
    for c in tail:
        if c == ")" and not depth:
            break
        depth += (c in "(<[") - (c in ")>]")
        if c == "," and not depth:
            parts.append(text)
            text = ""
        else:
            text += c
    return [" ".join(part.split()) for part in (*parts, text)]


def _parameter(text, macros):
    plain = re.sub(r"\b\w+\b", lambda m: macros.get(m[0], m[0]), text.partition("=")[0])
    head, mark, rest = re.match(r"([^*&\[]*)(.?)(.*)", _QUALIFIERS.sub("", plain)).groups()
    words = head.split()
    is_const, words = "const" in words, [w for w in words if w != "const"]
    if mark not in ("*", "&") and len(words) > 1 and words[-1] not in ("int", "long", "short", "char", "double"):
        words.pop()  # its name
    depth = (mark + rest).count("*") + (mark + rest).count("[")
    types = () if depth > 1 or mark == "&" else _types(_usual(words), depth > 0)
    return Parameter(text, depth > 0, is_const and depth > 0, types)


def _usual(words):
    """The spelling of a type in the table: "unsigned" of "unsigned int", "long long" of "signed long long int"."""
    if len(words) > 1 and "int" in words:
        words = [w for w in words if w != "int"]
    if words[0:1] == ["signed"]:
        words = words if words[1:] == ["char"] else words[1:] or ["int"]
    return " ".join(words)


def _types(name, is_pointer):
    types, vectors = _TYPES.get(name, ()), _POINTED.get(name, ())
    if is_pointer:
        types += vectors
    return types if types or vectors else None
