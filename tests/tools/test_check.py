"""tfcore.tools.check: what it lists."""

import subprocess
import sys

import pytest

import tfcore as tf
from tfcore.tools import check

PROGRAM = """
import sys
import tfcore as tf

w, step = tf.Variable(1.0), tf.Variable(0.0, name="step")
rate = step * 0.1
train = w.assign_sub(rate)
count = step.assign_add(float(sys.argv[1]))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(tf.group(train, count))
    sess.run(tf.group(train, count))
"""


@pytest.mark.parametrize("resource", [False, True])
def test_pairs_that_no_path_orders(resource):
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=1.0, use_resource=resource)
        read = v.read_value() * 2.0
        first, second = v.assign(read), v.assign_add(2.0)
        with tf.control_dependencies([first, second]):
            last = v.read_value() + 1.0
        pairs = check.open_orders([first, second, last])
        assert {p.variable for p in pairs} == {"v"}
        kinds = {(p.first.type.startswith("Assign"), p.second.type[:9], p.assigns) for p in pairs}
        # The first assignment follows the read. A resource variable is also read for what each assignment returns.
        assert kinds == {(True, "AssignAdd", True), (False, "AssignAdd", False)} | (
            {(False, "AssignVar", False)} if resource else set()
        )
        assert check.open_orders([read]) == []


def test_nothing_is_open_in_a_training_step():
    """The gates of gradients order the reads of weights with their updates."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.layers.dense(tf.layers.dense(x, 4, tf.nn.relu), 1)
        loss = tf.reduce_mean(tf.square(y))
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer().minimize(loss, global_step=step)
        assert check.open_orders([train, loss], [x]) == []


def test_a_program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "tfcore.tools.check", str(program), "1"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1, ended.stderr
    assert f"reads in 'mul' at {program}:6" in ended.stdout
    assert f"assigns in 'AssignAdd' at {program}:8" in ended.stdout
    assert ended.stdout.endswith("\n1 pair of operations whose order the graph leaves open\n")


def test_a_program_that_does_not_exist(capsys):
    with pytest.raises(SystemExit) as end:
        check.main(["nope.py"])
    assert end.value.code == 2 and "there is no program 'nope.py'" in capsys.readouterr().err


def test_a_program_of_several_files(tmp_path):
    """It finds the modules beside it and is `__main__`, wherever it is started."""
    (tmp_path / "beside.py").write_text("import tfcore as tf\nv = tf.Variable(1.0)\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import __main__, sys\nfrom beside import v\nimport tfcore as tf\n"
        "assert __main__.v is v and sys.argv == [__file__, '--x', '1']\n"
        "with tf.Session() as sess:\n    sess.run(v.initializer)\n    sess.run([v.assign(2.0), v.assign(3.0)])\n"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "link.py").symlink_to(program)
    for path in (program, "link.py"):
        command = [sys.executable, "-m", "tfcore.tools.check", str(path), "--x", "1"]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=elsewhere)
        assert ended.stdout.endswith("\n1 pair of operations whose order the graph leaves open\n"), ended.stderr


def test_a_pair_of_many_steps_is_listed_once():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(1.0)
        first, second = v.assign(2.0), v.assign(3.0)
        sess.run(v.initializer)
        with check.watching() as found:
            sess.run([first, second])
            sess.run([second, first])
    assert [(pair.first, pair.second) for pair in found] == [(first.op, second.op)]
