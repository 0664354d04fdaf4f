"""Queues, which keep tuples of tensors from one step to the next, and make steps wait for each other.

The ops with "V2" in their names take handles of type resource, the others TensorFlow 1.0's, which are references to
strings; the kernels are the same (`compiler/handles.py`).
"""

import functools

import tfcore.ops.array.join as array_join
import tfcore.ops.indexing.indexing as indexing
from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes as dtypes_lib
from tfcore.framework.types.tensor_shape import Dimension, TensorShape, as_shape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.random.random import get_seed

# ---- Operations

_COMPONENTS = ["component_types: list(type) >= 1", "shapes: list(shape) >= 0 = []"]
_PRIORITY_COMPONENTS = ["component_types: list(type) >= 0 = []", "shapes: list(shape) >= 0"]
_CAPACITY = ["capacity: int = -1"]
_NAMES = ["container: string = ''", "shared_name: string = ''"]
_MIXING = ["min_after_dequeue: int = 0", "seed: int = 0", "seed2: int = 0"]
_TIMEOUT = "timeout_ms: int = -1"


def _names_shape(op):
    return [(2,)]


def _count_shape(op):
    shape_functions.with_rank(op.inputs[1].dims, 0)
    return shape_functions.unknown(op)


for _suffix, _handle, _handle_shape in (
    ("V2", "handle: resource", shape_functions.scalar),
    ("", "handle: Ref(string)", _names_shape),
):
    for _name, _attrs, _doc in (
        ("FIFOQueue", _COMPONENTS + _CAPACITY, "Elements leave it in the order in which they came."),
        ("PaddingFIFOQueue", _COMPONENTS + _CAPACITY, "A FIFOQueue of elements that differ in size."),
        ("RandomShuffleQueue", _COMPONENTS + _CAPACITY + _MIXING, "Elements leave it in random order."),
        (
            "PriorityQueue",
            _PRIORITY_COMPONENTS + _CAPACITY,
            "The first component decides about the order: least first.",
        ),
    ):
        define_op(
            _name + _suffix,
            outputs=[_handle],
            attrs=[*_attrs, *_NAMES],
            shape=_handle_shape,
            stateful=True,
            doc=f"The handle of a queue, made when it is first needed. {_doc}",
        )
    for _name, _inputs, _outputs, _attrs, _shape, _doc in (
        (
            "Enqueue",
            ["components: Tcomponents"],
            [],
            ["Tcomponents: list(type) >= 1", _TIMEOUT],
            None,
            "Adds an element.",
        ),
        (
            "EnqueueMany",
            ["components: Tcomponents"],
            [],
            ["Tcomponents: list(type) >= 1", _TIMEOUT],
            None,
            "Adds the rows of the components as elements.",
        ),
        (
            "Dequeue",
            [],
            ["components: component_types"],
            ["component_types: list(type) >= 1", _TIMEOUT],
            shape_functions.unknown,
            "Removes and returns an element.",
        ),
        (
            "DequeueMany",
            ["n: int32"],
            ["components: component_types"],
            ["component_types: list(type) >= 1", _TIMEOUT],
            _count_shape,
            "Removes and returns `n` elements, as rows.",
        ),
        (
            "DequeueUpTo",
            ["n: int32"],
            ["components: component_types"],
            ["component_types: list(type) >= 1", _TIMEOUT],
            _count_shape,
            "Removes and returns `n` elements, as rows; fewer, but at least one, if the queue is closed.",
        ),
        (
            "Close",
            [],
            [],
            ["cancel_pending_enqueues: bool = false"],
            None,
            "No more elements can be added once those that are pending have been, or have been cancelled.",
        ),
        ("Size", [], ["size: int32"], [], shape_functions.scalar, "The number of elements."),
        ("IsClosed", [], ["is_closed: bool"], [], shape_functions.scalar, "Whether the queue is closed."),
    ):
        define_op(
            f"Queue{_name}{_suffix}",
            inputs=[_handle, *_inputs],
            outputs=_outputs,
            attrs=_attrs,
            shape=_shape,
            stateful=bool(_suffix),
            doc=_doc,
        )
        not_differentiable(f"Queue{_name}{_suffix}")

define_op(
    "_SelectHandle",
    inputs=["index: int32", "handles: N * resource"],
    outputs=["handle: resource"],
    attrs=["N: int >= 1"],
    shape=shape_functions.scalar,
    stateful=True,
    doc="One of several handles: what the compiler makes of a gather from stacked handles.",
)
define_op(
    "_SaveQueue",
    inputs=["handle: resource"],
    outputs=["layout: int64", "components: component_types"],
    attrs=["component_types: list(type) >= 1"],
    shape=lambda op: [(None,)] * len(op.outputs),
    stateful=True,
    doc="""All elements of a queue, which stay in it, for checkpoints.

    The values of a component are those of all elements, one after the other; `layout` has the shapes of the elements,
    and the place in a RandomShuffleQueue's random stream.""",
)
define_op(
    "_LoadQueue",
    inputs=["handle: resource", "layout: int64", "components: component_types"],
    attrs=["component_types: list(type) >= 1"],
    stateful=True,
    doc="Replaces all elements of a queue by what _SaveQueue has returned.",
)
not_differentiable("_SelectHandle", "_SaveQueue", "_LoadQueue")


# ---- Arguments


def type_list(dtypes):
    """A list of DTypes, from one type or a list of them."""
    return [dtypes_lib.as_dtype(t) for t in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]


def shape_list(shapes, partial=False):
    """A list of TensorShapes, or None; partial: sizes may be unknown."""
    if partial and (
        not isinstance(shapes, (list, tuple)) or not shapes or any(s is None or isinstance(s, int) for s in shapes)
    ):
        raise ValueError("When providing partial shapes, a list of shapes must be provided.")
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError("shapes must be a TensorShape or a list or tuple of TensorShapes.")
    if all(s is None or isinstance(s, int) for s in shapes):
        shapes = [shapes]  # a single one
    shapes = [as_shape(s) for s in shapes]
    if not partial and any(not s.is_fully_defined() for s in shapes):
        raise ValueError(f"All shapes must be fully defined: {shapes}")
    if any(s.dims is None for s in shapes):
        raise ValueError(f"All shapes must have a defined rank: {shapes}")
    return shapes


def _name_list(names, dtypes):
    if names is None:
        return None
    names = list(names) if isinstance(names, (list, tuple)) else [names]
    if len(names) != len(dtypes):
        raise ValueError("List of names must have the same length as the list of dtypes")
    return names


def _common_shape(a, b):
    """What is known of a tensor that has one of two shapes."""
    if a.rank is None or a.rank != b.rank:
        return TensorShape(None)
    return TensorShape([x if x == y else None for x, y in zip(a.as_list(), b.as_list())])


# ---- The queues


class QueueBase:
    """Base class of queues, and a queue whose kind is not known.

    A queue keeps elements from step to step. An element is a tuple of tensors, the components. An operation that finds
    no room, or no element, waits until there is one; it fails with CancelledError when its step is cancelled. Elements
    are never lost: what a cancelled operation has taken goes back.

    Args:
      dtypes: List of the components' types.
      shapes: List of the components' shapes, or None if elements may have any.
      names: List of the components' names; elements are then dictionaries. Or None.
      queue_ref: The handle, output of an operation such as FIFOQueueV2.

    Raises:
      ValueError: The lists differ in length.
    """

    def __init__(self, dtypes, shapes, names, queue_ref):
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(dtypes):
                raise ValueError(f"Queue {what} must have the same length as dtypes")
        self._dtypes = dtypes
        self._shapes = [TensorShape(None) for _ in dtypes] if shapes is None else [TensorShape(s) for s in shapes]
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]
        self._suffix = "V2" if queue_ref.dtype == dtypes_lib.resource else ""

    @staticmethod
    def from_list(index, queues):
        """The queue that an index selects when an operation runs.

        Args:
          index: A scalar `Tensor` of type int32.
          queues: List of queues with the same types and names.

        Returns:
          A `QueueBase`.

        Raises:
          TypeError: `queues` is not a list of queues, or their types or names differ.
        """
        if not queues or not isinstance(queues, list) or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if not all(first.dtypes == q.dtypes for q in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if not all(first.names == q.names for q in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [functools.reduce(_common_shape, each) for each in zip(*[q.shapes for q in queues])]
        handles = array_join.stack([q.queue_ref for q in queues])
        return QueueBase(first.dtypes, shapes, first.names, indexing.gather(handles, index))

    @property
    def queue_ref(self):
        """The handle."""
        return self._queue_ref

    @property
    def name(self):
        """Name of the operation that makes the handle."""
        return self._queue_ref.op.name

    @property
    def dtypes(self):
        """List of the components' types."""
        return self._dtypes

    @property
    def shapes(self):
        """List of the components' shapes."""
        return self._shapes

    @property
    def names(self):
        """List of the components' names, or None."""
        return self._names

    def _op(self, kind, *inputs, **attrs):
        return get_op_def(f"Queue{kind}{self._suffix}")(self._queue_ref, *inputs, **attrs)

    def _components(self, vals):
        """The components of an element as a list of tensors."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: ({sorted(vals, key=str)}), Queue: ({sorted(self._names, key=str)})"
                )
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        return [
            convert_to_tensor(value, dtype=dtype, name=f"component_{i}")
            for i, (value, dtype) in enumerate(zip(vals, self._dtypes))
        ]

    def _element(self, tensors):
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    def _scope(self, name, what, vals):
        values = vals.values() if isinstance(vals, dict) else vals if isinstance(vals, (list, tuple)) else [vals]
        return name_scope(name, f"{self._name}_{what}", list(values))

    def enqueue(self, vals, name=None):
        """Adds an element; waits while the queue is full.

        Args:
          vals: The components: a `Tensor`, a list or tuple, or a dictionary if the queue has names.
          name: Name of the operation (optional).

        Returns:
          The `Operation`. It fails with CancelledError if the queue is closed.

        Raises:
          ValueError: `vals` does not fit the queue's names or shapes.
        """
        with self._scope(name, "enqueue", vals) as scope:
            vals = self._components(vals)
            for value, shape in zip(vals, self._shapes):
                value.shape.assert_is_compatible_with(shape)
            return self._op("Enqueue", vals, name=scope)

    def enqueue_many(self, vals, name=None):
        """Adds several elements, which are the rows of the components; waits while the queue is full.

        When it is cancelled, the elements that were added stay in the queue.

        Args:
          vals: The components: a `Tensor`, a list or tuple, or a dictionary if the queue has names. They have the same
            number of rows.
          name: Name of the operation (optional).

        Returns:
          The `Operation`. It fails with CancelledError if the queue is closed.

        Raises:
          ValueError: `vals` does not fit the queue's names or shapes, or the numbers of rows differ.
        """
        with self._scope(name, "EnqueueMany", vals) as scope:
            vals = self._components(vals)
            rows = Dimension(None)
            for value, shape in zip(vals, self._shapes):
                rows = rows.merge_with(value.shape.with_rank_at_least(1)[0])
                value.shape[1:].assert_is_compatible_with(shape)
            return self._op("EnqueueMany", vals, name=scope)

    def dequeue(self, name=None):
        """Removes and returns an element; waits while there is none.

        Args:
          name: Name of the operation (optional).

        Returns:
          The components: a `Tensor`, a list of them, or a dictionary if the queue has names. The operation fails with
          OutOfRangeError if the queue is closed and empty.
        """
        made = self._op("Dequeue", component_types=self._dtypes, name=name or f"{self._name}_Dequeue")
        for output, shape in zip(made, self._shapes):
            output.set_shape(shape)
        return self._element(made)

    def dequeue_many(self, n, name=None):
        """Removes and returns several elements; waits until there are enough.

        Args:
          n: A scalar `Tensor` of type int32: how many.
          name: Name of the operation (optional).

        Returns:
          The components, with `n` rows: a `Tensor`, a list of them, or a dictionary if the queue has names. The
          operation fails with OutOfRangeError if the queue is closed and has fewer elements.
        """
        return self._dequeue_rows("DequeueMany", n, name)

    def dequeue_up_to(self, n, name=None):
        """Like `dequeue_many`, but once the queue is closed fewer elements than `n` will do, though at least one.

        Args:
          n: A scalar `Tensor` of type int32: how many.
          name: Name of the operation (optional).

        Returns:
          The components: a `Tensor`, a list of them, or a dictionary if the queue has names. The operation fails with
          OutOfRangeError if the queue is closed and empty.
        """
        return self._dequeue_rows("DequeueUpTo", n, name)

    def _dequeue_rows(self, kind, n, name):
        made = self._op(kind, n, component_types=self._dtypes, name=name or f"{self._name}_{kind}")
        rows = constant_value(made[0].op.inputs[1]) if kind == "DequeueMany" else None
        for output, shape in zip(made, self._shapes):
            output.set_shape(TensorShape([None if rows is None else int(rows)]).concatenate(shape))
        return self._element(made)

    def close(self, cancel_pending_enqueues=False, name=None):
        """Closes the queue: afterwards nothing can be added, and a wait for elements that can't come fails.

        Args:
          cancel_pending_enqueues: Whether operations that wait to add elements fail with CancelledError; otherwise
            the queue closes after the last of them.
          name: Name of the operation (optional).

        Returns:
          The `Operation`. It fails with CancelledError if the queue is closed already and `cancel_pending_enqueues` is
          false.
        """
        name = name or f"{self._name}_Close"
        return self._op("Close", cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def is_closed(self, name=None):
        """Whether the queue is closed.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type bool.
        """
        return self._op("IsClosed", name=name or f"{self._name}_Is_Closed")

    def size(self, name=None):
        """The number of elements.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int32.
        """
        return self._op("Size", name=name or f"{self._name}_Size")


class FIFOQueue(QueueBase):
    """A queue that elements leave in the order in which they came.

    Args:
      capacity: The most elements that it holds, an int32; negative: any number.
      dtypes: Type of the component, or list of the components' types.
      shapes: Shape of the component, or list of the components' shapes, fully known; None: elements may have any
        shapes, and `dequeue_many` can't be used.
      names: Name of the component, or list of the components' names. Elements are then dictionaries.
      shared_name: Name under which all sessions of a task, and all queues with this name, share the elements.
      name: Name of the operation that makes the handle.

    Raises:
      ValueError: The lists differ in length, or a shape is not fully known.
    """

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        dtypes = type_list(dtypes)
        shapes = shape_list(shapes)
        names = _name_list(names, dtypes)
        handle = get_op_def("FIFOQueueV2")(
            component_types=dtypes, shapes=shapes or [], capacity=capacity, shared_name=shared_name or "", name=name
        )
        super().__init__(dtypes, shapes, names, handle)


class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue of elements that differ in size. Batches are padded with zeros.

    Args:
      capacity: The most elements that it holds, an int32; negative: any number.
      dtypes: Type of the component, or list of the components' types.
      shapes: List of the components' shapes, whose rank is known. A size of None may differ from element to element.
      names: Name of the component, or list of the components' names. Elements are then dictionaries.
      shared_name: Name under which all sessions of a task, and all queues with this name, share the elements.
      name: Name of the operation that makes the handle.

    Raises:
      ValueError: `shapes` is not a list of shapes, or the lists differ in length.
    """

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        dtypes = type_list(dtypes)
        shapes = shape_list(shapes, partial=True)
        names = _name_list(names, dtypes)
        if len(dtypes) != len(shapes):
            raise ValueError(
                "Shapes must be provided for all components, "
                f"but received {len(dtypes)} dtypes and {len(shapes)} shapes."
            )
        handle = get_op_def("PaddingFIFOQueueV2")(
            component_types=dtypes, shapes=shapes, capacity=capacity, shared_name=shared_name or "", name=name
        )
        super().__init__(dtypes, shapes, names, handle)


class RandomShuffleQueue(QueueBase):
    """A queue that elements leave in random order; with seeds, in the same one as in TensorFlow.

    Args:
      capacity: The most elements that it holds, an int32; negative: any number.
      min_after_dequeue: The least number of elements that stay, for good mixing, until the queue is closed.
      dtypes: Type of the component, or list of the components' types.
      shapes: Shape of the component, or list of the components' shapes, fully known; None: elements may have any
        shapes, and `dequeue_many` can't be used.
      names: Name of the component, or list of the components' names. Elements are then dictionaries.
      seed: Python integer, see `tf.set_random_seed`.
      shared_name: Name under which all sessions of a task, and all queues with this name, share the elements.
      name: Name of the operation that makes the handle.

    Raises:
      ValueError: The lists differ in length, or a shape is not fully known.
    """

    def __init__(
        self,
        capacity,
        min_after_dequeue,
        dtypes,
        shapes=None,
        names=None,
        seed=None,
        shared_name=None,
        name="random_shuffle_queue",
    ):
        dtypes = type_list(dtypes)
        shapes = shape_list(shapes)
        names = _name_list(names, dtypes)
        seed1, seed2 = get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1 = seed2 = 0
        elif seed is None and shared_name is not None:
            seed2 = _seed_of(seed1, shared_name)
        handle = get_op_def("RandomShuffleQueueV2")(
            component_types=dtypes,
            shapes=shapes or [],
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed1,
            seed2=seed2,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(dtypes, shapes, names, handle)


def _seed_of(graph_seed, shared_name):
    """A seed that depends on the name, not on the number of operations made before: all that share it agree."""
    import hashlib  # here, because importing it takes 3 ms

    text = (str(graph_seed) + shared_name).encode()
    return int(hashlib.md5(text, usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF


class PriorityQueue(QueueBase):
    """A queue that elements leave in the order of their priorities, the least first; equal ones as they came.

    Elements have the priority, an int64 scalar, as an additional first component.

    Args:
      capacity: The most elements that it holds, an int32; negative: any number.
      types: Type of the component, or list of the components' types, without the priority's.
      shapes: Shape of the component, or list of the components' shapes, fully known, without the priority's; None:
        elements may have any shapes, and `dequeue_many` can't be used.
      names: List of the components' names, with the priority's. Elements are then dictionaries.
      shared_name: Name under which all sessions of a task, and all queues with this name, share the elements.
      name: Name of the operation that makes the handle.

    Raises:
      ValueError: The lists differ in length, or a shape is not fully known.
    """

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        types = type_list(types)
        shapes = shape_list(shapes)
        handle = get_op_def("PriorityQueueV2")(
            component_types=types, shapes=shapes or [], capacity=capacity, shared_name=shared_name or "", name=name
        )
        super().__init__([dtypes_lib.int64, *types], [(), *shapes] if shapes else shapes, names, handle)
