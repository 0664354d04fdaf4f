"""What random programs are made of, and how they are drawn.

A program is a block: statements that give values to numbered variables, and the variables that are its result. Every
variable is set once; blocks inside of others may use those of the blocks around them.
"""

import dataclasses
from typing import NamedTuple

from hypothesis import strategies as st

from tests.programs.operations import OPERATIONS


class Type(NamedTuple):
    """Element type and shape of a variable."""

    dtype: str
    shape: tuple

    @property
    def floating(self):
        return self.dtype.startswith("float")


@dataclasses.dataclass
class Block:
    """Statements and the variables that are their result; `parameters` are set by whoever runs the block."""

    parameters: list
    statements: list
    results: list


@dataclasses.dataclass
class Call:
    """results = operation(arguments)"""

    operation: str
    arguments: list
    result: int


@dataclasses.dataclass
class Cast:
    """result = argument in another element type"""

    argument: int
    dtype: str
    result: int


@dataclasses.dataclass
class Choice:
    """results = then() if condition else otherwise()"""

    condition: int
    then: Block
    otherwise: Block
    results: list


@dataclasses.dataclass
class Loop:
    """The parameters of `body` start as (0, *start); it runs while the first is less than `count` % 4 (and `bound`, a
    number, is greater than the mean of its second parameter, if that is given) and gives the next values of all but the
    first.

    collect: a variable of the body that is collected in a TensorArray; `collected` = a quarter of the sum of all.
    read: a variable whose rows a TensorArray hands to the body's last parameter, one an iteration.
    """

    count: int
    bound: float | None
    start: list
    body: Block
    collect: int | None
    read: int | None
    results: list
    collected: int | None
    options: dict


@dataclasses.dataclass
class Ordered:
    """results = block(), each of whose operations runs after `first` has been computed"""

    first: int
    block: Block
    results: list


@dataclasses.dataclass
class Assign:
    """variable `name` = the average of it and `argument`"""

    name: str
    argument: int


@dataclasses.dataclass
class Read:
    """result = the value of variable `name`"""

    name: str
    result: int


@dataclasses.dataclass
class Program:
    """A block with inputs, the variables' types, and how much the graph tells of shapes."""

    block: Block
    types: dict  # of all numbered variables
    inputs: dict  # variable -> value as nested lists
    variables: dict  # name -> (Type, value)
    static_shapes: bool

    def float_inputs(self):
        return [v for v in self.inputs if self.types[v].floating]

    def float_results(self):
        return list(dict.fromkeys(v for v in self.block.results if self.types[v].floating))


SHAPES = ((), (2,), (3,), (2, 2))
FLOATS = ("float64", "float64", "float32")
INTS = ("int32", "int64")
_ROUND = st.sampled_from([-1.0, -0.75, -0.3, 0.0, 0.2, 0.5, 0.9])


class _Draw:
    """Draws one program."""

    def __init__(self, draw, depth, variables):
        self.draw = draw
        self.max_depth = depth
        self.types = {}
        self.with_variables = variables
        self.variables = {}

    def new(self, type_):
        self.types[len(self.types)] = type_
        return len(self.types) - 1

    def chance(self, percent):
        """True with this probability; the simplest is False."""
        return self.draw(st.integers(0, 99)) >= 100 - percent

    def program(self):
        inputs = {}
        kinds = [Type("float64", ()), Type("int32", ()), *[self.type() for _ in range(self.draw(st.integers(1, 3)))]]
        for kind in kinds:
            inputs[self.new(kind)] = self.value(kind)
        if self.with_variables and self.chance(50):
            for name in "ab"[: self.draw(st.integers(1, 2))]:
                kind = Type("float64", self.draw(st.sampled_from(SHAPES)))
                self.variables[name] = (kind, self.value(kind))
        block = self.block(list(inputs), [], 0)
        visible = self.visible
        block.results = [v for v in visible if self.types[v].floating][-4:] + [
            v for v in visible if not self.types[v].floating
        ][-2:]
        return Program(block, self.types, inputs, self.variables, not self.chance(40))

    def type(self):
        if self.chance(30):
            return Type(self.draw(st.sampled_from(INTS)), ())
        return Type(self.draw(st.sampled_from(FLOATS)), self.draw(st.sampled_from(SHAPES)))

    def value(self, kind):
        if not kind.floating:
            return self.draw(st.integers(0, 6))
        size = 1
        for n in kind.shape:
            size *= n
        flat = [self.draw(_ROUND) for _ in range(size)]
        if kind.shape == (2, 2):
            return [flat[:2], flat[2:]]
        return flat if kind.shape else flat[0]

    def block(self, visible, parameters, depth):
        """A block that sees these variables, as yet without results; `self.visible` are then those at its end."""
        visible = [*visible, *parameters]
        statements = []
        for _ in range(self.draw(st.integers(1, 4))):
            statements.append(self.statement(visible, depth))
        self.visible = visible
        return Block(parameters, statements, [])

    def statement(self, visible, depth):
        """One statement; adds what it sets to `visible`."""
        kind = self.draw(st.integers(0, 99))  # the simplest first
        if depth < self.max_depth and kind >= 55:
            make = self.ordered if kind < 62 else self.choice if kind < 80 else self.loop
            return make(visible, depth)
        if self.variables and 35 <= kind < 50:
            return self.effect(visible)
        if kind >= 45:
            argument = self.draw(st.sampled_from([v for v in visible if self.types[v].dtype != "bool"]))
            dtype = self.draw(st.sampled_from(FLOATS + INTS if not self.types[argument].shape else FLOATS))
            result = self.new(Type(dtype, self.types[argument].shape))
            visible.append(result)
            return Cast(argument, dtype, result)
        return self.call(visible)

    def call(self, visible):
        names = [n for n, (kinds, _, _) in OPERATIONS.items() if self.fits(kinds.partition(">")[0], visible)]
        name = self.draw(st.sampled_from(names))
        kinds, _, result = OPERATIONS[name][0].partition(">")
        arguments = []
        for kind in kinds:
            first = arguments[0] if arguments else None
            arguments.append(self.draw(st.sampled_from(self.of_kind(kind, visible, first)[-8:])))
        first = self.types[arguments[0]]
        shape = {"s": (), "r": first.shape[1:], "b": ()}.get(result, first.shape)
        variable = self.new(Type("bool" if result == "b" else first.dtype, shape))
        visible.append(variable)
        return Call(name, arguments, variable)

    def fits(self, kinds, visible):
        found = self.of_kind(kinds[0], visible, None)
        return bool(found) and (len(kinds) == 1 or kinds[1] in "xyj" or bool(self.of_kind(kinds[1], visible, found[0])))

    def of_kind(self, kind, visible, first):
        types = self.types
        like = None if first is None else types[first]
        if kind == "y":
            return [v for v in visible if types[v].dtype == like.dtype and types[v].shape in ((), like.shape)]
        if kind == "j" and like is not None:
            return [v for v in visible if types[v] == like]
        tests = {
            "x": lambda t: t.floating,
            "v": lambda t: t.floating and t.shape,
            "m": lambda t: t.floating and t.shape == (2, 2) and (like is None or t.dtype == like.dtype),
            "i": lambda t: t.dtype in INTS and not t.shape,
            "j": lambda t: t.dtype in INTS and not t.shape,
            "b": lambda t: t.dtype == "bool",
        }
        return [v for v in visible if tests[kind](types[v])]

    def finish(self, block, kinds, visible):
        """Gives the block results of these types, with casts and other ways from what it sees at its end."""
        for kind in kinds:
            same = [v for v in visible if self.types[v] == kind]
            block.results.append(self.draw(st.sampled_from(same[-6:])))

    def condition(self, visible, statements):
        conditions = [v for v in visible if self.types[v].dtype == "bool"]
        if conditions and self.chance(50):
            return self.draw(st.sampled_from(conditions))
        number = self.draw(st.sampled_from([v for v in visible if self.types[v].dtype in INTS]))
        result = self.new(Type("bool", ()))
        visible.append(result)
        statements.append(Call("even", [number], result))
        return result

    def choice(self, visible, depth):
        before = []
        condition = self.condition(visible, before)
        results = self.some(visible, 1, 3)
        blocks = []
        for _ in range(2):
            block = self.block(visible, [], depth + 1)
            self.finish(block, [self.types[v] for v in results], self.visible)
            blocks.append(block)
        made = [self.new(self.types[v]) for v in results]
        visible.extend(made)
        return self.after(before, Choice(condition, *blocks, made))

    def after(self, before, statement):
        """Statements as one."""
        if not before:
            return statement
        return [*before, statement]

    def some(self, visible, low, high):
        """Variables to change: mostly recent ones."""
        fitting = [v for v in visible if self.types[v].dtype != "bool"][-8:]
        return self.draw(st.lists(st.sampled_from(fitting), min_size=low, max_size=high))

    def loop(self, visible, depth):
        types = self.types
        start = self.some(visible, 1, 3)
        count = self.draw(st.sampled_from([v for v in visible if types[v].dtype == "int32" and not types[v].shape]))
        parameters = [self.new(Type("int32", ())), *[self.new(types[v]) for v in start]]
        read = None
        rows = [v for v in visible if types[v].floating and types[v].shape]
        if rows and self.chance(25):
            read = self.draw(st.sampled_from(rows))
            parameters.append(self.new(Type(types[read].dtype, types[read].shape[1:])))
        body = self.block(visible, parameters, depth + 1)
        inside = self.visible
        self.finish(body, [types[v] for v in start], inside)
        collect = collected = None
        if self.chance(25):
            collect = self.draw(st.sampled_from([v for v in inside if types[v].floating][-6:]))
        results = [self.new(types[v]) for v in start]
        if collect is not None:
            collected = self.new(types[collect])
            visible.append(collected)
        visible.extend(results)
        bound = None
        if types[start[0]].dtype == "float64" and self.chance(30):
            bound = self.draw(st.sampled_from([-0.51, 0.13, 0.77]))
        return Loop(count, bound, start, body, collect, read, results, collected, self.options())

    def options(self):
        options = {"parallel_iterations": self.draw(st.sampled_from([1, 2, 10]))}
        if self.chance(20):
            options["swap_memory"] = True
        if self.chance(20):
            options["maximum_iterations"] = self.draw(st.integers(0, 3))
        return options

    def ordered(self, visible, depth):
        first = self.draw(st.sampled_from(visible))
        results = self.some(visible, 1, 2)
        block = self.block(visible, [], depth + 1)
        self.finish(block, [self.types[v] for v in results], self.visible)
        made = [self.new(self.types[v]) for v in results]
        visible.extend(made)
        return Ordered(first, block, made)

    def effect(self, visible):
        name = self.draw(st.sampled_from(sorted(self.variables)))
        kind = self.variables[name][0]
        fitting = [v for v in visible if self.types[v] == kind]
        if fitting and self.chance(60):
            return Assign(name, self.draw(st.sampled_from(fitting)))
        result = self.new(kind)
        visible.append(result)
        return Read(name, result)


@st.composite
def programs(draw, depth=3, variables=True):
    """Programs with conditionals and loops in each other `depth` deep, perhaps with variables that they change."""
    return _Draw(draw, depth, variables).program()
