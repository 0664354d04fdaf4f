"""Assertions about arrays, tensors and errors. `TestCase` in case.py adds how tensors are computed."""

import collections.abc
import re

import ml_dtypes
import numpy as np
from absl.testing import absltest

from tfcore.framework import device, errors
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.values.tensor_kinds import is_tensor

_SHOWN = 10  # elements in a message
_WIDE = 500  # elements of an array that is still shown as a whole


class Assertions(absltest.TestCase):
    """absl's TestCase with assertions for arrays. Tensors are computed by `evaluate`, which subclasses define."""

    def evaluate(self, tensors):
        """Computes tensors: arrays in the same structure."""
        raise NotImplementedError

    def _array(self, value):
        if is_tensor(value):
            value = self.evaluate(value)
        if isinstance(value, np.ndarray):
            return value
        try:
            return np.array(value)
        except ValueError as error:
            if "inhomogeneous shape" not in str(error):
                raise
            return np.array(value, dtype=object)

    def evaluate_if_both_tensors(self, a, b):
        """Computes two tensors in one step, so that they belong together; other values are returned as they are.

        Args:
          a: A `Tensor` or any value.
          b: Another.

        Returns:
          A pair.
        """
        return self.evaluate((a, b)) if is_tensor(a) and is_tensor(b) else (a, b)

    def _arrays(self, a, b):
        a, b = self.evaluate_if_both_tensors(a, b)
        return self._array(a), self._array(b)

    # ---- Closeness

    def _GetNdArray(self, a):
        """The name in TensorFlow, which assertions of programs use."""
        return self._array(self.evaluate(a) if is_tensor(a) else a)

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Asserts that `|a - b| <= atol + rtol * |b|` for all elements of two structures of arrays. NaNs are equal.

        Args:
          a: An array, `Tensor`, or a dict, list or (named) tuple of these.
          b: Another of the same structure.
          rtol: Relative tolerance.
          atol: Absolute tolerance.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
          ValueError: The structures differ.
        """
        self._all_close(a, b, rtol, atol, msg or "", "")

    def _all_close(self, a, b, rtol, atol, msg, path):
        a, b = (x._asdict() if hasattr(x, "_asdict") and not is_tensor(x) else x for x in (a, b))
        if isinstance(a, collections.abc.Mapping) or isinstance(b, collections.abc.Mapping):
            self._dicts_close(a, b, rtol, atol, msg, path)
        elif isinstance(a, (list, tuple)):
            try:
                arrays = self._arrays(a, b)
                self._arrays_close(*arrays, rtol, atol, f"Mismatched value: a{path} is different from b{path}. {msg}")
            except (ValueError, TypeError, NotImplementedError):  # no arrays, but structures of some
                if len(a) != len(b):
                    raise ValueError(
                        f"Mismatched length: a{path} has {len(a)} items, but b{path} has {len(b)} items. {msg}"
                    ) from None
                for i, (x, y) in enumerate(zip(a, b)):
                    self._all_close(x, y, rtol, atol, msg, f"{path}[{i}]")
        else:
            try:
                arrays = self._arrays(a, b)
                self._arrays_close(*arrays, rtol, atol, f"Mismatched value: a{path} is different from b{path}. {msg}")
            except TypeError as error:
                raise TypeError(f"{error} : Error: a{path} has {type(a)}, but b{path} has {type(b)}. {msg}") from error

    def _dicts_close(self, a, b, rtol, atol, msg, path):
        if not (isinstance(a, collections.abc.Mapping) and isinstance(b, collections.abc.Mapping)):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg}")
        self.assertItemsEqual(
            a.keys(),
            b.keys(),
            msg=f"mismatched keys: a{path} has keys {a.keys()}, but b{path} has keys {b.keys()}. {msg}",
        )
        for key in a:
            self._all_close(a[key], b[key], rtol, atol, msg, f"{path}[{key}]")

    def _arrays_close(self, a, b, rtol, atol, msg):
        shown = f" with contents {b}" if a.shape != b.shape and (b.ndim <= 3 or b.size < _WIDE) else ""
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}{shown}.")
        dtype = a.dtype
        a, b = _comparable(a), _comparable(b)
        if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return
        far = (np.abs(a - b) > atol + rtol * np.abs(b)) | (np.isnan(a) != np.isnan(b))
        where = np.where(far) if a.ndim else ()
        x, y = a[where], b[where]
        lines = [msg, f"not close where = {where}"] if a.ndim else [msg]
        lines += [f"not close lhs = {x}", f"not close rhs = {y}", f"not close dif = {np.abs(x - y)}"]
        lines += [f"not close tol = {atol + rtol * np.abs(y)}", f"dtype = {dtype}, shape = {a.shape}"]
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg="\n".join(lines), equal_nan=True)

    def assertAllCloseAccordingToType(
        self,
        a,
        b,
        rtol=1e-6,
        atol=1e-6,
        float_rtol=1e-6,
        float_atol=1e-6,
        half_rtol=1e-3,
        half_atol=1e-3,
        bfloat16_rtol=1e-2,
        bfloat16_atol=1e-2,
        msg=None,
    ):
        """`assertAllClose` with tolerances of the less precise of the two types.

        Args:
          a: An array or `Tensor`.
          b: Another.
          rtol: Relative tolerance.
          atol: Absolute tolerance.
          float_rtol: At least this for float32 and complex64.
          float_atol: At least this for float32 and complex64.
          half_rtol: At least this for float16.
          half_atol: At least this for float16.
          bfloat16_rtol: At least this for bfloat16.
          bfloat16_atol: At least this for bfloat16.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        a, b = self._arrays(a, b)
        types = {a.dtype, b.dtype}
        for kinds, relative, absolute in (
            ({np.dtype(np.float32), np.dtype(np.complex64)}, float_rtol, float_atol),
            ({np.dtype(np.float16)}, half_rtol, half_atol),
            ({np.dtype(ml_dtypes.bfloat16)}, bfloat16_rtol, bfloat16_atol),
        ):
            if types & kinds:
                rtol, atol = max(rtol, relative), max(atol, absolute)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Asserts that `assertAllClose` fails.

        Args:
          a: An array, `Tensor`, or a structure of these.
          b: Another.
          rtol: Relative tolerance.
          atol: Absolute tolerance.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: All elements are close.
        """
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}")

    def assertNear(self, f1, f2, err, msg=None):
        """Asserts that two numbers differ by at most `err`.

        Args:
          f1: A number.
          f2: Another.
          err: The tolerance.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        f1, f2 = np.squeeze(f1), np.squeeze(f2)
        if f1 != f2:
            text = f" ({msg})" if msg is not None else ""
            difference = abs(f1 - f2)
            self.assertTrue(difference <= err, f"{f1:f} != {f2:f} +/- {err:f} (difference: {difference:g}){text}")

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Asserts that the elements of two lists differ by at most `err`.

        Args:
          farray1: A list of numbers.
          farray2: Another.
          err: The tolerance.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg=msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """Asserts that the norm of the difference of two arrays is below `err`.

        Args:
          ndarray1: An array.
          ndarray2: Another.
          err: The tolerance.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        self.assertTrue(np.linalg.norm(ndarray1 - ndarray2) < err, msg=msg)

    # ---- Equality

    def assertAllEqual(self, a, b, msg=None):
        """Asserts that two arrays have equal shapes and elements. NaNs are equal.

        Args:
          a: An array, `Tensor` or a value that converts to an array.
          b: Another.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        msg = msg or ""
        a, b = self._arrays(a, b)
        shown = f" Contents: {b!r}. \n" if b.ndim <= 3 or b.size < _WIDE else " "
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {a.shape}, got {b.shape}.{shown}{msg}.")
        if {a.dtype.kind, b.dtype.kind} <= set("USO") and a.dtype.kind != b.dtype.kind:
            a, b = _as_bytes(a), _as_bytes(b)
        same = np.asarray(a == b)
        if a.dtype.kind in "fcV":
            same |= np.isnan(_comparable(a)) & np.isnan(_comparable(b))
        if np.all(same):
            return
        where = np.where(~same) if a.ndim else ()
        lines = [msg, f"not equal where = {where}"] if a.ndim else [msg]
        lines += [f"not equal lhs = {a[where]!r}", f"not equal rhs = {b[where]!r}"]
        np.testing.assert_array_equal(a, b, err_msg="\n".join(lines))

    def assertNotAllEqual(self, a, b, msg=None):
        """Asserts that two arrays differ in an element.

        Args:
          a: An array, `Tensor` or a value that converts to an array.
          b: Another.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: They are equal.
        """
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def assertDictEqual(self, a, b, msg=None):
        """Asserts that two dicts are equal; floating-point arrays in them may be merely close.

        Args:
          a: A dict.
          b: Another.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        try:
            super().assertDictEqual(a, b, msg)
        except Exception:  # also that the truth value of an array is ambiguous
            self.assertSameElements(a.keys(), b.keys())
            for key, value in a.items():
                x, y = self._arrays(value, b[key])
                compare = self.assertAllClose if x.dtype.kind == "f" else self.assertAllEqual
                compare(x, y, msg=key)

    def assertShapeEqual(self, input_a, input_b, msg=None):
        """Asserts that two arrays or tensors have the same (static) shape.

        Args:
          input_a: An array or `Tensor`.
          input_b: Another.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
          TypeError: An argument is neither.
        """
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, (np.ndarray, np.generic, Tensor)):
                raise TypeError(
                    f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor.Instead received {type(value)}"
                )
        a, b = (x.shape.as_list() if isinstance(x, Tensor) else x.shape for x in (input_a, input_b))
        self.assertAllEqual(a, b, msg=msg)

    def assertDTypeEqual(self, target, expected_dtype):
        """Asserts that an array is of a type.

        Args:
          target: An array or `Tensor`.
          expected_dtype: A NumPy type.

        Raises:
          AssertionError: The assertion does not hold.
        """
        self.assertEqual(self._array(target).dtype, expected_dtype)

    def assertDeviceEqual(self, device1, device2, msg=None):
        """Asserts that two device names mean the same.

        Args:
          device1: A device name or `DeviceSpec`.
          device2: Another.
          msg: Text of the failure (optional).

        Raises:
          AssertionError: The assertion does not hold.
        """
        device1, device2 = device.canonical_name(device1), device.canonical_name(device2)
        self.assertEqual(device1, device2, f"Devices {device1} and {device2} are not equal. {msg}")

    # ---- Ranges

    def assertAllGreater(self, a, comparison_target):
        """Asserts that all elements are greater than a number.

        Args:
          a: An array or `Tensor`.
          comparison_target: The number.

        Raises:
          AssertionError: The assertion does not hold.
        """
        a, comparison_target = self.evaluate_if_both_tensors(a, comparison_target)
        self.assertGreater(np.min(self._array(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        """Asserts that all elements are less than a number.

        Args:
          a: An array or `Tensor`.
          comparison_target: The number.

        Raises:
          AssertionError: The assertion does not hold.
        """
        a, comparison_target = self.evaluate_if_both_tensors(a, comparison_target)
        self.assertLess(np.max(self._array(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        """Asserts that all elements are at least a number.

        Args:
          a: An array or `Tensor`.
          comparison_target: The number.

        Raises:
          AssertionError: The assertion does not hold.
        """
        a, comparison_target = self.evaluate_if_both_tensors(a, comparison_target)
        self.assertGreaterEqual(np.min(self._array(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        """Asserts that all elements are at most a number.

        Args:
          a: An array or `Tensor`.
          comparison_target: The number.

        Raises:
          AssertionError: The assertion does not hold.
        """
        a, comparison_target = self.evaluate_if_both_tensors(a, comparison_target)
        self.assertLessEqual(np.max(self._array(a)), comparison_target)

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
        """Asserts that all elements are in a range and none is NaN.

        Args:
          target: An array or `Tensor` of numbers.
          lower_bound: The least number.
          upper_bound: The greatest number.
          open_lower_bound: Whether `lower_bound` itself is outside.
          open_upper_bound: Whether `upper_bound` itself is outside.

        Raises:
          AssertionError: The assertion does not hold, or the elements are not numbers.
        """
        target = self._array(target)
        if target.dtype.kind not in "iufV":
            raise AssertionError(
                f"The value of {target} does not have an ordered numeric type, instead it has type: {target.dtype}"
            )
        numbers = _comparable(target)
        self._refuse_any(np.isnan(numbers), target, "are NaN. Subscripts(s) and value(s) of the NaN element(s):")
        low = numbers <= lower_bound if open_lower_bound else numbers < lower_bound
        high = numbers >= upper_bound if open_upper_bound else numbers > upper_bound
        name = f"{'[('[open_lower_bound]}{lower_bound}, {upper_bound}{'])'[open_upper_bound]}"
        text = f"are outside the range {name}. Subscript(s) and value(s) of the offending elements:"
        self._refuse_any(low | high, target, text)

    def _refuse_any(self, wrong, values, text):
        if not np.any(wrong):
            return
        places = np.argwhere(wrong) if values.ndim else [[0]]
        flat = values[wrong] if values.ndim else [values]
        lines = [f"  {np.asarray(place)} : {value}" for place, value in zip(places[:_SHOWN], flat)]
        lines += ["  ..."] * (len(places) > _SHOWN)
        raise AssertionError("\n".join([f"{len(places)} of the {values.size} element(s) {text}", *lines]))

    def assertAllInSet(self, target, expected_set):
        """Asserts that all elements belong to a set.

        Args:
          target: An array or `Tensor`.
          expected_set: A set, list or tuple.

        Raises:
          AssertionError: The assertion does not hold.
        """
        others = np.setdiff1d(self._array(target).ravel(), list(expected_set))
        if others.size:
            raise AssertionError(f"{others.size} unique element(s) are not in the set {expected_set}: {others}")

    # ---- Errors

    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """A context manager that asserts that its block raises an error.

        Args:
          exception_type: Class of the error.
          expected_err_re_or_predicate: A regular expression that the message contains, followed by the names of the
            operation and those that it was made for; or a function of the error that returns whether it is right.

        Returns:
          A context manager.
        """
        return _Raises(self, exception_type, expected_err_re_or_predicate)

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """A context manager that asserts that its block raises a `tf.errors.OpError`.

        Args:
          expected_err_re_or_predicate: See `assertRaisesWithPredicateMatch`.

        Returns:
          A context manager.
        """
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type=errors.InvalidArgumentError):
        """A context manager that asserts that its block raises an error about shapes.

        Args:
          exception_type: Class of the error.

        Returns:
          A context manager.
        """
        text = r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
        return self.assertRaisesWithPredicateMatch(exception_type, text)


class _Raises:
    """The context manager of `assertRaisesWithPredicateMatch`."""

    def __init__(self, case, kind, expected):
        self._case = case
        self._kind = kind
        self._expected = expected

    def __enter__(self):
        return None

    def __exit__(self, kind, error, traceback):
        if error is None:
            self._case.fail(f"{self._kind.__name__} not raised")
        if not isinstance(error, Exception):
            return False
        if not isinstance(error, self._kind) or not self._is_expected(error):
            raise AssertionError(f"Exception of type {type(error)}: {error}") from error
        return True

    def _is_expected(self, error):
        if callable(self._expected):
            return self._expected(error)
        text, op = str(error), None
        if isinstance(error, errors.OpError):
            text, op = error.message, error.op
        while op is not None:
            text += f"\nCaused by: {op.name}"
            op = op._original_op
        return re.search(self._expected, text)


def _comparable(array):
    """The array in a type that NumPy computes with: bfloat16 as float32."""
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype == ml_dtypes.bfloat16 else array


def _as_bytes(array):
    encoded = [item.encode() if isinstance(item, str) else item for item in array.ravel()]
    return np.array(encoded, dtype=object).reshape(array.shape)
