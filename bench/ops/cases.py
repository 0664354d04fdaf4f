"""What `python -m bench.ops` measures: one operation on inputs of a realistic size, as each library says it."""

import numpy as np


class Case:
    """One operation.

    Args:
      name: as shown.
      inputs: function(generator) -> list of arrays, the same for each library.
      graph: function(tf, *tensors) -> Tensor or list of them, for tfcore and TensorFlow.
      torch: function(torch, *tensors) -> the same, or None where PyTorch has nothing alike.
      tolerance: of results, relative to the largest element.
    """

    def __init__(self, name, inputs, graph, torch=None, tolerance=1e-4):
        self.name = name
        self.inputs = inputs
        self.graph = graph
        self.torch = torch
        self.tolerance = tolerance


def floats(*shapes):
    return lambda r: [r.standard_normal(shape, np.float32) for shape in shapes]


def positive(*shapes):
    return lambda r: [r.random(shape, np.float32) + np.float32(0.1) for shape in shapes]


def spd(*shape):
    """Symmetric, with eigenvalues far from zero."""

    def make(r):
        a = r.standard_normal(shape, np.float32)
        return [a @ a.swapaxes(-1, -2) + shape[-1] * np.eye(shape[-1], dtype=np.float32)]

    return make


def rows_and_ids(n, width, segments, sorted_ids):
    def make(r):
        ids = r.integers(0, segments, n).astype(np.int32)
        return [r.standard_normal((n, width), np.float32), np.sort(ids) if sorted_ids else ids]

    return make


def gradients(graph):
    """The case's gradients with respect to its inputs, for a fixed gradient of its output: function(tf, *tensors)."""

    def build(tf, *x):
        y = graph(tf, *x)
        return tf.gradients(y, list(x), grad_ys=tf.ones_like(y) * 0.5)

    return build


def torch_gradients(graph):
    def run(torch, *x):
        x = [v.detach().requires_grad_() for v in x]
        y = graph(torch, *x)
        return torch.autograd.grad(y, x, torch.full_like(y, 0.5))

    return run


def nchw(x):
    return x.permute(0, 3, 1, 2)


def nhwc(x):
    return x.permute(0, 2, 3, 1)


def conv_filter(w):
    return w.permute(3, 2, 0, 1)


BIG = (1024, 1024)
UNARY = {  # TensorFlow's name: PyTorch's
    **{name: name for name in "abs neg exp log sqrt rsqrt square tanh sigmoid sin cos floor round sign".split()},
    "erf": "erf",
    "lgamma": "lgamma",
}


def elementwise():
    for name, theirs in UNARY.items():
        make = positive if name in ("log", "sqrt", "rsqrt", "lgamma") else floats
        graph = lambda tf, x, name=name: getattr(tf, name)(x) if name != "neg" else tf.negative(x)  # noqa: E731
        yield Case(f"{name} of 10^6", make(BIG), graph, lambda torch, x, theirs=theirs: getattr(torch, theirs)(x))
    yield Case("relu of 10^6", floats(BIG), lambda tf, x: tf.nn.relu(x), lambda torch, x: torch.relu(x))
    yield Case("elu of 10^6", floats(BIG), lambda tf, x: tf.nn.elu(x), lambda t, x: t.nn.functional.elu(x))
    yield Case(
        "softplus of 10^6", floats(BIG), lambda tf, x: tf.nn.softplus(x), lambda t, x: t.nn.functional.softplus(x)
    )
    yield Case("add of 10^6", floats(BIG, BIG), lambda tf, a, b: a + b, lambda torch, a, b: a + b)
    yield Case("multiply rows by a vector", floats(BIG, BIG[1:]), lambda tf, a, b: a * b, lambda torch, a, b: a * b)
    yield Case("divide columns", positive(BIG, (1024, 1)), lambda tf, a, b: a / b, lambda torch, a, b: a / b)
    yield Case("pow of 10^6", positive(BIG, BIG), lambda tf, a, b: tf.pow(a, b), lambda torch, a, b: torch.pow(a, b))
    yield Case("maximum of 10^6", floats(BIG, BIG), lambda tf, a, b: tf.maximum(a, b), lambda t, a, b: t.maximum(a, b))
    yield Case(
        "select of 10^6",
        floats(BIG, BIG),
        lambda tf, a, b: tf.where(a > 0, a, b),
        lambda torch, a, b: torch.where(a > 0, a, b),
    )
    yield Case(
        "float to int32, 10^6",
        floats(BIG),
        lambda tf, x: tf.cast(x, tf.int32),
        lambda torch, x: x.to(torch.int32),
    )


def reductions():
    wide = (64, 50_000)
    yield Case("sum of rows", floats(BIG), lambda tf, x: tf.reduce_sum(x, 1), lambda torch, x: x.sum(1))
    yield Case("sum of columns", floats(BIG), lambda tf, x: tf.reduce_sum(x, 0), lambda torch, x: x.sum(0))
    yield Case("sum of all", floats(BIG), lambda tf, x: tf.reduce_sum(x), lambda torch, x: x.sum(), 1e-3)
    yield Case("max of rows", floats(BIG), lambda tf, x: tf.reduce_max(x, 1), lambda torch, x: x.amax(1))
    yield Case("prod of columns", positive(BIG), lambda tf, x: tf.reduce_prod(x, 0), lambda torch, x: x.prod(0), 1e-2)
    yield Case("mean of the middle", floats((32, 256, 128)), lambda tf, x: tf.reduce_mean(x, 1), lambda t, x: x.mean(1))
    yield Case("logsumexp", floats(wide), lambda tf, x: tf.reduce_logsumexp(x, 1), lambda t, x: t.logsumexp(x, 1))
    yield Case("argmax of 50,000", floats(wide), lambda tf, x: tf.argmax(x, 1), lambda torch, x: x.argmax(1))
    yield Case("cumsum", floats((1024, 4096)), lambda tf, x: tf.cumsum(x, 1), lambda torch, x: x.cumsum(1), 1e-3)
    yield Case("cumprod", positive((1024, 256)), lambda tf, x: tf.cumprod(x, 1), lambda torch, x: x.cumprod(1), 1e-2)
    yield Case("sort of 10,000", floats((1000, 10_000)), lambda tf, x: tf.sort(x), lambda torch, x: torch.sort(x)[0])
    yield Case("argsort of 200", floats((5000, 200)), lambda tf, x: tf.argsort(x), lambda torch, x: torch.argsort(x))
    yield Case(
        "top 100 of 50,000", floats((256, 50_000)), lambda tf, x: tf.nn.top_k(x, 100)[0], lambda t, x: t.topk(x, 100)[0]
    )
    yield Case("top 5 of 1000", floats((256, 1000)), lambda tf, x: tf.nn.top_k(x, 5)[0], lambda t, x: t.topk(x, 5)[0])
    yield Case(
        "segment_sum",
        rows_and_ids(10**6, 16, 10**4, True),
        lambda tf, x, ids: tf.segment_sum(x, ids),
        lambda t, x, ids: t.zeros(10**4, 16).index_add_(0, ids, x),
        1e-3,
    )
    yield Case(
        "unsorted_segment_sum",
        rows_and_ids(10**6, 16, 10**4, False),
        lambda tf, x, ids: tf.unsorted_segment_sum(x, ids, 10**4),
        lambda t, x, ids: t.zeros(10**4, 16).index_add_(0, ids, x),
        1e-3,
    )
    yield Case(
        "unique of 10^6",
        lambda r: [r.integers(0, 10**5, 10**6).astype(np.int32)],
        lambda tf, x: tf.size(tf.unique(x)[0]),
        lambda torch, x: torch.tensor(torch.unique(x).numel()),
    )
    yield Case(
        "bincount of 10^6",
        lambda r: [r.integers(0, 1000, 10**6).astype(np.int32)],
        lambda tf, x: tf.bincount(x, minlength=1000, maxlength=1000),
        lambda torch, x: torch.bincount(x, minlength=1000),
    )


def arrays():
    images = (32, 56, 56, 64)
    yield Case(
        "transpose of 1024 x 1024", floats(BIG), lambda tf, x: tf.transpose(x), lambda torch, x: x.t().contiguous()
    )
    yield Case(
        "NHWC to NCHW", floats(images), lambda tf, x: tf.transpose(x, [0, 3, 1, 2]), lambda t, x: nchw(x).contiguous()
    )
    yield Case(
        "concat of columns", floats(BIG, BIG), lambda tf, a, b: tf.concat([a, b], 1), lambda t, a, b: t.cat([a, b], 1)
    )
    yield Case(
        "stack", floats(BIG, BIG), lambda tf, a, b: tf.stack([a, b], -1), lambda torch, a, b: torch.stack([a, b], -1)
    )
    yield Case("tile", floats((256, 256)), lambda tf, x: tf.tile(x, [4, 4]), lambda torch, x: x.repeat(4, 4))
    yield Case("reverse", floats(BIG), lambda tf, x: tf.reverse(x, [1]), lambda torch, x: torch.flip(x, [1]))
    yield Case("roll", floats(BIG), lambda tf, x: tf.roll(x, 100, 1), lambda torch, x: torch.roll(x, 100, 1))
    yield Case(
        "pad of images",
        floats((32, 56, 56, 16)),
        lambda tf, x: tf.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]]),
        lambda t, x: t.nn.functional.pad(x, (0, 0, 1, 1, 1, 1)),
    )
    yield Case(
        "gather of 10^5 rows",
        lambda r: [r.standard_normal((10**5, 64), np.float32), r.integers(0, 10**5, 10**5).astype(np.int32)],
        lambda tf, x, i: tf.gather(x, i),
        lambda torch, x, i: x[i],
    )
    yield Case(
        "scatter_nd of 10^5 rows",
        lambda r: [r.integers(0, 10**5, (10**5, 1)).astype(np.int32), r.standard_normal((10**5, 64), np.float32)],
        lambda tf, i, x: tf.scatter_nd(i, x, [10**5, 64]),
        lambda t, i, x: t.zeros(10**5, 64).index_add_(0, i[:, 0], x),
    )
    yield Case(
        "one_hot",
        lambda r: [r.integers(0, 1000, 4096).astype(np.int32)],
        lambda tf, i: tf.one_hot(i, 1000),
        lambda t, i: t.nn.functional.one_hot(i.long(), 1000).float(),
    )
    yield Case("places of true", floats(BIG), lambda tf, x: tf.where(x > 1), lambda torch, x: torch.nonzero(x > 1))
    yield Case(
        "boolean_mask",
        floats((10**5, 32), (10**5,)),
        lambda tf, x, m: tf.boolean_mask(x, m > 0),
        lambda torch, x, m: x[m > 0],
    )


def products():
    heads = (8, 8, 128, 64)
    yield Case("matmul of 512", floats((512, 512), (512, 512)), lambda tf, a, b: a @ b, lambda torch, a, b: a @ b)
    yield Case("matmul of a row", floats((1, 1024), (1024, 1024)), lambda tf, a, b: a @ b, lambda torch, a, b: a @ b)
    yield Case(
        "matmul of a batch", floats((256, 32, 32), (256, 32, 32)), lambda tf, a, b: a @ b, lambda torch, a, b: a @ b
    )
    yield Case(
        "einsum bhqd,bhkd",
        floats(heads, heads),
        lambda tf, a, b: tf.einsum("bhqd,bhkd->bhqk", a, b),
        lambda torch, a, b: torch.einsum("bhqd,bhkd->bhqk", a, b),
    )
    yield Case(
        "sparse x dense",
        lambda r: [
            np.sort(r.choice(10**8, 10**5, replace=False)).astype(np.int64),
            r.standard_normal(10**5, np.float32),
            r.standard_normal((10**4, 64), np.float32),
        ],
        lambda tf, at, values, b: tf.sparse_tensor_dense_matmul(
            tf.SparseTensor(tf.stack([at // 10**4, at % 10**4], 1), values, [10**4, 10**4]), b
        ),
        lambda torch, at, values, b: (
            torch.sparse_coo_tensor(
                torch.stack([at // 10**4, at % 10**4]),
                values,
                (10**4, 10**4),
                check_invariants=False,
                is_coalesced=True,
            )
            @ b
        ),
    )
    yield Case("cholesky of 512", spd(512, 512), lambda tf, x: tf.cholesky(x), lambda t, x: t.linalg.cholesky(x))
    yield Case(
        "solve 512 equations",
        lambda r: [r.standard_normal((512, 512), np.float32), r.standard_normal((512, 64), np.float32)],
        lambda tf, a, b: tf.matrix_solve(a, b),
        lambda torch, a, b: torch.linalg.solve(a, b),
        1e-2,
    )
    yield Case("inverse of 512", spd(512, 512), lambda tf, x: tf.matrix_inverse(x), lambda t, x: t.linalg.inv(x))
    yield Case(
        "inverse of 64 of 32 x 32", spd(64, 32, 32), lambda tf, x: tf.matrix_inverse(x), lambda t, x: t.linalg.inv(x)
    )
    yield Case(
        "determinant of 256",
        spd(64, 16, 16),
        lambda tf, x: tf.matrix_determinant(x),
        lambda t, x: t.linalg.det(x),
        1e-3,
    )
    yield Case(
        "singular values of 256",
        floats((256, 256)),
        lambda tf, x: tf.svd(x, compute_uv=False),
        lambda torch, x: torch.linalg.svdvals(x),
        1e-3,
    )
    yield Case(
        "eigenvalues of 256", spd(256, 256), lambda tf, x: tf.self_adjoint_eigvals(x), lambda t, x: t.linalg.eigvalsh(x)
    )
    yield Case(
        "FFT of 1024", floats((256, 1024)), lambda tf, x: tf.abs(tf.spectral.rfft(x)), lambda t, x: t.fft.rfft(x).abs()
    )


_IMAGES = (16, 56, 56, 64)


def convolutions():
    conv = lambda tf, x, w: tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")  # noqa: E731
    conv_torch = lambda t, x, w: nhwc(t.nn.functional.conv2d(nchw(x), conv_filter(w), padding=1))  # noqa: E731
    yield Case("conv 3x3", floats(_IMAGES, (3, 3, 64, 64)), conv, conv_torch, 1e-3)
    yield Case(
        "conv 3x3, gradients", floats(_IMAGES, (3, 3, 64, 64)), gradients(conv), torch_gradients(conv_torch), 1e-3
    )
    yield Case(
        "conv 1x1",
        floats((16, 28, 28, 128), (1, 1, 128, 128)),
        lambda tf, x, w: tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME"),
        lambda t, x, w: nhwc(t.nn.functional.conv2d(nchw(x), conv_filter(w))),
        1e-3,
    )
    depthwise = lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME")  # noqa: E731

    def depthwise_torch(t, x, w):
        return nhwc(t.nn.functional.conv2d(nchw(x), w.permute(2, 3, 0, 1), padding=1, groups=x.shape[3]))

    shapes = ((8, 56, 56, 128), (3, 3, 128, 1))
    yield Case("depthwise 3x3", floats(*shapes), depthwise, depthwise_torch, 1e-3)
    yield Case(
        "depthwise 3x3, gradients", floats(*shapes), gradients(depthwise), torch_gradients(depthwise_torch), 1e-3
    )
    yield Case(
        "max_pool 2x2",
        floats(_IMAGES),
        lambda tf, x: tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"),
        lambda t, x: nhwc(t.nn.functional.max_pool2d(nchw(x), 2)),
    )
    yield Case(
        "avg_pool 3x3",
        floats(_IMAGES),
        lambda tf, x: tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 1, 1, 1], "SAME"),
        lambda t, x: nhwc(t.nn.functional.avg_pool2d(nchw(x), 3, 1, 1, count_include_pad=False)),
    )


def layers():
    logits = (256, 1000)
    yield Case("softmax", floats(logits), lambda tf, x: tf.nn.softmax(x), lambda torch, x: torch.softmax(x, 1))
    yield Case(
        "log_softmax", floats(logits), lambda tf, x: tf.nn.log_softmax(x), lambda torch, x: torch.log_softmax(x, 1)
    )
    yield Case(
        "sparse cross entropy",
        lambda r: [r.standard_normal(logits, np.float32), r.integers(0, 1000, 256).astype(np.int64)],
        lambda tf, x, i: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=i, logits=x),
        lambda t, x, i: t.nn.functional.cross_entropy(x, i, reduction="none"),
    )
    yield Case("bias_add", floats(_IMAGES, (64,)), lambda tf, x, b: tf.nn.bias_add(x, b), lambda torch, x, b: x + b)
    yield Case("l2_loss", floats(BIG), lambda tf, x: tf.nn.l2_loss(x), lambda torch, x: (x * x).sum() / 2, 1e-3)
    yield Case(
        "batch norm",
        floats(_IMAGES, (64,), (64,)),
        lambda tf, x, scale, shift: tf.nn.fused_batch_norm(x, scale, shift)[0],
        lambda t, x, scale, shift: nhwc(t.nn.functional.batch_norm(nchw(x), None, None, scale, shift, True, 0.1, 1e-3)),
        1e-3,
    )
    yield Case(
        "lrn",
        floats((16, 28, 28, 64)),
        lambda tf, x: tf.nn.lrn(x, 2, 1.0, 1e-4 / 5, 0.75),
        lambda t, x: nhwc(t.nn.functional.local_response_norm(nchw(x), 5, 1e-4, 0.75, 1.0)),
        1e-3,
    )
    yield Case(
        "resize_bilinear",
        floats((16, 56, 56, 64)),
        lambda tf, x: tf.image.resize_bilinear(x, [112, 112], half_pixel_centers=True),
        lambda t, x: nhwc(t.nn.functional.interpolate(nchw(x), (112, 112), mode="bilinear")),
    )
    yield Case(
        "embedding, sums of 20",
        lambda r: [
            r.standard_normal((10**5, 64), np.float32),
            r.integers(0, 10**5, 20 * 1024).astype(np.int64),
        ],
        lambda tf, table, i: tf.reduce_sum(tf.nn.embedding_lookup(table, tf.reshape(i, [-1, 20])), 1),
        lambda t, table, i: t.nn.functional.embedding_bag(i.reshape(-1, 20), table, mode="sum"),
    )


def ctc():
    """CTC of a batch of 32 lines: 200 frames, 28 characters and a blank; 30 characters in each label."""
    frames, lines, classes, characters = 200, 32, 29, 30
    at = np.argwhere(np.ones((lines, characters), bool))

    def make(r):
        labels = r.integers(0, classes - 1, lines * characters).astype(np.int32)
        return [5 * r.standard_normal((frames, lines, classes), np.float32), labels]

    def loss(tf, x, labels):
        sparse = tf.SparseTensor(at, labels, [lines, characters])
        return tf.nn.ctc_loss(sparse, x, tf.constant([frames] * lines))

    def torch_loss(torch, x, labels):
        x = x.log_softmax(2)
        return torch.nn.functional.ctc_loss(
            x, labels.reshape(lines, -1), [frames] * lines, [characters] * lines, blank=classes - 1, reduction="none"
        )

    def decoded(decoder, used=lines):
        def graph(tf, x, labels):
            (found,), logarithm = decoder(tf)(x[:, :used], tf.constant([frames] * used))
            return [found.values, logarithm]

        return graph

    yield Case("CTC loss", make, loss, torch_loss)
    yield Case("CTC loss and gradient", make, lambda tf, x, i: tf.gradients(loss(tf, x, i), x), None, 1e-2)
    yield Case("CTC greedy decoder", make, decoded(lambda tf: tf.nn.ctc_greedy_decoder))
    yield Case("CTC beam search decoder, 2 lines", make, decoded(lambda tf: tf.nn.ctc_beam_search_decoder, 2))


GROUPS = (elementwise, reductions, arrays, products, convolutions, layers, ctc)
CASES = [case for group in GROUPS for case in group()]
