"""Whole files, and the names of files that match a pattern."""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.definitions.op_wrappers import described

ReadFile = define_op(
    "ReadFile",
    inputs=["filename: string"],
    outputs=["contents: string"],
    shape=shapes.scalar_of_scalars,
    doc="The bytes of a file.",
)
WriteFile = define_op(
    "WriteFile",
    inputs=["filename: string", "contents: string"],
    shape=shapes.scalar_of_scalars,
    stateful=True,
    doc="Writes a file.",
)


def _matching_shape(op):
    shapes.with_rank_at_most(op.inputs[0].dims, 1)
    return [(None,)]


MatchingFiles = define_op(
    "MatchingFiles",
    inputs=["pattern: string"],
    outputs=["filenames: string"],
    shape=_matching_shape,
    doc="The names of files that match patterns, in alphabetical order.",
)
not_differentiable("ReadFile", "WriteFile", "MatchingFiles")


@described(ReadFile)
def read_file(filename, name=None):
    """The bytes of a file. It is read each time the operation runs."""
    return ReadFile(filename, name=name)


@described(
    WriteFile,
    example="""
>>> import tempfile
>>> name = tempfile.mkdtemp() + "/greeting.txt"
>>> sess.run(tf.write_file(name, "hello"))
>>> print(sess.run(tf.read_file(name)))
b'hello'
""",
)
def write_file(filename, contents, name=None):
    """Writes a file, and makes the folders that it needs. What the file had before is lost."""
    return WriteFile(filename, contents, name=name)


@described(MatchingFiles)
def matching_files(pattern, name=None):
    """The names of files that match a pattern, or any pattern of a vector, in alphabetical order.

    In each part of a path `*` and `?` stand for any characters, `[abc]`, `[a-z]` and `[^a]` for one. Names that begin
    with a dot match, too."""
    return MatchingFiles(pattern, name=name)
