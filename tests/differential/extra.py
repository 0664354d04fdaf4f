"""Records of ops that the tests of single ops leave to tests by hand: random numbers, hash values, printing, checks.

They say how to draw a call; what TensorFlow computes is the reference.
"""

import numpy as np
from hypothesis import strategies as st

from tfcore.testing import After, OpRecord


def _seeds(draw):
    return {"seed": draw(st.integers(1, 1000)), "seed2": draw(st.integers(1, 1000))}


def _small_shape(draw, kind):
    return np.array(draw(st.lists(st.integers(0, 9), max_size=3)), kind)


def _shape_and_seeds(draw, case):
    return [_small_shape(draw, case.T)], _seeds(draw)


def _stateless(draw, case):
    return [_small_shape(draw, case.T), np.array([draw(st.integers(0, 2**31 - 1)) for _ in range(2)], case.Tseed)], {}


def _range(draw, kind):
    low = draw(st.integers(-100, 100))
    return [np.array(low, kind), np.array(low + draw(st.integers(1, 1000)), kind)]


def _integers(draw, case):
    return [_small_shape(draw, case.T), *_range(draw, case.Tout)], _seeds(draw)


def _stateless_integers(draw, case):
    values, _ = _stateless(draw, case)
    return [*values, *_range(draw, case.dtype)], {}


def _rows(draw, case):
    return [draw(case.array(draw(case.shapes())))], _seeds(draw)


def _logits(draw, case):
    shape = draw(st.integers(0, 4)), draw(st.integers(1, 9))
    return [draw(case.array(shape, domain=(-3, 3))), np.array(draw(st.integers(0, 20)), np.int32)], _seeds(draw)


def _parameters(attr):
    def inputs(draw, case):
        rates = draw(case.array(draw(case.shapes(max_rank=2, max_elements=40)), dtype=case[attr], domain=(1, 40)))
        return [_small_shape(draw, case.S), rates], _seeds(draw)

    return inputs


def _one_array(draw, case):
    return [draw(case.array(draw(case.shapes())))], {}


def _after(make):
    """Builds an op that has no output, and an Identity that waits for it."""

    def build(tensors, attrs):
        import tfcore as tf

        with tf.control_dependencies([make(tf.raw_ops, tensors)]):
            return tf.identity(tensors[-1])

    return build


def _text(draw, case):
    return [np.array(draw(st.sampled_from([b"", b"one line"])), object)], {}


def _condition(draw, case):
    return [np.array(True), draw(case.array(draw(case.shapes()), dtype=np.float32, special=False))], {}


def _bits(draw, case):
    source, target = case.T.itemsize, case.type.itemsize
    shape = draw(case.shapes(max_rank=3))
    if target > source:
        shape = (*shape, target // source)
    kind = np.dtype(f"u{source}") if source <= 8 else np.dtype(np.uint64)
    whole = draw(case.array(shape, dtype=np.uint8 if source > 8 else kind))
    return [whole.astype(kind).astype(case.T) if case.T.kind in "iu" else np.zeros(shape, case.T)], {}


def _formatted(draw, case):
    kinds = draw(st.lists(st.sampled_from([np.int32, np.int64, bool]), max_size=3))
    values = [draw(case.array(draw(case.shapes(max_rank=2)), dtype=np.dtype(kind))) for kind in kinds]
    return [values], {"template": "|".join(["{}"] * len(values)), "placeholder": "{}", "summarize": 3}


def _ref_identity(tensors, attrs):
    import tfcore as tf

    variable = tf.Variable(tensors[0], validate_shape=False)
    return After([variable.initializer], lambda: tf.identity(tf.raw_ops.RefIdentity(input=variable._ref())))


def _placeholder(tensors, attrs):
    import tfcore as tf

    return tf.identity(tensors[0])


def _one_number(draw, case):
    return [np.float32(draw(st.integers(0, 9)))], {}


def _fed(draw, case):
    return [draw(case.array(draw(case.shapes()), dtype=case.dtype))], {}


def _true_classes(more):
    """Inputs of a sampler; `more`: a function from the number of classes to the attributes that give it."""

    def inputs(draw, case):
        classes, unique = draw(st.integers(1, 60)), draw(st.booleans())
        shape = draw(st.integers(0, 5)), draw(st.integers(1, 3))
        true = np.random.default_rng(draw(st.integers(0, 2**31 - 1))).integers(0, classes, shape)
        attrs = {"num_true": shape[1], "unique": unique, **_seeds(draw), **more(classes)}
        attrs.setdefault("num_sampled", draw(st.integers(1, classes if unique else 2 * classes)))
        return [true], attrs

    return inputs


def _buckets(**more):
    def inputs(draw, case):
        texts = draw(case.array(draw(case.shapes()), dtype=np.dtype(object)))
        return [texts], {"num_buckets": draw(st.integers(1, 2**40)), **more}

    return inputs


def _rows_to_sign(draw, case):
    return [draw(case.array(draw(case.shapes(min_rank=1)))), np.array(b"farmhash64", object)], {}


def _permuted(draw, case):
    last = draw(st.integers(1, 2**31 - 2))
    seed = draw(st.lists(st.integers(0, 2**31 - 1), min_size=3, max_size=3))
    rounds = 2 * draw(st.integers(2, 6))
    index = np.array(draw(st.integers(0, last)), case.dtype)
    return [index, np.array(seed, case.Tseed), np.array(last, case.dtype)], {"rounds": rounds}


def _file_name(numbers):
    def inputs(draw, case):
        name = np.array(draw(st.sampled_from([b"", b"folder/model.ckpt"])), object)
        return [name, *(np.array(draw(st.integers(0, 120000)), np.int32) for _ in range(numbers))], {}

    return inputs


def _tagged(draw, case):
    values = draw(case.array(draw(case.shapes(max_rank=1, max_elements=9)), special=False))
    return [np.full(values.shape, b"tag", object), values], {}


def _weighted(classes):
    return {"range_max": classes, "unigrams": [1.0 + i % 7 for i in range(classes)], "distortion": 0.5}


_SAMPLERS = ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram")
_SHAPED = ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
_STATELESS = ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")

RECORDS = [
    *[OpRecord(op, None, _shape_and_seeds) for op in _SHAPED],
    *[OpRecord(op, None, _stateless) for op in _STATELESS],
    OpRecord("RandomUniformInt", None, _integers),
    OpRecord("StatelessRandomUniformInt", None, _stateless_integers),
    OpRecord("RandomShuffle", None, _rows),
    OpRecord("Multinomial", None, _logits),
    OpRecord("RandomGamma", None, _parameters("T")),
    OpRecord("RandomPoisson", None, _parameters("dtype")),
    OpRecord("RandomPoissonV2", None, _parameters("R")),
    *[OpRecord(op + "CandidateSampler", None, _true_classes(lambda n: {"range_max": n})) for op in _SAMPLERS],
    OpRecord("FixedUnigramCandidateSampler", None, _true_classes(_weighted)),
    OpRecord("AllCandidateSampler", None, _true_classes(lambda n: {"num_sampled": n})),
    OpRecord("StringToHashBucket", None, _buckets()),
    OpRecord("StringToHashBucketFast", None, _buckets()),
    OpRecord("StringToHashBucketStrong", None, _buckets(key=[1, -2])),
    OpRecord("Fingerprint", None, _rows_to_sign),
    OpRecord("RandomIndexShuffle", None, _permuted),
    OpRecord("ShardedFilename", None, _file_name(2)),
    OpRecord("ShardedFilespec", None, _file_name(1)),
    OpRecord("ScalarSummary", None, _tagged),
    OpRecord("Bitcast", None, _bits),
    OpRecord("RefIdentity", None, _one_array, build=_ref_identity),
    OpRecord("NoOp", None, _one_number, build=_after(lambda raw, x: raw.NoOp())),
    OpRecord("Assert", None, _condition, build=_after(lambda raw, x: raw.Assert(condition=x[0], data=[x[1]]))),
    OpRecord("PrintV2", None, _text, build=_after(lambda raw, x: raw.PrintV2(input=x[0]))),
    OpRecord("StringFormat", None, _formatted),
    OpRecord("Placeholder", None, _fed, build=_placeholder),
]
