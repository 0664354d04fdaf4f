"""Random programs run in plain Python on NumPy arrays, with derivatives along every direction of their inputs."""

import numpy as np

from tests.programs import language as lang
from tests.programs.operations import OPERATIONS, Dual, cast

STEP = 1e-20  # of imaginary parts


def run(program, direction=None):
    """{variable: Dual} of the results, and the variables' values at the end.

    The directions are the elements of the floating inputs, one after the other. With the number of one as `direction`,
    the result is complex: imaginary parts are STEP times the derivative along it.
    """
    inputs = {v: np.array(value, program.types[v].dtype) for v, value in program.inputs.items()}
    floating = program.float_inputs()
    if direction is not None:
        _step_along(inputs, floating, direction)
    total = sum(inputs[v].size for v in floating)
    env, first = {}, 0
    for v, value in inputs.items():
        env[v] = Dual(value)
        if v in floating:
            tangent = np.zeros((total, value.size))
            tangent[np.arange(first, first + value.size), np.arange(value.size)] = 1
            env[v].tangent = tangent.reshape(total, *value.shape)
            first += value.size
    state = {name: np.array(value, kind.dtype) for name, (kind, value) in program.variables.items()}
    _Runner(program.types, state).block(program.block, env)
    return {v: env[v] for v in program.block.results}, state


def _step_along(inputs, floating, direction):
    for v in floating:
        inputs[v] = np.array(inputs[v] + 0j)
        if 0 <= direction < inputs[v].size:
            inputs[v].reshape(-1)[direction] += 1j * STEP
        direction -= inputs[v].size


class _Runner:
    def __init__(self, types, state):
        self.types = types
        self.state = state

    def block(self, block, env):
        for statement in block.statements:
            self.statement(statement, env)
        return [env[v] for v in block.results]

    def statement(self, s, env):
        if isinstance(s, list):
            for part in s:
                self.statement(part, env)
        elif isinstance(s, lang.Call):
            env[s.result] = OPERATIONS[s.operation][2](*[env[a] for a in s.arguments])
        elif isinstance(s, lang.Cast):
            env[s.result] = cast(env[s.argument], s.dtype)
        elif isinstance(s, lang.Choice):
            branch = s.then if env[s.condition].value else s.otherwise
            env.update(zip(s.results, self.block(branch, dict(env))))
        elif isinstance(s, lang.Ordered):
            env.update(zip(s.results, self.block(s.block, dict(env))))
        elif isinstance(s, lang.Assign):
            self.state[s.name] = (self.state[s.name] + env[s.argument].value.real) * 0.5
        elif isinstance(s, lang.Read):
            env[s.result] = Dual(self.state[s.name])
        else:
            self.loop(s, env)

    def loop(self, s, env):
        count = int(env[s.count].value) % 4
        limit = s.options.get("maximum_iterations", count)
        values, i = [env[v] for v in s.start], 0
        collected = []
        while i < count and i < limit and (s.bound is None or values[0].value.real.mean() < s.bound):
            inside = {**env, **dict(zip(s.body.parameters, [Dual(np.int32(i)), *values]))}
            if s.read is not None:
                rows, k = env[s.read], i % len(env[s.read].value)
                row = Dual(rows.value[k], None if rows.tangent is None else rows.tangent[:, k])
                inside[s.body.parameters[-1]] = row
            values = self.block(s.body, inside)
            if s.collect is not None:
                collected.append(inside[s.collect])
            i += 1
        env.update(zip(s.results, values))
        if s.collect is not None:
            env[s.collected] = self.sum(collected, self.types[s.collected])

    def sum(self, parts, kind):
        result = Dual(np.zeros(kind.shape, kind.dtype))
        for part in parts:
            result.value = result.value + part.value * 0.25
            if part.tangent is not None:
                scaled = part.tangent * 0.25
                result.tangent = scaled if result.tangent is None else result.tangent + scaled
        return result
