"""Regular expressions, in the syntax of RE2."""

from tfcore.core.registry.registry import kernels_are_in
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.shapes import with_rank


def _shape(op):
    """That of the first input; the others are scalars."""
    for scalar in op.inputs[1:]:
        with_rank(scalar.dims, 0)
    return [op.inputs[0].dims]


RegexFullMatch = define_op(
    "RegexFullMatch",
    inputs=["input: string", "pattern: string"],
    outputs=["output: bool"],
    shape=_shape,
    doc="Whether a regular expression matches the whole of each string.",
)
StaticRegexFullMatch = define_op(
    "StaticRegexFullMatch",
    inputs=["input: string"],
    outputs=["output: bool"],
    attrs=["pattern: string"],
    shape=_shape,
    doc="Whether a constant regular expression matches the whole of each string.",
)
RegexReplace = define_op(
    "RegexReplace",
    inputs=["input: string", "pattern: string", "rewrite: string"],
    outputs=["output: string"],
    attrs=["replace_global: bool = true"],
    shape=_shape,
    doc="Strings in which the matches of a regular expression are replaced.",
)
StaticRegexReplace = define_op(
    "StaticRegexReplace",
    inputs=["input: string"],
    outputs=["output: string"],
    attrs=["pattern: string", "rewrite: string", "replace_global: bool = true"],
    shape=_shape,
    doc="Strings in which the matches of a constant regular expression are replaced.",
)
_OPS = ("RegexFullMatch", "StaticRegexFullMatch", "RegexReplace", "StaticRegexReplace")
undefined_gradient(*_OPS)
kernels_are_in("tfcore.core.registry.regex", _OPS)  # RE2 is loaded with the first of them


@described(
    RegexFullMatch,
    example="""
>>> print(sess.run(tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$")))
[ True False]
""",
)
def regex_full_match(input, pattern, name=None):
    r"""Whether a regular expression matches the whole of each string.

    The syntax is RE2's: https://github.com/google/re2/wiki/Syntax. Classes by Unicode category or
    script, such as `\pL` and `\p{Greek}`, are supported. The time is linear in the length of the strings, whatever the
    expression.

    Args:
      input: A `Tensor` of type string.
      pattern: The expression: a scalar `Tensor` of type string, or a Python string.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type bool, in the shape of `input`.

    Raises:
      tf.errors.InvalidArgumentError: At run time, the expression is not valid.
    """
    if isinstance(pattern, (str, bytes)):
        return StaticRegexFullMatch(input, pattern=pattern, name=name)
    return RegexFullMatch(input, pattern, name=name)


@described(
    RegexReplace,
    example="""
>>> print(sess.run(tf.strings.regex_replace(["2016-11-02"], r"(\\d+)-(\\d+)-(\\d+)", r"\\3.\\2.\\1")))
[b'02.11.2016']
""",
)
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    r"""Strings in which the matches of a regular expression are replaced.

    For the syntax see `tf.strings.regex_full_match`. In `rewrite`, `\1` to `\9` stand for what groups matched, `\0` for
    the whole match, and `\\` for a backslash. If it names a group that there is not, nothing is replaced; nor, if only
    the first match is to be replaced, if another character follows a backslash. Else such a rewrite ends there.

    Each match takes time linear in the rest of the string, so all of them may take quadratic time: those of `a.*b|a`,
    for instance.

    Args:
      input: A `Tensor` of type string.
      pattern: The expression: a scalar `Tensor` of type string, or a Python string.
      rewrite: What replaces the matches: a scalar `Tensor` of type string, or a Python string.
      replace_global: Whether to replace all matches, not just the first one.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type string, in the shape of `input`.

    Raises:
      tf.errors.InvalidArgumentError: At run time, the expression is not valid.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return StaticRegexReplace(input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
    return RegexReplace(input, pattern, rewrite, replace_global=replace_global, name=name)
