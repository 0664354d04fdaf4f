"""check_cuda_kernel: compares a kernel of tf.gpu.cuda_kernel with a reference, and its gradient with differences."""

import functools

import numpy as np

import tfcore as tf
from tfcore.testing import arrays
from tfcore.testing.cuda_launches import Program
from tfcore.testing.drawing import example_settings, given, st
from tfcore.testing.gradients import compare_derivatives, is_inexact
from tfcore.testing.oracle import check_identical, check_values, flatten, widen
from tfcore.testing.report import literal

EXAMPLES, GRADIENT_EXAMPLES = 60, 6
# Around the sizes of warps and blocks, and larger than a grid of a few blocks.
SIZES = (1, 0, 2, 3, 7, 31, 32, 33, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513, 1000, 1023, 1024, 1025, 2500, 5000)
MAX_ELEMENTS = 8192  # of an input
POISONS = (0xCB, 0x3C)  # bytes of memory that is not written: no poison is a result twice


def check_cuda_kernel(
    kernel, reference, shapes, dtypes=("float32",), *, ulps=4, scale=None, domain=None, special=False, gradient=None,
    repeatable=True, examples=EXAMPLES,
):  # fmt: skip
    """Tests a function that uses `tf.gpu.cuda_kernel` on drawn examples.

    It checks: values; that outputs are written completely, with fresh memory poisoned; that inputs are left as they
    are; that results are bitwise the same in repeated launches; first derivatives against differences. Without a card
    the kernels run on the host, where the threads take a different order in each launch, and accesses out of bounds,
    races and barriers that some threads do not reach are findings. On a card they run through PyCUDA, and writes near
    the ends of arrays are found.

    Args:
      kernel: A function of tensors that returns a tensor, or a list of them. What else it uses runs on the CPU.
      reference: A function of NumPy arrays, in float64 or complex128 where they are not integers: the expected outputs.
      shapes: For each input a shape, of sizes and names: inputs `["n", "m"]` and `["m"]` agree in a size that is drawn.
        Or a Hypothesis strategy that draws such lists.
      dtypes: The types to be tested, or one type. Each is one for all inputs, or a tuple of one for each.
      ulps: The tolerance in units in the last place.
      scale: A function as `reference`, of magnitudes that the tolerance refers to, such as the sum of the absolute
        values of what is added.
      domain: (low, high): bounds of the inputs' values.
      special: Whether to mix in NaN, infinities, signed zeros and the limits of the type.
      gradient: Whether to check gradients; by default if there are any.
      repeatable: False for kernels whose results depend on the order of threads, such as sums of floating-point numbers
        by atomicAdd: further launches are compared with the reference, too, instead of bitwise with the first.
      examples: How many are drawn for each of `dtypes`.

    Raises:
      AssertionError: A check failed. The message has the smallest failing example that was found, and a program that
        repeats it.
      ValueError: `kernel` has no cuda_kernel, or it has no gradient though `gradient` is True.
    """
    for types in dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]:
        check = _Check(kernel, reference, shapes, types, ulps, scale, domain, special, repeatable)
        check.values(examples)
        if gradient is not False:
            check.gradients(required=gradient is True)


def run_cuda_kernel(kernel, *inputs, seed=0):
    """Runs a function that uses `tf.gpu.cuda_kernel` once, as `check_cuda_kernel` does.

    Args:
      kernel: A function of tensors.
      inputs: NumPy arrays.
      seed: Chooses the order of threads, without a card.

    Returns:
      A list of its outputs.

    Raises:
      AssertionError: A kernel made an invalid access, or its launch is invalid.
    """
    inputs = [np.asarray(x) for x in inputs]
    return Program(kernel, [x.dtype for x in inputs], [x.ndim for x in inputs]).run(inputs, seed)


class _Check:
    """check_cuda_kernel for one choice of types."""

    def __init__(self, kernel, reference, shapes, types, ulps, scale, domain, special, repeatable):
        self._kernel, self._reference, self._shapes = kernel, reference, shapes
        self._types, self._ulps, self._scale, self._domain, self._special = types, ulps, scale, domain, special
        self._repeatable = repeatable
        self._program = functools.cache(functools.partial(Program, kernel))

    def values(self, examples):
        @example_settings(examples)
        @given(self._inputs(smooth=False))
        def test(inputs):
            with np.errstate(all="ignore"):
                self._explained(self._check_values, inputs)

        test()

    def _check_values(self, inputs):
        program = self._program(tuple(x.dtype for x in inputs), tuple(x.ndim for x in inputs))
        wide = [widen(x) for x in inputs]
        expected = flatten(self._reference(*wide))
        scales = flatten(self._scale(*map(np.abs, wide))) if self._scale else [None] * len(expected)
        first = program.run(inputs)
        assert len(first) == len(expected), f"{len(first)} outputs, {len(expected)} references"
        types = [t.dtype.as_numpy_dtype for t in program.outputs]
        for i, value in enumerate(first):
            self._output(i, check_values, value, expected[i], types[i], self._ulps, scales[i])
        for self._seed, poison in ((1, POISONS[1]), (2, POISONS[0])):
            for i, value in enumerate(program.run(inputs, self._seed, poison)):
                how = (check_identical, value, first[i])
                if not self._repeatable:
                    how = (check_values, value, expected[i], types[i], self._ulps, scales[i])
                self._output(i, *how, what=" in another launch")

    def _output(self, i, check, *args, what=""):
        try:
            check(*args)
        except AssertionError as error:
            raise AssertionError(f"output {i}{what}: {error}") from None

    def gradients(self, required):
        @example_settings(GRADIENT_EXAMPLES)
        @given(self._inputs(smooth=True), st.integers(0, 2**31))
        def test(inputs, seed):
            self._explained(functools.partial(self._check_gradients, required, np.random.default_rng(seed)), inputs)

        test()

    def _check_gradients(self, required, rng, inputs):
        program = self._program(tuple(x.dtype for x in inputs), tuple(x.ndim for x in inputs), gradients=True)
        if all(g is None for g in program.gradients):
            if required:
                raise ValueError(f"{self._kernel} has no gradient for inputs of these types.")
            return
        xs = [x for x in program.inputs if is_inexact(x)]
        with program.launching():
            compare_derivatives(program.session, program.loss, xs, program.gradients, program.feeds(inputs), rng, 1)

    def _inputs(self, smooth):
        """A strategy of lists of arrays."""
        shapes = self._shapes if isinstance(self._shapes, st.SearchStrategy) else st.just(self._shapes)

        @st.composite
        def inputs(draw):
            listed = [tuple(shape) if not isinstance(shape, str) else (shape,) for shape in draw(shapes)]
            types = self._types if isinstance(self._types, tuple) else (self._types,) * len(listed)
            if len(types) != len(listed):
                raise ValueError(f"{len(listed)} shapes, but {len(types)} types")
            return [
                draw(_array(np.dtype(tf.as_dtype(t).as_numpy_dtype), shape, self._domain, self._special, smooth, i))
                for i, (t, shape) in enumerate(zip(types, _sized(draw, listed), strict=True))
            ]

        return inputs()

    def _explained(self, check, inputs):
        self._seed = 0
        try:
            check(inputs)
        except (AssertionError, tf.errors.OpError) as error:
            raise AssertionError(f"{error}\n{_program_text(self._kernel, inputs, self._seed)}") from None


def _array(dtype, shape, domain, special, smooth, salt):
    return arrays.arrays(dtype, shape, domain, special=special, smooth=smooth, contiguous=True, salt=salt)


def _sized(draw, shapes):
    """The shapes with drawn sizes in place of names; each has at most MAX_ELEMENTS."""
    names = list(dict.fromkeys(size for shape in shapes for size in shape if isinstance(size, str)))
    sizes = {name: draw(st.sampled_from(SIZES)) for name in names}

    def found():
        return [tuple(sizes.get(size, size) for size in shape) for shape in shapes]

    while names and max(np.prod(shape, dtype=np.int64) for shape in found()) > MAX_ELEMENTS:
        largest = max(names, key=sizes.get)
        sizes[largest] //= 2
    return found()


def _program_text(kernel, inputs, seed):
    """Lines of Python that repeat a run."""
    name, files = getattr(kernel, "__qualname__", "kernel"), []
    if name.isidentifier() and getattr(kernel, "__module__", "__main__") != "__main__":
        origin = f"from {kernel.__module__} import {name}"
    else:
        name, origin = "kernel", "kernel = ...  # the function that was checked"
    values = ", ".join([literal(x, files, name) for x in inputs] + [f"seed={seed}"] * (seed != 0))
    lines = ["import ml_dtypes, numpy as np", "from tfcore.testing import run_cuda_kernel", origin]
    lines += [f"{x} = np.load({path!r}){view}" for x, path, view in files]
    return "To reproduce:\n" + "\n".join(
        f"    {line}" for line in [*lines, f"print(run_cuda_kernel({name}, {values}))"]
    )
