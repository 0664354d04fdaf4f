"""Hash values of strings: buckets and fingerprints."""

import tfcore.ops.array.array as array_ops
from tfcore.framework.definitions import shapes
from tfcore.framework.definitions.op_def import define_op, not_differentiable, undefined_gradient
from tfcore.framework.definitions.op_wrappers import described
from tfcore.framework.values.constant import constant_value

StringToHashBucket = define_op(
    "StringToHashBucket",
    inputs=["string_tensor: string"],
    outputs=["output: int64"],
    attrs=["num_buckets: int >= 1"],
    shape=shapes.unchanged,
    doc="The hash values of strings (MurmurHash64A) modulo num_buckets.",
)
StringToHashBucketFast = define_op(
    "StringToHashBucketFast",
    inputs=["input: string"],
    outputs=["output: int64"],
    attrs=["num_buckets: int >= 1"],
    shape=shapes.unchanged,
    doc="The fingerprints of strings (FarmHash) modulo num_buckets.",
)
StringToHashBucketStrong = define_op(
    "StringToHashBucketStrong",
    inputs=["input: string"],
    outputs=["output: int64"],
    attrs=["num_buckets: int >= 1", "key: list(int)"],
    shape=shapes.unchanged,
    doc="The keyed hash values of strings (SipHash) modulo num_buckets.",
)
not_differentiable("StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong")


def _fingerprint_shape(op):
    data, method = (t.dims for t in op.inputs)
    shapes.with_rank_at_least(data, 1)
    shapes.with_rank(method, 0)
    name = constant_value(op.inputs[1])
    if name is not None and name.item() != b"farmhash64":
        raise ValueError(f"Unsupported method: {name.item().decode(errors='replace')}")
    return [(data and data[0], 8)]


Fingerprint = define_op(
    "Fingerprint",
    inputs=["data: T", "method: string"],
    outputs=["fingerprint: uint8"],
    attrs=["T: type"],
    shape=_fingerprint_shape,
    doc="A fingerprint of eight bytes for each slice of the first dimension.",
)
undefined_gradient("Fingerprint")


def _sdca_shape(op):
    return [(*shapes.with_rank(op.inputs[0].dims, 1), 2)]


SdcaFprint = define_op(
    "SdcaFprint",
    inputs=["input: string"],
    outputs=["output: int64"],
    shape=_sdca_shape,
    doc="A fingerprint of two words for each string of a vector (FarmHash).",
)
not_differentiable("SdcaFprint")


@described(SdcaFprint)
def sdca_fprint(input, name=None):
    """Fingerprints of strings: FarmHash's Fingerprint128 in two words, of which the first is neither 0 nor 1."""
    return SdcaFprint(input, name=name)


def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
    """Assigns strings to buckets by a hash value (MurmurHash64A).

    Args:
      string_tensor: A `Tensor` of type string.
      num_buckets: The number of buckets, an int of at least 1.
      name: Name of the operation (optional).
      input: Newer name of `string_tensor`.

    Returns:
      A `Tensor` of type int64 and the shape of the strings, with values in [0, num_buckets).

    Raises:
      ValueError: `num_buckets` is not positive, or the strings are given under both names.
      TypeError: The strings are not of type string, or `num_buckets` is not an int.

    Example:

    >>> print(sess.run(tf.string_to_hash_bucket(["hello world", "a"], 10)))
    [5 8]
    """
    strings = array_ops.alias(input, string_tensor, "input", "string_tensor")
    return StringToHashBucket(strings, num_buckets=num_buckets, name=name)


@described(
    StringToHashBucketFast,
    example="""
>>> print(sess.run(tf.strings.to_hash_bucket_fast(["hello world", "a"], 10)))
[1 9]
""",
)
def string_to_hash_bucket_fast(input, num_buckets, name=None):
    """Assigns strings to buckets by their fingerprint (FarmHash's Fingerprint64)."""
    return StringToHashBucketFast(input, num_buckets=num_buckets, name=name)


@described(
    StringToHashBucketStrong,
    example="""
>>> print(sess.run(tf.strings.to_hash_bucket_strong(["hello world", "a"], 10, [1, 2])))
[6 6]
""",
)
def string_to_hash_bucket_strong(input, num_buckets, key, name=None):
    """Assigns strings to buckets by a keyed hash value (SipHash-2-4).

    Without the key nobody can choose strings that all fall into the same bucket. The key is two integers.

    Raises:
      tf.errors.InvalidArgumentError: At run time, `key` does not have two elements.
    """
    return StringToHashBucketStrong(input, num_buckets=num_buckets, key=key, name=name)


def fingerprint(data, method="farmhash64", name=None):
    """A fingerprint of each slice of the first dimension: FarmHash's Fingerprint64 of its bytes.

    The fingerprint of a row of several strings is that of the bytes of their fingerprints.

    Args:
      data: A `Tensor` of any type, of rank 1 or more.
      method: "farmhash64", a string or a scalar `Tensor`.
      name: Name of the operation (optional).

    Returns:
      A `Tensor` of type uint8 and shape [n, 8] for `data` of shape [n, ...], each row in little-endian order.

    Raises:
      ValueError: `data` is a scalar, or the method is not known.

    Example:

    >>> print(sess.run(tf.fingerprint(["a"])))
    [[227 117 223 182 101  66  69 179]]
    """
    return Fingerprint(data, method, name=name)
