"""tf.contrib.training: hyperparameters, training steps, gradients, resampling; tf.contrib.layers.optimize_loss."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf

training = tf.contrib.training


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


class TestHParams:
    def test_values(self):
        h = training.HParams(rate=0.1, layers=[1, 2], name="a", on=True, model_structure=3)
        assert (h.rate, h.layers, h.name, h.on, h.get_model_structure()) == (0.1, [1, 2], "a", True, 3)
        assert "rate" in h and "size" not in h and h.get("size", 7) == 7 and h.get("rate") == 0.1
        assert str(h) == "rate=0.1,layers=[1, 2],name=a,on=True"
        h.add_hparam("size", 3)
        h.set_hparam("size", 4)
        h.del_hparam("name")
        assert h.values() == {"rate": 0.1, "layers": [1, 2], "on": True, "size": 4}
        assert repr(h) == "HParams([('layers', [1, 2]), ('on', True), ('rate', 0.1), ('size', 4)])"

    def test_parse(self):
        h = training.HParams(rate=0.1, layers=[1, 2], name="a", on=True)
        assert h.parse("rate=5, layers=[3,4,5],name=x y,on=false") is h
        assert h.values() == {"rate": 5.0, "layers": [3, 4, 5], "name": "x y", "on": False}
        assert type(h.rate) is float

    @given(
        st.fixed_dictionaries(
            {
                "a": st.floats(allow_nan=False, allow_infinity=False),
                "b": st.lists(st.integers(), min_size=1),
                "c": st.text(),
                "d": st.booleans(),
            }
        )
    )
    def test_json_round_trip(self, values):
        h = training.HParams(a=0.0, b=[0], c="", d=False).override_from_dict(values)
        assert json.loads(h.to_json()) == values
        assert training.HParams(a=0.0, b=[0], c="", d=False).parse_json(h.to_json()).values() == values

    @given(st.dictionaries(st.sampled_from("abc"), st.lists(st.integers(), min_size=1)))
    def test_parse_values_reads_what_str_writes(self, values):
        text = ",".join(f"{name}={str(value).replace(' ', '')}" for name, value in values.items())
        assert training.parse_values(text, dict.fromkeys("abc", int)) == values

    def test_indices(self):
        types = {"a": int, "b": str}
        assert training.parse_values("a[1]=5,a[0]=6,b=x", types) == {"a": {1: 5, 0: 6}, "b": "x"}
        assert training.parse_values("z=1,a=2", types, ignore_unknown=True) == {"a": 2}

    @pytest.mark.parametrize(
        "text, message",
        [
            ("a=x", "Could not parse hparam 'a' of type 'int' with value 'x' in a=x"),
            ("a=[1,x]", "Could not parse hparam 'a' of type 'int'"),
            ("z=1", "Unknown hyperparameter type for z"),
            ("a=1,a=2", "Multiple assignments to variable 'a' in"),
            ("a[0]=1,a[0]=2", r"Multiple assignments to variable 'a\[0\]' in"),
            ("a=1,a[0]=2", "Multiple assignments to variable 'a' in"),
            ("a[0]=[1]", "Assignment of a list to a list index"),
            ("=3", "Malformed hyperparameter value: =3"),
            ("on=maybe", "Could not parse hparam 'on'"),
        ],
    )
    def test_malformed_text(self, text, message):
        with pytest.raises(ValueError, match=message):
            training.parse_values(text, {"a": int, "on": bool})

    @pytest.mark.parametrize(
        "name, value", [("n", 1.5), ("n", True), ("n", "1"), ("t", 1), ("b", 1), ("n", [1]), ("l", 1)]
    )
    def test_wrong_types(self, name, value):
        with pytest.raises(ValueError):
            training.HParams(n=1, t="a", b=True, l=[1]).set_hparam(name, value)

    def test_errors(self):
        with pytest.raises(ValueError, match="Hyperparameter name is reserved: values"):
            training.HParams(values=3)
        with pytest.raises(ValueError, match="cannot be empty: a"):
            training.HParams(a=[])
        with pytest.raises(ValueError, match="is incompatible with default=x"):
            training.HParams(a=1).get("a", "x")
        with pytest.raises(KeyError):
            training.HParams().set_hparam("a", 1)


class TestGradients:
    def test_clipped(self):
        v = tf.Variable([0.0, 0.0])
        pairs = [(tf.constant([3.0, 4.0]), v), (None, v), (tf.IndexedSlices(tf.constant([[6.0, 8.0]]), [1]), v)]
        (a, _), (none, _), (c, _) = training.clip_gradient_norms_fn(5.0)(pairs)
        with tf.Session() as sess:
            assert none is None and sess.run([a, c.values])[0].tolist() == [3, 4]
            np.testing.assert_allclose(sess.run(c.values), [[3, 4]], rtol=1e-6)

    def test_multiplied(self):
        a, b = tf.Variable(1.0, name="a"), tf.Variable(1.0, name="b")
        pairs = training.multiply_gradients([(tf.constant(2.0), a), (tf.constant(2.0), b)], {a: 3.0, "b": 0.5})
        with tf.Session() as sess:
            assert sess.run([g for g, _ in pairs]) == [6, 1]
        for grads, factors, text in (
            ((), {a: 1}, "`grads_and_vars` must be a list."),
            ([], {}, "`gradient_multipliers` is empty."),
            ([], [1], "`gradient_multipliers` must be a dict."),
            ([(None, a)], {a: 1}, "Requested multiple of `None` gradient."),
        ):
            with pytest.raises(ValueError, match=text):
                training.multiply_gradients(grads, factors)


class TestCreateTrainOp:
    def test_step(self):
        w, count = tf.Variable(3.0), tf.Variable(0, trainable=False)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(count, 1))
        step = training.create_train_op(w * w, tf.train.GradientDescentOptimizer(0.25))
        assert tf.get_collection(tf.GraphKeys.TRAIN_OP)[-1] is step
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assert sess.run(step) == 9
            assert sess.run([w, count, tf.train.get_global_step()]) == [1.5, 1, 1]

    def test_options(self):
        w, v = tf.Variable(3.0), tf.Variable(4.0)
        double = lambda pairs: [(2 * g, x) for g, x in pairs]  # noqa: E731
        optimizer = tf.train.GradientDescentOptimizer(0.25)
        step = training.create_train_op(w * v, optimizer, None, [], [w], double)
        assert tf.train.get_global_step() is None
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(step)
            assert sess.run([w, v]) == [1.0, 4.0]

    def test_checks_the_loss(self):
        w = tf.Variable(0.0)
        step = training.create_train_op(tf.log(w), tf.train.GradientDescentOptimizer(0.1))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor is inf or nan"):
                sess.run(step)

    def test_summaries_of_gradients(self):
        w, rows = tf.Variable([3.0, 4.0], name="w"), tf.Variable(tf.ones([3, 2]), name="rows")
        loss = tf.reduce_sum(w * w) / 2 + tf.reduce_sum(tf.gather(rows, [1]))
        training.create_train_op(loss, tf.train.GradientDescentOptimizer(0.1), summarize_gradients=True)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            found = tf.Summary.FromString(sess.run(tf.summary.merge_all()))
        values = {value.tag: value.simple_value for value in found.value}
        assert values["summarize_grads/w_gradient_norm"] == 5.0
        assert abs(values["summarize_grads/rows_gradient_norm"] - 2**0.5) < 1e-6
        assert {"summarize_grads/w_gradient", "summarize_grads/rows_gradient"} < set(values)
        assert training.add_gradients_summaries([(None, w)]) == []

    def test_eval_step(self):
        step = training.get_or_create_eval_step()
        assert training.get_or_create_eval_step() is step
        assert tf.local_variables() == [step] and step.dtype.base_dtype == tf.int64 and step.op.name == "eval_step"


class TestOptimizeLoss:
    @pytest.mark.parametrize(
        "optimizer",
        [
            "SGD",
            tf.train.GradientDescentOptimizer,
            tf.train.GradientDescentOptimizer(0.25),
            lambda rate: tf.train.GradientDescentOptimizer(rate),
        ],
    )
    def test_optimizers(self, optimizer):
        w = tf.Variable(3.0)
        step = tf.train.get_or_create_global_step()
        train = tf.contrib.layers.optimize_loss(w * w, step, 0.25, optimizer)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            assert sess.run(train) == 9 and sess.run([w, step]) == [1.5, 1]
        assert tf.get_default_graph().get_tensor_by_name("OptimizeLoss/learning_rate:0") is not None

    @pytest.mark.parametrize("name", sorted(tf.contrib.layers.OPTIMIZER_CLS_NAMES))
    def test_names(self, name):
        w = tf.Variable(3.0)
        train = tf.contrib.layers.optimize_loss(w * w, None, 0.1, name)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            assert 0 < sess.run(w) < 3

    def test_changes_of_gradients(self):
        a, b = tf.Variable(3.0, name="a"), tf.Variable(4.0, name="b")
        rates = []

        def decay(rate, step):
            rates.append((rate, step))
            return rate * 0.5

        step = tf.train.get_or_create_global_step()
        train = tf.contrib.layers.optimize_loss(
            3 * a + 4 * b, step, 0.5, "SGD", gradient_multipliers={"b:0": 0.0}, clip_gradients=1.5,
            learning_rate_decay_fn=decay, increment_global_step=False, summaries=[],
        )  # fmt: skip
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            np.testing.assert_allclose(sess.run([a, b, step]), [3 - 0.25 * 1.5, 4, 0])
        assert len(rates) == 1 and rates[0][1] is step

    @pytest.mark.parametrize(
        "arguments, error, text",
        [
            ({"optimizer": "Best"}, ValueError, "Optimizer name should be one of"),
            ({"optimizer": 3}, ValueError, "Unrecognized optimizer: should be string"),
            ({"optimizer": lambda rate: 3}, ValueError, "function should return subclass of Optimizer"),
            ({"learning_rate": None}, ValueError, "Learning rate is None, but should be specified if optimizer is"),
            ({"learning_rate": 1}, ValueError, "Learning rate should be 0d Tensor or float"),
            ({"learning_rate": -1.0}, ValueError, "Invalid learning_rate"),
            ({"clip_gradients": "x"}, ValueError, "Unknown type .* for clip_gradients"),
            ({"summaries": ["weather"]}, ValueError, "Summaries should be one of"),
            ({"summaries": ["loss"]}, NotImplementedError, "optimize_loss does not write summaries"),
            ({"learning_rate_decay_fn": print}, ValueError, "global_step is required for learning_rate_decay_fn"),
        ],
    )
    def test_errors(self, arguments, error, text):
        w = tf.Variable(3.0)
        arguments = {"learning_rate": 0.1, "optimizer": "SGD", **arguments}
        with pytest.raises(error, match=text):
            tf.contrib.layers.optimize_loss(w * w, None, **arguments)


def test_resampling():
    x = tf.range(1000)
    rates = tf.constant(np.repeat([0.0, 1.0, 3.0, 0.0], 250).astype(np.float32))
    (sample,) = training.resample_at_rate([x], rates, seed=1)
    (same,), kept = training.weighted_resample([x], rates, 0.5, seed=2)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        counts = np.bincount(sess.run(sample), minlength=1000).reshape(4, 250)
        assert not counts[[0, 3]].any() and 0.8 < counts[1].mean() < 1.2 and 2.6 < counts[2].mean() < 3.4
        values, found = sess.run([same, kept])
        assert (np.diff(values) >= 0).all() and ((values >= 250) & (values < 750)).all() and found.shape == values.shape


def events_of(folder):
    return [event for path in sorted(folder.glob("events.*")) for event in tf.train.summary_iterator(str(path))]


def test_training_and_evaluations(tmp_path):
    w = tf.Variable(3.0, name="w")
    tf.summary.scalar("w", w)
    step = training.create_train_op(w * w, tf.train.GradientDescentOptimizer(0.25))
    assert training.train(step, str(tmp_path), hooks=[tf.train.StopAtStepHook(3)], save_summaries_steps=1) == 0.5625
    with pytest.raises(ValueError, match="logdir cannot be None"):
        training.train(step, None)
    path = training.wait_for_new_checkpoint(str(tmp_path))
    assert path == tf.train.latest_checkpoint(str(tmp_path)) is not None
    assert training.wait_for_new_checkpoint(str(tmp_path), path, seconds_to_sleep=0.01, timeout=0.02) is None
    assert list(training.checkpoints_iterator(str(tmp_path), timeout=0.01)) == [path]
    with tf.Graph().as_default():
        w = tf.get_variable("w", [])
        tf.train.get_or_create_global_step()
        tf.summary.scalar("after", 2 * w)
        count = tf.get_local_variable("count", initializer=0.0)
        hooks = [training.StopAfterNEvalsHook(4), training.SummaryAtEndHook(str(tmp_path / "eval"))]
        arguments = {"eval_interval_secs": 0, "hooks": hooks, "timeout": 0.01, "eval_ops": tf.assign_add(count, w)}
        assert training.evaluate_repeatedly(str(tmp_path), final_ops={"sum": count}, **arguments) == {"sum": 1.5}
        only_one = training.evaluate_repeatedly(str(tmp_path), final_ops=w, max_number_of_evaluations=1)
        assert only_one == 0.375
        assert training.evaluate_repeatedly(str(tmp_path / "eval"), final_ops=w, timeout=0.01) is None
    found = [(e.step, e.summary.value[0].simple_value) for e in events_of(tmp_path / "eval") if e.summary.value]
    assert found == [(3, 0.75)]
    with pytest.raises(ValueError, match="either log_dir or summary_writer"):
        training.SummaryAtEndHook()


def test_failures_are_forgiven(monkeypatch):
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)
    tolerator = training.FailureTolerator(limit=4, init_delay=1.0, backoff_factor=1.5)
    for _ in range(3):
        with tolerator.forgive():
            raise tf.errors.AbortedError(None, None, "gone")
    with pytest.raises(tf.errors.AbortedError), tolerator.forgive():
        raise tf.errors.AbortedError(None, None, "gone")
    assert waits == [1.0, 1.5, 2.25]
    with pytest.raises(KeyError), training.FailureTolerator().forgive():
        raise KeyError
    forgetful = training.FailureTolerator(limit=2, forgive_after_seconds=0, handled_exceptions=[KeyError])
    for _ in range(3):
        with forgetful.forgive():
            raise KeyError
    assert len(waits) == 3
