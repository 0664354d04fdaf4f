"""Records of regular expressions: Python's `re` is the reference, for expressions that mean the same there.

`tests/ops/strings/test_regex.py` draws expressions, too, and has what only RE2 has.
"""

import re

import numpy as np
from hypothesis import strategies as st

from tests.records.strings.strings import _map
from tfcore.testing import OpRecord

PATTERNS = [
    rb"",
    rb"a*",
    rb"(a|b)*abb",
    rb"(?:a|ab)(c|bcd)(d*)",
    rb"[^a]+?",
    rb"(a+)(b+)?",
    rb"a{2,3}",
    rb"(?i)AB?",
    rb"\w\W?",
    rb"(?s)(.)(.)",
    rb"\bab",
    rb"(?m)^a",
    rb"(a?){3}(b)",
]
_REWRITES = [rb"", rb"<\0>", rb"x\\", rb"-"]
_TEXTS = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"\n", b" ", b"B"]), max_size=12).map(b"".join)


def _string(value):
    out = np.empty((), object)
    out[()] = value
    return out


def _draw(static, replaces):
    def inputs(draw, case):
        x = np.empty(draw(case.shapes()), object)
        texts = draw(st.lists(_TEXTS, min_size=1, max_size=6))
        x.reshape(-1)[:] = [texts[i % len(texts)] for i in range(x.size)]
        given = {"pattern": draw(st.sampled_from(PATTERNS))}
        attrs = {"replace_global": draw(st.booleans())} if replaces else {}
        if replaces:
            given["rewrite"] = draw(st.sampled_from(_REWRITES))
        if static:
            return [x], {**given, **attrs}
        return [x, *map(_string, given.values())], attrs

    return inputs


def full_match(pattern, text):
    return re.compile(pattern).fullmatch(text) is not None


def replace(pattern, rewrite, text, everywhere):
    """As RE2: an empty match just behind another one doesn't count. All arguments are bytes, or strings."""
    compiled, out, at, last_end = re.compile(pattern, re.ASCII), [], 0, -1
    while at <= len(text) and (found := compiled.search(text, at)):
        out.append(text[at : found.start()])
        if found.start() == found.end() == last_end:
            out.append(text[last_end : last_end + 1])
            at = last_end + 1
            continue
        escapes = rb"\\(.)" if isinstance(rewrite, bytes) else r"\\(.)"
        out.append(re.sub(escapes, lambda e: _group(found, e[1]), rewrite))
        at = last_end = found.end()
        if not everywhere:
            break
    return text[:0].join(out) + text[at:]


def _group(found, escaped):
    return escaped if escaped in (b"\\", "\\") else found[int(escaped)] or escaped[:0]


def _full_match(x, pattern):
    pattern = pattern.item() if isinstance(pattern, np.ndarray) else pattern
    return _map(lambda s: full_match(pattern, s), x).astype(bool)


def _replace(x, pattern, rewrite, replace_global):
    pattern, rewrite = (v.item() if isinstance(v, np.ndarray) else v for v in (pattern, rewrite))
    return _map(lambda s: replace(pattern, rewrite, s, replace_global), x)


RECORDS = [
    OpRecord("RegexFullMatch", _full_match, _draw(static=False, replaces=False)),
    OpRecord("StaticRegexFullMatch", _full_match, _draw(static=True, replaces=False)),
    OpRecord("RegexReplace", _replace, _draw(static=False, replaces=True)),
    OpRecord("StaticRegexReplace", _replace, _draw(static=True, replaces=True)),
]
