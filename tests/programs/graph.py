"""Random programs as graphs, of tfcore or of `tensorflow.compat.v1`."""

import numpy as np

from tests.programs import language as lang
from tests.programs.operations import OPERATIONS


class Built:
    """A program in the default graph: `inputs` {variable: placeholder}, `results` {variable: tensor}, `state` {name:
    Variable}, `loss` (a weighted sum of all floating results) and `gradients` {floating input: tensor or None}.

    done: a tensor that is computed after all assignments.
    """


def weights(program, v):
    """The weights of a result in the loss."""
    shape = program.types[v].shape
    return np.cos(np.arange(np.prod(shape, dtype=int)) + v).reshape(shape)


def second_weights(program, v):
    """The weights of an input's gradient in what is differentiated again."""
    kind = program.types[v]
    return np.asarray(weights(program, v) + 0.5, kind.dtype)


def build(tf, program, gradients=True, second=False):
    """Adds a program to the default graph, with gradients of the loss or (`second`) of a weighted sum of these."""
    built = Built()
    builder = _Builder(tf, program)
    env = built.inputs = {}
    for v in program.inputs:
        kind = program.types[v]
        shape = kind.shape if program.static_shapes or not kind.floating else [None] * len(kind.shape)
        env[v] = tf.placeholder(kind.dtype, shape, name=f"input_{v}")
    built.state = builder.state = {
        name: tf.Variable(tf.constant(value, kind.dtype, kind.shape), name=f"state_{name}", use_resource=False)
        for name, (kind, value) in program.variables.items()
    }
    if program.variables:
        builder.token = tf.constant(0, name="token")
    everything = dict(env)
    builder.block(program.block, everything)
    built.results = {v: everything[v] for v in program.block.results}
    built.done = builder.token
    floating = program.float_results()
    parts = [tf.reduce_sum(tf.cast(everything[v], "float64") * weights(program, v)) for v in floating]
    built.loss = tf.add_n(parts, name="loss")
    inputs = program.float_inputs()
    xs = [env[v] for v in inputs]
    found = tf.gradients(built.loss, xs) if gradients or second else []
    if second:
        dense = [(v, tf.convert_to_tensor(g)) for v, g in zip(inputs, found) if g is not None]
        products = [tf.cast(tf.reduce_sum(g * second_weights(program, v)), "float64") for v, g in dense]
        found = tf.gradients(tf.add_n(products), xs) if products else [None] * len(xs)
    built.gradients = {v: g if g is None else tf.convert_to_tensor(g) for v, g in zip(inputs, found)}
    return built


class _Builder:
    def __init__(self, tf, program):
        self.tf = tf
        self.types = program.types
        self.static_shapes = program.static_shapes
        self.token = None  # what the next access to a variable waits for

    def block(self, block, env):
        for statement in block.statements:
            self.statement(statement, env)
        return [env[v] for v in block.results]

    def statement(self, s, env):
        tf = self.tf
        if isinstance(s, list):
            for part in s:
                self.statement(part, env)
        elif isinstance(s, lang.Call):
            env[s.result] = OPERATIONS[s.operation][1](tf, *[env[a] for a in s.arguments])
        elif isinstance(s, lang.Cast):
            argument = env[s.argument]
            env[s.result] = tf.cast(argument if s.dtype.startswith("float") else argument * 3, s.dtype)
        elif isinstance(s, lang.Choice):
            self.choice(s, env)
        elif isinstance(s, lang.Ordered):
            with tf.control_dependencies([env[s.first]]):
                results = [tf.identity(t) for t in self.block(s.block, dict(env))]
            env.update(zip(s.results, results))
        elif isinstance(s, lang.Assign):
            self.access(lambda: self.update(s.name, env[s.argument]))
        elif isinstance(s, lang.Read):
            # In TensorFlow a read shares memory with the variable: what is assigned next would change it.
            env[s.result] = self.access(lambda: self.state[s.name].read_value() * 1.0)
        else:
            self.loop(s, env)

    def access(self, function):
        """What the function adds comes after all accesses before and before all accesses after."""
        with self.tf.control_dependencies([self.token]):
            result = function()
        with self.tf.control_dependencies([result]):
            self.token = self.tf.identity(self.token)
        return result

    def update(self, name, value):
        variable = self.state[name]
        return self.tf.assign(variable, (variable.read_value() + value) * 0.5)

    def choice(self, s, env):
        before = self.token

        def branch(block):
            def function():
                self.token = before
                results = self.block(block, dict(env))
                return results if self.token is None else [*results, self.token]

            return function

        results = self.tf.cond(env[s.condition], branch(s.then), branch(s.otherwise), strict=True)
        if self.token is not None:
            *results, self.token = results
        env.update(zip(s.results, results))

    def loop(self, s, env):
        tf, n = self.tf, len(s.start)
        count = env[s.count] % 4
        state = [0, [env[v] for v in s.start], {}]
        if self.token is not None:
            state[2]["token"] = self.token
        if s.collect is not None:
            kind = self.types[s.collect]
            state[2]["collected"] = tf.TensorArray(kind.dtype, 0, True, element_shape=kind.shape, infer_shape=False)
        rows = self.rows(s, env)

        def test(i, values, _):
            less = tf.less(i, count)
            return less if s.bound is None else tf.logical_and(less, tf.reduce_mean(values[0]) < s.bound)

        def body(i, values, more):
            parameters = [i, *values]
            if rows is not None:
                parameters.append(rows.read(i % tf.cast(tf.shape(env[s.read])[0], "int32")))
            inside = {**env, **dict(zip(s.body.parameters, parameters))}
            self.token = more.get("token")
            results = self.block(s.body, inside)
            following = {} if self.token is None else {"token": self.token}
            if s.collect is not None:
                following["collected"] = more["collected"].write(i, inside[s.collect])
            return [i + 1, results, following]

        invariants = None
        if not self.static_shapes:
            known, unknown = tf.TensorShape([]), tf.TensorShape(None)
            invariants = [known, [unknown] * n, {k: known for k in state[2]}]
        _, results, more = tf.while_loop(test, body, state, invariants, **s.options)
        assert len(results) == n
        self.token = more.get("token")
        env.update(zip(s.results, results))
        if s.collect is not None:
            env[s.collected] = tf.reduce_sum(more["collected"].stack(), 0) * 0.25

    def rows(self, s, env):
        """The TensorArray that the body reads from."""
        if s.read is None:
            return None
        source = env[s.read]
        length = self.tf.shape(source)[0]
        array = self.tf.TensorArray(
            self.types[s.read].dtype, length, clear_after_read=False, infer_shape=self.static_shapes
        )
        return array.unstack(source)
