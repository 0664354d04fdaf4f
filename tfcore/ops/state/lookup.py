"""Tables: maps from keys to values that outlive steps. `composed/lookup.py` has the classes for programs.

The ops with "V2" in their names take handles of type resource, the others TensorFlow 1.0's, which are references to
strings; the kernels are the same (`compiler/handles.py`).
"""

from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, not_differentiable

_TYPES = ["key_dtype: type", "value_dtype: type"]
_NAMES = ["container: string = ''", "shared_name: string = ''", "use_node_name_sharing: bool = false"]
_VALUE_SHAPE = "value_shape: shape = {}"
_BUCKETS = ["initial_num_buckets: int = 131072", "max_load_factor: float = 0.8"]


def _names_shape(op):
    return [(2,)]


def _maker(op):
    """The operation that makes the table, or None."""
    made = op.inputs[0].op
    while made.inputs and made.type in ("Identity", "RefIdentity", "Enter", "RefEnter", "Switch", "RefSwitch"):
        made = made.inputs[0].op
    return made if made.type.removesuffix("V2").endswith(("HashTable", "HashTableOfTensors")) else None


def _found_shape(op):
    """The shape of the keys, followed by that of one value."""
    made, keys = _maker(op), op.inputs[1].dims
    if made is None or keys is None or made.type.startswith("MutableDense"):
        return [None]
    one = made.attrs.get("value_shape", ())
    return [None if one is None else (*keys, *one)]


def _exported_shape(op):
    return [None if _maker(op) is None or _maker(op).type.startswith("MutableDense") else (None,), None]


for _suffix, _handle in (("V2", "table_handle: resource"), ("", "table_handle: Ref(string)")):
    _stateful = bool(_suffix)
    for _name, _inputs, _attrs, _doc in (
        ("HashTable", [], [], "A table that is initialized once."),
        ("MutableHashTable", [], [], "A table that may change."),
        ("MutableHashTableOfTensors", [], [_VALUE_SHAPE], "A table with vectors for values, that may change."),
        (
            "MutableDenseHashTable",
            ["empty_key: key_dtype", "deleted_key: key_dtype"] if _suffix else ["empty_key: key_dtype"],
            [_VALUE_SHAPE, *_BUCKETS],
            "A table that may change, whose keys are scalars or vectors, but not some special ones.",
        ),
    ):
        define_op(
            _name + _suffix,
            inputs=_inputs,
            outputs=[_handle],
            attrs=[*_NAMES, *_TYPES, *_attrs],
            shape=shape_functions.scalar if _suffix else _names_shape,
            stateful=True,
            doc=f"The handle of a table, made when it is first needed. {_doc}",
        )
        not_differentiable(_name + _suffix)
    for _name, _inputs, _outputs, _attrs, _shape, _doc in (
        (
            "LookupTableFind",
            ["keys: Tin", "default_value: Tout"],
            ["values: Tout"],
            ["Tin: type", "Tout: type"],
            _found_shape,
            "The values of keys; `default_value` for those that the table lacks.",
        ),
        (
            "LookupTableInsert",
            ["keys: Tin", "values: Tout"],
            [],
            ["Tin: type", "Tout: type"],
            None,
            "Adds entries, or replaces the values of keys.",
        ),
        ("LookupTableSize", [], ["size: int64"], [], shape_functions.scalar, "The number of entries."),
        (
            "LookupTableExport",
            [],
            ["keys: Tkeys", "values: Tvalues"],
            ["Tkeys: type", "Tvalues: type"],
            _exported_shape,
            "All entries, in the order in which they were added as long as none is removed.",
        ),
        (
            "LookupTableImport",
            ["keys: Tin", "values: Tout"],
            [],
            ["Tin: type", "Tout: type"],
            None,
            "Replaces the whole content of a table; initializes a static one.",
        ),
        (
            "InitializeTable",
            ["keys: Tkey", "values: Tval"],
            [],
            ["Tkey: type", "Tval: type"],
            None,
            "Initializes a static table.",
        ),
        (
            "InitializeTableFromTextFile",
            ["filename: string"],
            [],
            [
                "key_index: int >= -2",
                "value_index: int >= -2",
                "vocab_size: int >= -1 = -1",
                "delimiter: string = '\t'",
                "offset: int = 0",
            ],
            None,
            "Initializes a static table from the lines of a file. An index is a column, -1 the line's number, -2 the "
            "whole line.",
        ),
    ):
        define_op(
            _name + _suffix,
            inputs=[_handle, *_inputs],
            outputs=_outputs,
            attrs=_attrs,
            shape=_shape,
            stateful=_stateful,
            doc=_doc,
        )
        not_differentiable(_name + _suffix)
define_op(
    "LookupTableRemoveV2",
    inputs=["table_handle: resource", "keys: Tin"],
    attrs=["Tin: type"],
    stateful=True,
    doc="Removes the entries of keys, if there are any.",
)
not_differentiable("LookupTableRemoveV2")
