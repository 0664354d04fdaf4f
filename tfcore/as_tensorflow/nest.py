"""What modules `nest` of TensorFlow have besides `tf.nest` and `tfcore.framework.types.nest`."""

from tfcore.framework.types.nest import (
    assert_same_structure,
    flatten_up_to,
    is_composite,
    is_nested,
    pack_sequence_as,
)


def is_nested_or_composite(seq):
    """Whether a value is a structure, or a tensor with components."""
    return is_nested(seq) or is_composite(seq)


is_sequence_or_composite = is_nested_or_composite  # its name in TensorFlow 1


def yield_flattened_up_to(shallow_tree, input_tree, is_seq=is_nested):
    """The items of `flatten_up_to`, one after the other."""
    yield from flatten_up_to(shallow_tree, input_tree)


def _paths(structure, path=()):
    """(path, atom) of all atoms; a path has keys, names and indices."""
    if not is_nested(structure):
        yield path, structure
        return
    if hasattr(structure, "keys"):
        names = sorted(structure)
        items = [structure[name] for name in names]
    else:
        names, items = getattr(structure, "_fields", range(len(structure))), structure
    for name, item in zip(names, items):
        yield from _paths(item, (*path, name))


def yield_flattened_paths(nest):
    """The paths of all atoms, tuples of keys, names and indices."""
    return (path for path, _ in _paths(nest))


def flatten_with_tuple_paths(structure, expand_composites=False):
    """[(path, atom)]; a path is a tuple of keys, names and indices."""
    return list(_paths(structure))


def flatten_with_joined_string_paths(structure, separator="/", expand_composites=False):
    """[("a/0/b", atom)]"""
    return [(separator.join(map(str, path)), atom) for path, atom in _paths(structure)]


def map_structure_with_tuple_paths(func, *structure, **kwargs):
    """func(path, *atoms) for the atoms of structures that are alike; a path is a tuple."""
    kwargs.pop("expand_composites", None)
    for other in structure[1:]:
        assert_same_structure(structure[0], other)
    others = [[atom for _, atom in _paths(other)] for other in structure[1:]]
    values = [func(path, atom, *rest, **kwargs) for (path, atom), *rest in zip(_paths(structure[0]), *others)]
    return pack_sequence_as(structure[0], values)


def map_structure_with_paths(func, *structure, **kwargs):
    """func("a/0/b", *atoms) for the atoms of structures that are alike."""
    return map_structure_with_tuple_paths(
        lambda path, *atoms, **options: func("/".join(map(str, path)), *atoms, **options), *structure, **kwargs
    )
