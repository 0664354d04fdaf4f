"""Compiles the .proto files of tfcore/framework/protos: python -m tfcore.tools.descriptors [--check].

Needs protoc, of the package grpcio-tools, which the extra `test` installs.
"""

import argparse
import glob
import os
import tempfile

from tfcore.framework import protos

FOLDER = os.path.dirname(os.path.abspath(protos.__file__))
TARGET = os.path.join(FOLDER, "descriptors.binpb")
COMMAND = "python -m tfcore.tools.descriptors"


def compiled():
    """The FileDescriptorSet of all files and of those of protobuf that they import, serialized."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    try:
        from grpc_tools import protoc
    except ModuleNotFoundError:
        raise SystemExit(f"{COMMAND} needs protoc: pip install grpcio-tools") from None

    paths = sorted(os.path.relpath(path, FOLDER) for path in glob.glob(os.path.join(FOLDER, "*", "*.proto")))
    include = os.path.join(os.path.dirname(os.path.abspath(protoc.__file__)), "_proto")
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "all")
        options = [f"-Itensorflow/core={FOLDER}", f"-I{include}", "--include_imports", f"--descriptor_set_out={target}"]
        if protoc.main(["protoc", *options, *(f"tensorflow/core/{path}" for path in paths)]):
            raise SystemExit("protoc failed")
        with open(target, "rb") as file:
            files = FileDescriptorSet.FromString(file.read())
    for file in files.file:
        file.ClearField("options")  # protobuf's own have some, for other languages
        for message in file.message_type:
            _drop_json_names(message)
    return files.SerializeToString(deterministic=True)


def _drop_json_names(message):
    """Drops names that follow from those of the fields: a third of the size."""
    for field in message.field:
        field.ClearField("json_name")
    for nested in message.nested_type:
        _drop_json_names(nested)


def is_current():
    """Whether the compiled file is that of the sources."""
    with open(TARGET, "rb") as file:
        return file.read() == compiled()


def main():
    parser = argparse.ArgumentParser(description="Compiles the descriptions of protocol buffers.")
    parser.add_argument("--check", action="store_true", help="fail if the compiled file is out of date; write nothing")
    if parser.parse_args().check:
        return 0 if is_current() else f"{os.path.relpath(TARGET)} is out of date: {COMMAND}"
    text = compiled()  # before the file is opened: without it, no message has a class
    with open(TARGET, "wb") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
