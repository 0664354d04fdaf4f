"""Shows and runs SavedModels:

    python -m tfcore.tools.saved_model_cli show --dir FOLDER \\
        [--all | --tag_set serve [--signature_def KEY] [--list_ops]]
    python -m tfcore.tools.saved_model_cli run --dir FOLDER --tag_set serve --signature_def serving_default \\
        --inputs 'x=x.npy;y=data.npz[y]' --input_exprs 'z=np.ones((2, 3))' \\
        [--outdir FOLDER [--overwrite]]
    python -m tfcore.tools.saved_model_cli scan --dir FOLDER [--tag_set serve] [--op_denylist PrintV2,ReadFile]
"""

import argparse
import os
import re
import sys
import zipfile

import numpy as np

from tfcore.client.session import Session
from tfcore.framework import errors
from tfcore.framework.graph.graph import Graph
from tfcore.saved_model.files import parse_saved_model
from tfcore.saved_model.loader import SavedModelLoader
from tfcore.saved_model.utils import get_tensor_from_tensor_info

_OP_DENYLIST = ("PrintV2", "ReadFile", "WriteFile")


def _tags(text):
    return [tag.strip() for tag in text.split(",") if tag.strip()]


def _meta_graph_def(folder, tag_set):
    return SavedModelLoader(folder).get_meta_graph_def_from_tags(_tags(tag_set))


def _signature(meta_graph_def, key):
    if key not in meta_graph_def.signature_def:
        raise ValueError(
            f'Could not find signature "{key}". Please choose from: {", ".join(sorted(meta_graph_def.signature_def))}'
        )
    return meta_graph_def.signature_def[key]


def _ops(meta_graph_def):
    """Types of the operations of a graph and of the functions in it."""
    graph_def = meta_graph_def.graph_def
    functions = {function.signature.name for function in graph_def.library.function}
    bodies = [graph_def.node, *(function.node_def for function in graph_def.library.function)]
    return sorted({node.op for nodes in bodies for node in nodes} - functions)


# ---- show


def show(args):
    """The subcommand that prints what is in a SavedModel."""
    if args.all:
        _show_all(args.dir)
    elif args.tag_set is None:
        print("The given SavedModel contains the following tag-sets:")
        for tags in sorted(list(m.meta_info_def.tags) for m in parse_saved_model(args.dir).meta_graphs):
            print(repr(", ".join(sorted(tags))))
    else:
        meta_graph_def = _meta_graph_def(args.dir, args.tag_set)
        if args.list_ops:
            _show_ops(meta_graph_def)
        if args.signature_def is not None:
            _show_signature(_signature(meta_graph_def, args.signature_def))
        elif not args.list_ops:
            print("The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:")
            for key in sorted(meta_graph_def.signature_def):
                print(f'SignatureDef key: "{key}"')


def _show_all(folder):
    for meta_graph_def in sorted(parse_saved_model(folder).meta_graphs, key=lambda m: list(m.meta_info_def.tags)):
        tags = ", ".join(meta_graph_def.meta_info_def.tags)
        print(f"\nMetaGraphDef with tag-set: '{tags}' contains the following SignatureDefs:")
        for key in sorted(meta_graph_def.signature_def):
            print(f"\nsignature_def['{key}']:")
            _show_signature(meta_graph_def.signature_def[key], "  ")
        _show_ops(meta_graph_def)


def _show_ops(meta_graph_def):
    tags = list(meta_graph_def.meta_info_def.tags)
    print(f"The MetaGraph with tag set {tags} contains the following ops:", ", ".join(_ops(meta_graph_def)))


def _show_signature(signature, indent=""):
    for what, infos in (("input", signature.inputs), ("output", signature.outputs)):
        print(f"{indent}The given SavedModel SignatureDef contains the following {what}(s):")
        for key in sorted(infos):
            print(f"{indent}  {what}s['{key}'] tensor_info:")
            _show_tensor_info(infos[key], indent and indent + "  ")
    print(f"{indent}Method name is: {signature.method_name}")


def _show_tensor_info(info, indent):
    indent = indent or "  "
    types = info.DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_number
    dims = ", ".join(str(dim.size) for dim in info.tensor_shape.dim)
    print(f"{indent}    dtype: {types[info.dtype].name}")
    print(f"{indent}    shape: {'unknown_rank' if info.tensor_shape.unknown_rank else f'({dims})'}")
    print(f"{indent}    name: {info.name}")


# ---- run


def run(args):
    """The subcommand that feeds the inputs of a signature and prints its outputs."""
    feeds = _loaded_inputs(args.inputs)
    feeds.update(_evaluated_inputs(args.input_exprs))
    loader = SavedModelLoader(args.dir)
    signature = _signature(loader.get_meta_graph_def_from_tags(_tags(args.tag_set)), args.signature_def)
    _check_keys(feeds, signature)
    outputs = sorted(signature.outputs)
    files = _output_files(args.outdir, outputs, args.overwrite) if args.outdir else {}
    with Session(args.worker, graph=Graph()) as sess:
        loader.load(sess, _tags(args.tag_set))

        def tensor(info):
            return get_tensor_from_tensor_info(info, sess.graph)

        fed = {tensor(signature.inputs[key]): value for key, value in feeds.items()}
        values = sess.run([tensor(signature.outputs[key]) for key in outputs], fed)
    for key, value in zip(outputs, values):
        print(f"Result for output key {key}:\n{value}")
        if files:
            os.makedirs(args.outdir, exist_ok=True)
            np.save(files[key], _savable(key, value), allow_pickle=False)
            print(f"Output {key} is saved to {files[key]}")


def _output_files(folder, keys, may_overwrite):
    """{key of an output: its path}, all of them in the folder."""
    for key in keys:
        if os.path.basename(key) != key or "\0" in key:
            raise ValueError(f"The output '{key}' cannot be saved: its key is not the name of a file.")
    files = {key: os.path.join(folder, f"{key}.npy") for key in keys}
    for path in files.values():
        if os.path.exists(path) and not may_overwrite:
            raise RuntimeError(
                f'Output file {path} already exists. Add "--overwrite" to overwrite the existing output files.'
            )
    return files


def _savable(key, value):
    """The value of an output as files can have it: strings with a fixed length."""
    array = np.asarray(value, object if isinstance(value, bytes) else None)
    if array.dtype != object:
        return array
    if any(text.endswith(b"\0") for text in array.ravel()):
        raise ValueError(f"The output '{key}' cannot be saved: a string in it ends with a zero byte.")
    return array.astype("S")


def _check_keys(feeds, signature):
    known = '"' + '", "'.join(sorted(signature.inputs)) + '"'
    for key in feeds:
        if key not in signature.inputs:
            raise ValueError(
                f'"{key}" is not a valid input key. Please choose from {known}; the subcommand show lists them.'
            )
    missing = sorted(set(signature.inputs) - set(feeds) - set(signature.defaults))
    if missing:
        raise ValueError(f"No values for the inputs {', '.join(missing)}: give them by --inputs or --input_exprs.")


def _pairs(option, text):
    """(key, rest) for each "key=rest" between semicolons."""
    for part in filter(str.strip, text.split(";")):
        key, equals, rest = part.partition("=")
        if not equals or not key.strip() or not rest.strip():
            raise RuntimeError(f'--{option} "{part}" format is incorrect. Please follow "<input_key>=..."')
        yield key.strip(), rest.strip()


def _loaded_inputs(text):
    """{key: array} of "key=file" and "key=file[name]", for files that `numpy.load` reads."""
    result = {}
    for key, rest in _pairs("inputs", text):
        parts = re.fullmatch(r"([^\[\]]+?)(?:\[([^\[\]]+)\])?", rest)
        path, name = parts.groups() if parts else (rest, None)  # brackets elsewhere belong to the path
        try:
            result[key] = _loaded(path, name)
        except (EOFError, ValueError, zipfile.BadZipFile) as error:
            raise RuntimeError(f"Input file {path} has no arrays that can be read: {error}") from None
    return result


def _loaded(path, name):
    """The array in a file, or the one with a name."""
    data = np.load(path, allow_pickle=False)
    if isinstance(data, np.ndarray):
        if name is not None:
            raise RuntimeError(f"Input file {path} has a single array, which has no name: leave out [{name}].")
        return data
    with data:
        if name is None and len(data.files) != 1:
            raise RuntimeError(
                f"Input file {path} contains more than one ndarrays ({', '.join(data.files)}). Please specify the "
                "name of ndarray to use."
            )
        name = data.files[0] if name is None else name
        if name not in data.files:
            raise RuntimeError(f"Input file {path} does not contain variable with name {name}.")
        return data[name]


def _evaluated_inputs(text):
    """{key: value} of "key=expression"; expressions are Python's, with NumPy as np."""
    result = {}
    for key, expression in _pairs("input_exprs", text):
        try:
            result[key] = eval(expression, {"np": np, "numpy": np})  # the user's own expression
        except Exception as error:
            raise RuntimeError(f"Expression of input '{key}' is not valid: {expression}: {error}") from None
    return result


# ---- scan


def scan(args):
    """The subcommand that looks for operations that read, write or print."""
    is_default = args.op_denylist is None
    denied = set(_OP_DENYLIST if is_default else _tags(args.op_denylist))
    graphs = (
        parse_saved_model(args.dir).meta_graphs if args.tag_set is None else [_meta_graph_def(args.dir, args.tag_set)]
    )
    for meta_graph_def in graphs:
        tags, found = list(meta_graph_def.meta_info_def.tags), sorted(denied & set(_ops(meta_graph_def)))
        if found:
            print(f"MetaGraph with tag set {tags} contains the following denylisted ops:", ", ".join(found))
        else:
            what = "default denylisted ops" if is_default else "denylisted ops"
            print(f"MetaGraph with tag set {tags} does not contain the {what}:", ", ".join(sorted(denied)))


# ---- The command


def _parser():
    parser = argparse.ArgumentParser(
        "python -m tfcore.tools.saved_model_cli",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="show|run|scan")

    def command(function, text, tag_set_required=False):
        result = commands.add_parser(function.__name__, help=text, description=text)
        result.add_argument("--dir", required=True, help="folder of the SavedModel")
        result.add_argument("--tag_set", required=tag_set_required, help="all tags of the graph: a,b")
        result.set_defaults(function=function)
        return result

    showing = command(show, "print tags, signatures, and the types and shapes of their tensors")
    showing.add_argument("--all", action="store_true", help="print everything")
    showing.add_argument("--signature_def", metavar="KEY", help="print this signature")
    showing.add_argument("--list_ops", action="store_true", help="print the types of the operations")
    running = command(run, "run a signature and print its outputs", tag_set_required=True)
    running.add_argument("--signature_def", metavar="KEY", required=True, help="key of the signature")
    running.add_argument("--inputs", default="", help="arrays in files: 'x=x.npy;y=data.npz[name]'")
    running.add_argument("--input_exprs", default="", help="Python expressions: 'x=np.ones(3);y=[1, 2]'")
    running.add_argument("--outdir", help="folder to write outputs to, as KEY.npy")
    running.add_argument("--overwrite", action="store_true", help="replace files that are there")
    running.add_argument("--worker", default="", help="target of the session; default: this process")
    scanning = command(scan, "look for operations that read, write or print")
    scanning.add_argument("--op_denylist", help=f"types to look for: A,B; default: {','.join(_OP_DENYLIST)}")
    return parser


def main(argv=None):
    """The command. Returns its exit status."""
    args = _parser().parse_args(argv)
    try:
        args.function(args)
    except (errors.OpError, ValueError, TypeError, OSError, RuntimeError, KeyError) as error:
        if isinstance(error, BrokenPipeError):  # a pager that was left
            sys.stdout = open(os.devnull, "w")
            return 0
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
