"""Comparison of protocol buffers in tests."""

import math

from tfcore.framework import protos


def assert_equal_graph_def(actual, expected, checkpoint_v2=False, hash_table_shared_name=False):
    """Asserts that two GraphDefs have the same nodes, in any order, and the same functions; versions may differ.

    Args:
      actual: A GraphDef.
      expected: Another.
      checkpoint_v2: Whether names that savers draw at random are ignored.
      hash_table_shared_name: Whether names that tables draw at random are ignored.

    Raises:
      AssertionError: They differ.
      TypeError: One is not a GraphDef.
    """
    for name, value in (("actual", actual), ("expected", expected)):
        if not isinstance(value, protos.GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(value).__name__}")
    found, wanted = (
        {node.name: _normalized(node, checkpoint_v2, hash_table_shared_name) for node in graph.node}
        for graph in (actual, expected)
    )
    for name, node in found.items():
        if name not in wanted:
            raise AssertionError(f"Found unexpected node '{_summary(node)}'")
    for name, node in wanted.items():
        if name not in found:
            raise AssertionError(f"Did not find expected node '{_summary(node)}'")
        if found[name] != node:
            raise AssertionError(_difference(name, found[name], node))
    if _sorted_functions(actual) != _sorted_functions(expected):
        raise AssertionError("The libraries of functions differ")


def _normalized(node, checkpoint_v2, hash_table_shared_name):
    node = _copy(node)
    controls = sorted(i for i in node.input if i.startswith("^"))
    node.input[:] = [*(i for i in node.input if not i.startswith("^")), *controls]
    if hash_table_shared_name and node.op == "HashTableV2":
        node.attr.pop("shared_name", None)
    if checkpoint_v2 and node.op == "Const":
        for text in node.attr["value"].tensor.string_val:
            if text.startswith(b"_temp_"):
                node.attr.pop("value")
                break
    return node


def _copy(message):
    result = type(message)()
    result.CopyFrom(message)
    return result


def _summary(node):
    return f"{{{{node {node.name}}}}} = {node.op}({', '.join(node.input)})"


def _difference(name, found, wanted):
    for field in ("op", "device", "input"):
        a, b = getattr(found, field), getattr(wanted, field)
        if a != b:
            a, b = (list(x) if field == "input" else x for x in (a, b))
            return f"Node named '{name}' has {field} '{a}' that is not the expected '{b}'"
    for attr in sorted({*found.attr, *wanted.attr}):
        if attr not in found.attr or attr not in wanted.attr:
            where = "lacks expected" if attr in wanted.attr else "has unexpected"
            return f"Node named '{name}' {where} attr '{attr}'"
        if found.attr[attr] != wanted.attr[attr]:
            return f"Node named '{name}' has for attr '{attr}' value {found.attr[attr]} not {wanted.attr[attr]}"
    return f"Node named '{name}' differs"


def _sorted_functions(graph):
    library = graph.library
    return (
        sorted(f.SerializeToString(deterministic=True) for f in library.function),
        sorted(g.SerializeToString(deterministic=True) for g in library.gradient),
    )


def parsed(text, like):
    """The message that a text describes, of the class of another one."""
    from google.protobuf import text_format

    return text_format.Merge(text, type(like)())


def difference(expected, found, relative_tolerance=None):
    """The texts of two messages, if they differ: a pair; None if they are equal.

    Args:
      relative_tolerance: by how much floating-point numbers may differ, relative to the larger one.
    """
    if type(expected) is type(found) and _equal(expected, found, relative_tolerance):
        return None
    return str(expected), str(found)


def _equal(a, b, tolerance):
    if hasattr(a, "ListFields"):
        ours, theirs = ({field.name: value for field, value in m.ListFields()} for m in (a, b))
        return ours.keys() == theirs.keys() and all(_equal(ours[k], theirs[k], tolerance) for k in ours)
    if hasattr(a, "keys"):
        return a.keys() == b.keys() and all(_equal(a[k], b[k], tolerance) for k in a)
    if isinstance(a, (str, bytes, int)):
        return a == b
    if isinstance(a, float):
        if math.isnan(a) and math.isnan(b):
            return True
        return a == b or tolerance is not None and math.isclose(a, b, rel_tol=tolerance)
    return len(a) == len(b) and all(_equal(x, y, tolerance) for x, y in zip(a, b))
