"""The kernels of regular expressions: RE2, in the binding of the package google-re2.

A step runs without the GIL; these kernels take it, and RE2 releases it while it matches one string. Between two strings
a kernel sees whether its step is cancelled.

The package's own functions are made like those of Python's `re`, whose replacement is another one. RE2's, which
TensorFlow calls, is written out here, above the only method of the binding that matches.
"""

import functools
import os
import re

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t

from tfcore.core.registry.py_func cimport report
from tfcore.core.registry.registry cimport add_internal_kernel
from tfcore.core.runtime cimport *

from re2._re2 import RE2

from tfcore.core.registry.py_func import code_of
from tfcore.framework import errors

WHOLE, ANYWHERE = RE2.Anchor.ANCHOR_BOTH, RE2.Anchor.UNANCHORED
KEPT = 64  # expressions, and rewrites; RE2 lets each expression use 8 MB
_OPTIONS = RE2.Options()
_OPTIONS.log_errors = False
_REWRITE = re.compile(rb"([^\\]+)|\\(.?)", re.DOTALL)  # literal text, or what a backslash escapes
# UTF-8 as RE2 reads it, with surrogates; else one byte.
_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|.",
    re.DOTALL,
)
_left_alone = []


def _table():
    return functools.lru_cache(maxsize=KEPT)(lambda pattern: RE2(pattern, _OPTIONS))


expression = _table()


def _after_fork():
    """A thread of the parent may have been matching: what it used has locks that nobody will release."""
    global expression
    _left_alone.append(expression)
    expression = _table()


os.register_at_fork(after_in_child=_after_fork)


cdef object compiled(bytes pattern):
    made = expression(pattern)
    if not made.ok():
        text = b"Invalid pattern: " + pattern + b", error: " + made.error()
        raise errors.InvalidArgumentError(None, None, text.replace(b"\0", b"\\0").decode(errors="replace"))
    return made


@functools.lru_cache(maxsize=KEPT)
def rewrite_parts(bytes rewrite):
    """Splits a rewrite.

    Returns: (literal bytes and numbers of groups, up to an escape that RE2 does not know; whether there is such an
      escape; the largest number of a group).
    """
    parts, wrong, most = [], False, 0
    for literal, escaped in _REWRITE.findall(rewrite):
        part = literal or escaped
        if escaped.isdigit():
            part = int(escaped)
            most = max(most, part)
        elif not literal and escaped != b"\\":
            wrong = True
        if not wrong:
            parts.append(part)
    return parts, wrong, most


cdef int append_rewrite(list out, bytes text, list spans, list parts) except -1:
    for part in parts:
        if type(part) is int:
            begin, end = spans[part]
            part = text[begin:end]  # of a group without a match: [-1:-1]
        out.append(part)
    return 0


cdef bytes replace_first(match, bytes text, list parts):
    """As RE2::Replace."""
    cdef list spans = match(ANYWHERE, text, 0, len(text))
    cdef Py_ssize_t begin, end
    begin, end = spans[0]
    if begin < 0:
        return text
    out = [text[:begin]]
    append_rewrite(out, text, spans, parts)
    out.append(text[end:])
    return b"".join(out)


cdef bytes replace_all(match, bytes text, list parts):
    """As RE2::GlobalReplace."""
    cdef Py_ssize_t begin, end, at = 0, last_end = -1, size = len(text)
    cdef list spans, out = []
    while at <= size:
        spans = match(ANYWHERE, text, at, size)
        begin, end = spans[0]
        if begin < 0:
            break
        out.append(text[at:begin])
        if begin == end == last_end:  # an empty match right behind another match: the search continues one character on
            if begin == size:
                return b"".join(out)
            at = _CHARACTER.match(text, begin).end()
            out.append(text[begin:at])
            continue
        append_rewrite(out, text, spans, parts)
        at = last_end = end
    if not out:
        return text
    out.append(text[at:])
    return b"".join(out)


cdef class Settings:
    """What the attributes say; None for what is an input."""

    cdef bytes pattern, rewrite
    cdef bint replaces
    cdef tfc_bool everywhere


cdef bytes string_at(const tfc_tensor *t, int64_t i):
    cdef const tfc_string *s = <const tfc_string *>t.data + i
    return PyBytes_FromStringAndSize(s.data, s.size)


cdef bint cancelled(tfc_context *ctx):
    cdef bint found
    with nogil:  # signal handlers may run, and other steps before this one is admitted again
        found = tfc_cancelled(ctx)
    return found


cdef int run(tfc_context *ctx, Settings settings) except -1:
    cdef bytes pattern = settings.pattern, rewrite = settings.rewrite
    for i, name in enumerate((b"Pattern", b"Rewrite")[:ctx.n_inputs - 1], 1):
        if ctx.inputs[i].rank:
            dims = ",".join([str(ctx.inputs[i].dims[d]) for d in range(ctx.inputs[i].rank)]).encode()
            return tfc_error(
                ctx, TFC_INVALID_ARGUMENT, b"%s must be scalar, but received [%s]", <char *>name, <char *>dims)
    if pattern is None:
        pattern = string_at(ctx.inputs[1], 0)
        rewrite = string_at(ctx.inputs[2], 0) if settings.replaces else None
    if settings.replaces:
        return replace(ctx, compiled(pattern), rewrite, settings.everywhere)
    return match_whole(ctx, compiled(pattern).Match)


cdef int match_whole(tfc_context *ctx, match) except -1:
    cdef const tfc_tensor *texts = ctx.inputs[0]
    cdef int code = tfc_output_like(ctx, 0, texts)
    cdef int64_t i
    for i in range(texts.n if code == TFC_OK else 0):
        if cancelled(ctx):
            return TFC_CANCELLED
        text = string_at(texts, i)
        (<tfc_bool *>ctx.outputs[0].data)[i] = match(WHOLE, text, 0, len(text))[0][0] == 0
    return code


cdef int replace(tfc_context *ctx, made, bytes rewrite, bint everywhere) except -1:
    cdef const tfc_tensor *texts = ctx.inputs[0]
    cdef int code
    cdef int64_t i
    cdef bytes text
    parts, wrong, most = rewrite_parts(rewrite)
    if most > made.NumberOfCapturingGroups() or (wrong and not everywhere):
        return tfc_output_input(ctx, 0, 0)
    match = made.Match
    code = tfc_output_like(ctx, 0, texts)
    for i in range(texts.n if code == TFC_OK else 0):
        if cancelled(ctx):
            return TFC_CANCELLED
        text = string_at(texts, i)
        text = replace_all(match, text, parts) if everywhere else replace_first(match, text, parts)
        code = tfc_string_set(ctx, &ctx.outputs[0], i, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))
        if code != TFC_OK:
            return code
    return code


cdef int compute(tfc_context *ctx) noexcept nogil:
    with gil:
        try:
            return run(ctx, <Settings>ctx.state)
        except errors.InvalidArgumentError as error:
            text = str(error).encode(errors="replace")
            return tfc_error(ctx, TFC_INVALID_ARGUMENT, b"%s", <char *>text)
        except BaseException as error:
            return report(ctx, error)


cdef bytes attribute(tfc_construction *c, const char *name):
    cdef const char *data = NULL
    cdef size_t size = 0
    c.api.attr_string(c, name, &data, &size)
    return PyBytes_FromStringAndSize(data, size)


cdef Settings read_settings(tfc_construction *c):
    settings = Settings()
    op_type = c.op_type.decode()
    settings.replaces = op_type.endswith("Replace")
    if settings.replaces:
        c.api.attr_bool(c, b"replace_global", &settings.everywhere)
    if op_type.startswith("Static"):
        settings.pattern = attribute(c, b"pattern")
        settings.rewrite = attribute(c, b"rewrite") if settings.replaces else None
        compiled(settings.pattern)  # a wrong one is reported before the first step
    return settings


cdef int create(tfc_construction *c, void **state) noexcept:
    try:
        settings = read_settings(c)
    except BaseException as error:
        text = (str(error) or type(error).__name__).encode(errors="replace")
        return c.api.error(c, code_of(error), b"%s", <char *>text)
    Py_INCREF(settings)
    state[0] = <void *>settings
    return TFC_OK


cdef void destroy(void *state) noexcept:
    Py_DECREF(<object>state)


cdef tfc_kernel_def kernels[4]
cdef int _i
for _i in range(4):
    kernels[_i].device = "CPU"
    kernels[_i].types = ""
    kernels[_i].compute = compute
    kernels[_i].create = create
    kernels[_i].destroy = destroy
    kernels[_i].flags = TFC_KERNEL_INTERRUPTIBLE
    kernels[_i].host_args = NULL
kernels[0].op = "RegexFullMatch"
kernels[1].op = "RegexReplace"
kernels[2].op = "StaticRegexFullMatch"
kernels[3].op = "StaticRegexReplace"
for _i in range(4):
    add_internal_kernel(&kernels[_i])
