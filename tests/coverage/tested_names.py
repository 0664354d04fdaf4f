"""Which public names the tests use, for `python -m tests.coverage --api`.

A name counts if a test reads it from its namespace (`tf.losses.log_loss`, also under another name for the namespace, or
in a program that a test has as text), if a test that reads the namespace has the name as a string (for `getattr`), or
if the same object has another name that counts.
"""

import ast
import functools
import os
import re

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_IN_TEXT = re.compile(r"\b(\w+)\.(\w+)\b")


class _File(ast.NodeVisitor):
    """What one file reads: pairs (namespace, name), and its strings."""

    def __init__(self, tree):
        self.aliases, self.reads, self.words = {}, set(), set()
        self.visit(tree)
        self.reads = {(self.aliases.get(owner, owner), name) for owner, name in self.reads}
        self.namespaces = {part for pair in self.reads for part in pair} | set(self.aliases.values())

    def visit_Import(self, node):  # noqa: N802  named as in ast
        for name in node.names:
            if name.asname and name.name != "tfcore":
                self.aliases[name.asname] = name.name.rpartition(".")[2]

    def visit_ImportFrom(self, node):  # noqa: N802
        for name in node.names:
            self.aliases[name.asname or name.name] = name.name
            self.reads.add(((node.module or "").rpartition(".")[2], name.name))

    def visit_Assign(self, node):  # noqa: N802
        if isinstance(node.value, ast.Attribute) and isinstance(node.targets[0], ast.Name):
            self.aliases[node.targets[0].id] = node.value.attr
        self.generic_visit(node)

    def visit_Attribute(self, node):  # noqa: N802
        owner = getattr(node.value, "attr", getattr(node.value, "id", None))
        self.reads.add((owner, node.attr))
        self.generic_visit(node)

    def visit_Constant(self, node):  # noqa: N802
        if isinstance(node.value, str):
            self.words.update(node.value.split())
            self.reads.update(_IN_TEXT.findall(node.value))


@functools.cache
def _files():
    found = []
    for folder, _, names in os.walk(TESTS):
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), encoding="utf-8") as source:
                    found.append(_File(ast.parse(source.read())))
    return found


@functools.cache
def _reads():
    return {pair for file in _files() for pair in file.reads}


def is_read(namespace, name):
    """Whether a test reads a name of a namespace ("losses", "log_loss")."""
    return (namespace, name) in _reads() or any(
        namespace in file.namespaces and name in file.words for file in _files()
    )
