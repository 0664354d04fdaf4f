"""The importer's checks of a GraphDef: versions, nodes and inputs."""

from tfcore.framework.device import check_valid
from tfcore.framework.graph.scopes import VALID_OP_NAME
from tfcore.framework.types import dtypes

MAX_OUTPUTS = 1 << 20  # of one operation; a damaged file may state any number

# Attributes that TensorFlow added to ops after version 1.15, with the value that keeps the old behaviour.
NEWER_ATTRS = {"bad_indices_policy": b""}


def listing(names, limit=10):
    """The text "'a', 'b' and 7 more"."""
    names = list(names)
    shown = ", ".join(f"'{n}'" for n in names[:limit])
    return f"{shown} and {len(names) - limit} more" if len(names) > limit else shown


def op_summary(op_def):
    """`Op<name=Add; signature=x:T, y:T -> z:T; attr=T>`"""
    inputs, outputs = (", ".join(map(_arg_text, args)) for args in (op_def.inputs, op_def.outputs))
    attrs = "".join(f"; attr={a.name}:{a.type}" for a in op_def.attrs.values())
    return f"Op<name={op_def.name}; signature={inputs} -> {outputs}{attrs}>"


def _arg_text(arg):
    text = arg.type_list_attr or arg.type_attr or dtypes.SHORT_NAMES[arg.dtype]
    if arg.number_attr is not None:
        text = f"{arg.number_attr}*{text}"
    return f"{arg.name}:Ref({text})" if arg.is_ref else f"{arg.name}:{text}"


def node_text(node_def, op_def):
    """The description of a node in error messages."""
    return f"{op_summary(op_def)}; NodeDef: {{{{node {node_def.name}}}}}"


def _type_name(dtype):
    return dtypes.SHORT_NAMES[dtype.base_dtype] + ("_ref" if dtype._is_ref_dtype else "")


def check_versions(versions, consumer, min_producer):
    """Raises ValueError if a GraphDef of these versions does not support version `consumer`."""
    if versions.producer < min_producer:
        raise ValueError(
            f"GraphDef producer version {versions.producer} below min producer {min_producer} supported by tfcore. "
            "Please regenerate your graph."
        )
    if versions.min_consumer > consumer:
        raise ValueError(
            f"GraphDef min consumer version {versions.min_consumer} above current version {consumer} for tfcore. "
            "Please upgrade."
        )
    if consumer in versions.bad_consumers:
        raise ValueError(
            f"GraphDef disallows consumer version {consumer}. Please upgrade: this version is likely buggy."
        )


def check_node(node_def):
    """Raises ValueError for a node whose name, op type, device or order of inputs is malformed."""
    name = node_def.name
    if not VALID_OP_NAME.fullmatch(name):
        raise ValueError(f"Node '{name}': Node name contains invalid characters")
    if not node_def.op:
        raise ValueError(f"Node '{name}' does not specify an operation")
    in_controls = False
    for text in node_def.input:
        if text.startswith("^"):
            in_controls = True
        elif in_controls:
            raise ValueError(f"Node '{name}': Control dependencies must come after regular dependencies")
    if node_def.device:
        try:
            check_valid(node_def.device)
        except ValueError as error:
            raise ValueError(f"Node '{name}': {error}") from None


def check_attr_value(node_def, op_def, attr, value):
    """Raises ValueError for a value that the op's definition does not allow."""
    values = value if attr.type.startswith("list(") else (value,)
    if attr.allowed is not None:
        for item in values:
            if item not in attr.allowed:
                raise ValueError(
                    f"Value for attr '{attr.name}' of {_value_text(item)} is not in the list of allowed values: "
                    f"{', '.join(map(_value_text, attr.allowed))}\n\t; {node_text(node_def, op_def)}"
                )
    if attr.minimum is not None:
        size = len(value) if attr.type.startswith("list(") else value
        if size < attr.minimum:
            what = "Length for attr" if attr.type.startswith("list(") else "Value for attr"
            raise ValueError(
                f"{what} '{attr.name}' of {size} must be at least minimum {attr.minimum}"
                f"\n\t; {node_text(node_def, op_def)}"
            )


def _value_text(value):
    return f'"{value.decode(errors="replace")}"' if isinstance(value, bytes) else dtypes.SHORT_NAMES[value]


def check_constant(node_def, attrs):
    """Raises ValueError if a Const's value does not have the node's `dtype`."""
    found = dtypes.string if attrs["value"].dtype.kind == "O" else dtypes.as_dtype(attrs["value"].dtype)
    if found is not attrs["dtype"]:
        raise ValueError(
            f"Node '{node_def.name}': Type mismatch between value ({_type_name(found)}) and dtype "
            f"({_type_name(attrs['dtype'])})"
        )


def count(args, attrs, node_def):
    """The number of tensors in the inputs or outputs `args` of an op; ValueError if the attributes are invalid."""
    total = 0
    for arg in args:
        if arg.number_attr is not None:
            number = attrs[arg.number_attr]
            if number < 0:
                raise ValueError(f"Value for number_attr() {number} < 0 in node '{node_def.name}'")
            total += number
        else:
            total += 1 if arg.type_list_attr is None else len(attrs[arg.type_list_attr])
    if total > MAX_OUTPUTS:
        raise ValueError(f"Node '{node_def.name}' has {total} inputs or outputs, more than {MAX_OUTPUTS}")
    return total


def expected_inputs(op_def, attrs):
    """The types of all inputs, lists expanded; reference types for inputs that the op writes to."""
    types = []
    for arg in op_def.inputs:
        if arg.type_list_attr is not None:
            types.extend(attrs[arg.type_list_attr])
            continue
        dtype = arg.dtype if arg.type_attr is None else attrs[arg.type_attr]
        dtype = dtype._as_ref if arg.is_ref else dtype
        types.extend([dtype] * (1 if arg.number_attr is None else attrs[arg.number_attr]))
    return types


def check_arity(node_def, op_def, attrs, n_inputs):
    """Raises ValueError if the op does not take `n_inputs` inputs."""
    if count(op_def.inputs, attrs, node_def) != n_inputs:
        expected = ", ".join(dtypes.SHORT_NAMES[t] for t in expected_inputs(op_def, attrs)[:20])
        raise ValueError(
            f"NodeDef expected inputs '{expected}' do not match {n_inputs} inputs specified; "
            f"{node_text(node_def, op_def)}"
        )


def check_type(name, index, tensor, expected):
    """Raises ValueError if a tensor can't be input `index`, of type `expected`, of the node `name`."""
    found = tensor.dtype
    if found is expected or not expected._is_ref_dtype and found.base_dtype is expected:
        return
    raise ValueError(
        f"Input {index} of node {name} was passed {_type_name(found)} from {tensor.name} incompatible with expected "
        f"{_type_name(expected)}."
    )
