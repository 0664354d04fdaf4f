"""Prints what old code finds again, as docs/guide/old_code.md: python -m tfcore.as_tensorflow.old_code"""

from tfcore.as_tensorflow.old_code import tensorflow_names
from tfcore.as_tensorflow.old_code.names import CHANGES, METHODS, MODULES, NAMES, Gone

HEAD = """# Old code

Restores names, methods and modules that Python 3.8 to 3.13, NumPy 2, SciPy, Pillow, h5py and TensorFlow 1.0 removed
and that programs of 2016 to 2020 still use. Switch it on with

    python -m tfcore.as_tensorflow --old-code program.py

or `tfcore.as_tensorflow.install(old_code=True)`. It changes that process only, including the libraries it imports, and
leaves names that still exist alone. `pip install 'tfcore[old-code]'` brings SciPy, PyYAML, six and setuptools, which
such programs often import. Without the switch, the error for one of these names mentions it.

Names of Python 2 are there for programs that Python 3 can parse. Convert others with `2to3` first.

The code is in [old_code](../../tfcore/as_tensorflow/old_code/README.md); `python -m tfcore.as_tensorflow.old_code`
prints this page.
"""

OF_TENSORFLOW = """## TensorFlow 0.5 to 0.12

Names that TensorFlow 1.0 took away. Functions that still exist, such as `tf.concat`, take the order of arguments of
that time, too: `tf.concat(1, [a, b])`, `tf.split(1, 2, x)`, `tf.nn.softmax_cross_entropy_with_logits(logits, labels)`.
What cannot be told apart has TensorFlow 1's meaning: LSTM cells have states that are tuples.
"""


def table():
    """The page."""
    parts = [HEAD, "## Names\n", "| module | names | what they are |", "| --- | --- | --- |"]
    parts += [row for module, names in sorted(NAMES.items()) for row in _rows(module, names)]
    parts += ["", "## Methods\n", "| class | methods | what they are |", "| --- | --- | --- |"]
    parts += [row for path, methods in METHODS.items() for row in _rows(path.replace(":", "."), methods)]
    parts += ["", "## Functions that are less strict\n", "| functions | what they do |", "| --- | --- |"]
    parts += [f"| `{names}` | {text} |" for names, text in CHANGES.items()]
    parts += ["", "## Modules\n", "| modules | what they are |", "| --- | --- |"]
    parts += [f"| {names} | {what} |" for names, what in _grouped(MODULES)]
    parts += ["", OF_TENSORFLOW, "| module | names | what they are |", "| --- | --- | --- |"]
    for module, names in tensorflow_names.NAMES.items():
        paths = {name: path if path.startswith(".") else f"tf.{path}" for name, path in names.items()}
        parts += _rows(f"tensorflow.{module}".strip("."), paths)
    parts += ["", "| modules | what they are |", "| --- | --- |"]
    modules = {f"tensorflow.{name}": f"tensorflow.{path}" for name, path in tensorflow_names.MODULES.items() if path}
    parts += [f"| {names} | {what} |" for names, what in _grouped(modules)]
    return "\n".join(parts) + "\n"


def _rows(place, names):
    return [f"| `{place}` | {group} | {what} |" for group, what in _grouped(names)]


def _grouped(names):
    """(names, what they stand for)"""
    groups = {}
    for name, stands_for in sorted(names.items()):
        groups.setdefault(_shown(name, stands_for), []).append(f"`{name}`")
    return [(", ".join(group), what) for what, group in groups.items()]


def _shown(name, stands_for):
    if isinstance(stands_for, Gone):
        return f"an error: use {stands_for}"
    if stands_for.startswith("."):
        return "restored"
    module, _, path = stands_for.partition(":")
    if path == name:
        return f"the same name in `{module}`"
    return f"`{path if module == 'builtins' else '.'.join(filter(None, (module, path)))}`"


if __name__ == "__main__":
    print(table(), end="")
