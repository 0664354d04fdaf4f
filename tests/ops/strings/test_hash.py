"""Hash values of strings: those of TensorFlow 2.21 for texts of many lengths, and errors."""

import numpy as np
import pytest

import tfcore as tf

LARGEST = 2**63 - 1  # number of buckets: all bits of a hash value count

# Length of a text -> its values by StringToHashBucket, -Fast, and -Strong with the key (1, -2).
KNOWN = {
    0: (105434511174508092, 1936946117179621456, 1583518726171341606),
    1: (2499542889307245882, 5161771770385946686, 5350532851140717699),
    3: (5276484929406308779, 4662423180930907492, 2282110341036447820),
    4: (1071300106493060474, 4685977051251400297, 7037592220888199574),
    7: (8163861758943620691, 8010051901585887497, 6766420045987292500),
    8: (1792776028251320487, 3403648104430010921, 393172680850448444),
    9: (3746856902379459177, 6666536159313721943, 699134375138307787),
    15: (848429028861713033, 3575310498258597009, 5507195462853618964),
    16: (995847565073455182, 663651183927826905, 7604832306300627200),
    17: (3561695271940059065, 7736696382783243920, 321502775070960410),
    24: (91038066777679532, 6496452274876097831, 9051648023772773370),
    31: (6545712000371128537, 2801713092741292787, 5778270936091640067),
    32: (7394170692529615941, 3992320350721670009, 7435946667373331504),
    33: (7714537626608227854, 3233698670931835598, 2079623856604167705),
    48: (5770395986390692667, 6533401170048065422, 1132146188783896425),
    63: (2309570280106208627, 5814893019130172778, 535207676398789867),
    64: (2817797733315875061, 1859692024977922285, 6812096974871219303),
    65: (799619217219469469, 444801980686921533, 4211531120391125076),
    100: (2675052434309716261, 1729132356228634544, 7147622297063515095),
    127: (2144609678898819262, 5926385096735868780, 6938937672838950033),
    128: (6809310508804416984, 6615484076916436426, 7492889392839610135),
    129: (4859619016017980054, 5067021833811671751, 2994798635538984775),
    200: (7751926599420227859, 202520530910294351, 8403145250870073932),
    1000: (6539095231986870041, 4887622547961619009, 7716878549947559351),
}


def text(size):
    return bytes((7 * i + size) % 256 for i in range(size))


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def buckets(x, number=LARGEST):
    return [
        tf.string_to_hash_bucket(x, number),
        tf.string_to_hash_bucket_fast(x, number),
        tf.string_to_hash_bucket_strong(x, number, [1, -2]),
    ]


def test_known_values():
    found = run(buckets(np.array([text(size) for size in KNOWN], object)))
    assert list(zip(*(values.tolist() for values in found))) == list(KNOWN.values())


def test_numbers_of_buckets():
    x = np.array([text(size % 90) for size in range(3000)], object).reshape(30, 100)
    for whole, some, one in zip(run(buckets(x)), run(buckets(x, 2**40 + 7)), run(buckets(x, 1))):
        assert some.shape == (30, 100) and ((some >= 0) & (some < 2**40 + 7)).all() and not one.any()
        assert len(np.unique(whole)) == 90


def test_siphash_of_its_authors():
    """The example of the paper's appendix A: key 00..0f, text 00..0e."""
    key = np.frombuffer(bytes(range(16)), "<i8").tolist()
    value = 0xA129CA6149BE45E5
    assert run(tf.string_to_hash_bucket_strong(bytes(range(15)), LARGEST, key)) == value % LARGEST


def test_fingerprints():
    fast = run(tf.string_to_hash_bucket_fast(["a", "b"], LARGEST))
    found = run(tf.fingerprint(["a", "b"]))
    assert found.tolist() == [[227, 117, 223, 182, 101, 66, 69, 179], [22, 241, 200, 94, 33, 96, 178, 163]]
    assert (found.view("<u8")[:, 0] % LARGEST == fast).all()


def test_fingerprints_of_rows():
    assert run(tf.fingerprint([["a", "b"], ["a", "c"]])).tolist() == [
        [122, 64, 59, 169, 136, 60, 55, 83],
        [25, 32, 123, 199, 108, 4, 134, 202],
    ]
    ones = np.ones((2, 3), np.float32)
    assert run(tf.fingerprint(ones)).tolist() == [[4, 11, 40, 165, 103, 119, 187, 53]] * 2
    assert (run(tf.fingerprint(ones)) == run(tf.fingerprint([row.tobytes() for row in ones]))).all()
    assert run(tf.fingerprint(np.zeros((0, 2), np.int64))).shape == (0, 8)
    assert (run(tf.fingerprint(np.zeros((2, 0), np.int64))) == run(tf.fingerprint(["", ""]))).all()
    assert (run(tf.fingerprint(np.zeros((2, 0), "S1"))) == run(tf.fingerprint(["", ""]))).all()
    assert tf.fingerprint(tf.placeholder(tf.float32, [5, None])).shape.as_list() == [5, 8]


@pytest.mark.parametrize("key", [[], [1], [1, 2, 3]])
def test_keys_that_are_refused(key):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Key must have 2 elements"):
        run(tf.string_to_hash_bucket_strong("a", 4, key))


def test_what_is_refused_when_the_graph_is_built():
    for number in 0, -1:
        with pytest.raises(ValueError, match="num_buckets"):
            tf.string_to_hash_bucket_fast("a", number)
    with pytest.raises(ValueError, match="both"):
        tf.string_to_hash_bucket("a", 4, input="a")
    with pytest.raises(TypeError):
        tf.string_to_hash_bucket("a")
    with pytest.raises(ValueError, match="Unsupported method: md5"):
        tf.fingerprint(["a"], "md5")
    with pytest.raises(ValueError):
        tf.fingerprint("a")


def test_what_is_refused_in_a_run():
    x, method = tf.placeholder(tf.float32), tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unsupported fingerprint method: md5"):
        run(tf.fingerprint(["a"], method), {method: "md5"})
    with pytest.raises(tf.errors.InvalidArgumentError, match="`method` should be a scalar string"):
        run(tf.fingerprint(["a"], method), {method: ["farmhash64"]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="`data` should have at least one dimension"):
        run(tf.fingerprint(x), {x: 1.0})


# What TensorFlow 2.21 returns, for each length that is hashed in another way.
@pytest.mark.parametrize(
    "text, words",
    [
        (b"abc", [4143508125394299908, -6879828354153669051]),
        (b"", [4463240938071824939, 4374473821787594281]),
        (b"aaaaa", [-1147870427170627912, -4563862136822254255]),
        (b"x" * 17, [6750864138911643067, 4963244384729455311]),
        (b"y" * 40, [-380523649718936798, -1157855863885851855]),
        (b"z" * 65, [6443815194394211826, -484503219474161306]),
        (b"w" * 130, [-7727629957808826067, -8027866439549326231]),
        (b"q" * 200, [-1548867242209738659, -3499864471360783812]),
    ],
)
def test_fingerprints_of_examples(text, words):
    assert run(tf.train.sdca_fprint([text, b"other"]))[0].tolist() == words


def test_fingerprints_of_vectors_only():
    assert run(tf.train.sdca_fprint(tf.zeros([0], tf.string))).shape == (0, 2)
    assert tf.train.sdca_fprint(tf.placeholder(tf.string)).shape.as_list() == [None, 2]
    with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 2"):
        tf.train.sdca_fprint([["a"]])
    x = tf.placeholder(tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input must be a vector, got shape"):
        run(tf.train.sdca_fprint(x), {x: "a"})
