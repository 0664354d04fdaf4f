"""tf.test.Benchmark and tf.test.main."""

import subprocess
import sys

import pytest

import tfcore as tf


class Squares(tf.test.Benchmark):
    def benchmark_square(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.square(tf.random_uniform([100]))
            return self.run_op_benchmark(session, x, min_iters=3, store_trace=True, extras={"kind": "square"}, mbs=1)


def test_an_operation_is_timed(capsys):
    values = Squares().benchmark_square()
    printed = capsys.readouterr().out
    assert printed.startswith('entry {\n  name: "Squares.benchmark_square"\n  iters: 3\n  wall_time: ')
    assert 'key: "kind"' in printed and 'string_value: "square"' in printed
    assert values["iters"] == 3 and values["wall_time"] > 0 and values["throughput"] == 1 / values["wall_time"]
    assert "wall_time_mean" in values["extras"] and "traceEvents" in values["extras"]["full_trace_chrome_format"]
    assert any(key.startswith("allocator_maximum_num_bytes_") for key in values["extras"])
    assert "wall_time_mean" not in printed


def test_reports(capsys, monkeypatch, tmp_path):
    metrics = [{"name": "loss", "value": 0.5, "max_value": 1.0}]
    Squares().report_benchmark(name="x", wall_time=2.0, extras={"n": 3}, metrics=metrics)
    printed = capsys.readouterr().out
    assert (
        printed.split()
        == (
            'entry { name: "Squares.x" wall_time: 2.0 extras { key: "n" value { double_value: 3.0 } } '
            'metrics { name: "loss" value: 0.5 max_value { value: 1.0 } } }'
        ).split()
    )
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", str(tmp_path) + "/")
    Squares().report_benchmark(name="y/z", iters=1)
    assert (tmp_path / "Squares.y__z").read_text() == 'entry {\n  name: "Squares.y/z"\n  iters: 1\n}\n'
    with pytest.raises(OSError, match="File already exists"):
        Squares().report_benchmark(name="y/z")


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({"extras": [1]}, "extras must be a dict"),
        ({"metrics": {}}, "metrics must be a list"),
        ({"metrics": [{"value": 1}]}, "metric must has a 'name' field"),
        ({"metrics": [{"name": "a"}]}, "metric must has a 'value' field"),
    ],
)
def test_wrong_reports(arguments, text):
    with pytest.raises(TypeError, match=text):
        Squares().report_benchmark(name="x", **arguments)


def test_evaluate():
    with tf.Graph().as_default():
        c = tf.constant(3.0)
        assert Squares().evaluate(c) == 3.0
        with tf.Session():
            assert Squares().evaluate([c]) == [3.0]


PROGRAM = """
import tfcore as tf
class Case(tf.test.TestCase):
    def test_it(self):
        print("test ran")
class Fast(tf.test.Benchmark):
    def benchmark_a(self):
        self.report_benchmark(iters=1)
    def benchmark_b(self):
        print("b ran")
tf.test.main()
"""


@pytest.mark.parametrize(
    "arguments, code, out",
    [
        ([], 0, "test ran\n"),
        (["--benchmark_filter=Fast.*_b"], 0, "b ran\n"),
        (["--benchmarks=all"], 0, 'entry {\n  name: "Fast.benchmark_a"\n  iters: 1\n}\n\nb ran\n'),
        (["--benchmark_filter=nothing"], 1, ""),
    ],
)
def test_main(arguments, code, out, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(tmp_path / "program.py"), *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, out), done.stderr
    assert code == 0 or "No benchmarks matched the pattern: 'nothing'" in done.stderr
