"""The functions of a pipeline: Python functions that become functions of the graph."""

import hashlib

from tfcore.data import elements
from tfcore.framework.functions.function import DefinedFunction
from tfcore.framework.graph.graph import get_default_graph

# Functions use the variables themselves, so that they see later values, not what they were when a dataset was made.
_STATE = frozenset(["Variable", "VariableV2", "VarHandleOp"])


class _ElementFunction(DefinedFunction):
    copied_ops = _STATE


class _Factory(DefinedFunction):
    """Makes a whole dataset: copies what it is made from."""

    copied_ops = frozenset(
        [
            *("RangeDataset", "TensorDataset", "TensorSliceDataset", "GeneratorDataset"),
            *("RandomDataset", "RandomDatasetV2", "DummySeedGenerator"),
        ]
        + ["GroupByReducerDataset"]
        + ["TextLineDataset", "TFRecordDataset", "_UndamagedTFRecordDataset", "FixedLengthRecordDatasetV2"]
        + ["LMDBDataset"]
    )


class TracedFunction:
    """A function of an element.

    Attributes:
      function: the function of the graph, in whose library it is. captured: the outer Tensors that calls pass.
      result: the structure of its results, with leaves of its body.
    """

    def __init__(self, func, spec, rows=False):
        """spec: of the argument; a tuple becomes several arguments. rows: whether a result's rows will be elements."""
        flat = elements.flat_specs(spec)

        def body(*tensors):
            for tensor, known in zip(tensors, flat):
                tensor.set_shape(known.shape)
            argument = elements.of_tensors(spec, tensors)
            found = func(*argument) if type(argument) is tuple else func(argument)
            self.result = elements.to_tensors(found)
            return elements.flat_rows(self.result) if rows else elements.flat_tensors(self.result)

        # A function is found by its name, which its operations decide: shapes have to be part of it, too.
        digest = hashlib.blake2b(
            repr([(s.shape, s) for s in elements.flatten(spec)] + [rows]).encode(), digest_size=8
        ).hexdigest()
        body.__name__ = f"element_{digest}"
        names = [f"arg{i}" for i in range(len(flat))]
        self.function = _ElementFunction(body, names, [s.dtype for s in flat])
        self.function.add_to_graph(get_default_graph())
        self.captured = self.function.captured_inputs


def make_factory(make_variant):
    """The function of the graph that makes a dataset.

    Raises:
      ValueError: the dataset depends on a placeholder or on state.
    """
    function = _Factory(make_variant, [], [], capture_by_value=True)
    function.add_to_graph(get_default_graph())
    return function
