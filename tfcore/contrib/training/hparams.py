"""Hyperparameters as attributes of an object, with types, set from text, dicts and JSON."""

import json
import numbers
import re

# name=value, name[index]=value, or name=[value,value]
_ASSIGNMENT = re.compile(
    r"(?P<name>[a-zA-Z][\w\.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"((?P<val>[^,\[]*)|\[(?P<vals>[^\]]*)\])($|,\s*)"
)


def parse_values(values, type_map, ignore_unknown=False):
    """Reads assignments such as "rate=0.1,layers=[16,32],names[1]=b".

    Args:
      values: A string of assignments, separated by commas.
      type_map: A dict from names to types, which are called with the text of a value.
      ignore_unknown: Whether names without a type are skipped.

    Returns:
      A dict from names to values, to lists of them, or to dicts from an index to a value.

    Raises:
      ValueError: The text is malformed, a name is unknown or assigned twice, or a value is not of its type.

    Example:

    >>> tf.contrib.training.parse_values("rate=0.1,layers=[16,32]", {"rate": float, "layers": int})
    {'rate': 0.1, 'layers': [16, 32]}
    """
    result, position = {}, 0
    while position < len(values):
        match = _ASSIGNMENT.match(values, position)
        if not match:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        name = match["name"]
        if name in type_map:
            _assign(result, match, type_map[name], values)
        elif not ignore_unknown:
            raise ValueError(f"Unknown hyperparameter type for {name}")
    return result


def _assign(result, match, kind, values):
    name, index, text = match["name"], match["index"], match["val"]
    try:
        parse = _parse_bool if kind is bool else kind
        value = [parse(x) for x in re.split("[ ,]", match["vals"]) if x] if text is None else parse(text)
    except ValueError:
        text = match["vals"] if text is None else text
        raise ValueError(
            f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{text}' in {values}"
        ) from None
    if index is None:
        target, key, shown = result, name, name
    elif text is None:
        raise ValueError("Assignment of a list to a list index.")
    else:
        target, key, shown = result.setdefault(name, {}), int(index), f"{name}[{index}]"
        if not isinstance(target, dict):
            target, key, shown = result, name, name
    if key in target:
        raise ValueError(f"Multiple assignments to variable '{shown}' in {values}")
    target[key] = value


def _parse_bool(text):
    if text in ("true", "True"):
        return True
    return False if text in ("false", "False") else bool(int(text))


def _cast(name, kind, value):
    """The value as a `kind`, if that loses nothing essential: no float becomes an int, no number a bool or text."""
    if type(value) is kind or kind is type(None):
        return value
    text = isinstance(value, (str, bytes))
    if (
        issubclass(kind, (str, bytes)) and not text
        or issubclass(kind, bool) != isinstance(value, bool)
        or issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral)
        or issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number)
    ):  # fmt: skip
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    return kind(value)


class HParams:
    """A set of hyperparameters: attributes that keep the type of their first value.

    Args:
      hparam_def: Must be None: the protocol buffer HParamDef is not supported.
      model_structure: Any object, for `get_model_structure`.
      **kwargs: The hyperparameters: bools, numbers, strings, or lists of them.

    Raises:
      ValueError: A name is taken, or a list is empty.

    Example:

    >>> hparams = tf.contrib.training.HParams(rate=0.1, layers=[16, 32], activation="relu")
    >>> print(hparams.parse("rate=0.01,layers=[8]"))
    rate=0.01,layers=[8],activation=relu
    >>> hparams.rate, hparams.get("dropout", 0.5)
    (0.01, 0.5)
    """

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        if hparam_def is not None:
            raise NotImplementedError("HParams: the protocol buffer HParamDef is not supported")
        self._hparam_types = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """Adds a hyperparameter.

        Args:
          name: A string.
          value: Its value, which sets its type.

        Raises:
          ValueError: The name is taken, or the list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Sets a hyperparameter.

        Args:
          name: A string.
          value: A value that can be converted to its type.

        Raises:
          KeyError: There is no such hyperparameter.
          ValueError: The value is not of its type.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(name, kind, v) for v in value])
        else:
            if is_list:
                raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name):
        """Removes a hyperparameter, if it is there.

        Args:
          name: A string.
        """
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Sets hyperparameters from text such as "rate=0.1,layers=[16,32]".

        Args:
          values: A string of assignments, separated by commas.

        Returns:
          The object itself.

        Raises:
          ValueError: See `parse_values`.
        """
        return self.override_from_dict(
            parse_values(values, {name: kind for name, (kind, _) in self._hparam_types.items()})
        )

    def override_from_dict(self, values_dict):
        """Sets hyperparameters from a dict.

        Args:
          values_dict: A dict from names to values.

        Returns:
          The object itself.

        Raises:
          KeyError: There is no such hyperparameter.
          ValueError: A value is not of its type.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map):
        """Old name of `override_from_dict`.

        Args:
          values_map: A dict from names to values.

        Returns:
          The object itself.
        """
        return self.override_from_dict(values_map)

    def set_model_structure(self, model_structure):
        """Sets the object that `get_model_structure` returns.

        Args:
          model_structure: Any object.
        """
        self._model_structure = model_structure

    def get_model_structure(self):
        """The object given as model structure.

        Returns:
          Any object.
        """
        return self._model_structure

    def to_json(self, indent=None, separators=None, sort_keys=False):
        """The hyperparameters as JSON.

        Args:
          indent: The number of spaces for each level; None for a single line.
          separators: A pair of strings: between items, and between keys and values.
          sort_keys: Whether names are sorted.

        Returns:
          A string.
        """
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json):
        """Sets hyperparameters from JSON.

        Args:
          values_json: A string, as `to_json` returns it.

        Returns:
          The object itself.

        Raises:
          ValueError: It is not JSON, or a value is not of its type.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self):
        """The hyperparameters as a dict.

        Returns:
          A dict from names to values.
        """
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key, default=None):
        """The value of a hyperparameter.

        Args:
          key: A string.
          default: The value to return if there is none; of its type if there is one.

        Returns:
          A value.

        Raises:
          ValueError: `default` is not of the type of the hyperparameter.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def _check_default(self, key, default):
        kind, is_list = self._hparam_types[key]
        shown = f"list<{kind}>" if is_list else str(kind)
        text = f"Hparam '{key}' of type '{shown}' is incompatible with default={default}"
        if is_list != isinstance(default, list):
            raise ValueError(text)
        try:
            for value in default if is_list else [default]:
                _cast(key, kind, value)
        except ValueError as error:
            raise ValueError(f"{text}. {error}") from None

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self):
        return f"{type(self).__name__}({sorted(self.values().items())})"
