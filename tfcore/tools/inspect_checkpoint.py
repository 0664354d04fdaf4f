"""Shows what is in a checkpoint: python -m tfcore.tools.inspect_checkpoint PREFIX-OR-FOLDER

Without options it lists names, types and shapes; values are read, and their checksums compared, if they are asked for.
"""

import argparse
import os
import sys

import numpy as np

from tfcore.framework import errors
from tfcore.train.checkpoints.checkpoint_utils import load_checkpoint


def main(argv=None):
    parser = argparse.ArgumentParser(
        "python -m tfcore.tools.inspect_checkpoint",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkpoint", nargs="?", help="prefix of a checkpoint, or a folder with the file 'checkpoint'")
    parser.add_argument("--file_name", dest="file_name", help="the same, as TensorFlow's program has it")
    parser.add_argument("--tensor_name", default="", help="show the value of this tensor")
    parser.add_argument("--all_tensors", action="store_true", help="show the values of all tensors")
    parser.add_argument("--verify", action="store_true", help="read all tensors and compare their checksums")
    parser.add_argument(
        "--printoptions", default="", help="options of numpy.set_printoptions: precision=3,threshold=10"
    )
    args = parser.parse_args(argv)
    path = args.checkpoint or args.file_name
    if not path:
        parser.error("which checkpoint?")
    np.set_printoptions(**dict(map(_option, args.printoptions.split(",") if args.printoptions else ())))
    try:
        reader = load_checkpoint(path)
        return _show(reader, args)
    except (errors.OpError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:  # a pager that was left
        sys.stdout = open(os.devnull, "w")
        return 0


def _option(text):
    name, _, value = text.partition("=")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, {"True": True, "False": False}.get(value, value)


def _show(reader, args):
    types, shapes = reader.get_variable_to_dtype_map(), reader.get_variable_to_shape_map()
    if args.tensor_name:
        print("tensor_name: ", args.tensor_name)
        print(reader.get_tensor(args.tensor_name.removesuffix(":0")))
        return 0
    damaged = 0
    for name in sorted(types):
        print(f"{name} ({types[name].name}) {shapes[name]}")
        if args.all_tensors or args.verify:
            try:
                value = reader.get_tensor(name)
            except errors.OpError as error:
                damaged += 1
                print(f"  {error}")
            else:
                if args.all_tensors:
                    print(value)
    elements = sum(int(np.prod(shape)) for shape in shapes.values())
    print(f"# {len(types)} tensors, {elements} elements{f', {damaged} damaged' if damaged else ''}")
    return 1 if damaged else 0


if __name__ == "__main__":
    sys.exit(main())
