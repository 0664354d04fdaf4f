"""Policy gradient: a network learns to balance a pole on a cart.

    python -m tfcore.examples.cartpole [--updates N] [--episodes N] [--units N] [--seed N]

One graph does everything. A loop plays episodes: the policy chooses actions, and a Python function computes the next
states of the world. A reverse scan turns rewards into returns. The REINFORCE gradient (Williams, 1992) makes actions
more probable whose return was above the average of all episodes at that time. A training step is one call of
session.run, however long its episodes last.
"""

import argparse
import math
import time

import numpy as np

import tfcore as tf

LONGEST = 500  # the largest number of steps of an episode
ACTIONS = 2  # push the cart to the left, to the right


class CartPole:
    """The world: a cart on a track with a pole on it that is free to fall (Barto, Sutton and Anderson, 1983).

    A state is (position of the cart, its speed, angle of the pole, its angular speed), in meters, radians and seconds.
    """

    gravity, cart_mass, pole_mass, half_length = 9.8, 1.0, 0.1, 0.5
    force, seconds = 10.0, 0.02
    farthest, steepest = 2.4, math.radians(12)

    def start(self, episodes):
        """A tensor [episodes, 4] of states in which the pole is nearly upright."""
        return tf.random_uniform([episodes, 4], -0.05, 0.05)

    def step(self, states, actions):
        """The next states, and whether the pole fell or the cart left the track (NumPy; one row for each episode)."""
        x, speed, angle, turn = states.T
        total = self.cart_mass + self.pole_mass
        moment = self.pole_mass * self.half_length
        sin, cos = np.sin(angle), np.cos(angle)
        push = (np.where(actions == 1, self.force, -self.force) + moment * turn**2 * sin) / total
        turning = (self.gravity * sin - cos * push) / (self.half_length * (4.0 / 3.0 - self.pole_mass * cos**2 / total))
        moving = push - moment * turning * cos / total
        dt = self.seconds
        after = np.stack([x + dt * speed, speed + dt * moving, angle + dt * turn, turn + dt * turning], 1)
        lost = (np.abs(after[:, 0]) > self.farthest) | (np.abs(after[:, 2]) > self.steepest)
        return after.astype(np.float32), lost


class Policy:
    """The network that turns states [..., 4] into logits of the actions."""

    def __init__(self, units):
        self.hidden = tf.get_variable("hidden", [4, units])
        self.biases = tf.get_variable("biases", [units], initializer=tf.zeros_initializer())
        self.output = tf.get_variable("output", [units, ACTIONS])

    def logits(self, states):
        return tf.matmul(tf.tanh(tf.matmul(states, self.hidden) + self.biases), self.output)


class Episodes:
    """Several episodes, played in parallel until all are over.

    states [steps, episodes, 4], actions and playing [steps, episodes]: playing is 0 for episodes that are over and wait
    for the others. returns [episodes]: the number of steps of each episode.
    """

    def __init__(self, world, policy, episodes, choose):
        def array(dtype, shape):
            return tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=shape)

        def one_step(step, state, playing, states, actions, played):
            action = choose(policy.logits(state))
            following, lost = tf.py_func(world.step, [state, action], [tf.float32, tf.bool], stateful=False)
            lost.set_shape(playing.shape)
            following = tf.where(playing, following, state)  # finished episodes keep their state
            written = states.write(step, state), actions.write(step, action), played.write(step, playing)
            return (step + 1, following, tf.logical_and(playing, tf.logical_not(lost)), *written)

        *_, states, actions, played = tf.while_loop(
            lambda step, _, playing, *arrays: tf.logical_and(step < LONGEST, tf.reduce_any(playing)),
            one_step,
            (
                tf.constant(0),
                world.start(episodes),
                tf.fill([episodes], True),
                array(tf.float32, [episodes, 4]),
                array(tf.int32, [episodes]),
                array(tf.bool, [episodes]),
            ),
            back_prop=False,
        )
        self.states, self.actions = states.stack(), actions.stack()
        self.playing = tf.to_float(played.stack())
        self.returns = tf.reduce_sum(self.playing, 0)


def draw(logits):
    """An action for each row, with the policy's probabilities."""
    return tf.squeeze(tf.cast(tf.multinomial(logits, 1), tf.int32), 1)


def best(logits):
    return tf.argmax(logits, 1, output_type=tf.int32)


def advantages(playing, discount):
    """The return of each episode from each step on, relative to the average of all episodes, [steps, episodes]."""
    # Each step has a reward of 1; later rewards are discounted.
    returns = tf.scan(lambda later, now: now + discount * later, playing, tf.zeros_like(playing[0]), reverse=True)
    companions = tf.maximum(tf.reduce_sum(playing, 1, keepdims=True), 1)
    mean = tf.reduce_sum(returns * playing, 1, keepdims=True) / companions
    better = (returns - mean) * playing
    spread = tf.sqrt(tf.reduce_sum(better**2) / tf.reduce_sum(playing))
    return better / (spread + 1e-3)


def train_step(policy, played, arguments):
    """The operation that makes successful actions more probable."""
    logits = policy.logits(tf.reshape(played.states, [-1, 4]))
    surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(played.actions, [-1]), logits=logits)
    weights = tf.stop_gradient(tf.reshape(advantages(played.playing, arguments.discount), [-1]))
    loss = tf.reduce_sum(surprise * weights) / tf.reduce_sum(played.playing)
    step = tf.Variable(0, trainable=False)
    rate = tf.train.polynomial_decay(arguments.rate, step, arguments.updates, arguments.rate / 10)
    return tf.train.AdamOptimizer(rate).minimize(loss, global_step=step)


def train(session, played, minimize, arguments):
    begin, steps = time.perf_counter(), 0.0
    for update in range(1, arguments.updates + 1):
        _, returns = session.run([minimize, played.returns])
        steps += returns.sum()
        if update % max(arguments.updates // 10, 1) == 0 or update == arguments.updates:
            speed = steps / (time.perf_counter() - begin)
            print(f"update {update:4}: average return {returns.mean():5.1f}, {speed:.0f} steps/s", flush=True)


def parse_arguments(argv=None):
    parser = argparse.ArgumentParser(prog="cartpole", description=__doc__.splitlines()[0])
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--episodes", type=int, default=32, help="episodes per update (default 32)")
    parser.add_argument("--units", type=int, default=32, help="units of the policy's hidden layer (default 32)")
    parser.add_argument("--rate", type=float, default=0.02, help="initial learning rate (default 0.02)")
    parser.add_argument("--discount", type=float, default=0.99, help="discount of later rewards (default 0.99)")
    parser.add_argument("--test", type=int, default=100, help="episodes to test with (default 100)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(argv)


def main(argv=None):
    """Trains a policy; returns its average return when it always takes the most probable action."""
    arguments = parse_arguments(argv)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(arguments.seed)
        world, policy = CartPole(), Policy(arguments.units)
        played = Episodes(world, policy, arguments.episodes, draw)
        minimize = train_step(policy, played, arguments)
        tested = Episodes(world, policy, arguments.test, best)
        session.run(tf.global_variables_initializer())
        before = session.run(tested.returns).mean()
        train(session, played, minimize, arguments)
        returns = session.run(tested.returns)
    print(f"before: average return {before:.1f} of {LONGEST} over {arguments.test} episodes")
    print(
        f"after: average return {returns.mean():.1f} of {LONGEST} over {arguments.test} episodes, worst "
        f"{returns.min():.0f}"
    )
    return float(returns.mean())


if __name__ == "__main__":
    main()
