"""tf.data.Options: how datasets may be run. They are kept and merged as in TensorFlow, but have no effect here."""

import enum

_READ_ONLY = (
    "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect. Use "
    "`tf.data.Dataset.with_options(options)` to set or update dataset options."
)


class AutoShardPolicy(enum.IntEnum):
    """How a dataset is divided among workers; has no effect."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What happens to state outside of a dataset that is saved."""

    WARN = 0
    IGNORE = 1
    FAIL = 2


class AutotuneAlgorithm(enum.Enum):
    """How AUTOTUNE searches; has no effect."""

    DEFAULT = 0
    HILL_CLIMB = 1
    GRADIENT_DESCENT = 2
    MAX_PARALLELISM = 3
    STAGE_BASED = 4


class _Options:
    """Values by name, of stated types."""

    _TYPES = {}  # by name; options of a part are made when they are first read
    _SAME = {}  # older names

    def __init__(self):
        self._set(values={}, mutable=True)

    def _set(self, **attributes):
        for name, value in attributes.items():
            object.__setattr__(self, f"_{name}", value)

    def __getattr__(self, name):
        name = self._SAME.get(name, name)
        if name not in self._TYPES:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        kind = self._TYPES[name]
        if name not in self._values and issubclass(kind, _Options):
            made = kind()
            made._set(mutable=self._mutable)
            self._values[name] = made
        return self._values.get(name, self._default(name))

    def _default(self, name):
        return None

    def __setattr__(self, name, value):
        name = self._SAME.get(name, name)
        if not self._mutable:
            raise ValueError(_READ_ONLY)
        if name not in self._TYPES:
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        if not isinstance(value, self._TYPES[name]):
            raise TypeError(
                f'Property "{name}" must be of type {self._TYPES[name]}, got: {value!r} (type: {type(value)})'
            )
        self._values[name] = value

    def __dir__(self):
        return [*super().__dir__(), *self._TYPES, *self._SAME]

    def __eq__(self, other):
        return type(self) is type(other) and self._stated() == other._stated()

    __hash__ = None

    def _stated(self):
        """The values that were set, as a dict."""
        parts = {n: v._stated() if isinstance(v, _Options) else v for n, v in self._values.items()}
        return {name: value for name, value in parts.items() if value != {}}

    def __copy__(self):
        return self._merged(self)

    def _merged(self, other):
        """New options: these, or those of the other ones where they are set."""
        made = type(self)()
        for source in (self, other):
            for name, value in source._values.items():
                if isinstance(value, _Options):
                    value = made._values.get(name, type(value)())._merged(value)
                made._values[name] = value
        return made

    def _freeze(self):
        """Refuses changes from now on."""
        for value in self._values.values():
            if isinstance(value, _Options):
                value._freeze()
        self._set(mutable=False)
        return self


class AutotuneOptions(_Options):
    """Options for AUTOTUNE: numbers of threads and sizes of buffers. They have no effect.

    Raises:
      Nothing.
    """

    _TYPES = {
        "autotune_algorithm": AutotuneAlgorithm,
        "cpu_budget": int,
        "enabled": bool,
        "initial_parallelism": int,
        "min_parallelism": int,
        "ram_budget": int,
    }


class DistributeOptions(_Options):
    """Options for dividing a dataset among workers. They have no effect.

    Raises:
      Nothing.
    """

    _TYPES = {"auto_shard": bool, "auto_shard_policy": AutoShardPolicy, "num_devices": int}

    def _default(self, name):
        return AutoShardPolicy.AUTO if name == "auto_shard_policy" else None


class OptimizationOptions(_Options):
    """Options for rewriting datasets. They have no effect.

    Raises:
      Nothing.
    """

    _TYPES = {
        **dict.fromkeys(
            (
                "apply_default_optimizations autotune autotune_buffers filter_fusion filter_parallelization "
                "filter_with_random_uniform_fusion hoist_random_uniform inject_prefetch map_and_batch_fusion "
                "map_and_filter_fusion map_fusion map_parallelization noop_elimination parallel_batch "
                "reorder_data_discarding_ops seq_interleave_prefetch shuffle_and_repeat_fusion"
            ).split(),
            bool,
        ),
        "autotune_cpu_budget": int,
    }


class StatsOptions(_Options):
    """Options for statistics of datasets. They have no effect.

    Raises:
      Nothing.
    """

    _TYPES = {"aggregator": object, "counter_prefix": str, "latency_all_edges": bool, "prefix": str}


class ThreadingOptions(_Options):
    """Options for the threads that make elements. They have no effect.

    Raises:
      Nothing.
    """

    _TYPES = {"max_intra_op_parallelism": int, "private_threadpool_size": int}


class Options(_Options):
    """How a dataset may be run, for `Dataset.with_options`.

    All attributes of TensorFlow 1.15 and 2 may be set, and their types are checked, but they have no effect. Use
    arguments instead: `interleave(..., deterministic=False)` for any order, `num_parallel_calls` and `buffer_size` for
    threads and buffers, `tf.data.AUTOTUNE` for tuning.

    Raises:
      Nothing.

    Example:

    >>> options = tf.data.Options()
    >>> options.experimental_deterministic = False
    >>> options.experimental_threading.private_threadpool_size = 4
    >>> dataset = tf.data.Dataset.range(3).with_options(options).map(lambda x: x + 1)
    >>> dataset.options().experimental_threading.private_threadpool_size
    4
    """

    _TYPES = {
        "autotune": AutotuneOptions,
        "dataset_name": str,
        "deterministic": bool,
        "experimental_distribute": DistributeOptions,
        "experimental_external_state_policy": ExternalStatePolicy,
        "experimental_optimization": OptimizationOptions,
        "experimental_slack": bool,
        "experimental_stateful_whitelist": list,
        "experimental_stats": StatsOptions,
        "experimental_symbolic_checkpoint": bool,
        "experimental_warm_start": bool,
        "framework_type": list,
        "threading": ThreadingOptions,
    }
    _SAME = {"experimental_deterministic": "deterministic", "experimental_threading": "threading"}

    def merge(self, options):
        """New options: these, or those of other ones where they are set.

        Args:
          options: An `Options`.

        Returns:
          An `Options`.

        Raises:
          TypeError: It is something else.
        """
        if not isinstance(options, Options):
            raise TypeError(f"Could not merge incompatible options of type {type(options)} and {type(self)}.")
        return self._merged(options)


def options_of(own, inputs):
    """The Options of a dataset: of those that it is made from, and its own, or None. They can't be changed."""
    found = Options()
    for dataset in inputs:
        found = found.merge(dataset.options())
    return (found if own is None else found.merge(own))._freeze()
