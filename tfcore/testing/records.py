"""The description of an op for its tests: an OpRecord, and the cases (types) that follow from the registered kernels.

Most records are one line (the op type first, always TensorFlow's name):

    unary("Exp", np.exp, domain=(-30, 30), ulps=2)
    binary("Add", np.add)
    binary("FloorDiv", np.floor_divide, nonzero_second=True, gradient=0)
    reduction("Sum", np.sum)

In general a record has a reference and a function that draws inputs:

    def _matmul_inputs(draw, case):
        m, k, n = (draw(strategies.sizes()) for _ in range(3))
        ta, tb = draw(st.booleans()), draw(st.booleans())
        a = draw(case.array((k, m) if ta else (m, k)))
        b = draw(case.array((n, k) if tb else (k, n)))
        return [a, b], {"transpose_a": ta, "transpose_b": tb}

    def _matmul(a, b, transpose_a, transpose_b):
        return (a.T if transpose_a else a) @ (b.T if transpose_b else b)

    OpRecord("MatMul", _matmul, _matmul_inputs, scale="abs")

`inputs(draw, case)` returns the inputs, or `(inputs, attrs)`; without it they are drawn from the op's definition.
    inputs: one entry for each input of the op: an array; a list of arrays for a list input
        ("values: N * T"); for a reference input ("ref: Ref(T)") the initial value of its variable;
        `Const(array)` for an input that must be a constant (otherwise it is drawn whether it is a
        placeholder or a constant, and how much of a placeholder's shape is known statically).
    attrs: keyword arguments for the op call and for the reference.
    case.T, case.Tidx ...: the NumPy types of this case for the op's type attributes. Type attributes
        that the inputs do not determine (Cast's DstT, ArgMax's output_type) are passed
        automatically, to the op and, as NumPy types, to the reference, unless attrs has them.
    case.array(shape, dtype=case.T, ...): a strategy, see strategies.arrays; it respects the record's
        `domain` and `special`. Without a type attribute T the default is the op's only floating type.
    case.smooth: True when drawing for a gradient test (small shapes, no ties, no special values).
    case.max_elements: how large a tensor may get; pass it on to strategies.shapes.

`reference(*inputs, **attrs)`
    receives half, bfloat16 and float inputs as float64 and complex ones as complex128; integers, bools and
    strings (bytes in object arrays) are unchanged, so NumPy's wrap-around is the reference for integers.
    It returns one array, or a list with one for each output (a list for list outputs is flattened), of
    exactly the output's shape. Floating-point results must satisfy
        |actual - expected| <= ulps * eps(output type) * max(|expected|, scale) + smallest normal
    NaN and infinities must agree exactly; integers, bools and strings must be equal.

Options
    ulps: the tolerance in units in the last place (4).
    scale: None, a function like the reference that returns the magnitude of the summands, or "abs":
        the reference itself applied to the absolute values of all float inputs (sums and products of
        sums: cancellation makes a relative error meaningless).
    domain: (low, high), the bounds of the inputs' values; special: whether to include NaN, infinities and the like.
    gradient: 0, 1 or 2: the order up to which gradients are tested (default 2, or 0 if the op has no gradient).
    gradient_inputs: an `inputs` function for the gradient tests, if they need another one;
        `gradient_domain` if only the range of values changes.
    differentiable: indices of the inputs to differentiate; default: all floating-point inputs.
    types: {"T": ("float", "double")} or {"T": "float"} restricts the cases (several records may share an op).
    attrs: values of attributes, or strategies that draw them, if there is no `inputs`.
    build: function(inputs, attrs) -> output tensors, instead of calling the op by its type; inputs
        are tensors. To run something first, such as initializers, return `After(operations, outputs)`, with
        outputs a function that creates them.
    repeatable: False if two runs may differ (or one run affects the next).
    examples: how many examples for each case.
"""

import itertools

import numpy as np

from tfcore.core.registry import registry
from tfcore.framework.definitions.op_def import OpDef, get_op_def
from tfcore.framework.types import dtypes
from tfcore.testing import arrays
from tfcore.testing.drawing import st


class OpRecord:
    """The description of an op for the derived tests. See the top of this module for details.

    Args:
      op: An op type or `OpDef`.
      reference: A function of NumPy arrays and attributes that returns the expected outputs.
      inputs: A function of (draw, case) that returns the inputs, or inputs and attributes; derived from the op's
        definition by default.
      ulps: Tolerance in units in the last place.
      scale: None, "abs", or a function like the reference that returns the magnitude of what was summed.
      domain: A pair of bounds of the inputs' values.
      special: Whether inputs include NaN, infinities and the like.
      gradient: Order up to which gradients are tested: 0, 1 or 2.
      gradient_inputs: A function like `inputs` for tests of gradients.
      gradient_domain: Bounds of the inputs' values in tests of gradients.
      differentiable: Indices of the inputs to differentiate; all floating-point ones by default.
      types: A dict that restricts type attributes, such as {"T": "float"}.
      attrs: A dict of attributes: values, or strategies that draw them.
      build: A function of (inputs, attributes) that returns the output `Tensor`s, instead of a call of the op.
      repeatable: Whether two runs must give the same bits.
      examples: Number of examples for each case.
    """

    def __init__(
        self,
        op,
        reference,
        inputs=None,
        *,
        ulps=4,
        scale=None,
        domain=None,
        special=False,
        gradient=None,
        gradient_inputs=None,
        gradient_domain=None,
        differentiable=None,
        types=None,
        attrs=None,
        build=None,
        repeatable=True,
        examples=None,
    ):
        self.op = op.name if isinstance(op, OpDef) else op
        self.reference = reference
        self.inputs = inputs
        self.ulps = ulps
        self.scale = scale
        self.domain = domain
        self.special = special
        self.gradient = gradient
        self.gradient_inputs = gradient_inputs or inputs
        self.gradient_domain = gradient_domain or domain
        self.differentiable = differentiable
        self.types = {attr: [names] if isinstance(names, str) else names for attr, names in (types or {}).items()}
        self.attrs = attrs or {}
        self.build = build
        self.repeatable = repeatable
        self.examples = examples
        self.family = ""

    @property
    def definition(self):
        """The OpDef; KeyError if no op of this type is registered."""
        return get_op_def(self.op)

    def __repr__(self):
        return f"{self.family}/{self.op}" if self.family else self.op


def unary(op, reference, *, special=True, **options):
    """A record for an element-wise function of one tensor.

    Args:
      op: An op type.
      reference: A NumPy function of one array.
      special: Whether inputs include NaN, infinities and the like.
      **options: Further arguments of `OpRecord`.

    Returns:
      An `OpRecord`.

    Raises:
      TypeError: An option is unknown.
    """

    def inputs(draw, case):
        return [draw(case.array(draw(case.shapes(max_rank=8))))], {}

    return OpRecord(op, reference, inputs, special=special, **options)


def binary(op, reference, *, special=True, nonzero_second=False, domain_second=None, **options):
    """A record for an element-wise function of two tensors that broadcast.

    Args:
      op: An op type.
      reference: A NumPy function of two arrays.
      special: Whether inputs include NaN, infinities and the like.
      nonzero_second: Whether the second input has no zeros.
      domain_second: A pair of bounds of the second input's values (optional).
      **options: Further arguments of `OpRecord`.

    Returns:
      An `OpRecord`.

    Raises:
      TypeError: An option is unknown.
    """

    def inputs(draw, case):
        a, b = draw(case.broadcastable_shapes(2))
        second = {"domain": domain_second} if domain_second else {}
        return [draw(case.array(a)), draw(case.array(b, nonzero=nonzero_second, **second))], {}

    return OpRecord(op, reference, inputs, special=special, **options)


def reduction(op, reference, *, scale="abs", ulps=8, min_size=0, axes_type="Tidx", **options):
    """A record for a reduction over any axes, with and without keeping them.

    Args:
      op: An op type.
      reference: A function of (x, axis=tuple, keepdims=bool), such as np.sum.
      scale: None, "abs", or a function like the reference that returns the magnitude of what was summed.
      ulps: Tolerance in units in the last place.
      min_size: Smallest size of a dimension; 1 for reductions that are undefined for empty tensors.
      axes_type: The type attribute of the axes.
      **options: Further arguments of `OpRecord`.

    Returns:
      An `OpRecord`.

    Raises:
      TypeError: An option is unknown.
    """

    def inputs(draw, case):
        x = draw(case.array(draw(case.shapes(max_rank=6, min_size=min_size))))
        axes = np.array(draw(arrays.axis_sets(x.ndim)), case[axes_type])
        if axes.size == 1 and draw(st.booleans()):
            axes = axes.reshape(())
        return [x, axes], {"keep_dims": draw(st.booleans())}

    def call(x, axes, keep_dims):
        return reference(x, axis=tuple(int(a) for a in axes.flat), keepdims=keep_dims)

    return OpRecord(op, call, inputs, scale=scale, ulps=ulps, **options)


class Const:
    """An input that must be a constant of the graph.

    Args:
      value: The value, an array.
    """

    def __init__(self, value):
        self.value = np.asarray(value)


class After:
    """What a record's `build` returns if operations must run before the outputs are created.

    Args:
      first: The `Operation`s to run first.
      outputs: A function without arguments that returns the output `Tensor`s.
    """

    def __init__(self, first, outputs):
        self.first = first
        self.outputs = outputs


class Case:
    """The types of one test case of a record, and strategies for them.

    Args:
      record: The `OpRecord`.
      types: A dict from type attributes to `DType`s.
      smooth: Whether inputs are for tests of gradients: small, without ties and special values.
    """

    def __init__(self, record, types, smooth=False):
        self.record = record
        self.types = types  # type attribute -> DType
        self.smooth = smooth
        self.max_elements = 60 if smooth else 3000
        self._arrays = 0  # the number drawn in this example

    def __getitem__(self, attr):
        return dtypes.fed_dtype(self.types[attr])

    def __getattr__(self, attr):
        try:
            return self[attr]
        except KeyError:
            raise AttributeError(attr) from None

    def __str__(self):
        return "-".join(t.name for t in self.types.values()) or "all"

    def __repr__(self):
        return f"Case({self})"

    def array(self, shape, dtype=None, **options):
        """A strategy that draws arrays, within the record's `domain` and `special`.

        Args:
          shape: The shape, a tuple of ints.
          dtype: The NumPy type; that of the attribute T by default.
          **options: Further arguments of `arrays.arrays`.

        Returns:
          A strategy.

        Raises:
          TypeError: The type is ambiguous: the op has no attribute T.
        """
        record = self.record
        options.setdefault("domain", record.gradient_domain if self.smooth else record.domain)
        dtype = self._only_type() if dtype is None else np.dtype(dtype)
        # NaN and infinity in complex arithmetic differ between correct implementations.
        options.setdefault("special", record.special and dtype.kind != "c")
        # No two arrays of an example are equal, not even for the simplest choices of Hypothesis:
        # gradients should not be tested at x == y.
        self._arrays += 1
        options["salt"] = self._arrays if self.smooth else 0
        return arrays.arrays(dtype, shape, smooth=self.smooth, **options)

    def _only_type(self):
        """The default type of arrays: that of T, or the definition's only floating-point type."""
        if "T" in self.types:
            return self.T
        op = self.record.definition
        fixed = [arg.dtype for arg in op.inputs if arg.dtype is not None]
        floats = {t for t in [*self.types.values(), *fixed] if t.is_floating or t.is_complex}
        if len(floats) != 1:
            raise TypeError(
                f"case.array(shape) of {op.name}, which has no type attribute T: pass the type of the array, as in "
                f"case.array(shape, dtype=np.float32)"
            )
        return np.dtype(floats.pop().as_numpy_dtype)

    def shapes(self, **options):
        """A strategy that draws shapes.

        Args:
          **options: Arguments of `arrays.shapes`.

        Returns:
          A strategy.
        """
        options.setdefault("max_elements", self.max_elements)
        return arrays.shapes(**options)

    def broadcastable_shapes(self, n=2, **options):
        """A strategy that draws shapes which broadcast together.

        Args:
          n: How many shapes.
          **options: Further arguments of `arrays.broadcastable_shapes`.

        Returns:
          A strategy.
        """
        options.setdefault("max_elements", self.max_elements)
        return arrays.broadcastable_shapes(n, **options)


# ---- The cases that follow from the kernels


def kernel_types(op, users=True):
    """The types that an op has CPU kernels for: a set of tuples of (type attribute, DType) pairs.

    op: an op type. users: whether to include kernels of users' libraries.
    """
    definition, found = get_op_def(op), set()
    for kernel in registry.kernels(op=op):
        if kernel.device == "CPU" and (users or kernel.level != "user"):
            found.update(_expand(definition, kernel.types))
    return found


def _expand(op, types):
    """All combinations of types that a kernel's constraint, such as "T=float|double", allows."""
    given_types = {}
    for constraint in filter(None, (types or "").split(";")):
        attr, _, names = constraint.partition("=")
        given_types[attr.strip()] = [dtypes.as_dtype(n.strip()) for n in names.split("|")]
    choices = []
    for attr in op.attrs.values():
        if attr.type == "type":
            allowed = given_types.get(attr.name) or attr.allowed or arrays.TYPES
            quantized = attr.name in given_types  # a kernel of all types is not tested for these
            choices.append([(attr.name, t) for t in allowed if t in arrays.TYPES or quantized and t.is_quantized])
    return itertools.product(*choices)


def cases_of(record):
    """The cases of a record, in a fixed order.

    Raises:
      ValueError: the record restricts a type attribute that the op does not have.
    """
    attrs = [a.name for a in record.definition.attrs.values() if a.type == "type"]
    if strange := set(record.types) - set(attrs):
        raise ValueError(f"types: {record.op} has no type attribute {min(strange)!r}; it has {attrs}")
    wanted = {a: {dtypes.as_dtype(n) for n in names} for a, names in record.types.items()}
    return [
        Case(record, dict(types))
        for types in sorted(kernel_types(record.op), key=_type_order)
        if all(t in wanted.get(attr, (t,)) for attr, t in types)
    ]


def _type_order(types):
    return [t.as_datatype_enum for _, t in types]


_GRADIENT_TYPES = {  # in order of preference
    "real": [{"float64"}, {"float32"}],
    "complex": [{"float64", "complex128"}, {"float32", "complex64"}],
}


def gradient_cases(record):
    """The cases for gradient tests, as far as they exist: float64 (else float32) and complex128 (else complex64)."""
    chosen = {}
    fixed = [arg.dtype for arg in record.definition.inputs if arg.dtype is not None]
    for case in cases_of(record):
        floats = {t.name for t in [*case.types.values(), *fixed] if t.is_floating or t.is_complex}
        kind = "complex" if any(name.startswith("complex") for name in floats) else "real"
        for rank, names in enumerate(_GRADIENT_TYPES[kind]):
            if floats and floats <= names:
                chosen.setdefault((kind, rank), case)
    best = [chosen.get((kind, 0)) or chosen.get((kind, 1)) for kind in _GRADIENT_TYPES]
    return [Case(record, case.types, smooth=True) for case in best if case]


def gradient_order(record):
    """The order up to which the record's gradients are tested."""
    if record.gradient is not None:
        return record.gradient
    return 2 if record.definition.gradient_fn else 0
