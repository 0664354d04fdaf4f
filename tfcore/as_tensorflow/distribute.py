"""tensorflow.python.distribute: what estimators ask about strategies over several processes, and older names."""

from tfcore.distribute.strategy_context import get_strategy
from tfcore.framework import errors
from tfcore.framework.graph.graph import GraphKeys
from tfcore.variables.variable_scope import AUTO_REUSE, get_variable, variable_scope


def get_distribution_strategy():
    """The older name of `tf.distribute.get_strategy`."""
    return get_strategy()


def get_or_create_steps_per_run_variable():
    """The variable that says how many steps a run of TPUs would have: 1."""
    with variable_scope("StopAtStepHook", reuse=AUTO_REUSE):
        return get_variable(
            "steps_per_run",
            initializer=1,
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )


# ---- estimator_training


def should_run_distribute_coordinator(config):
    """False: strategies are for one process."""
    return False


def init_run_config(config, tf_config):
    """Gives an estimator's RunConfig its strategies, those of one process.

    Raises:
      UnimplementedError: It asks for a cluster.
    """
    wanted = getattr(config, "_experimental_distribute", None)
    remote = getattr(wanted, "remote_cluster", None)
    if tf_config.get("cluster") or remote:
        raise errors.UnimplementedError(
            None,
            None,
            "tf.estimator.RunConfig with a strategy over a cluster is not implemented. Leave out the strategy: then "
            "TF_CONFIG describes workers and parameter servers.",
        )
    for name in ("train_distribute", "eval_distribute"):
        strategy = getattr(wanted, name, None)
        if strategy is None:
            continue
        if getattr(config, name) is not None:
            raise ValueError(f"Either `{name}` or `experimental_distribute.{name}` can be set.")
        setattr(config, f"_{name}", strategy)
    config._init_distributed_setting_from_environment_var({})
    config._distribute_coordinator_mode = None
