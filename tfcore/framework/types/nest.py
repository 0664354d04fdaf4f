"""Nested structures: lists, tuples, namedtuples and dictionaries of values, as `tf.while_loop` takes and returns them.

Anything else is an atom. Dictionaries are traversed by sorted keys; their views, such as `d.values()`, count as lists.
With `expand_composites`, SparseTensor and IndexedSlices count as structures of their tensors. Such classes have
`_components()`, a tuple of Tensors, and `_with_components(tensors)`, which returns the same kind of object with other
tensors.
"""

import copy
from collections.abc import Mapping, MappingView


def is_nested(seq):
    """Whether a value is a list, tuple, namedtuple, dict or a view of a dict.

    Args:
      seq: Any value.

    Returns:
      A bool.

    Raises:
      Nothing.
    """
    return isinstance(seq, (list, tuple, dict, Mapping, MappingView))


is_sequence = is_nested  # its name in TensorFlow 1


def is_composite(value):
    """Whether a value is an object made of several tensors.

    Args:
      value: Any value.

    Returns:
      A bool.

    Raises:
      Nothing.
    """
    return hasattr(value, "with_components")


def flatten(structure, expand_composites=False):
    """Lists the atoms of a nested structure. Dicts are traversed in the order of their sorted keys.

    Args:
      structure: A nested structure: lists, tuples, namedtuples and dicts. An atom counts as a structure of itself.
      expand_composites: Whether `SparseTensor`s and `IndexedSlices` count as structures of their tensors.

    Returns:
      A list.

    Raises:
      TypeError: The keys of a dict cannot be sorted.
    """
    result = []
    _flatten_into(result, structure, expand_composites)
    return result


def _flatten_into(result, structure, expand):
    if isinstance(structure, (list, tuple, MappingView)):
        for item in structure:
            _flatten_into(result, item, expand)
    elif isinstance(structure, Mapping):
        for key in _sorted_keys(structure):
            _flatten_into(result, structure[key], expand)
    elif expand and is_composite(structure):
        result.extend(structure.components())
    else:
        result.append(structure)


def _sorted_keys(mapping):
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _items(structure):
    """The direct parts of a nested structure, in order."""
    return [structure[key] for key in _sorted_keys(structure)] if isinstance(structure, Mapping) else list(structure)


def _rebuilt(structure, items):
    """A structure of the same type with other direct parts."""
    if isinstance(structure, Mapping):
        values = dict(zip(_sorted_keys(structure), items))
        if isinstance(structure, dict) and type(structure) is not dict:  # whose constructor may take anything
            structure = copy.copy(structure)
            for key, value in values.items():
                structure[key] = value
            return structure
        return type(structure)((key, values[key]) for key in structure)
    if isinstance(structure, MappingView):
        return list(items)
    if hasattr(structure, "_fields"):
        return type(structure)(*items)
    return type(structure)(items)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """Arranges atoms in a given structure: the inverse of `flatten`.

    Args:
      structure: A nested structure: lists, tuples, namedtuples and dicts.
      flat_sequence: A list or tuple of the atoms.
      expand_composites: Whether `SparseTensor`s and `IndexedSlices` count as structures of their tensors.

    Returns:
      A structure like `structure`.

    Raises:
      TypeError: `flat_sequence` is not a sequence.
      ValueError: It has more or fewer items than the structure has atoms.
    """
    if not is_nested(flat_sequence) or isinstance(flat_sequence, Mapping):
        raise TypeError(
            f"Attempted to pack value:\n  {_shortened(flat_sequence)}\ninto a structure, but found incompatible type "
            f"`{type(flat_sequence)}` instead."
        )
    atoms = flatten(structure, expand_composites)
    if len(flat_sequence) != len(atoms):
        if not is_nested(structure) and not (expand_composites and is_composite(structure)):
            raise ValueError(
                f"The target structure is of type `{type(structure)}`\n  {_shortened(structure)}\nHowever the input is "
                f"a sequence ({type(flat_sequence)}) of length {len(flat_sequence)}.\n  "
                f"{_shortened(flat_sequence)}\nnest cannot guarantee that it is safe to map one to the other."
            )
        raise ValueError(
            f"Could not pack sequence. Structure had {len(atoms)} atoms, but flat_sequence had {len(flat_sequence)} "
            f"items.  Structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return _packed(structure, iter(flat_sequence), expand_composites)


def _packed(structure, atoms, expand):
    if is_nested(structure):
        return _rebuilt(structure, [_packed(item, atoms, expand) for item in _items(structure)])
    if expand and is_composite(structure):
        return structure.with_components([next(atoms) for _ in structure.components()])
    return next(atoms)


def _shortened(value, length=100):
    text = str(value)
    return text if len(text) <= length else text[:length] + "..."


def map_structure(func, *structure, **kwargs):
    """Applies a function to corresponding atoms of structures.

    Args:
      func: A function with one argument for each structure.
      *structure: One or more structures that agree in their nesting.
      **kwargs: `check_types`: whether the types of sequences must agree, True by default. `expand_composites`: whether
        `SparseTensor`s and `IndexedSlices` count as structures of their tensors, False by default.

    Returns:
      A structure like the first one, of the results.

    Raises:
      TypeError: `func` is not callable, or sequences differ in type.
      ValueError: No structure is given, the structures differ, or another keyword is given.
    """
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    flat = [flatten(s, expand_composites) for s in structure]
    return _packed(structure[0], iter([func(*atoms) for atoms in zip(*flat)]), expand_composites)


# ---- Comparing


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Checks that two structures agree in their nesting, lengths and keys.

    Args:
      nest1: A nested structure: lists, tuples, namedtuples and dicts.
      nest2: A nested structure: lists, tuples, namedtuples and dicts.
      check_types: Whether the types of sequences must agree.
      expand_composites: Whether `SparseTensor`s and `IndexedSlices` count as structures of their tensors.

    Raises:
      ValueError: They differ.
      TypeError: They differ in the types of sequences only.
    """
    try:
        _compare(nest1, nest2, check_types, expand_composites)
    except (ValueError, TypeError) as error:
        raise type(error)(
            f"The two structures don't have the same nested structure.\n\nFirst structure: {_typed(nest1)}\n\nSecond "
            f"structure: {_typed(nest2)}\n\nMore specifically: {error}\nEntire first "
            f"structure:\n{_dots(nest1)}\nEntire second structure:\n{_dots(nest2)}"
        ) from None


def _compare(first, second, check_types, expand):
    nested = [is_nested(s) or expand and is_composite(s) for s in (first, second)]
    if not any(nested):
        return
    if not all(nested):
        outer, atom = (first, second) if nested[0] else (second, first)
        raise ValueError(f'Substructure "{_typed(outer)}" is a sequence, while substructure "{_typed(atom)}" is not')
    if not is_nested(first) or not is_nested(second):
        _compare_composites(first, second)
        return
    both_mappings = isinstance(first, Mapping) and isinstance(second, Mapping)
    if check_types and not both_mappings and not _same_kind(first, second):
        raise TypeError(
            f"The two namedtuples don't have the same sequence type. First structure {_typed(first)} has type "
            f"{type(first).__name__}, while second structure {_typed(second)} has type {type(second).__name__}"
        )
    if both_mappings and set(first) != set(second):
        raise ValueError(
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{_typed(list(first))}, while second structure has keys {_typed(list(second))}"
        )
    if len(first) != len(second):
        raise ValueError(
            f"The two structures don't have the same number of elements. First structure: {_typed(first)}. Second "
            f"structure: {_typed(second)}"
        )
    for a, b in zip(_items(first), _items(second)):
        _compare(a, b, check_types, expand)


def _same_kind(first, second):
    """Same class, one derived from the other, or namedtuples of the same name and fields."""
    kinds = type(first), type(second)
    if isinstance(first, kinds[1]) or isinstance(second, kinds[0]):
        plain = (tuple in kinds) and kinds[0] is not kinds[1]
        return not plain or not any(hasattr(s, "_fields") for s in (first, second))
    fields = [getattr(s, "_fields", None) for s in (first, second)]
    return fields[0] is not None and fields[0] == fields[1] and kinds[0].__name__ == kinds[1].__name__


def _compare_composites(first, second):
    if type(first) is not type(second) or len(first.components()) != len(second.components()):
        raise ValueError(f"Incompatible CompositeTensor TypeSpecs: {_typed(first)} vs. {_typed(second)}")


def _typed(value):
    return f"type={type(value).__name__} str={value}"


class _Dot:
    def __repr__(self):
        return "."


def _dots(structure):
    return str(map_structure(lambda _: _Dot(), structure))


# ---- Shallow structures


def flatten_dict_items(dictionary):
    """A dictionary whose keys and values may be structures, as a flat one: {(4, 5): ("a", "b")} is {4: "a", 5: "b"}.

    Args:
      dictionary: The dictionary.

    Returns:
      A dictionary.

    Raises:
      TypeError: It is not a dictionary.
      ValueError: A key and its value have other structures, or a key comes twice.
    """
    if not isinstance(dictionary, dict):
        raise TypeError("input must be a dictionary")
    flat = {}
    for key, value in dictionary.items():
        nested = is_nested(key)
        if nested:
            assert_same_structure(key, value, check_types=False)
        for k, v in zip(flatten(key), flatten(value)) if nested else [(key, value)]:
            if k in flat:
                raise ValueError(f"Could not flatten dictionary: key {k} is not unique.")
            flat[k] = v
    return flat


def assert_shallow_structure(shallow_tree, input_tree, check_types=True):
    """Checks that `shallow_tree` equals `input_tree` with some substructures replaced by atoms.

    Args:
      shallow_tree: A structure.
      input_tree: A structure.
      check_types: Whether sequences must be of the same type.

    Raises:
      ValueError: lengths or keys differ. TypeError: sequence types differ, or an atom is in place of a sequence.
    """
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}."
        )
    mappings = isinstance(shallow_tree, Mapping), isinstance(input_tree, Mapping)
    if check_types and not all(mappings) and not _same_kind(shallow_tree, input_tree):
        raise TypeError(
            f"The two structures don't have the same sequence type. Input structure has type {type(input_tree)}, while "
            f"shallow structure has type {type(shallow_tree)}."
        )
    if all(mappings):
        missing = [key for key in shallow_tree if key not in input_tree]
        if missing:
            raise ValueError(
                "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following "
                f"keys that are not in the input_tree: {sorted(missing)}."
            )
    if len(shallow_tree) != len(input_tree):
        raise ValueError(
            f"The two structures don't have the same sequence length. Input structure has length {len(input_tree)}, "
            f"while shallow structure has length {len(shallow_tree)}."
        )
    for shallow, part in zip(_items(shallow_tree), _items(input_tree)):
        assert_shallow_structure(shallow, part, check_types)


def flatten_up_to(shallow_tree, input_tree, check_types=True):
    """The parts of `input_tree` at the positions of the atoms of `shallow_tree`.

    Args:
      shallow_tree: A structure.
      input_tree: A structure.
      check_types: Whether sequences must be of the same type.

    Returns:
      A list.

    Raises:
      ValueError, TypeError: see `assert_shallow_structure`.
    """
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    result = []
    _flatten_up_to(result, shallow_tree, input_tree)
    return result


def _flatten_up_to(result, shallow, tree):
    if not is_nested(shallow):
        result.append(tree)
        return
    for part, item in zip(_items(shallow), _items(tree)):
        _flatten_up_to(result, part, item)


def map_structure_up_to(shallow_tree, func, *inputs, check_types=True):
    """Applies `func` to the parts of all `inputs` at the positions of the atoms of `shallow_tree`; packs the results.

    Args:
      shallow_tree: A structure.
      func: A function with a parameter for each of `inputs`.
      *inputs: Structures.
      check_types: Whether sequences must be of the same type.

    Returns:
      A structure like `shallow_tree`.

    Raises:
      ValueError: no inputs; and see `assert_shallow_structure`.
    """
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    flat = [flatten_up_to(shallow_tree, tree, check_types) for tree in inputs]
    return pack_sequence_as(shallow_tree, [func(*parts) for parts in zip(*flat)])


def get_traverse_shallow_structure(traverse_fn, structure):
    """The upper part of a structure that `traverse_fn` selects, with bools as leaves.

    `traverse_fn` gets each substructure and atom and returns whether to enter it: a bool, or a structure of bools of
    depth 1 for its parts.

    Args:
      traverse_fn: The function.
      structure: Any structure.

    Returns:
      A structure of bools.

    Raises:
      TypeError, ValueError: `traverse_fn` returned something else.
    """
    wanted = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(wanted, bool):
            raise TypeError(f"traverse_fn returned structure: {wanted} for leaf: {structure}")
        return wanted
    if not is_nested(wanted):
        if not isinstance(wanted, bool):
            raise TypeError(f"traverse_fn returned a non-bool scalar: {wanted} for input: {structure}")
        if not wanted:
            return False
        return _rebuilt(structure, [get_traverse_shallow_structure(traverse_fn, part) for part in _items(structure)])
    assert_shallow_structure(wanted, structure)
    parts = []
    for enter, part in zip(_items(wanted), _items(structure)):
        if not isinstance(enter, bool):
            raise TypeError(
                f"traverse_fn didn't return a depth=1 structure of bools.  saw: {wanted}  for structure: {structure}"
            )
        parts.append(enter and get_traverse_shallow_structure(traverse_fn, part))
    return _rebuilt(structure, parts)
