"""The options of tf.profiler, its builders of them, and tf.contrib.tfprof."""

import pytest

import tfcore as tf
from tfcore.profiler import model_analyzer

Builder = tf.profiler.ProfileOptionBuilder


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.mark.parametrize(
    "values, text",
    [
        ({"output": "paper"}, "E.g. Unknown output type: paper, Valid types: file,none,pprof,stdout,timeline"),
        ({"output": "file"}, "Missing required output_options for file"),
        ({"output": "file:outfile"}, "Visualize format: -output timeline:key=value"),
        ({"output": "file:infile=a"}, "Unrecognized options infile for output_type: file"),
        ({"select": ["speed"]}, "Invalid option '-select' value: 'speed'"),
        ({"show_name_regexes": ["("]}, r"Invalid option '-show_name_regexes' value: '\('"),
        ({"step": 0}, "Options -step=0 not found"),
        ({"output": "timeline:outfile=a"}, "A timeline needs the run_meta of a traced step"),
    ],
)
def test_invalid_options(values, text):
    tf.square(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.profiler.profile(options={**Builder().build(), **values})


def test_what_is_refused(tmp_path):
    with pytest.raises(TypeError, match="run_meta must be a tf.RunMetadata, but got <class 'int'>"):
        tf.profiler.advise(run_meta=3)
    with pytest.raises(tf.errors.NotFoundError):
        tf.profiler.write_op_log(None, str(tmp_path / "missing"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown cmd: lines"):
        tf.profiler.profile(cmd="lines")
    with pytest.raises(tf.errors.UnimplementedError, match="pprof"):
        tf.profiler.profile(cmd="code", options=Builder().with_pprof_output("a").build())


def test_builders():
    built = (
        Builder(Builder.time_and_memory(min_micros=3))
        .with_max_depth(4)
        .with_min_memory(1, 2, 3, 4)
        .with_min_parameters(5)
        .with_min_occurrence(6)
        .with_min_float_operations(7)
        .with_accounted_types(["a"])
        .with_node_names(show_name_regexes=["b"], trim_name_regexes=["c"])
        .account_displayed_op_only(False)
        .order_by("bytes")
        .select(["bytes"])
        .with_step(8)
        .with_file_output("d")
        .build()
    )
    assert built["min_micros"] == 3 and built["min_peak_bytes"] == 2 and built["trim_name_regexes"] == ["c"]
    assert built["start_name_regexes"] == [".*"] and built["output"] == "file:outfile=d" and built["step"] == 8
    again = Builder(built).with_min_execution_time(min_cpu_micros=9).build()
    assert (again["min_micros"], again["min_cpu_micros"], built["min_cpu_micros"]) == (0, 9, 0)


def test_the_names_of_contrib(capsys):
    x, w = tf.ones([8, 3]), tf.get_variable("w", [3, 4], initializer=tf.zeros_initializer())
    tf.matmul(x, w)
    analyzer = tf.contrib.tfprof.model_analyzer
    options = analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    found = analyzer.print_model_analysis(tf.get_default_graph(), tfprof_options=options)
    assert found.total_parameters == 12 and "w (3x4, 12/12 params)" in capsys.readouterr().out
    found = analyzer.print_model_analysis(tf.get_default_graph(), tfprof_options=analyzer.FLOAT_OPS_OPTIONS)
    assert found.total_float_ops == 192 and analyzer is model_analyzer
