"""Candidate sampling: a few classes that stand for all of them in a loss, with how often each was to be expected.

The samples are those of TensorFlow's CPU kernels for the same graph and op seeds.
"""

from tfcore.framework import shapes
from tfcore.framework.op_def import define_op, undefined_gradient
from tfcore.framework.op_wrappers import described
from tfcore.ops import random

_SAMPLERS = [
    "all_candidate_sampler",
    "fixed_unigram_candidate_sampler",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "uniform_candidate_sampler",
]
__all__ = []
__nn__ = [*_SAMPLERS, "compute_accidental_hits"]
__random__ = _SAMPLERS

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

UniformCandidateSampler = _define_sampler("UniformCandidateSampler", "Classes, all equally probable.", _RANGE)
LogUniformCandidateSampler = _define_sampler(
    "LogUniformCandidateSampler", "Classes of an approximately Zipfian distribution.", _RANGE
)
LearnedUnigramCandidateSampler = _define_sampler(
    "LearnedUnigramCandidateSampler", "Classes as probable as they were among the true ones so far.", _RANGE
)
ThreadUnsafeUnigramCandidateSampler = _define_sampler(
    "ThreadUnsafeUnigramCandidateSampler", "Like LearnedUnigramCandidateSampler (and no less safe).", _RANGE
)
FixedUnigramCandidateSampler = _define_sampler(
    "FixedUnigramCandidateSampler", "Classes of a distribution that is given by weights.", _FIXED
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
    doc="Where the classes of each row of `true_classes` are among `sampled_candidates`.",
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


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes from [0, range_max), each with probability 1 / range_max.

    Args:
      true_classes: int64 [batch, num_true], the classes that the examples have.
      num_sampled: how many classes to draw for the whole batch.
      unique: whether they shall be different ones: those that are there already are drawn again. `num_sampled` is
        then at most `range_max`.
      range_max: the number of classes.
      seed: of this op; with the graph's seed it determines the samples.

    Returns a tuple
      sampled_candidates: int64 [num_sampled]; true classes may be among them.
      true_expected_count: float32 [batch, num_true], how often each true class is to be expected among `num_sampled`
        samples. With `unique` the probability that it is among as many different ones, approximately.
      sampled_expected_count: float32 [num_sampled], the same for the sampled classes.

    Raises (all samplers):
      ValueError: `true_classes` is no matrix; a number below 1.
      InvalidArgumentError (when run): `true_classes` has not `num_true` columns, or classes outside the range;
        `unique` with too large a `num_sampled`.
    """
    return _draw(UniformCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max)


def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes from [0, range_max) with P(class) = (log(class + 2) - log(class + 1)) / log(range_max + 1).

    That is about Zipf's law: for classes in the order of decreasing frequency, as words of a vocabulary.
    Arguments, results and errors are those of `uniform_candidate_sampler`.
    """
    return _draw(
        LogUniformCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes from [0, range_max), each as probable as it was among the true classes of the steps before.

    The weight of a class is 1 and 1 more each time that it was a true class. The weights belong to the op, each session
    begins anew, and checkpoints do not have them. Arguments, results and errors are those of `uniform_candidate_sampler`.

    Raises:
      ValueError: more than 2147483647 classes.
    """
    if range_max > 2147483647:
        raise ValueError(f"Value of range_max:{range_max} is too large to handle")
    return _draw(
        LearnedUnigramCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name, range_max=range_max
    )


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

    Args (others as for `uniform_candidate_sampler`):
      vocab_file: a file with a line for each word, comma-separated values of which the last is the weight; or
      unigrams: the weights. Exactly one of both must be given.
      distortion: weights are raised to this power: 1 leaves them, 0 makes the distribution uniform.
      num_reserved_ids: so many classes come first and are never drawn.
      num_shards, shard: take only the words whose number is `shard` modulo `num_shards`.

    Raises:
      NotFoundError (when run): there is no such file.
      InvalidArgumentError (when run): both or none of `vocab_file` and `unigrams`; weights that are negative, not finite, or
        not `range_max` (reserved ones included); a line without a weight.
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


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """All `num_sampled` classes, each once; all expected counts are 1. For tests of what takes samples."""
    return _draw(AllCandidateSampler, true_classes, num_true, num_sampled, unique, seed, name)


@described(ComputeAccidentalHits)
def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Finds sampled classes that are true ones of a row.

    Args:
      true_classes: int64 [batch, num_true].
      sampled_candidates: int64 [num_sampled], different classes (of equal ones, only the last is found).

    Returns a tuple, with an element for each hit
      indices: int32, the row of `true_classes`.
      ids: int64, the position in `sampled_candidates`.
      weights: float32, the lowest finite number: added to the logit, it removes the class.
    """
    return ComputeAccidentalHits(true_classes, sampled_candidates, num_true=num_true, name=name, **_seeds(seed))
