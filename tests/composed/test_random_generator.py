"""tf.random.Generator. The expected numbers and states are TensorFlow's."""

import numpy as np
import pytest

import tfcore as tf

random = tf.random


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_values_are_tensorflows(session):
    g = random.Generator.from_seed(1)
    session.run(tf.global_variables_initializer())
    counts, probs = [10.0, 100.0, 50.0, 20.0], [0.3, 0.4, 0.9, 0.99]
    for found, want in (
        (g.state, [1, 0, 0]),
        (g.key, 0),
        (g.normal([3]), [0.4384227395057678, -0.5343984365463257, -0.07710261642932892]),
        (g.uniform([2], maxval=5, dtype=tf.int32), [4, 2]),
        (g.uniform([2]), [0.8704671859741211, 0.242792010307312]),
        (g.uniform_full_int([2]), [7972925933957416596, 6301511077381668760]),
        (g.uniform([2], minval=None, dtype=tf.int64), [-2717584139447609716, 5116656632765974957]),
        (g.truncated_normal([2]), [-1.0439486503601074, -0.2353706657886505]),
        (g.binomial([4], counts, probs), [3, 38, 44, 20]),
        (g.state, [208129, 0, 0]),
        (g.make_seeds(2), [[-2744779975351594645, -288550570941243751], [0, 0]]),
        (g.state, [208641, 0, 0]),
    ):
        np.testing.assert_allclose(session.run(found), want, rtol=1e-6)


def test_each_run_gives_other_numbers(session):
    g = random.Generator.from_seed(3)
    session.run(tf.global_variables_initializer())
    x = g.normal([2, 2], mean=5.0, stddev=2.0)
    first, second = session.run(x), session.run(x)
    assert first.shape == (2, 2) and (first != second).all()
    session.run(g.reset_from_seed(3))
    np.testing.assert_array_equal(session.run(x), first)


def test_states(session):
    g = random.Generator.from_state([9, 8, 7], "philox")
    copy = random.Generator(copy_from=g)
    session.run(tf.global_variables_initializer())
    assert session.run([g.state, copy.state])[1].tolist() == [9, 8, 7]
    for change, want in (
        (g.reset_from_seed(2**70 + 5), [5, 64, 0]),
        (g.reset([4, 5, 6]), [4, 5, 6]),
        (g.reset_from_key_counter(7, [1, 2]), [1, 2, 7]),
        (g.skip(3), [769, 2, 7]),
        (g.reset([2**64 - 1, 0, 2**63]), [-1, 0, -(2**63)]),
    ):
        session.run(change)
        assert session.run(g.state).tolist() == want
    assert session.run(copy.state).tolist() == [9, 8, 7]
    h = random.Generator.from_key_counter(3, [1, 2], random.Algorithm.PHILOX)
    session.run(h.state.initializer)
    assert session.run(h.state).tolist() == [1, 2, 3] and h.algorithm == 1
    assert random.Generator.from_state(h.state, 1).state is h.state


def test_split(session):
    g = random.Generator.from_state([208641, 0, 0], 1)
    first, second = g.split(2)
    session.run(tf.global_variables_initializer())
    assert session.run(first.state).tolist() == [0, 0, 3304909237826110877]
    assert session.run(second.state).tolist() == [0, 0, 957036355068226353]
    np.testing.assert_allclose(session.run(first.normal([2])), [-0.5483461618423462, 1.9122507572174072], rtol=1e-6)
    assert session.run(g.state).tolist() == [208641 + 512, 0, 0]


def test_generators_of_random_state(session):
    a, b = random.Generator.from_non_deterministic_state(), random.Generator.from_non_deterministic_state()
    session.run(tf.global_variables_initializer())
    assert (session.run(a.state) != session.run(b.state)).any()
    assert random.get_global_generator() is random.get_global_generator()
    random.set_global_generator(a)
    assert random.get_global_generator() is a
    with tf.Graph().as_default():
        assert random.get_global_generator() is not a
    assert random.get_global_generator() is a


def test_states_of_seeds(session):
    make = random.create_rng_state
    for found, want in (
        (make(1, "philox"), [1, 0, 0]),
        (make(-1, 1), [-1, -1, -1]),
        (make([1, 2], 1), [0, 1, 2]),
        (make([1, 2, 3, 4], 3), [1, 2, 3]),
        (make(3, "threefry"), [3, 0]),
        (make(tf.constant([5]), "AUTO-select"), [0, 0, 5]),
    ):
        assert session.run(found).tolist() == want


def test_seeds_of_seeds(session):
    wide = tf.constant([1, 2], tf.int64)
    for found, want in (
        (random.fold_in([1, 2], 7), [1105988140, 7]),
        (random.split([1, 2], 3), [[1105988140, 1738052849], [-335576002, 370444179], [10670227, -246211131]]),
        (random.split(wide), [[7464880146280614444, 1591045637757961278], [-1057468755545501549, 2524363516007002203]]),
        (random.split([1, 2], 2, alg="philox"), [[1105988140, 1738052849], [-335576002, 370444179]]),
    ):
        assert session.run(found).tolist() == want


def test_wrong_arguments(session):
    with pytest.raises(ValueError, match="got unsupported value foo. Supported values are philox"):
        random.create_rng_state(1, "foo")
    with pytest.raises(ValueError, match="got unsupported value 9. Supported values are 1"):
        random.create_rng_state(1, 9)
    with pytest.raises(TypeError, match="Can't convert argument `alg`"):
        random.create_rng_state(1, 2.5)
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        random.Generator.from_state([1, 2], "philox")
    with pytest.raises(ValueError, match=r"Shapes \(1,\) and \(2,\) are incompatible"):
        random.Generator.from_key_counter(3, [1], "philox")
    with pytest.raises(ValueError, match="needs a state and an algorithm"):
        random.Generator(state=[1, 2, 3])
    with pytest.raises(TypeError, match="Expected a tf.random.Generator, got 3"):
        random.set_global_generator(3)
    g = random.Generator.from_seed(1, "threefry")
    with pytest.raises(ValueError, match="minval and maxval must be both `None` or both non-`None`"):
        g.uniform([2], minval=None, maxval=3, dtype=tf.int64)
    session.run(tf.global_variables_initializer())
    with pytest.raises(tf.errors.UnimplementedError, match="ThreeFry"):
        session.run(g.normal([2]))
