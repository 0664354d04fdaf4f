"""Datasets of lists; datasets filled up to a number of elements."""

from tfcore.data import elements as structures
from tfcore.data.dataset import Dataset
from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.type_spec import TensorSpec
from tfcore.ops.array.array import identity
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import stack
from tfcore.ops.cwise.compare import greater_equal, logical_and
from tfcore.ops.debugging.check import Assert


def from_list(elements, name=None):
    """A dataset of the elements of a list.

    Args:
      elements: A list of tensors, or of structures of them, all of the same structure, types and shapes.
      name: Accepted for compatibility; has no effect.

    Returns:
      A `Dataset`.

    Raises:
      ValueError: It is not a list, or empty, or the elements differ in structure or shape.
      TypeError: The types of the elements differ.
    """
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    with name_scope(None, "from_list"):
        return Dataset.from_tensor_slices(_stacked(elements))


def _stacked(items):
    first = items[0]
    return structures.map_leaves(lambda *parts: stack([convert_to_tensor(part) for part in parts]), first, *items[1:])


def pad_to_cardinality(cardinality, mask_key="valid"):
    """Fills a dataset up to a number of elements, for `Dataset.apply`; a component says which elements are its own.

    Args:
      cardinality: The number of elements.
      mask_key: Name of that component.

    Returns:
      A function from a `Dataset` of dictionaries to a `Dataset`.

    Raises:
      ValueError: From the function: the elements are not dictionaries, or a shape is not known.
      tf.errors.InvalidArgumentError: When run: the dataset has more elements, or their number is not known.
    """

    def apply(dataset):
        spec = dataset.element_spec
        if not isinstance(spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        with name_scope(None, "pad_to_cardinality"):
            filler = {**structures.map_leaves(_zeros, spec), mask_key: convert_to_tensor(False)}
            known = dataset.cardinality()
            fits = logical_and(greater_equal(known, 0), greater_equal(cardinality, known))
            text = f"The dataset must have a known number of elements for `pad_to_cardinality`, at most {cardinality}:"
            with control_dependencies([Assert(fits, [text, known])]):
                lacking = identity(cardinality - known)
            own = dataset.map(lambda element: {**element, mask_key: convert_to_tensor(True)})
            return own.concatenate(Dataset.from_tensors(filler).repeat(lacking))

    return apply


def _zeros(spec):
    if not isinstance(spec, TensorSpec) or not spec.shape.is_fully_defined():
        raise ValueError(f"`pad_to_cardinality` needs components with known shapes, not {spec}")
    return zeros(spec.shape, spec.dtype)
