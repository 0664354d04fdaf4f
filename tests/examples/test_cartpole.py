"""CartPole: the world's physics, episodes played in a loop, returns, and that a policy learns."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.examples import cartpole


def test_the_world_falls_as_it_should():
    """One step from rest, by hand: a push of 10 N on 1.1 kg, the pole turning against it."""
    world = cartpole.CartPole()
    after, lost = world.step(np.zeros((2, 4), np.float32), np.array([1, 0], np.int32))
    acceleration = 10 / 1.1
    turning = -acceleration / (0.5 * (4 / 3 - 0.1 / 1.1))
    expected = 0.02 * np.array([0, acceleration - 0.05 * turning / 1.1, 0, turning])
    np.testing.assert_allclose(after, [expected, -expected], rtol=1e-6)
    assert after.dtype == np.float32 and not lost.any()
    states = np.array(
        [[2.41, 0, 0, 0], [-2.5, 0, 0, 0], [0, 0, 0.22, 0], [0, 0, -0.22, 0], [2.3, 0, 0.2, 0]], np.float32
    )
    assert world.step(states, np.ones(5, np.int32))[1].tolist() == [True, True, True, True, False]


def _always(action):
    return lambda logits: tf.fill([tf.shape(logits)[0]], action)


def test_episodes_are_played_until_all_are_over():
    world = cartpole.CartPole()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(3)
        played = cartpole.Episodes(world, cartpole.Policy(4), 6, _always(1))
        session.run(tf.global_variables_initializer())
        states, actions, playing, returns = session.run([played.states, played.actions, played.playing, played.returns])
    steps = len(states)
    assert states.shape == (steps, 6, 4) and (actions == 1).all() and 5 < steps < 15
    assert returns.max() == steps and (playing.sum(0) == returns).all()
    assert (np.diff(playing, axis=0) <= 0).all()  # what is over stays over
    for episode in range(6):
        state = states[:1, episode]
        for step in range(int(returns[episode])):
            np.testing.assert_allclose(states[step, episode], state[0], rtol=1e-5, atol=1e-7)
            state, lost = world.step(state, np.array([1]))
            assert lost[0] == (step + 1 == returns[episode])


def test_advantages_compare_with_companions():
    playing = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0]], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        got = session.run(cartpole.advantages(tf.constant(playing), 0.5))
    returns = np.array([[1.75, 1.5, 1], [1.5, 1, 0], [1, 0, 0]])
    better = np.array([returns[0] - returns[0].mean(), [0.25, -0.25, 0], [0, 0, 0]])
    spread = np.sqrt((better**2).sum() / 6)
    np.testing.assert_allclose(got, better / (spread + 1e-3), rtol=1e-5, atol=1e-6)


def test_a_policy_learns(capsys):
    average = cartpole.main(["--updates", "60", "--seed", "2", "--test", "50"])
    printed = capsys.readouterr().out
    before = float(printed.split("before: average return ")[1].split()[0])
    assert before < 60 and average > 300
    assert f"after: average return {average:.1f} of 500 over 50 episodes" in printed


def test_errors_of_the_world_end_the_step():
    class Broken(cartpole.CartPole):
        def step(self, states, actions):
            raise ValueError("the cart is broken")

    with tf.Graph().as_default(), tf.Session() as session:
        played = cartpole.Episodes(Broken(), cartpole.Policy(4), 2, cartpole.draw)
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="the cart is broken"):
            session.run(played.returns)
