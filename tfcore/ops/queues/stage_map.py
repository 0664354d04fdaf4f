"""Staging areas with keys, which hold tuples of tensors between steps; tuples may come, and be taken, in parts."""

import tfcore.ops.queues.stage as stage
from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes as dtypes_lib
from tfcore.framework.values.conversion import convert_to_tensor

_LIMITS = ["capacity: int >= 0 = 0", "memory_limit: int >= 0 = 0"]
_NAMES = ["container: string = ''", "shared_name: string = ''"]
_SOME, _ANY = "dtypes: list(type) >= 1", "dtypes: list(type)"


def _define(prefix):
    """The op types of ordered areas, or of the others."""

    def define(name, doc, dtypes, **arguments):
        attrs = [*_LIMITS, *dtypes, *_NAMES]
        return define_op(prefix + name, attrs=attrs, stateful=True, doc=doc, **arguments)

    return {
        "put": define(
            "MapStage",
            "Puts a tuple, or a part of one, into a staging area with keys; waits while it is full.",
            [_ANY, "fake_dtypes: list(type) >= 1"],
            inputs=["key: int64", "indices: int32", "values: fake_dtypes"],
        ),
        "peek": define(
            "MapPeek",
            "Tensors of the tuple with a key; waits until there is one.",
            [_SOME],
            inputs=["key: int64", "indices: int32"],
            outputs=["values: dtypes"],
            shape=shape_functions.unknown,
        ),
        "take": define(
            "MapUnstage",
            "Removes and returns tensors of the tuple with a key; waits until there is one.",
            [_SOME],
            inputs=["key: int64", "indices: int32"],
            outputs=["values: dtypes"],
            shape=shape_functions.unknown,
        ),
        "take_any": define(
            "MapUnstageNoKey",
            "Removes and returns tensors of the tuple with the smallest key; waits until there is one.",
            [_SOME],
            inputs=["indices: int32"],
            outputs=["key: int64", "values: dtypes"],
            shape=shape_functions.unknown,
        ),
        "size": define(
            "MapSize",
            "The number of complete tuples.",
            [_ANY],
            outputs=["size: int32"],
            shape=shape_functions.scalar,
        ),
        "incomplete_size": define(
            "MapIncompleteSize",
            "The number of tuples that lack a part.",
            [_ANY],
            outputs=["size: int32"],
            shape=shape_functions.scalar,
        ),
        "clear": define("MapClear", "Removes all tuples.", [_ANY]),
    }


_UNORDERED, _ORDERED = _define(""), _define("Ordered")
for _ops in (_UNORDERED, _ORDERED):
    not_differentiable(*(op.name for op in _ops.values()))


class MapStagingArea(stage.BaseStagingArea):
    """A staging area whose tuples have keys, integers. It is `tf.contrib.staging`'s.

    A tuple may be put in parts: it can be taken once it is complete. It may be taken in parts, too, and is gone when
    all of it has been taken. If there is a complete tuple with its key, another one is left out.

    Args:
      dtypes: List of the types of the tensors.
      shapes: List of their shapes, or None.
      names: List of their names; tuples are then dictionaries. Or None.
      shared_name: Name under which all sessions of a task share the staging area.
      ordered: Whether `get` without a key takes the tuple with the smallest one, and not just any.
      capacity: The most complete tuples that it holds; 0: any number. Tuples that come in parts are let in, though.
      memory_limit: The most bytes that it holds; 0: any number.

    Raises:
      ValueError: The lists differ in length, or `shared_name` is not a string.
    """

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, ordered=False, capacity=0, memory_limit=0):
        super().__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._ordered = ordered

    def _map_op(self, which, *inputs, name, **attrs):
        ops = _ORDERED if self._ordered else _UNORDERED
        return self._op(ops[which], *inputs, name=name, **{"dtypes": self._dtypes, **attrs})

    def _values(self, values, indices):
        """The tensors of a tuple that are there, as a list, and their indices."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if not set(values) <= set(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. "
                    f"Dictionary: {sorted(values)}, names: {sorted(self._names)}"
                )
            indices = [i for i, name in enumerate(self._names) if name in values]
            values = [values[self._names[i]] for i in indices]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a staging area with names")
        else:
            if indices is None:
                raise ValueError("Indices must be supplied when inserting a list of tensors")
            values = stage.as_list(values)
            if len(indices) != len(values):
                raise ValueError(f"Number of indices {len(indices)} doesn't match number of values {len(values)}")
        if not values:
            raise ValueError("Empty tuple: there is nothing to put")
        if len(values) > len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(values)} vs {len(self._dtypes)}")
        self._check_bounds(indices)
        return self._tensors(values, indices), indices

    def _check_bounds(self, indices):
        for i in indices:
            if not 0 <= i < len(self._dtypes):
                raise ValueError(f"Index {i} is out of bounds: tuples have {len(self._dtypes)} tensors")

    def _indices(self, indices):
        """Those of the tensors to take: numbers or names, all of them by default."""
        if indices is None:
            indices = list(range(len(self._dtypes)))
        if not isinstance(indices, (tuple, list)):
            raise TypeError(f"Invalid indices type {type(indices)}")
        if not indices:
            raise ValueError("Empty indices")
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError(
                    f"String indices provided {indices}, but this Staging Area was not created with names."
                )
            for name in indices:
                if name not in self._names:
                    raise ValueError(f"Named index {name!r} not in Staging Area names {self._names}")
            return [self._names.index(name) for name in indices]
        if not all(isinstance(i, int) for i in indices):
            raise TypeError(f"Mixed types in indices {indices}. May only be str or int")
        self._check_bounds(indices)
        return list(indices)

    def put(self, key, vals, indices=None, name=None):
        """Puts a tuple, or a part of one, into the staging area; waits while it is full.

        Args:
          key: Its key, a scalar `Tensor` of type int64.
          vals: A `Tensor`, a list of them, or a dictionary if the staging area has names.
          indices: The places in the tuple of the tensors of a list, in ascending order; needed for a list.
          name: Name of the operation (optional).

        Returns:
          The `Operation`. It fails with ResourceExhaustedError if the tensors alone exceed the memory limit, and with
          InvalidArgumentError if the part is there already or `indices` don't ascend.

        Raises:
          ValueError: `vals` does not fit the types, shapes, names or `indices`.
        """
        with name_scope(name, f"{self._name}_put", stage.as_list(vals)) as scope:
            key = convert_to_tensor(key, dtypes_lib.int64, name="key")
            tensors, indices = self._values(vals, indices)
            return self._map_op("put", key, indices, tensors, name=scope)

    def _get(self, which, key, indices, name):
        indices = self._indices(indices)
        inputs = [] if key is None else [convert_to_tensor(key, dtypes_lib.int64, name="key")]
        found = self._map_op(which, *inputs, indices, name=name, dtypes=[self._dtypes[i] for i in indices])
        return found, indices

    def peek(self, key, indices=None, name=None):
        """Returns a tuple without removing it; waits until it is there.

        Args:
          key: Its key, a scalar `Tensor` of type int64.
          indices: List of places in the tuple, or of names, in ascending order: of the tensors to return (default:
            all).
          name: Name of the operation (optional).

        Returns:
          A list of `Tensor`s, or a dictionary if the staging area has names.

        Raises:
          TypeError, ValueError: `indices` are not such a list.
        """
        return self._tuple(*self._get("peek", key, indices, name or f"{self._name}_pop"))

    def get(self, key=None, indices=None, name=None):
        """Removes and returns a tuple; waits until it is there.

        Args:
          key: Its key, a scalar `Tensor` of type int64, or None: any, or the smallest in an ordered area.
          indices: List of places in the tuple, or of names, in ascending order: of the tensors to take (default: all).
          name: Name of the operation (optional).

        Returns:
          A tuple of the key, and a list of `Tensor`s, or a dictionary if the staging area has names.

        Raises:
          TypeError, ValueError: `indices` are not such a list.
        """
        if key is not None:
            return key, self._tuple(*self._get("take", key, indices, name or f"{self._name}_get"))
        (key, values), indices = self._get("take_any", None, indices, name or f"{self._name}_get_nokey")
        return self._here([key])[0], self._tuple(values, indices)

    def size(self, name=None):
        """The number of complete tuples.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int32.
        """
        return self._map_op("size", name=name or f"{self._name}_size")

    def incomplete_size(self, name=None):
        """The number of tuples that lack a part.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int32.
        """
        return self._map_op("incomplete_size", name=name or f"{self._name}_incomplete_size")

    def clear(self, name=None):
        """Removes all tuples.

        Args:
          name: Name of the operation (optional).

        Returns:
          The `Operation`.
        """
        return self._map_op("clear", name=name or f"{self._name}_clear")
