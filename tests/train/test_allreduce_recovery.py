"""Recovery of AllreduceOptimizer in one process: arguments, values, a step that fails while it changes variables."""

import pytest

import tfcore as tf
from tfcore.train.optimizers.allreduce_recovery import score_of, step_and_rank_of


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def optimizer(mode="wait"):
    return tf.train.AllreduceOptimizer(tf.train.MomentumOptimizer(0.25, 0.5), lost_workers=mode)


def test_arguments():
    with pytest.raises(ValueError, match="lost_workers must be None, 'wait' or 'continue', not 'stop'"):
        optimizer("stop")
    with pytest.raises(ValueError, match="Only an AllreduceOptimizer with lost_workers recovers"):
        optimizer(None).make_session_run_hook()
    with pytest.raises(RuntimeError, match="should be called after apply_gradients"):
        optimizer().make_session_run_hook()
    v = tf.Variable(3.0)
    with pytest.raises(ValueError, match="lost_workers needs a global_step"):
        optimizer().minimize(v * v)


def test_a_variable_that_can_not_be_sent():
    v, step = tf.Variable(3.0), tf.train.get_or_create_global_step()
    tf.Variable(["text"], name="words")
    o = optimizer()
    o.minimize(v * v, step)
    with pytest.raises(TypeError, match="Variable 'words' of type string can't be sent to a worker"):
        o.make_session_run_hook().begin()


@pytest.mark.parametrize("mode", ["wait", "continue"])
def test_values_are_those_of_the_wrapped_optimizer(mode):
    found = []
    for wrap in (False, True):
        with tf.Graph().as_default():
            table, v = tf.Variable(tf.ones([4, 2])), tf.Variable(3.0, dtype=tf.float64)
            step = tf.train.get_or_create_global_step()
            loss = tf.reduce_sum(tf.gather(table, [1, 1, 3])) ** 2 + tf.cast(v, tf.float32) ** 2
            o = optimizer(mode) if wrap else tf.train.MomentumOptimizer(0.25, 0.5)
            train = o.minimize(loss, step)
            hooks = [o.make_session_run_hook()] if wrap else []
            with tf.train.MonitoredTrainingSession(chief_only_hooks=hooks) as sess:
                for _ in range(3):
                    sess.run(train)
                found.append([a.tolist() for a in sess.run([table, v, step])])
    assert found[0] == found[1] and found[1][2] == 3


def test_a_step_that_fails_while_it_changes_variables():
    v, step = tf.Variable(3.0), tf.train.get_or_create_global_step()
    o = optimizer()
    train = o.minimize(v * v, step)
    with tf.train.MonitoredSession(hooks=[o.make_session_run_hook()]) as sess:
        sess.run(train)
        raw = sess._tf_sess()
        assert raw.run(o._updating) == 0
        raw.run(o._updating.initializer, {o._updating.initial_value: 1})
        hook = o.make_session_run_hook()
        tf.get_default_graph()._unsafe_unfinalize()
        hook.begin()
        with pytest.raises(tf.errors.DataLossError, match="failed while they changed variables"):
            hook.after_create_session(raw, None)


@pytest.mark.parametrize("size", [1, 2, 7])
def test_scores_are_ordered_by_step_and_then_by_rank(size):
    places = [(step, rank) for step in (0, 1, 2, 1 << 40) for rank in reversed(range(size))]
    scores = [score_of(step, 1, rank, size) for step, rank in places]
    assert scores == sorted(set(scores)) and scores[0] == 0
    assert [step_and_rank_of(score, size) for score in scores] == places
    assert {score_of(step, 0, rank, size) for step, rank in places} == {-1}
