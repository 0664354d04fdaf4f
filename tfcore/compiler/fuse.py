"""Kernel fusion: a bias and an activation that follow a matrix product or a convolution become part of its kernel, the
gradient of a relu becomes part of the gradient of the max pool above it, a sum of products becomes one node, and if
only one part of a split product is used, only that part is computed.
"""

from tfcore.compiler.devices import NULL, device_type
from tfcore.core.registry.registry import find_kernel, has_user_kernels
from tfcore.framework import errors
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.framework.types import dtypes

_ACTIVATIONS = frozenset(["Relu"])
_PRODUCTS = {"MatMul": "_FusedMatMul", "Conv2D": "_FusedConv2D"}
_OWN_ATTRS = {
    "_FusedMatMul": ("T", "transpose_a", "transpose_b"),
    "_FusedConv2D": ("T", "strides", "padding", "explicit_paddings", "data_format", "dilations"),
}
_LEAST_COLUMNS = 32  # narrower parts may differ in bits from the whole (`choose` in kernels_c/linalg/gemm_block.h)


def fuse(program):
    """Fuses Product -> BiasAdd or Add of a vector -> Relu, MaxPoolGrad -> ReluGrad, MatMuls -> AddN, and MatMul ->
    Split, where each is the only user of the one before."""
    consumers = program.consumers()
    held = {c for n in program.nodes for c in n.controls} | set(program.targets)  # used as control inputs or targets
    changed, moved = False, {}
    for node in program.nodes:
        match = _match(node, consumers, held)
        if match is not None and _rewrite(*match):
            changed = True
        elif node.type == "ReluGrad":
            changed |= _join_pool_gradient(node, consumers, held)
        elif node.type == "AddN":
            changed |= _join_products(node, consumers, held)
        elif node.type in ("Split", "SplitV") and _take_columns(node, consumers, held, moved):
            changed = True
    if changed:
        program.replace(values=moved)
        program.prune()


def _match(node, consumers, held):
    """The longest chain that ends at `node`: ([product, bias add, ...], bias pair), or None."""
    tail = []
    while node.type in _ACTIVATIONS:
        tail.append(node)
        node = node.inputs[0][0]
        if len(consumers.get((node, 0), ())) != 1 or node in held:
            return None
    following = consumers.get((node, 0), ())
    if (
        not tail
        and len(following) == 1
        and following[0] is not None
        and following[0].type in _ACTIVATIONS
        and node not in held
    ):
        return None  # the activation follows and has the longer chain
    sides = _bias_sides(node)
    if sides is None or node.controls or any(n.controls for n in tail):
        return None
    (product, index), bias = sides
    if index or product.type not in _PRODUCTS or product.controls or product in held:
        return None
    if consumers.get((product, 0)) != [node] or product.dtypes[0] is not dtypes.float32:
        return None
    return [product, node, *reversed(tail)], bias


def _bias_sides(node):
    if node.type == "BiasAdd":
        return (node.inputs[0], node.inputs[1]) if node.attrs["data_format"] == b"NHWC" else None
    if node.type not in ("Add", "AddV2"):
        return None
    for x, b in (node.inputs, node.inputs[::-1]):
        x_dims, b_dims = x[0].dims[x[1]], b[0].dims[b[1]]
        if (
            x[0].type in _PRODUCTS
            and x_dims
            and b_dims
            and len(b_dims) == 1
            and b_dims[0] is not None
            and b_dims[0] == x_dims[-1]
        ):
            return x, b
    return None


def _join_pool_gradient(node, consumers, held):
    """Turns a ReluGrad into the gradient of relu and max pool, if its features are the input of a max pool."""
    pool, index = node.inputs[0]
    if pool.type != "MaxPoolGrad" or pool.inputs[0] != node.inputs[1] or consumers[(pool, index)] != [node]:
        return False
    if pool.controls or node.controls or pool in held or pool.dtypes[0] is not dtypes.float32:
        return False
    if not has_builtin_kernels([pool, node]):
        return False
    return replace_by_fused(node, "_MaxPoolGradRelu", pool.attrs, pool.inputs)


def _join_products(node, consumers, held):
    """Turns an AddN of products into one sum: the gradient of a matrix that is used several times."""
    products = [source for source, _ in node.inputs]
    if len(products) < 2 or node.controls or node.dtypes[0] not in (dtypes.float32, dtypes.float64):
        return False
    for product in products:
        if product.type != "MatMul" or product.controls or product in held or consumers[(product, 0)] != [node]:
            return False
    transposes = {(p.attrs["transpose_a"], p.attrs["transpose_b"]) for p in products}
    if len(transposes) != 1 or not has_builtin_kernels([*products, node]):
        return False
    attrs = {name: products[0].attrs[name] for name in ("T", "transpose_a", "transpose_b")}
    inputs = [p.inputs[0] for p in products] + [p.inputs[1] for p in products]
    return replace_by_fused(node, "_MatMulAddN", {**attrs, "N": len(products)}, inputs)


def _take_columns(node, consumers, held, moved):
    """Computes only one part of a product, if a Split uses no other: as in the gradient of an RNN cell, which
    concatenates its state with inputs that need no gradient. moved: gets the replacement of the part.
    """
    value, axis = (node.inputs[1], node.inputs[0]) if node.type == "Split" else (node.inputs[0], node.inputs[2])
    product = value[0]
    parts = [i for i in range(len(node.dims)) if (node, i) in consumers]
    if len(parts) != 1 or product.type != "MatMul" or consumers[value] != [node] or {node, product} & held:
        return False
    if axis[0].type != "Const" or axis[0].attrs["value"] not in (1, -1) or node.controls or product.controls:
        return False
    widths = [dims[1] if dims is not None and len(dims) == 2 else None for dims in node.dims]
    (part,) = parts
    if None in widths or widths[part] < _LEAST_COLUMNS or product.dims[0] is None or product.dims[0][1] != sum(widths):
        return False
    attrs = {name: product.attrs[name] for name in ("T", "transpose_a", "transpose_b")}
    attrs.update(begin=sum(widths[:part]), size=widths[part])
    if not has_builtin_kernels([product, node]):
        return False
    if not replace_by_fused(product, "_MatMulColumns", attrs, product.inputs):
        return False
    product.dims = [node.dims[part]]
    moved[node, part] = product, 0
    return True


def has_builtin_kernels(chain):
    """Whether tfcore's own kernels would run the whole chain: a user's kernel must not be bypassed."""
    devices = {n.device for n in chain}
    if len(devices) > 1 or device_type(devices.pop()) not in ("CPU", NULL):
        return False
    return not any(has_user_kernels(n.type) for n in chain)


def _rewrite(chain, bias):
    """Turns the last node of the chain into the fused product, if there is a kernel for it."""
    product, last = chain[0], chain[-1]
    if not has_builtin_kernels(chain):
        return False
    if product.type == "Conv2D" and product.attrs["data_format"] != b"NHWC":
        return False
    fused_type = _PRODUCTS[product.type]
    attrs = {name: product.attrs[name] for name in _OWN_ATTRS[fused_type] if name in product.attrs}
    attrs["num_args"] = 1
    attrs["fused_ops"] = [b"BiasAdd"] + [n.type.encode() for n in chain[2:]]
    return replace_by_fused(last, fused_type, attrs, [*product.inputs, bias])


def replace_by_fused(node, fused_type, attrs, inputs):
    """Turns the node into one of another type, if there is a kernel for it."""
    try:
        op_def = get_op_def(fused_type)
    except KeyError:
        return False
    attrs = {**{attr.name: attr.default for attr in op_def.attrs.values()}, **attrs}
    try:
        find_kernel(fused_type, "CPU", attrs)
    except errors.NotFoundError:
        return False
    node.type, node.op_def, node.attrs, node.inputs = fused_type, op_def, attrs, list(inputs)
    return True
