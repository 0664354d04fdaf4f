"""Candidate sampling: draws a few classes to represent all of them in a loss, with their expected counts.

The samples are those of TensorFlow's CPU kernels for the same graph and op seeds.
"""

from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.definitions.paragraphs import documented_with
from tfcore.ops.random import random

# ---- Op definitions.


def _sampler_shape(op):
    batch = shapes.with_rank(op.inputs[0].dims, 2)[0]
    sampled = (op.get_attr("num_sampled"),)
    return [sampled, (batch, op.get_attr("num_true")), sampled]


def _define_sampler(name, doc, attrs):
    return define_op(
        name,
        inputs=["true_classes: int64"],
        outputs=["sampled_candidates: int64", "true_expected_count: float", "sampled_expected_count: float"],
        attrs=[
            "num_true: int >= 1",
            "num_sampled: int >= 1",
            "unique: bool",
            *attrs,
            "seed: int = 0",
            "seed2: int = 0",
        ],
        shape=_sampler_shape,
        stateful=True,
        doc=doc,
    )


_RANGE = ["range_max: int >= 1"]
_FIXED = [
    *_RANGE,
    "vocab_file: string = ''",
    "distortion: float = 1",
    "num_reserved_ids: int = 0",
    "num_shards: int >= 1 = 1",
    "shard: int >= 0 = 0",
    "unigrams: list(float) = []",
]

UniformCandidateSampler = _define_sampler("UniformCandidateSampler", "Draws classes uniformly.", _RANGE)
LogUniformCandidateSampler = _define_sampler(
    "LogUniformCandidateSampler", "Draws classes with an approximately Zipfian distribution.", _RANGE
)
LearnedUnigramCandidateSampler = _define_sampler(
    "LearnedUnigramCandidateSampler", "Draws classes with the distribution of the true classes so far.", _RANGE
)
ThreadUnsafeUnigramCandidateSampler = _define_sampler(
    "ThreadUnsafeUnigramCandidateSampler", "The same as LearnedUnigramCandidateSampler.", _RANGE
)
FixedUnigramCandidateSampler = _define_sampler(
    "FixedUnigramCandidateSampler", "Draws classes with given weights.", _FIXED
)
AllCandidateSampler = _define_sampler("AllCandidateSampler", "Every class once.", [])


def _hits_shape(op):
    true_classes = shapes.with_rank(op.inputs[0].dims, 2)
    shapes.merge_dim(true_classes[1], op.get_attr("num_true"))
    shapes.with_rank(op.inputs[1].dims, 1)
    return [(None,)] * 3


ComputeAccidentalHits = define_op(
    "ComputeAccidentalHits",
    inputs=["true_classes: int64", "sampled_candidates: int64"],
    outputs=["indices: int32", "ids: int64", "weights: float"],
    attrs=["num_true: int", "seed: int = 0", "seed2: int = 0"],
    shape=_hits_shape,
    doc="Finds the sampled classes that are true classes of a row.",
)

undefined_gradient(
    "UniformCandidateSampler",
    "LogUniformCandidateSampler",
    "LearnedUnigramCandidateSampler",
    "ThreadUnsafeUnigramCandidateSampler",
    "FixedUnigramCandidateSampler",
    "AllCandidateSampler",
    "ComputeAccidentalHits",
)

# ---- Python functions.


def _seeds(seed):
    first, second = random.get_seed(seed)
    return {"seed": first, "seed2": second}


def _draw(op, true_classes, num_true, num_sampled, unique, seed, name, **attrs):
    return op(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        name=name,
        **attrs,
        **_seeds(seed),
    )


documented = documented_with(
    {
        "draw": """
          true_classes: An int64 `Tensor` of shape [batch, num_true]: the classes of the examples.
          num_true: An int: how many true classes an example has.
          num_sampled: An int: how many classes to draw for the whole batch.
          unique: Whether the drawn classes are all different; `num_sampled` is then at most `range_max`.
        """,
        "name": """
          seed: An int; with the seed of the graph it determines the samples.
          name: Name of the operation (optional).
        """,
        "samples": """
          A named tuple of `Tensor`s: sampled_candidates, int64 of shape [num_sampled], which may contain true classes;
          true_expected_count, float32 of shape [batch, num_true]: how often each true class is to be expected among
          the samples (with `unique`, approximately the probability that it is among them); sampled_expected_count,
          float32 of shape [num_sampled]: the same for the samples.
        """,
        "out_of_range": """
          ValueError: `true_classes` is not a matrix, or a number is below 1, or there are more than 2147483647 classes.
          tf.errors.InvalidArgumentError: When run: `true_classes` does not have `num_true` columns or has a class out
            of range, or `num_sampled` is too large for `unique`.
        """,
    }
)


@documented
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes from [0, range_max), each with probability 1 / range_max.

    Args:
      {draw}
      range_max: An int: the number of classes.
      {name}

    Returns:
      {samples}

    Raises:
      ValueError: `true_classes` is not a matrix, or a number is below 1.
      tf.errors.InvalidArgumentError: When run: `true_classes` does not have `num_true` columns or has a class out of
        range, or `num_sampled` is too large for `unique`.
    """
    return _draw(UniformCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max)


@documented
def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes from [0, range_max) with an approximately Zipfian distribution.

    P(class) = (log(class + 2) - log(class + 1)) / log(range_max + 1). It suits classes in the order of decreasing
    frequency, such as the words of a vocabulary.

    Args:
      {draw}
      range_max: An int: the number of classes.
      {name}

    Returns:
      {samples}

    Raises:
      ValueError: `true_classes` is not a matrix, or a number is below 1.
      tf.errors.InvalidArgumentError: When run: `true_classes` does not have `num_true` columns or has a class out of
        range, or `num_sampled` is too large for `unique`.
    """
    return _draw(
        LogUniformCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


@documented
def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes from [0, range_max) with the distribution of the true classes of earlier steps.

    The weight of a class is 1 plus the number of times it was a true class. The weights belong to the operation: each
    session starts from 1 again, and checkpoints do not contain them.

    Args:
      {draw}
      range_max: An int: the number of classes.
      {name}

    Returns:
      {samples}

    Raises:
      {out_of_range}
    """
    if range_max > 2147483647:
        raise ValueError(f"Value of range_max:{range_max} is too large to handle")
    return _draw(
        LearnedUnigramCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


@documented
def fixed_unigram_candidate_sampler(
    true_classes,
    num_true,
    num_sampled,
    unique,
    range_max,
    vocab_file="",
    distortion=1.0,
    num_reserved_ids=0,
    num_shards=1,
    shard=0,
    unigrams=(),
    seed=None,
    name=None,
):
    """Draws classes from [0, range_max) with given weights.

    Args:
      {draw}
      range_max: An int: the number of classes.
      vocab_file: Path of a file with one line for each class: comma-separated values, the weight last.
      distortion: A float: the weights are raised to this power. 1 leaves them, 0 makes the distribution uniform.
      num_reserved_ids: An int: how many classes, the first ones, are never drawn and have no weight.
      num_shards: An int: how many shards the classes are divided among.
      shard: An int: only the classes whose number is `shard` modulo `num_shards` are drawn.
      unigrams: A list of weights. Either this or `vocab_file` must be given.
      {name}

    Returns:
      {samples}

    Raises:
      ValueError: `true_classes` is not a matrix, or a number is below 1.
      tf.errors.NotFoundError: When run: the file does not exist.
      tf.errors.InvalidArgumentError: When run: `vocab_file` and `unigrams` are both given or both missing; a weight is
        negative, not finite or missing, or there are not `range_max` of them, reserved classes included; or as for
        `uniform_candidate_sampler`.
    """
    return _draw(
        FixedUnigramCandidateSampler,
        true_classes,
        num_true,
        num_sampled,
        unique,
        seed,
        name,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=list(unigrams),
    )


@documented
def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """Returns all `num_sampled` classes, each once; all expected counts are 1. Meant for tests.

    Args:
      {draw}
      {name}

    Returns:
      {samples}

    Raises:
      ValueError: `true_classes` is not a matrix, or a number is below 1.
      tf.errors.InvalidArgumentError: When run: `true_classes` does not have `num_true` columns or has a class out of
        range, or `num_sampled` is too large for `unique`.
    """
    return _draw(AllCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name)


@described(
    ComputeAccidentalHits,
    shapes={"true_classes": "shape [batch, num_true]", "sampled_candidates": "shape [num_sampled]"},
)
def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Finds sampled classes that are true classes of an example.

    `indices` are rows of `true_classes`, `ids` positions in `sampled_candidates`. `weights` are the lowest float32:
    added to the logit of a hit, they remove the class from a softmax. Of equal sampled classes only the last is found.
    """
    return ComputeAccidentalHits(true_classes, sampled_candidates, num_true=num_true, name=name, **_seeds(seed))
