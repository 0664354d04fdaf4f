"""Methods of `Dataset` that call functions of elements."""

from tfcore.data import elements
from tfcore.data.base import AUTOTUNE, derived, int64
from tfcore.data.functions import TracedFunction
from tfcore.data.spec import is_dataset
from tfcore.data.state import reduced, scan_parts
from tfcore.framework.types import dtypes


class Calls:
    """Methods of `Dataset` that call functions of elements."""

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ):
        """What a function returns for each element.

        Args:
          map_func: A function from an element to a structure of tensors and datasets.
          num_parallel_calls: How many calls run at the same time, on threads of their own; -1
            (`tf.data.AUTOTUNE`): as many as are needed, up to one for each core. By default elements are made when they
            are asked for.
          deterministic: Accepted for compatibility; has no effect: elements always come in order.
          synchronous: Accepted for compatibility; has no effect.
          use_unbounded_threadpool: Accepted for compatibility; has no effect.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A result does not convert to a `Tensor`.
        """
        traced = TracedFunction(map_func, self.element_spec)
        inputs, op_type = [traced.captured], "MapDataset"
        if num_parallel_calls is not None:
            inputs.append(int64(num_parallel_calls, "num_parallel_calls"))
            op_type = "ParallelMapDatasetV2"
        spec = elements.spec_of(traced.result)
        return derived(self, op_type, *inputs, spec=spec, f=traced.function, preserve_cardinality=True, name=name)

    def map_with_legacy_function(
        self, map_func, num_parallel_calls=None, deterministic=None, use_unbounded_threadpool=False
    ):
        """`map`, by the name that TensorFlow has for functions which create state.

        Args:
          map_func: A function from an element to a structure of tensors.
          num_parallel_calls: See `map`.
          deterministic: See `map`.
          use_unbounded_threadpool: See `map`.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A result does not convert to a `Tensor`.
        """
        return self.map(map_func, num_parallel_calls, deterministic)

    def flat_map(self, map_func, name=None):
        """The elements of the datasets that a function makes of the elements, one dataset after the other.

        Args:
          map_func: A function from an element to a `Dataset`.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A result is not a `Dataset`.
        """
        traced = _traced_dataset(self, map_func, "flat_map")
        return derived(
            self, "FlatMapDataset", traced.captured, spec=traced.result.element_spec, f=traced.function, name=name
        )

    def interleave(
        self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None
    ):
        """The elements of the datasets that a function makes of the elements, a few of each in turn.

        Args:
          map_func: A function from an element to a `Dataset`.
          cycle_length: How many datasets take turns; by default, or if it is -1, as many as there are cores.
          block_length: How many elements of a dataset come one after the other; 1 by default.
          num_parallel_calls: If given, elements are made ahead of time, by as many threads, each for a dataset of the
            cycle; -1 (`tf.data.AUTOTUNE`): by as many as are needed, up to one for each core.
          deterministic: Whether elements come in the same order for any number of threads, the default. If it is
            False, a dataset whose elements are not there in time is passed over.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: A result is not a `Dataset`.
        """
        from tfcore.core.runtime import num_threads

        traced = _traced_dataset(self, map_func, "interleave")
        if cycle_length is None or cycle_length == AUTOTUNE:
            cycle_length = num_threads() if num_parallel_calls in (None, AUTOTUNE) else num_parallel_calls
        inputs = [
            int64(cycle_length, "cycle_length"),
            int64(1 if block_length is None else block_length, "block_length"),
        ]
        attrs, op_type = {}, "InterleaveDataset"
        if num_parallel_calls is not None:
            inputs += [int64(AUTOTUNE, what) for what in ("buffer_output_elements", "prefetch_input_elements")]
            inputs.append(int64(num_parallel_calls, "num_parallel_calls"))
            attrs["deterministic"] = {None: "default", True: "true", False: "false"}[deterministic]
            op_type = "ParallelInterleaveDatasetV4"
        return derived(
            self,
            op_type,
            traced.captured,
            *inputs,
            spec=traced.result.element_spec,
            f=traced.function,
            name=name,
            **attrs,
        )

    def filter(self, predicate, name=None):
        """The elements for which a function returns true.

        Args:
          predicate: A function from an element to a scalar bool.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: The result is not a scalar bool.
        """
        traced = _traced_predicate(self, predicate)
        return derived(self, "FilterDataset", traced.captured, predicate=traced.function, name=name)

    def filter_with_legacy_function(self, predicate):
        """`filter`, by the name that TensorFlow has for functions which create state.

        Args:
          predicate: A function from an element to a scalar bool.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: The result is not a scalar bool.
        """
        return self.filter(predicate)

    def take_while(self, predicate, name=None):
        """The elements up to, but without, the first for which a function returns false.

        Args:
          predicate: A function from an element to a scalar bool.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          ValueError: The result is not a scalar bool.
        """
        traced = _traced_predicate(self, predicate)
        return derived(self, "TakeWhileDataset", traced.captured, predicate=traced.function, name=name)

    def scan(self, initial_state, scan_func, name=None):
        """What a function makes of each element and of a state.

        Args:
          initial_state: A structure of values: the first state.
          scan_func: A function from a state and an element to the next state and an element.
          name: Name of the operation.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: The function does not return a pair, or the state changes its types.
        """
        state, traced, spec = scan_parts(self, initial_state, scan_func)
        return derived(
            self,
            "ScanDataset",
            state,
            traced.captured,
            spec=spec,
            f=traced.function,
            preserve_cardinality=True,
            name=name,
        )

    def reduce(self, initial_state, reduce_func, name=None):
        """What a function makes of all elements: it gets a state and an element, and returns the next state.

        Args:
          initial_state: A structure of values: the first state.
          reduce_func: A function from a state and an element to a state.
          name: Name of the operation.

        Returns:
          A structure of `Tensor`s: the last state.

        Raises:
          TypeError: The state changes its types.
        """
        return reduced(self, initial_state, reduce_func, name)

    def rejection_resample(self, class_func, target_dist, initial_dist=None, seed=None, name=None):
        """Leaves out or repeats elements until classes have given frequencies; gives pairs of a class and an element.

        Args:
          class_func: A function from an element to its class, an int32 scalar below the number of classes.
          target_dist: A vector of floats: the frequencies wanted.
          initial_dist: Those of the dataset; estimated from the elements so far by default.
          seed: An int; with `tf.set_random_seed` it makes the choices repeatable.
          name: Accepted for compatibility; has no effect.

        Returns:
          A `Dataset`.

        Raises:
          Nothing.
        """
        from tfcore.data.resampling import resampled

        return resampled(self, class_func, target_dist, initial_dist, seed)

    def apply(self, transformation_func):
        """What a function makes of this dataset.

        Args:
          transformation_func: A function from a `Dataset` to a `Dataset`.

        Returns:
          A `Dataset`.

        Raises:
          TypeError: The result is not a `Dataset`.
        """
        dataset = transformation_func(self)
        if not is_dataset(dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}.")
        return dataset


def _traced_dataset(dataset, map_func, method):
    traced = TracedFunction(map_func, dataset.element_spec)
    if not is_dataset(traced.result):
        raise TypeError(f"The `map_func` of {method} must return a `Dataset` object. Got {traced.result!r}")
    return traced


def _traced_predicate(dataset, predicate):
    traced = TracedFunction(predicate, dataset.element_spec)
    result = elements.spec_of(traced.result)
    if not elements.is_scalar(result, dtypes.bool):
        raise ValueError(f"`predicate` return type must be convertible to a scalar boolean tensor. Was {result}.")
    return traced
