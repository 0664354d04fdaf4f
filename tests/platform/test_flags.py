"""tf.flags, tf.app, and their decorators."""

import inspect
import subprocess
import sys

import pytest

import tfcore as tf

PROGRAM = """
import tfcore as tf
flags = tf.app.flags
flags.DEFINE_integer(flag_name="steps", default_value=5, docstring="Number of steps.")
flags.DEFINE_string("folder", "x", "A folder.")
tf.flags.DEFINE_boolean("fast", False, "Whether to hurry.")
FLAGS = flags.FLAGS
"""


def run(code, *arguments):
    done = subprocess.run([sys.executable, "-c", PROGRAM + code, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout.split("\n")[:-1], done.stderr


def test_reading_a_flag_parses_the_command_line():
    code = "print(FLAGS.is_parsed()); print(FLAGS.steps, FLAGS.folder, FLAGS.fast); print(FLAGS.is_parsed())"
    assert run(code, "--steps=7", "--fast", "rest")[:2] == (0, ["False", "7 x True", "True"])


def test_values_can_be_set_and_looked_up():
    code = (
        "FLAGS.steps = 9; print(FLAGS.steps, 'steps' in FLAGS, 'nope' in FLAGS, hasattr(FLAGS, 'nope'));"
        "print(FLAGS['folder'].value, 'fast' in list(FLAGS), len(FLAGS) > 2, 'steps' in dir(FLAGS));"
        "del FLAGS.folder; print('folder' in FLAGS)"
    )
    assert run(code)[1] == ["9 True False False", "x True True True", "False"]


def test_what_flags_had_before_absl():
    code = (
        "print(FLAGS.__dict__['__parsed'], FLAGS._parse_flags(), FLAGS.__dict__['__flags']['steps']);"
        "print(vars(FLAGS)['__parsed'], FLAGS._parse_flags(['--folder=y', '--other', 'z']), FLAGS.folder)"
    )
    assert run(code, "--steps=7", "--unknown=1", "rest")[:2] == (
        0,
        ["False ['--unknown=1', 'rest'] 7", "True ['--other', 'z'] y"],
    )


def test_wrong_values():
    code, _, text = run("FLAGS.steps", "--steps=x")
    assert code == 1 and "flag --steps=x" in text


def test_run_passes_on_what_is_not_a_flag():
    code = "def main(argv): print(argv[1:], FLAGS.steps); return 3\ntf.app.run()"
    assert run(code, "--steps=2", "--unknown=1", "rest")[:2] == (3, ["['--unknown=1', 'rest'] 2"])


def test_run_with_arguments():
    code = "tf.app.run(lambda argv: print(argv, FLAGS.fast), ['program', '--fast', 'a'])"
    assert run(code)[:2] == (0, ["['program', 'a'] True"])


def test_help_names_the_programs_own_flags():
    code, lines, _ = run("tf.app.run(print)", "--help")
    assert code == 1 and any("--steps: Number of steps." in line for line in lines)


def test_absl_is_loaded_on_use():
    code = "import sys, tfcore; assert not [m for m in sys.modules if m.startswith(('absl', 'tfcore.platform'))]"
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- tf_decorator

decorator = tf.flags.tf_decorator


def traced(f):
    def wrapper(*args, **kwargs):
        return "traced", f(*args, **kwargs)

    return decorator.make_decorator(f, wrapper, decorator_doc="Traced.")


def width(text, scale=2):
    """Computes the width."""
    return len(text) * scale


def test_a_decorated_function_looks_like_its_target():
    wide = traced(width)
    assert wide("abc") == ("traced", 6)
    assert (wide.__name__, wide.__doc__) == ("width", "Computes the width.")
    assert inspect.signature(wide) == inspect.signature(width)


def test_unwrap_and_rewrap():
    twice = traced(traced(width))
    decorators, target = decorator.unwrap(twice)
    assert [d.decorator_name for d in decorators] == ["traced", "traced"] and target is width
    assert decorators[0].decorator_doc == "Traced." and decorators[0].decorator_argspec is None
    assert decorator.unwrap(width) == ([], width)
    decorator.rewrap(twice, width, len)
    assert decorator.unwrap(twice)[1] is len


@pytest.mark.parametrize(
    "f", [lambda: 0, lambda a, b=1, *c, d, e=2, **f: 0, lambda a, b: 0, lambda *, x=1: 0], ids=range(4)
)
def test_signatures(f):
    assert decorator.fullargspec_to_signature(inspect.getfullargspec(f)) == inspect.signature(f)
