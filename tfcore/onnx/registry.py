"""The table of converters, by type of operation."""

CONVERTERS = {}


def converter(*types):
    """Registers a function `(model, op)` that adds the ONNX nodes of an operation to a `Model`."""

    def register(function):
        for name in types:
            if name in CONVERTERS:
                raise ValueError(f"Operations of type {name} have two converters")
            CONVERTERS[name] = function
        return function

    return register
