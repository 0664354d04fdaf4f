"""Random programs of nested conditionals and loops, made of the primitives: as plain Python, and as graphs.

A block is a list of statements over a growing list of numbers:
    ("op", name, i, j)                          appends name(numbers[i], numbers[j])
    ("const", c)
    ("if", i, j, [then], [else], k)             numbers[i] < numbers[j]; appends the last k numbers of a branch's end
    ("while", [i...], limit, bound, [body])     loop variables; appends their last values
    ("change", i, variable)                     changes a variable, appends its new value; only where asked for
"""

import functools

import tfcore as tf

NAMES = ("AddV2", "Sub", "Maximum", "Minimum")


def random_block(rng, size, depth, variables=0):
    block = []
    for _ in range(rng.randint(1, size)):
        kind = rng.random()
        if variables and rng.random() < 0.3:
            block.append(("change", rng.randrange(99), rng.randrange(variables)))
            continue
        if depth and kind < 0.25:
            branches = [random_block(rng, size - 1, depth - 1, variables) for _ in range(2)]
            block.append(("if", rng.randrange(99), rng.randrange(99), *branches, rng.randint(1, 3)))
        elif depth and kind < 0.5:
            first = [rng.randrange(99) for _ in range(rng.randint(1, 3))]
            body = random_block(rng, size - 1, depth - 1, variables)
            block.append(("while", first, rng.randint(0, 4), rng.choice([5, 1000]), body))
        elif kind < 0.6:
            block.append(("const", rng.randint(-3, 3)))
        else:
            block.append(("op", rng.choice(NAMES), rng.randrange(99), rng.randrange(99)))
    return block


FUNCTIONS = {"AddV2": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Maximum": max, "Minimum": min}


def evaluate(block, numbers):
    """`numbers` and what a block appends to them."""
    numbers = list(numbers)

    def at(i):
        return numbers[i % len(numbers)]

    for kind, *rest in block:
        if kind == "op":
            name, i, j = rest
            numbers.append(FUNCTIONS[name](at(i), at(j)))
        elif kind == "const":
            numbers.append(float(rest[0]))
        elif kind == "if":
            i, j, then, other, k = rest
            numbers += evaluate(then if at(i) < at(j) else other, numbers)[-k:]
        else:
            variables, limit, bound, body = rest
            values, count = [at(i) for i in variables], 0.0
            while count < limit and values[0] < bound:
                inner = evaluate(body, [*numbers, *values])
                values, count = inner[-len(values) :], count + 1
            numbers += values
    return numbers


class Scope:
    """The program itself, a branch or a loop. capture(tensor): what stands in it for a tensor of the scope around."""

    def __init__(self, parent=None, capture=None, pivot=None):
        self.parent, self.capture, self.pivot = parent, capture, pivot
        self.captured = {}


class Builder:
    """The graph of a block. place(): the device of the next operation."""

    def __init__(self, place, parallel_iterations=10):
        self.place = place
        self.parallel_iterations = parallel_iterations
        self.root = Scope()
        self.loops = 0

    def op(self, op_type, **inputs):
        with tf.device(self.place()):
            return getattr(tf.raw_ops, op_type)(**inputs)

    def calculate(self, name, x, y, scope):
        """As `op`; what depends on nothing but loop invariants runs only if the iteration does."""
        free = scope.pivot is not None and all(t.op.type == "Enter" for t in (x, y))
        with tf.control_dependencies([scope.pivot] if free else None):
            return self.op(name, x=x, y=y)

    def get(self, value, scope):
        tensor, home = value
        if home is scope:
            return tensor
        if tensor not in scope.captured:
            outside = self.get(value, scope.parent)
            scope.captured[tensor] = scope.capture(outside)
        return scope.captured[tensor]

    def const(self, number, scope):
        with tf.control_dependencies([scope.pivot] if scope.pivot is not None else None), tf.device(self.place()):
            return tf.constant(number, tf.float32)

    def block(self, block, values, scope):
        """As `evaluate`, over (tensor, scope) pairs."""
        values = list(values)

        def at(i):
            return self.get(values[i % len(values)], scope)

        for kind, *rest in block:
            if kind == "op":
                name, i, j = rest
                new = [self.calculate(name, at(i), at(j), scope)]
            elif kind == "const":
                new = [self.const(rest[0], scope)]
            elif kind == "if":
                i, j, *branches, k = rest
                new = self.conditional(self.calculate("Less", at(i), at(j), scope), branches, k, values, scope)
            else:
                new = self.loop(*rest, values, scope)
            values += [(t, scope) for t in new]
        return values

    def conditional(self, pred, branches, k, values, scope):
        pivots = self.op("Switch", data=pred, pred=pred)
        ends = []
        for index, branch in ((1, branches[0]), (0, branches[1])):
            pivot = self.op("Identity", input=pivots[index])

            def capture(tensor, index=index):
                return self.op("Switch", data=tensor, pred=pred)[index]

            inner = Scope(scope, capture, pivot)
            found = self.block(branch, values, inner)[-k:]
            ends.append([self.op("Identity", input=self.get(v, inner)) for v in found])
        return [self.op("Merge", inputs=pair).output for pair in zip(*reversed(ends))]

    def loop(self, variables, limit, bound, body, values, scope):
        self.loops += 1
        name = f"loop{self.loops}"

        def enter(tensor, constant=True):
            free = not constant and scope.pivot is not None and tensor.op.type == "Enter"
            with tf.control_dependencies([scope.pivot] if free else None):
                return self.op(
                    "Enter",
                    data=tensor,
                    frame_name=name,
                    is_constant=constant,
                    parallel_iterations=self.parallel_iterations,
                )

        first = [self.const(0, scope), *[self.get(values[i % len(values)], scope) for i in variables]]
        limits = [(self.const(x, scope), scope) for x in (limit, bound)]
        merges = [self.op("Merge", inputs=[e, e]).output for e in [enter(t, False) for t in first]]
        inner = Scope(scope, enter, merges[0])
        tests = [self.op("Less", x=m, y=self.get(x, inner)) for m, x in zip(merges, limits)]
        pred = self.op("LoopCond", input=self.op("LogicalAnd", x=tests[0], y=tests[1]))
        switches = [self.op("Switch", data=m, pred=pred) for m in merges]
        starts = [self.op("Identity", input=s.output_true) for s in switches]
        inner.pivot = starts[0]
        ends = self.block(body, [*values, *[(t, inner) for t in starts[1:]]], inner)[-len(variables) :]
        count = self.op("AddV2", x=starts[0], y=self.const(1, inner))
        for merge, end in zip(merges, [(count, inner), *ends]):
            merge.op._update_input(1, self.op("NextIteration", data=self.get(end, inner)))
        return [self.op("Exit", data=s.output_false) for s in switches[1:]]


class State:
    """Variables, and a tensor that is there when all changes before have happened."""

    def __init__(self, variables, token):
        self.variables, self.token = variables, token

    def change(self, which, x):
        variable = self.variables[which]
        with tf.control_dependencies([self.token]):
            old = tf.identity(variable._ref())
        new = tf.assign(variable, old * 0.5 + x)
        with tf.control_dependencies([new]):
            self.token = tf.identity(variable._ref())
        return self.token


def with_api(block, values, state=None):
    """The graph of a block, made by tf.cond and tf.while_loop; tensors instead of numbers, as `evaluate`."""
    values = list(values)

    def at(i):
        return values[i % len(values)]

    for kind, *rest in block:
        if kind == "op":
            name, i, j = rest
            values.append(getattr(tf.raw_ops, name)(x=at(i), y=at(j)))
        elif kind == "const":
            values.append(tf.constant(rest[0], tf.float32))
        elif kind == "change":
            i, which = rest
            values.append(state.change(which, at(i)))
        elif kind == "if":
            i, j, then, other, k = rest
            branches = [functools.partial(_inside, b, list(values), k, state) for b in (then, other)]
            values += _without_token(tf.cond(at(i) < at(j), *branches, strict=True), state)
        else:
            variables, limit, bound, body = rest
            values += _loop([at(i) for i in variables], limit, bound, body, values, state)
    return values


def _inside(block, values, k, state):
    """The last k values of a block, and the token if there is state."""
    if state is None:
        return with_api(block, values)[-k:]
    inner = State(state.variables, state.token)
    return [*with_api(block, values, inner)[-k:], inner.token]


def _without_token(results, state):
    if state is None:
        return list(results)
    *results, state.token = results
    return results


def _loop(first, limit, bound, body, values, state):
    def more(count, *now):
        return tf.logical_and(count < limit, now[0] < bound)

    def again(count, *now):
        if state is not None:
            *now, state.token = now
        return [count + 1, *_inside(body, [*values, *now], len(now), state)]

    token = [] if state is None else [state.token]
    return _without_token(tf.while_loop(more, again, [tf.constant(0), *first, *token])[1:], state)
