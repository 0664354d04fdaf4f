"""Statistics of op types, such as the number of float operations: `RegisterStatistics`."""

functions = {}  # (op type, kind of statistic) -> function


class OpStats:
    """One statistic of an operation.

    Args:
      statistic_type: What is counted, such as "flops".
      value: The count; None if it is unknown.
    """

    __slots__ = ("statistic_type", "value")

    def __init__(self, statistic_type, value=None):
        self.statistic_type = statistic_type
        self.value = value

    def __iadd__(self, other):
        if other.statistic_type != self.statistic_type:
            raise ValueError(f"Can't add an OpStat of type {self.statistic_type} to one of {other.statistic_type}.")
        if self.value is None:
            self.value = other.value
        elif other.value is not None:
            self.value += other.value
        return self


class RegisterStatistics:
    """Decorates the function that computes a statistic of an op type.

    The function gets the graph and the operation's NodeDef, and returns an `OpStats`. It raises ValueError if shapes
    that it needs are unknown.

    Args:
      op_type: The op type, such as "MatMul".
      statistic_type: What is counted; "flops" is what `tf.profiler` shows.

    Raises:
      TypeError: One of them is not a string, or has a comma.
      KeyError: The op type has this statistic already.
    """

    __slots__ = ("_key",)

    def __init__(self, op_type, statistic_type):
        for name, value in (("op_type", op_type), ("statistic_type", statistic_type)):
            if not isinstance(value, str):
                raise TypeError(f"{name} must be a string, but got {value!r}.")
            if "," in value:
                raise TypeError(f"{name} must not contain a comma, but got {value!r}.")
        self._key = op_type, statistic_type

    def __call__(self, function):
        if self._key in functions:
            raise KeyError(f"Registering two statistical functions with name '{','.join(self._key)}'!")
        functions[self._key] = function
        return function
