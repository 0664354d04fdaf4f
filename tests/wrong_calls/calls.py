"""A valid call of each public function, by its name below `tf`.

Arguments are written as in Python, with `f(2, 3)`, `d`, `i`, `l`, `b`, `c`, `s` for arrays of that shape (float32,
float64, int32, int64, bool, complex64, strings), `spd(n)` for a positive definite matrix, and `v(2, 3)` for a float32
variable. `methods.py` has the calls of methods and those that need variables.
"""

from tests.wrong_calls.methods import CALLS as METHODS

_UNARY_FLOAT = (
    "abs acos acosh asin asinh atan atanh cos cosh digamma erf erfc exp expm1 lgamma log log1p math.ndtri "
    "math.softplus math.softsign negative reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square tan tanh "
    "ceil floor is_finite is_inf is_nan math.bessel_i0e math.bessel_i1e math.erfinv math.log_sigmoid "
    "zeros_like ones_like identity stop_gradient"
).split()
_UNARY_NN = "relu relu6 elu selu softplus softsign tanh sigmoid l2_loss".split()
_BINARY = (
    "add subtract multiply divide maximum minimum pow squared_difference truediv div realdiv floordiv floormod mod "
    "equal not_equal greater greater_equal less less_equal atan2 truncatediv truncatemod"
).split()
_BINARY_MATH = "divide_no_nan multiply_no_nan xdivy xlogy igamma igammac zeta polygamma nextafter".split()
_REDUCTIONS = "sum mean max min prod logsumexp std variance euclidean_norm".split()
_SEGMENTS = "sum mean max min prod".split()

_ARGUMENT_OF_UNARY = {
    "zeros_like": "tensor", "ones_like": "tensor", "identity": "input", "stop_gradient": "input", "sign": "x",
    "math.softplus": "features", "math.softsign": "features",
}  # fmt: skip

CALLS = {name: f"{_ARGUMENT_OF_UNARY.get(name, 'x')}=f(2, 3) * 0.5" for name in _UNARY_FLOAT}
CALLS |= {"acosh": "x=f(2, 3) + 1"}
CALLS |= {
    f"nn.{n}": f"{'t' if n == 'l2_loss' else 'x' if n in ('tanh', 'sigmoid') else 'features'}=f(2, 3)"
    for n in _UNARY_NN
}
CALLS |= {name: "x=f(2, 3), y=f(3)" for name in _BINARY}
CALLS |= {"atan2": "y=f(2, 3), x=f(3)"}
CALLS |= {f"math.{name}": "x=f(2, 3), y=f(3)" for name in _BINARY_MATH}
CALLS |= {
    "math.igamma": "a=f(2, 3), x=f(3)",
    "math.igammac": "a=f(2, 3), x=f(3)",
    "math.zeta": "x=f(2, 3) + 1, q=f(3)",
    "math.polygamma": "a=np.float32([1, 2, 3]), x=f(3)",
    "math.nextafter": "x1=f(2, 3), x2=f(3)",
}
CALLS |= {
    f"{'math.' if n in ('std', 'variance', 'euclidean_norm') else ''}reduce_{n.removeprefix('reduce_')}":
    "input_tensor=f(2, 3), axis=[1], keepdims=False" for n in _REDUCTIONS
}  # fmt: skip
CALLS |= {f"segment_{n}": "data=f(4, 2), segment_ids=np.int32([0, 0, 1, 2])" for n in _SEGMENTS}
CALLS |= {
    f"unsorted_segment_{n}": "data=f(4, 2), segment_ids=np.int32([0, 2, 1, 2]), num_segments=3"
    for n in (*_SEGMENTS, "sqrt_n")
}
CALLS |= {
    f"sparse_segment_{n}": "data=f(4, 2), indices=np.int32([0, 1, 3]), segment_ids=np.int32([0, 0, 1])"
    for n in ("sum", "mean", "sqrt_n")
}
CALLS |= {f"logical_{n}": "x=b(2, 3), y=b(3)" for n in ("and", "or", "xor")}
CALLS |= {f"bitwise.bitwise_{n}": "x=i(2, 3), y=i(3)" for n in ("and", "or", "xor")}

# ---- Mathematics
CALLS |= {
    "accumulate_n": "inputs=[f(2, 3), f(2, 3)], shape=[2, 3]",
    "add_n": "inputs=[f(2, 3), f(2, 3)]",
    "angle": "input=c(3)",
    "argmax": "input=f(2, 3), axis=1",
    "argmin": "input=f(2, 3), axis=1",
    "bincount": "arr=i(4), minlength=2",
    "bitwise.invert": "x=i(3)",
    "bitwise.left_shift": "x=i(2, 3), y=i(3)",
    "bitwise.right_shift": "x=i(2, 3), y=i(3)",
    "cast": "x=f(2, 3), dtype=tf.int32",
    "bitcast": "input=f(2, 3), type=tf.int32",
    "complex": "real=f(2, 3), imag=f(2, 3)",
    "conj": "x=c(2, 3)",
    "cross": "a=f(2, 3), b=f(2, 3)",
    "cumprod": "x=f(2, 3), axis=1, exclusive=True, reverse=False",
    "cumsum": "x=f(2, 3), axis=1, exclusive=True, reverse=False",
    "histogram_fixed_width": "values=f(4), value_range=np.float32([0, 1]), nbins=5",
    "histogram_fixed_width_bins": "values=f(4), value_range=np.float32([0, 1]), nbins=5",
    "imag": "input=c(3)",
    "real": "input=c(3)",
    "invert_permutation": "x=np.int32([1, 0, 2])",
    "lin_space": "start=0.0, stop=1.0, num=5",
    "linspace": "start=0.0, stop=1.0, num=5",
    "logical_not": "x=b(3)",
    "matmul": "a=f(2, 3), b=f(3, 4)",
    "math.cumulative_logsumexp": "x=f(2, 3), axis=1",
    "math.in_top_k": "targets=np.int32([0, 1]), predictions=f(2, 3), k=1",
    "math.l2_normalize": "x=f(2, 3), axis=1",
    "math.top_k": "input=f(2, 3), k=2, sorted=True",
    "math.reciprocal_no_nan": "x=f(2, 3)",
    "math.polyval": "coeffs=[f(2), f(2)], x=f(2)",
    "math.lbeta": "x=f(2, 3)",
    "matrix_band_part": "input=f(3, 3), num_lower=1, num_upper=1",
    "matrix_determinant": "input=spd(3)",
    "matrix_diag": "diagonal=f(2, 3)",
    "matrix_diag_part": "input=f(3, 3)",
    "matrix_inverse": "input=spd(3), adjoint=False",
    "matrix_set_diag": "input=f(3, 3), diagonal=f(3)",
    "matrix_solve": "matrix=spd(3), rhs=f(3, 2)",
    "matrix_transpose": "a=f(2, 3)",
    "matrix_triangular_solve": "matrix=spd(3), rhs=f(3, 2), lower=True",
    "cholesky": "input=spd(3)",
    "cholesky_solve": "chol=spd(3), rhs=f(3, 2)",
    "norm": "tensor=f(2, 3), ord='euclidean', axis=1, keepdims=False",
    "range": "start=0, limit=5, delta=2",
    "reduce_all": "input_tensor=b(2, 3), axis=[1]",
    "reduce_any": "input_tensor=b(2, 3), axis=[1]",
    "count_nonzero": "input_tensor=f(2, 3), axis=[1]",
    "saturate_cast": "value=f(2, 3), dtype=tf.uint8",
    "scalar_mul": "scalar=2.0, x=f(2, 3)",
    "tensordot": "a=f(2, 3), b=f(3, 4), axes=1",
    "trace": "x=f(3, 3)",
    "to_float": "x=i(3)",
    "to_int32": "x=f(3)",
    "global_norm": "t_list=[f(2, 3), f(2)]",
    "clip_by_value": "t=f(2, 3), clip_value_min=0.2, clip_value_max=0.5",
    "clip_by_norm": "t=f(2, 3), clip_norm=1.0, axes=[1]",
    "clip_by_average_norm": "t=f(2, 3), clip_norm=1.0",
    "clip_by_global_norm": "t_list=[f(2, 3), f(2)], clip_norm=1.0",
    "betainc": "a=f(3), b=f(3), x=f(3) * 0.5",
    "confusion_matrix": "labels=i(4), predictions=i(4), num_classes=3",
    "linalg.logdet": "matrix=spd(3)",
    "linalg.adjoint": "matrix=c(2, 3)",
    "linalg.eye": "num_rows=3, num_columns=2, batch_shape=[2]",
    "linalg.diag": "diagonal=f(2, 3)",
    "linalg.diag_part": "input=f(3, 3)",
    "linalg.matvec": "a=f(2, 3), b=f(3)",
    "linalg.tensor_diag": "diagonal=f(3)",
    "linalg.tensor_diag_part": "input=f(3, 3)",
}

# ---- Arrays
CALLS |= {
    "batch_to_space": "input=f(4, 2, 2, 1), crops=[[0, 0], [0, 0]], block_size=2",
    "batch_to_space_nd": "input=f(4, 2, 2, 1), block_shape=[2, 2], crops=[[0, 0], [0, 0]]",
    "boolean_mask": "tensor=f(2, 3), mask=b(2)",
    "broadcast_dynamic_shape": "shape_x=np.int32([2, 1]), shape_y=np.int32([3])",
    "broadcast_static_shape": "shape_x=tf.TensorShape([2, 1]), shape_y=tf.TensorShape([3])",
    "broadcast_to": "input=f(3), shape=[2, 3]",
    "check_numerics": "tensor=f(3), message='bad'",
    "concat": "values=[f(2, 3), f(2, 3)], axis=1",
    "constant": "value=f(2, 3), dtype=tf.float32, shape=[2, 3]",
    "convert_to_tensor": "value=f(2, 3), dtype=tf.float32",
    "depth_to_space": "input=f(1, 2, 2, 4), block_size=2, data_format='NHWC'",
    "diag": "diagonal=f(3)",
    "diag_part": "input=f(3, 3)",
    "dynamic_partition": "data=f(4, 2), partitions=np.int32([0, 1, 0, 1]), num_partitions=2",
    "dynamic_stitch": "indices=[np.int32([0, 2]), np.int32([1])], data=[f(2, 3), f(1, 3)]",
    "ensure_shape": "x=f(2, 3), shape=[None, 3]",
    "expand_dims": "input=f(2, 3), axis=1",
    "eye": "num_rows=3, num_columns=2, batch_shape=[2]",
    "fill": "dims=[2, 3], value=1.5",
    "gather": "params=f(4, 2), indices=np.int32([0, 3]), axis=0, batch_dims=0",
    "gather_nd": "params=f(4, 2), indices=np.int32([[0, 1], [3, 0]])",
    "guarantee_const": "input=f(3)",
    "identity_n": "input=[f(2), i(3)]",
    "is_strictly_increasing": "x=f(4)",
    "is_non_decreasing": "x=f(4)",
    "is_numeric_tensor": "tensor=f(4)",
    "one_hot": "indices=i(3), depth=4, on_value=1.0, off_value=0.0, axis=-1",
    "ones": "shape=[2, 3], dtype=tf.float32",
    "zeros": "shape=[2, 3], dtype=tf.float32",
    "pad": "tensor=f(2, 3), paddings=[[1, 1], [0, 2]], mode='CONSTANT', constant_values=0",
    "parallel_stack": "values=[f(2, 3), f(2, 3)]",
    "placeholder": "dtype=tf.float32, shape=[2, 3]",
    "placeholder_with_default": "input=f(2, 3), shape=[None, 3]",
    "rank": "input=f(2, 3)",
    "repeat": "input=f(2, 3), repeats=np.int32([1, 2]), axis=0",
    "required_space_to_batch_paddings": "input_shape=np.int32([3, 4]), block_shape=np.int32([2, 2])",
    "reshape": "tensor=f(2, 3), shape=[3, 2]",
    "reverse": "tensor=f(2, 3), axis=[1]",
    "reverse_sequence": "input=f(2, 3), seq_lengths=np.int32([1, 2]), seq_axis=1, batch_axis=0",
    "reverse_v2": "tensor=f(2, 3), axis=[1]",
    "roll": "input=f(2, 3), shift=[1], axis=[1]",
    "scatter_nd": "indices=np.int32([[0], [2]]), updates=f(2, 3), shape=np.int32([4, 3])",
    "searchsorted": "sorted_sequence=f(2, 3), values=f(2, 2), side='left'",
    "sequence_mask": "lengths=np.int32([1, 3]), maxlen=4, dtype=tf.bool",
    "setdiff1d": "x=np.int32([1, 2, 3]), y=np.int32([2])",
    "shape": "input=f(2, 3), out_type=tf.int32",
    "shape_n": "input=[f(2, 3), f(2)], out_type=tf.int32",
    "size": "input=f(2, 3), out_type=tf.int32",
    "slice": "input_=f(3, 4), begin=[0, 1], size=[2, 2]",
    "space_to_batch": "input=f(1, 4, 4, 1), paddings=[[0, 0], [0, 0]], block_size=2",
    "space_to_batch_nd": "input=f(1, 4, 4, 1), block_shape=[2, 2], paddings=[[0, 0], [0, 0]]",
    "space_to_depth": "input=f(1, 4, 4, 1), block_size=2, data_format='NHWC'",
    "sparse_to_dense": "sparse_indices=np.int32([0, 2]), output_shape=[4], sparse_values=f(2), default_value=0.0",
    "split": "value=f(4, 2), num_or_size_splits=2, axis=0",
    "squeeze": "input=f(2, 1, 3), axis=[1]",
    "stack": "values=[f(2, 3), f(2, 3)], axis=1",
    "strided_slice": "input_=f(3, 4), begin=[0, 1], end=[2, 3], strides=[1, 1]",
    "tensor_scatter_add": "tensor=f(4, 3), indices=np.int32([[0], [2]]), updates=f(2, 3)",
    "tensor_scatter_sub": "tensor=f(4, 3), indices=np.int32([[0], [2]]), updates=f(2, 3)",
    "tensor_scatter_update": "tensor=f(4, 3), indices=np.int32([[0], [2]]), updates=f(2, 3)",
    "tile": "input=f(2, 3), multiples=[1, 2]",
    "transpose": "a=f(2, 3), perm=[1, 0], conjugate=False",
    "unique": "x=i(4), out_idx=tf.int32",
    "unique_with_counts": "x=i(4), out_idx=tf.int32",
    "unravel_index": "indices=np.int32([1, 3]), dims=np.int32([2, 3])",
    "unstack": "value=f(2, 3), num=2, axis=0",
    "where": "condition=b(2, 3), x=f(2, 3), y=f(2, 3)",
    "where_v2": "condition=b(2, 3), x=f(2, 3), y=f(3)",
    "foldl": "fn=lambda a, x: a + x, elems=f(4), initializer=0.0",
    "foldr": "fn=lambda a, x: a + x, elems=f(4), initializer=0.0",
    "map_fn": "fn=lambda x: x * 2, elems=f(4, 2), dtype=tf.float32, parallel_iterations=2",
    "scan": "fn=lambda a, x: a + x, elems=f(4), initializer=0.0, reverse=False",
    "cond": "pred=tf.constant(True), true_fn=lambda: tf.constant(1.0), false_fn=lambda: tf.constant(2.0)",
    "while_loop": "cond=lambda n: n < 3, body=lambda n: n + 1, loop_vars=[0], parallel_iterations=2",
    "case": "pred_fn_pairs=[(tf.constant(True), lambda: tf.constant(1.0))], default=lambda: tf.constant(2.0)",
    "tuple": "tensors=[tf.constant(1.0), tf.constant(2.0)]",
    "Assert": "condition=True, data=[f(2)], summarize=3",
    "py_func": "func=lambda x: x, inp=[f(2)], Tout=tf.float32, stateful=True",
    "gradients": "ys=tf.constant(1.0), xs=[tf.constant(2.0)]",
    "get_variable": "name='v', shape=[2, 3], dtype=tf.float32, trainable=True",
    "Variable": "initial_value=f(2, 3), trainable=True, name='v', validate_shape=True",
    "variable_scope": "name_or_scope='scope', reuse=None",
    "name_scope": "name='scope'",
    "device": "device_name_or_function='/cpu:0'",
    "control_dependencies": "control_inputs=[tf.constant(1.0)]",
    "set_random_seed": "seed=1",
}

# ---- Checks
CALLS |= {
    f"assert_{n}": "x=f(2, 3), y=f(2, 3), message='m', summarize=3"
    for n in ("equal", "greater_equal", "less_equal", "near")
}
CALLS |= {f"assert_{n}": "x=f(2, 3) * 0.1, y=f(2, 3) + 1, message='m'" for n in ("less", "none_equal")}
CALLS |= {f"assert_{n}": "x=f(2, 3), message='m'" for n in ("non_negative", "positive")}
CALLS |= {
    "assert_greater": "x=f(2, 3) + 1, y=f(2, 3) * 0.1, message='m'",
    "assert_near": "x=f(2, 3), y=f(2, 3), rtol=0.1, atol=0.1, message='m'",
    "assert_integer": "x=i(3), message='m'",
    "assert_rank": "x=f(2, 3), rank=2, message='m'",
    "assert_rank_at_least": "x=f(2, 3), rank=1, message='m'",
    "assert_rank_in": "x=f(2, 3), ranks=[1, 2], message='m'",
    "assert_scalar": "tensor=1.0",
    "assert_type": "tensor=f(3), tf_type=tf.float32, message='m'",
    "assert_variables_initialized": "var_list=None",
    "verify_tensor_all_finite": "t=f(3), msg='m'",
}

# ---- Random numbers
CALLS |= {
    "random_normal": "shape=[2, 3], mean=0.0, stddev=1.0, dtype=tf.float32, seed=1",
    "truncated_normal": "shape=[2, 3], mean=0.0, stddev=1.0, dtype=tf.float32, seed=1",
    "random_uniform": "shape=[2, 3], minval=0, maxval=1.0, dtype=tf.float32, seed=1",
    "random_gamma": "shape=[2, 3], alpha=f(2), beta=2.0, dtype=tf.float32, seed=1",
    "random_poisson": "lam=f(2), shape=[2, 3], dtype=tf.float32, seed=1",
    "random_shuffle": "value=f(4, 2), seed=1",
    "random_crop": "value=f(4, 4), size=[2, 2], seed=1",
    "multinomial": "logits=f(2, 3), num_samples=4, seed=1",
    "random.categorical": "logits=f(2, 3), num_samples=4, seed=1",
    "random.stateless_normal": "shape=[2, 3], seed=[1, 2], mean=0.0, stddev=1.0, dtype=tf.float32",
    "random.stateless_uniform": "shape=[2, 3], seed=[1, 2], minval=0, maxval=1.0, dtype=tf.float32",
    "random.stateless_truncated_normal": "shape=[2, 3], seed=[1, 2], mean=0.0, stddev=1.0, dtype=tf.float32",
}

# ---- Neural networks
_IMAGE = "f(1, 4, 4, 2)"
CALLS |= {
    "nn.avg_pool": f"value={_IMAGE}, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME', data_format='NHWC'",
    "nn.max_pool": f"value={_IMAGE}, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME', data_format='NHWC'",
    "nn.max_pool_with_argmax": f"input={_IMAGE}, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME'",
    "nn.pool": f"input={_IMAGE}, window_shape=[2, 2], pooling_type='MAX', padding='SAME', strides=[1, 1]",
    "nn.atrous_conv2d": f"value={_IMAGE}, filters=f(2, 2, 2, 3), rate=2, padding='SAME'",
    "nn.batch_norm_with_global_normalization": f"t={_IMAGE}, m=f(2), v=f(2), beta=f(2), gamma=f(2), "
    "variance_epsilon=0.001, scale_after_normalization=True",
    "nn.batch_normalization": "x=f(3, 2), mean=f(2), variance=f(2), offset=f(2), scale=f(2), variance_epsilon=0.001",
    "nn.bias_add": "value=f(2, 3), bias=f(3), data_format='NHWC'",
    "nn.conv1d": "value=f(1, 5, 2), filters=f(3, 2, 4), stride=1, padding='SAME'",
    "nn.conv2d": f"input={_IMAGE}, filter=f(3, 3, 2, 3), strides=[1, 1, 1, 1], padding='SAME', data_format='NHWC', "
    "dilations=[1, 1, 1, 1]",
    "nn.conv2d_transpose": f"value={_IMAGE}, filter=f(3, 3, 3, 2), output_shape=[1, 8, 8, 3], strides=[1, 2, 2, 1], "
    "padding='SAME', data_format='NHWC'",
    "nn.convolution": f"input={_IMAGE}, filter=f(3, 3, 2, 3), padding='SAME', strides=[1, 1], dilation_rate=[1, 1]",
    "nn.crelu": "features=f(2, 3), axis=-1",
    "nn.depthwise_conv2d": f"input={_IMAGE}, filter=f(3, 3, 2, 2), strides=[1, 1, 1, 1], padding='SAME'",
    "nn.separable_conv2d": f"input={_IMAGE}, depthwise_filter=f(3, 3, 2, 2), pointwise_filter=f(1, 1, 4, 3), "
    "strides=[1, 1, 1, 1], padding='SAME'",
    "nn.dropout": "x=f(2, 3), keep_prob=0.5, noise_shape=[2, 1], seed=1",
    "nn.embedding_lookup": "params=f(4, 2), ids=np.int32([0, 3]), partition_strategy='mod', max_norm=1.0",
    "nn.fused_batch_norm": f"x={_IMAGE}, scale=f(2), offset=f(2), epsilon=0.001, data_format='NHWC', is_training=True",
    "nn.in_top_k": "predictions=f(2, 3), targets=np.int32([0, 1]), k=1",
    "nn.l2_normalize": "x=f(2, 3), axis=1, epsilon=1e-12",
    "nn.leaky_relu": "features=f(2, 3), alpha=0.2",
    "nn.local_response_normalization": f"input={_IMAGE}, depth_radius=2, bias=1.0, alpha=1.0, beta=0.5",
    "nn.log_poisson_loss": "targets=f(3), log_input=f(3), compute_full_loss=False",
    "nn.log_softmax": "logits=f(2, 3), axis=-1",
    "nn.softmax": "logits=f(2, 3), axis=-1",
    "nn.moments": "x=f(2, 3), axes=[0], keepdims=False",
    "nn.weighted_moments": "x=f(2, 3), axes=[0], frequency_weights=f(2, 3), keepdims=False",
    "nn.normalize_moments": "counts=2.0, mean_ss=f(3), variance_ss=f(3), shift=f(3)",
    "nn.sufficient_statistics": "x=f(2, 3), axes=[0], keepdims=False",
    "nn.relu_layer": "x=f(2, 3), weights=f(3, 4), biases=f(4)",
    "nn.xw_plus_b": "x=f(2, 3), weights=f(3, 4), biases=f(4)",
    "nn.sigmoid_cross_entropy_with_logits": "labels=f(2, 3), logits=f(2, 3)",
    "nn.softmax_cross_entropy_with_logits": "labels=f(2, 3), logits=f(2, 3), dim=-1",
    "nn.softmax_cross_entropy_with_logits_v2": "labels=f(2, 3), logits=f(2, 3), axis=-1",
    "nn.sparse_softmax_cross_entropy_with_logits": "labels=np.int32([0, 2]), logits=f(2, 3)",
    "nn.weighted_cross_entropy_with_logits": "labels=f(2, 3), logits=f(2, 3), pos_weight=2.0",
    "nn.top_k": "input=f(2, 3), k=2, sorted=True",
    "nn.zero_fraction": "value=f(2, 3)",
    "nn.nce_loss": "weights=f(5, 3), biases=f(5), labels=l(2, 1), inputs=f(2, 3), num_sampled=2, num_classes=5",
    "nn.sampled_softmax_loss": "weights=f(5, 3), biases=f(5), labels=l(2, 1), inputs=f(2, 3), num_sampled=2, "
    "num_classes=5",
    "nn.log_uniform_candidate_sampler": "true_classes=l(2, 1), num_true=1, num_sampled=2, unique=True, range_max=5",
    "nn.uniform_candidate_sampler": "true_classes=l(2, 1), num_true=1, num_sampled=2, unique=True, range_max=5",
}

# ---- Layers, losses, metrics
CALLS |= {
    "layers.dense": "inputs=f(2, 3), units=4, use_bias=True, trainable=True, name='dense'",
    "layers.conv1d": "inputs=f(1, 5, 2), filters=3, kernel_size=3, strides=1, padding='same', dilation_rate=1",
    "layers.conv2d": f"inputs={_IMAGE}, filters=3, kernel_size=[3, 3], strides=(1, 1), padding='same'",
    "layers.conv2d_transpose": f"inputs={_IMAGE}, filters=3, kernel_size=[3, 3], strides=(2, 2), padding='same'",
    "layers.separable_conv2d": f"inputs={_IMAGE}, filters=3, kernel_size=[3, 3], padding='same', depth_multiplier=1",
    "layers.max_pooling1d": "inputs=f(1, 4, 2), pool_size=2, strides=2, padding='valid'",
    "layers.max_pooling2d": f"inputs={_IMAGE}, pool_size=[2, 2], strides=2, padding='valid'",
    "layers.average_pooling2d": f"inputs={_IMAGE}, pool_size=[2, 2], strides=2, padding='valid'",
    "layers.batch_normalization": "inputs=f(4, 3), axis=-1, momentum=0.9, epsilon=0.001, training=True",
    "layers.dropout": "inputs=f(2, 3), rate=0.5, noise_shape=None, seed=1, training=True",
    "layers.flatten": "inputs=f(2, 3, 4)",
    "losses.absolute_difference": "labels=f(2, 3), predictions=f(2, 3), weights=1.0",
    "losses.compute_weighted_loss": "losses=f(2, 3), weights=f(2, 1)",
    "losses.cosine_distance": "labels=f(2, 3), predictions=f(2, 3), axis=1, weights=1.0",
    "losses.hinge_loss": "labels=f(2, 3), logits=f(2, 3), weights=1.0",
    "losses.huber_loss": "labels=f(2, 3), predictions=f(2, 3), weights=f(2, 3), delta=1.0",
    "losses.log_loss": "labels=f(2, 3), predictions=f(2, 3) * 0.5, weights=1.0, epsilon=1e-7",
    "losses.mean_pairwise_squared_error": "labels=f(2, 3), predictions=f(2, 3), weights=1.0",
    "losses.mean_squared_error": "labels=f(2, 3), predictions=f(2, 3), weights=f(2, 1)",
    "losses.sigmoid_cross_entropy": "multi_class_labels=f(2, 3), logits=f(2, 3), weights=1.0, label_smoothing=0",
    "losses.softmax_cross_entropy": "onehot_labels=f(2, 3), logits=f(2, 3), weights=1.0, label_smoothing=0",
    "losses.sparse_softmax_cross_entropy": "labels=np.int32([0, 2]), logits=f(2, 3), weights=1.0",
    "metrics.accuracy": "labels=i(4), predictions=i(4), weights=f(4)",
    "metrics.auc": "labels=b(4), predictions=f(4) * 0.5, num_thresholds=20, curve='ROC'",
    "metrics.mean": "values=f(2, 3), weights=f(2, 3)",
    "metrics.mean_tensor": "values=f(2, 3), weights=f(2, 3)",
    "metrics.mean_absolute_error": "labels=f(2, 3), predictions=f(2, 3), weights=f(2, 3)",
    "metrics.mean_squared_error": "labels=f(2, 3), predictions=f(2, 3), weights=f(2, 3)",
    "metrics.mean_iou": "labels=i(4), predictions=tf.constant(i(4)), num_classes=3, weights=f(4)",
    "metrics.precision": "labels=b(4), predictions=b(4), weights=f(4)",
    "metrics.recall": "labels=b(4), predictions=b(4), weights=f(4)",
    "metrics.precision_at_k": "labels=l(2, 1), predictions=f(2, 3), k=2",
    "metrics.recall_at_k": "labels=l(2, 1), predictions=f(2, 3), k=2",
    "metrics.true_positives": "labels=b(4), predictions=b(4), weights=f(4)",
    "metrics.false_negatives_at_thresholds": "labels=b(4), predictions=f(4) * 0.5, thresholds=[0.2, 0.5]",
    "metrics.percentage_below": "values=f(4), threshold=0.5, weights=f(4)",
    "metrics.sensitivity_at_specificity": "labels=b(4), predictions=f(4) * 0.5, specificity=0.5, num_thresholds=20",
}

# ---- Training
CALLS |= {
    "train.exponential_decay": "learning_rate=0.1, global_step=i(), decay_steps=10, decay_rate=0.9, staircase=True",
    "train.inverse_time_decay": "learning_rate=0.1, global_step=i(), decay_steps=10, decay_rate=0.9, staircase=True",
    "train.natural_exp_decay": "learning_rate=0.1, global_step=i(), decay_steps=10, decay_rate=0.9, staircase=True",
    "train.polynomial_decay": "learning_rate=0.1, global_step=i(), decay_steps=10, power=1.0, cycle=False",
    "train.cosine_decay": "learning_rate=0.1, global_step=i(), decay_steps=10, alpha=0.0",
    "train.piecewise_constant": "x=i(), boundaries=[1, 5], values=[1.0, 0.5, 0.1]",
    "train.GradientDescentOptimizer": "learning_rate=0.1, use_locking=False, name='GD'",
    "train.AdamOptimizer": "learning_rate=0.1, beta1=0.9, beta2=0.999, epsilon=1e-8",
    "train.MomentumOptimizer": "learning_rate=0.1, momentum=0.9, use_nesterov=False",
    "train.ExponentialMovingAverage": "decay=0.9, num_updates=None, zero_debias=False, name='EMA'",
    "train.ClusterSpec": "cluster={'worker': ['a:1', 'b:2']}",
    "TensorShape": "dims=[2, None]",
    "Dimension": "value=2",
}

# ---- Functions of the other topics
CALLS |= {
    "Print": "input_=f(2), data=[f(2)], message='m', first_n=0, summarize=3",
    "argsort": "values=f(2, 3), axis=-1, direction='ASCENDING'",
    "sort": "values=f(2, 3), axis=-1, direction='ASCENDING'",
    "assert_negative": "x=-f(2, 3), message='m'",
    "assert_non_positive": "x=-f(2, 3), message='m'",
    "assert_proper_iterable": "values=[1, 2]",
    "assert_same_float_dtype": "tensors=[tf.constant(1.0)], dtype=tf.float32",
    "batch_gather": "params=f(2, 4), indices=np.int32([[0, 3], [1, 2]])",
    "decode_base64": "input='YWI'",
    "encode_base64": "input='ab', pad=False",
    "string_join": "inputs=[s(2), s(2)], separator='-'",
    "string_to_number": "string_tensor='1.5', out_type=tf.float32",
    "substr": "input=s(2), pos=0, len=1",
    "as_string": "input=f(2), precision=2, scientific=False, shortest=False, width=6, fill='0'",
    "decode_raw": "input_bytes=s(2), out_type=tf.uint8, little_endian=True",
    "fingerprint": "data=s(2), method='farmhash64'",
    "reduce_join": "inputs=s(2, 3), axis=1, separator='-', keepdims=True",
    "string_split": "source=s(2), sep=' ', skip_empty=True",
    "string_strip": "input=s(2)",
    "string_to_hash_bucket": "string_tensor=s(2), num_buckets=3",
    "string_to_hash_bucket_fast": "input=s(2), num_buckets=3",
    "string_to_hash_bucket_strong": "input=s(2), num_buckets=3, key=[1, 2]",
    "strings.length": "input=s(2), unit='BYTE'",
    "strings.lower": "input=s(2), encoding=''",
    "strings.split": "input=s(2), sep=' ', maxsplit=2",
    "strings.unsorted_segment_join": "inputs=s(3, 2), segment_ids=i(3), num_segments=2, separator='-'",
    "strings.upper": "input=s(2), encoding=''",
    "edit_distance": (
        "hypothesis=tf.SparseTensor([[0, 0]], [1], [1, 2]), truth=tf.SparseTensor([[0, 0]], [2], [1, 2]), "
        "normalize=False, name='n'"
    ),
    "guarantee_const": "input=f(2)",
    "timestamp": "name='n'",
    "fake_quant_with_min_max_args": "inputs=f(2, 3), min=-1.0, max=1.0, num_bits=4, narrow_range=True",
    "fake_quant_with_min_max_args_gradient": (
        "gradients=f(2, 3), inputs=f(2, 3), min=-1.0, max=1.0, num_bits=4, narrow_range=True"
    ),
    "fake_quant_with_min_max_vars": "inputs=f(2, 3), min=f() * -1, max=f(), num_bits=4, narrow_range=True",
    "fake_quant_with_min_max_vars_gradient": (
        "gradients=f(2, 3), inputs=f(2, 3), min=f() * -1, max=f(), num_bits=4, narrow_range=True"
    ),
    "fake_quant_with_min_max_vars_per_channel": (
        "inputs=f(2, 3), min=f(3) * -1, max=f(3), num_bits=4, narrow_range=True"
    ),
    "fake_quant_with_min_max_vars_per_channel_gradient": (
        "gradients=f(2, 3), inputs=f(2, 3), min=f(3) * -1, max=f(3), num_bits=4, narrow_range=True"
    ),
    "strings.format": "template='{}', inputs=[f(2)], summarize=3",
    "fft": "input=c(4)",
    "fft2d": "input=c(2, 4)",
    "fft3d": "input=c(2, 2, 2)",
    "ifft": "input=c(4)",
    "ifft2d": "input=c(2, 4)",
    "ifft3d": "input=c(2, 2, 2)",
    "floor_div": "x=f(2, 3), y=f(3)",
    "math.xlog1py": "x=f(2, 3), y=f(3)",
    "numpy_function": "func=lambda x: x, inp=[f(2)], Tout=tf.float32",
    "switch_case": "branch_index=tf.constant(1), branch_fns=[lambda: tf.constant(1.0), lambda: tf.constant(2.0)]",
    "to_bfloat16": "x=f(3)",
    "to_complex64": "x=f(3)",
    "to_complex128": "x=f(3)",
    "to_double": "x=f(3)",
    "to_int64": "x=f(3)",
    "random.get_seed": "op_seed=1",
}
_CLASSES = "true_classes=l(2, 1), num_true=1, num_sampled=2, unique=True"
CALLS |= {
    "nn.all_candidate_sampler": _CLASSES,
    "nn.learned_unigram_candidate_sampler": f"{_CLASSES}, range_max=5",
    "nn.fixed_unigram_candidate_sampler": f"{_CLASSES}, range_max=4, unigrams=[1.0, 2.0, 3.0, 4.0]",
    "nn.compute_accidental_hits": "true_classes=l(2, 1), sampled_candidates=l(3), num_true=1",
    "nn.atrous_conv2d_transpose": f"value={_IMAGE}, filters=f(2, 2, 3, 2), output_shape=[1, 4, 4, 3], rate=2, "
    "padding='SAME'",
    "nn.avg_pool1d": "input=f(1, 4, 2), ksize=2, strides=2, padding='SAME'",
    "nn.max_pool1d": "input=f(1, 4, 2), ksize=2, strides=2, padding='SAME'",
    "nn.max_pool2d": f"input={_IMAGE}, ksize=2, strides=2, padding='SAME', data_format='NHWC'",
    "nn.max_pool_v2": f"input={_IMAGE}, ksize=2, strides=2, padding='SAME'",
    "nn.avg_pool_v2": f"input={_IMAGE}, ksize=2, strides=2, padding='SAME'",
    "nn.conv1d_transpose": "input=f(1, 4, 2), filters=f(2, 3, 2), output_shape=[1, 8, 3], strides=2, padding='SAME'",
    "nn.conv_transpose": f"input={_IMAGE}, filters=f(2, 2, 3, 2), output_shape=[1, 8, 8, 3], strides=2, padding='SAME'",
    "nn.conv2d_backprop_filter": f"input={_IMAGE}, filter_sizes=[2, 2, 2, 3], out_backprop=f(1, 4, 4, 3), "
    "strides=[1, 1, 1, 1], padding='SAME'",
    "nn.conv2d_backprop_input": "input_sizes=[1, 4, 4, 2], filter=f(2, 2, 2, 3), out_backprop=f(1, 4, 4, 3), "
    "strides=[1, 1, 1, 1], padding='SAME'",
    "nn.depthwise_conv2d_native": f"input={_IMAGE}, filter=f(2, 2, 2, 1), strides=[1, 1, 1, 1], padding='SAME'",
    "nn.depthwise_conv2d_backprop_filter": f"input={_IMAGE}, filter_sizes=[2, 2, 2, 1], out_backprop={_IMAGE}, "
    "strides=[1, 1, 1, 1], padding='SAME'",
    "nn.depthwise_conv2d_backprop_input": f"input_sizes=[1, 4, 4, 2], filter=f(2, 2, 2, 1), out_backprop={_IMAGE}, "
    "strides=[1, 1, 1, 1], padding='SAME'",
    "nn.swish": "features=f(2, 3)",
}

_SPARSE = "tf.SparseTensor(np.int64([[0, 1], [1, 0], [2, 3]]), f(3), [3, 4])"
_IDS = "tf.SparseTensor(np.int64([[0, 0], [1, 0]]), np.int64([2, 0]), [2, 3])"
_ONE = f"sp_input={_SPARSE}"
CALLS |= {f"sparse_reduce_{n}": f"{_ONE}, axis=1, keepdims=True" for n in ("max", "max_sparse", "sum", "sum_sparse")}
CALLS |= {
    "sparse_add": f"a={_SPARSE}, b={_SPARSE}, threshold=0.5",
    "sparse_concat": f"axis=1, sp_inputs=[{_SPARSE}, {_SPARSE}], expand_nonconcat_dim=False",
    "sparse_fill_empty_rows": f"{_ONE}, default_value=1.0",
    "sparse_mask": "a=tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([3, 5])), mask_indices=[3]",
    "sparse_matmul": "a=f(2, 3), b=f(3, 2), transpose_a=False, transpose_b=False, a_is_sparse=True, b_is_sparse=False",
    "sparse_maximum": f"sp_a={_SPARSE}, sp_b={_SPARSE}",
    "sparse_merge": f"sp_ids={_IDS}, sp_values={_IDS}, vocab_size=4, already_sorted=False",
    "sparse_minimum": f"sp_a={_SPARSE}, sp_b={_SPARSE}",
    "sparse_reorder": _ONE,
    "sparse_reset_shape": f"{_ONE}, new_shape=[4, 5]",
    "sparse_reshape": f"{_ONE}, shape=[2, 6]",
    "sparse_retain": f"{_ONE}, to_retain=[True, False, True]",
    "sparse_slice": f"{_ONE}, start=[0, 1], size=[2, 2]",
    "sparse_softmax": _ONE,
    "sparse_split": f"{_ONE}, num_split=2, axis=1",
    "sparse_tensor_dense_matmul": f"sp_a={_SPARSE}, b=f(4, 2), adjoint_a=False, adjoint_b=False",
    "sparse_tensor_to_dense": f"{_ONE}, default_value=0.0, validate_indices=False",
    "sparse_to_indicator": f"sp_input={_IDS}, vocab_size=4",
    "sparse_transpose": f"{_ONE}, perm=[1, 0]",
    "sparse.expand_dims": f"{_ONE}, axis=1",
    "sparse.eye": "num_rows=2, num_columns=3, dtype=tf.float32",
    "sparse.from_dense": "tensor=f(2, 3)",
    "nn.safe_embedding_lookup_sparse": f"embedding_weights=f(4, 2), sparse_ids={_IDS}, combiner='sum', default_id=1",
}

# ---- Volumes
_VOLUME, _ONES = "f(1, 3, 4, 4, 2)", "[1, 1, 1, 1, 1]"
_WINDOW = "ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding='SAME', data_format='NDHWC'"
CALLS |= {
    "extract_volume_patches": f"input={_VOLUME}, ksizes=[1, 2, 2, 2, 1], strides={_ONES}, padding='SAME'",
    "nn.conv3d": f"input={_VOLUME}, filter=f(2, 2, 2, 2, 3), strides={_ONES}, padding='SAME', data_format='NDHWC', "
    f"dilations={_ONES}",
    "nn.conv3d_backprop_filter": f"input={_VOLUME}, filter_sizes=[2, 2, 2, 2, 3], out_backprop=f(1, 3, 4, 4, 3), "
    f"strides={_ONES}, padding='SAME'",
    "nn.conv3d_transpose": f"value={_VOLUME}, filter=f(2, 2, 2, 3, 2), output_shape=[1, 6, 8, 8, 3], "
    "strides=[1, 2, 2, 2, 1], padding='SAME', data_format='NDHWC'",
    "nn.avg_pool3d": f"input={_VOLUME}, {_WINDOW}",
    "nn.max_pool3d": f"input={_VOLUME}, {_WINDOW}",
    "nn.approx_max_k": "operand=f(2, 5), k=2, reduction_dimension=-1, recall_target=0.95, aggregate_to_topk=True",
    "approx_top_k": "input=f(2, 5), k=2, reduction_dimension=-1, recall_target=0.95, is_max_k=True",
    "layers.conv3d": f"inputs={_VOLUME}, filters=3, kernel_size=[2, 2, 2], strides=(1, 1, 1), padding='same'",
    "layers.conv3d_transpose": f"inputs={_VOLUME}, filters=3, kernel_size=[2, 2, 2], strides=(2, 2, 2), padding='same'",
    "layers.max_pooling3d": f"inputs={_VOLUME}, pool_size=[2, 2, 2], strides=2, padding='valid'",
    "layers.average_pooling3d": f"inputs={_VOLUME}, pool_size=[2, 2, 2], strides=2, padding='valid'",
}
_IMAGE = "f(1, 4, 4, 3) * 0.01"
CALLS |= {
    "RaggedTensor.from_row_splits": "values=f(5), row_splits=np.int64([0, 2, 5])",
    "RaggedTensor.from_row_lengths": "values=f(5), row_lengths=np.int64([2, 3])",
    "RaggedTensor.from_value_rowids": "values=f(5), value_rowids=np.int64([0, 0, 1, 1, 1]), nrows=2",
    "RaggedTensor.from_tensor": "tensor=f(2, 3), lengths=np.int64([1, 2]), ragged_rank=1",
    "RaggedTensor.from_uniform_row_length": "values=f(6), uniform_row_length=2, nrows=3",
    "ragged.boolean_mask": "data=f(2, 3), mask=b(2, 3)",
    "ragged.constant": "pylist=[[1, 2], [3]], ragged_rank=1",
    "ragged.range": "starts=i(2), limits=i(2) + 3, deltas=np.int32([1, 2])",
    "ragged.row_splits_to_segment_ids": "splits=np.int64([0, 3, 5])",
    "ragged.segment_ids_to_row_splits": "segment_ids=np.int64([0, 0, 2]), num_segments=3",
    "ragged.stack": "values=[f(2), f(3)], axis=0",
    "ragged.stack_dynamic_partitions": "data=f(4, 2), partitions=np.int32([0, 2, 1, 2]), num_partitions=3",
    "strings.bytes_split": "input=s(2)",
    "strings.ngrams": "data=s(2, 3), ngram_width=2, separator='-', pad_values='x'",
    "strings.unicode_encode": "input=i(2, 3) + 65, output_encoding='UTF-8'",
    "strings.unicode_decode": "input=s(2), input_encoding='UTF-8', errors='replace'",
    "strings.unicode_decode_with_offsets": "input=s(2), input_encoding='UTF-8'",
    "strings.unicode_split": "input=s(2), input_encoding='UTF-8', errors='replace'",
    "strings.unicode_split_with_offsets": "input=s(2), input_encoding='UTF-8'",
    "strings.unicode_script": "input=i(3) + 65",
    "strings.unicode_transcode": "input=s(2), input_encoding='UTF-8', output_encoding='UTF-16-BE'",
    "image.adjust_brightness": f"image={_IMAGE}, delta=0.1",
    "image.adjust_contrast": f"images={_IMAGE}, contrast_factor=2.0",
    "image.adjust_gamma": f"image={_IMAGE}, gamma=2.0, gain=1.0",
    "image.adjust_hue": f"image={_IMAGE}, delta=0.1",
    "image.adjust_saturation": f"image={_IMAGE}, saturation_factor=2.0",
    "image.central_crop": f"image={_IMAGE}, central_fraction=0.5",
    "image.crop_to_bounding_box": f"image={_IMAGE}, offset_height=1, offset_width=1, target_height=2, target_width=2",
    "image.flip_left_right": f"image={_IMAGE}",
    "image.rgb_to_grayscale": f"images={_IMAGE}",
    "image.rot90": f"image={_IMAGE}, k=1",
    "sets.intersection": "a=i(2, 3), b=i(2, 3)",
}

# ---- Signals and further linear algebra
CALLS |= {
    "signal.frame": "signal=f(2, 8), frame_length=4, frame_step=2, pad_end=True, pad_value=0.0, axis=-1",
    "signal.overlap_and_add": "signal=f(3, 4), frame_step=2",
    "signal.dct": "input=f(2, 4), type=2, n=3, axis=-1, norm='ortho'",
    "signal.idct": "input=f(2, 4), type=2, n=3, axis=-1, norm='ortho'",
    "signal.mdct": "signals=f(16), frame_length=8, pad_end=False, norm='ortho'",
    "signal.inverse_mdct": "mdcts=f(3, 4), norm='ortho'",
    "linalg.expm": "input=f(2, 2)",
    "linalg.matrix_rank": "a=f(2, 3), tol=0.1, validate_args=False",
    "linalg.normalize": "tensor=f(2, 3), ord='euclidean', axis=1",
}

CALLS |= METHODS
