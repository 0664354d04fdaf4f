"""Valid calls of methods, and of functions that work on variables, in the notation of `calls.py`.

The argument `self`, which is not damaged, is the object whose method is called: the last part of the name.
"""

CALLS = {}

# ---- Variables
_UPDATES = "ref=v(4, 3), indices=np.int32([0, 2]), updates=f(2, 3), use_locking=False"
_ND_UPDATES = "ref=v(4, 3), indices=np.int32([[0], [2]]), updates=f(2, 3), use_locking=False"
CALLS |= {f"scatter_{n}": _UPDATES for n in ("add", "div", "max", "min", "mul", "sub", "update")}
CALLS |= {f"scatter_nd_{n}": _ND_UPDATES for n in ("add", "sub", "update")}
CALLS |= {
    "assign": "ref=v(2, 3), value=f(2, 3), validate_shape=True, use_locking=False",
    "assign_add": "ref=v(2, 3), value=f(2, 3), use_locking=False",
    "assign_sub": "ref=v(2, 3), value=f(2, 3), use_locking=False",
    "count_up_to": "ref=tf.Variable(0), limit=3",
    "is_variable_initialized": "variable=v(2)",
    "variables_initializer": "var_list=[v(2)], name='init'",
    "initialize_variables": "var_list=[v(2)], name='init'",
    "report_uninitialized_variables": "var_list=[v(2)]",
    "get_local_variable": "name='v', shape=[2, 3], dtype=tf.float32",
    "create_partitioned_variables": "shape=[4, 3], slicing=[2, 1], initializer=f(4, 3), trainable=True",
    "fixed_size_partitioner": "num_shards=2, axis=0",
    "variable_axis_size_partitioner": "max_shard_bytes=8, axis=0",
    "min_max_variable_partitioner": "max_partitions=2, axis=0, min_slice_size=16",
    "Variable.assign": "self=v(2, 3), value=f(2, 3), use_locking=False",
    "Variable.assign_add": "self=v(2, 3), delta=f(2, 3), use_locking=False",
    "Variable.assign_sub": "self=v(2, 3), delta=f(2, 3), use_locking=False",
    "Variable.scatter_add": "self=v(4, 3), sparse_delta=tf.IndexedSlices(f(2, 3), np.int32([0, 2]))",
    "Variable.scatter_sub": "self=v(4, 3), sparse_delta=tf.IndexedSlices(f(2, 3), np.int32([0, 2]))",
    "Variable.scatter_update": "self=v(4, 3), sparse_delta=tf.IndexedSlices(f(2, 3), np.int32([0, 2]))",
    "Variable.scatter_nd_add": "self=v(4, 3), indices=np.int32([[0], [2]]), updates=f(2, 3)",
    "Variable.scatter_nd_sub": "self=v(4, 3), indices=np.int32([[0], [2]]), updates=f(2, 3)",
    "Variable.scatter_nd_update": "self=v(4, 3), indices=np.int32([[0], [2]]), updates=f(2, 3)",
    "Variable.count_up_to": "self=tf.Variable(0), limit=3",
    "Variable.set_shape": "self=v(2, 3), shape=[2, None]",
    "Variable.__getitem__": "self=v(2, 3), slice_spec=1",
    "Variable.__add__": "self=v(2, 3), y=f(3)",
    "Variable.__rsub__": "self=v(2, 3), y=f(3)",
}

# ---- Tensors and graphs
CALLS |= {
    f"Tensor.{n}": "self=tf.constant(f(2, 3)), y=f(3)"
    for n in ("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__", "__radd__")
}
CALLS |= {f"Tensor.{n}": "self=tf.constant(f(2, 3)), y=f(3)" for n in ("__lt__", "__le__", "__gt__", "__ge__")}
CALLS |= {f"Tensor.{n}": "self=tf.constant(b(2, 3)), y=b(3)" for n in ("__and__", "__or__", "__xor__")}
CALLS |= {
    "Tensor.__matmul__": "self=tf.constant(f(2, 3)), y=f(3, 2)",
    "Tensor.__getitem__": "self=tf.constant(f(2, 3)), slice_spec=(0, 1)",
    "Tensor.set_shape": "self=tf.placeholder(tf.float32, None), shape=[2, None]",
    "Graph.get_tensor_by_name": "self=tf.constant(1.0, name='c').graph, name='c:0'",
    "Graph.get_operation_by_name": "self=tf.constant(1.0, name='c').graph, name='c'",
    "Graph.as_graph_element": "self=tf.constant(1.0, name='c').graph, obj='c:0', allow_tensor=True, "
    "allow_operation=True",
    "Graph.add_to_collection": "self=tf.get_default_graph(), name='things', value=1",
    "Graph.add_to_collections": "self=tf.get_default_graph(), names=['things', 'others'], value=1",
    "Graph.get_collection": "self=tf.get_default_graph(), name='things', scope='a'",
    "Graph.unique_name": "self=tf.get_default_graph(), name='a'",
    "add_to_collection": "name='things', value=1",
    "add_to_collections": "names=['things', 'others'], value=1",
    "get_collection": "key='things', scope='a'",
    "get_collection_ref": "key='things'",
    "colocate_with": "op=tf.constant(1.0)",
    "container": "container_name='box'",
    "as_dtype": "type_value='float32'",
    "make_tensor_proto": "values=f(2, 3), dtype=tf.float32, shape=[2, 3]",
    "TensorShape.merge_with": "self=tf.TensorShape([2, None]), other=tf.TensorShape([2, 3])",
    "TensorShape.concatenate": "self=tf.TensorShape([2, None]), other=tf.TensorShape([2, 3])",
    "TensorShape.with_rank": "self=tf.TensorShape([2, None]), rank=2",
    "TensorShape.assert_is_compatible_with": "self=tf.TensorShape([2, None]), other=[2, 3]",
    "IndexedSlices": "values=tf.constant(f(2, 3)), indices=tf.constant([0, 2])",
    "SparseTensor": "indices=l(1, 2), values=f(1), dense_shape=[2, 2]",
    "sparse_placeholder": "dtype=tf.float32, shape=[2, 3]",
    "DeviceSpec": "job='worker', replica=0, task=1, device_type='CPU', device_index=0",
}

# ---- Sessions
CALLS |= {
    "Session.run": "self=tf.Session(), fetches=tf.constant(1.0), feed_dict=None",
    "Session.make_callable": "self=tf.Session(), fetches=[tf.constant(1.0)]",
    "Session.partial_run_setup": "self=tf.Session(), fetches=[tf.constant(1.0)], feeds=None",
    "Session": "target='', graph=tf.get_default_graph(), config=None",
    "Tensor.eval": "self=tf.constant(1.0), feed_dict=None, session=tf.Session()",
    "Operation.run": "self=tf.no_op(), feed_dict=None, session=tf.Session()",
}

# ---- Training
_LOSS = "loss=tf.reduce_sum(v(2, 3) * 2.0), var_list=None, global_step=None"
CALLS |= {f"train.{n}Optimizer.minimize": f"self=tf.train.{n}Optimizer(0.1), {_LOSS}" for n in ("Adam", "Adagrad")}
CALLS |= {
    "train.GradientDescentOptimizer.minimize": f"self=tf.train.GradientDescentOptimizer(0.1), {_LOSS}, name='min'",
    "train.GradientDescentOptimizer.compute_gradients": "self=tf.train.GradientDescentOptimizer(0.1), "
    "loss=tf.reduce_sum(v(2, 3) * 2.0), var_list=None, grad_loss=None",
    "train.GradientDescentOptimizer.apply_gradients": "self=tf.train.GradientDescentOptimizer(0.1), "
    "grads_and_vars=[(tf.constant(f(2, 3)), v(2, 3))], global_step=None",
    "train.AdadeltaOptimizer": "learning_rate=0.001, rho=0.95, epsilon=1e-08, use_locking=False",
    "train.AdagradOptimizer": "learning_rate=0.1, initial_accumulator_value=0.1",
    "train.FtrlOptimizer": "learning_rate=0.1, learning_rate_power=-0.5, initial_accumulator_value=0.1, "
    "l1_regularization_strength=0.0, l2_regularization_strength=0.0",
    "train.ProximalAdagradOptimizer": "learning_rate=0.1, initial_accumulator_value=0.1",
    "train.ProximalGradientDescentOptimizer": "learning_rate=0.1, l1_regularization_strength=0.0",
    "train.RMSPropOptimizer": "learning_rate=0.1, decay=0.9, momentum=0.0, epsilon=1e-10, centered=False",
    "train.ExponentialMovingAverage.apply": "self=tf.train.ExponentialMovingAverage(0.9), var_list=[v(2)]",
    "train.assert_global_step": "global_step_tensor=tf.Variable(0)",
    "train.create_global_step": "graph=tf.get_default_graph()",
    "train.get_or_create_global_step": "graph=tf.get_default_graph()",
    "train.cosine_decay_restarts": "learning_rate=0.1, global_step=i(), first_decay_steps=10, t_mul=2.0, m_mul=1.0",
    "train.linear_cosine_decay": "learning_rate=0.1, global_step=i(), decay_steps=10, num_periods=0.5, alpha=0.0",
    "train.noisy_linear_cosine_decay": "learning_rate=0.1, global_step=i(), decay_steps=10, initial_variance=1.0",
}

# ---- Initializers and recurrent cells
_INITIALIZERS = (
    "glorot_normal glorot_uniform ones zeros random_normal random_uniform truncated_normal variance_scaling orthogonal "
    "uniform_unit_scaling"
).split()
CALLS |= {
    f"{n}_initializer.__call__": f"self=tf.{n}_initializer(), shape=[2, 3], dtype=tf.float32" for n in _INITIALIZERS
}
CALLS |= {
    "constant_initializer": "value=0.5, dtype=tf.float32",
    "constant_initializer.__call__": "self=tf.constant_initializer(0.5), shape=[2, 3], dtype=tf.float32",
    "random_normal_initializer": "mean=0.0, stddev=1.0, seed=1, dtype=tf.float32",
    "random_uniform_initializer": "minval=0.0, maxval=1.0, seed=1, dtype=tf.float32",
    "truncated_normal_initializer": "mean=0.0, stddev=1.0, seed=1, dtype=tf.float32",
    "variance_scaling_initializer": "scale=1.0, mode='fan_in', distribution='normal', seed=1",
    "orthogonal_initializer": "gain=1.0, seed=1, dtype=tf.float32",
    "uniform_unit_scaling_initializer": "factor=1.0, seed=1, dtype=tf.float32",
    "glorot_uniform_initializer": "seed=1, dtype=tf.float32",
}
CALLS |= {
    "nn.rnn_cell.BasicLSTMCell": "num_units=3, forget_bias=1.0, state_is_tuple=True",
    "nn.rnn_cell.BasicRNNCell": "num_units=3",
    "nn.rnn_cell.GRUCell": "num_units=3",
    "nn.rnn_cell.LSTMCell": "num_units=3, use_peepholes=False, num_proj=2, forget_bias=1.0",
    "nn.rnn_cell.MultiRNNCell": "cells=[tf.nn.rnn_cell.BasicRNNCell(3), tf.nn.rnn_cell.BasicRNNCell(2)]",
    "nn.rnn_cell.DropoutWrapper": "cell=tf.nn.rnn_cell.BasicRNNCell(3), input_keep_prob=0.5, output_keep_prob=0.5",
    "nn.rnn_cell.ResidualWrapper": "cell=tf.nn.rnn_cell.BasicRNNCell(3)",
    "nn.rnn_cell.BasicRNNCell.__call__": "self=tf.nn.rnn_cell.BasicRNNCell(3), inputs=f(2, 4), state=f(2, 3)",
    "nn.rnn_cell.GRUCell.__call__": "self=tf.nn.rnn_cell.GRUCell(3), inputs=f(2, 4), state=f(2, 3)",
    "nn.rnn_cell.BasicLSTMCell.__call__": "self=tf.nn.rnn_cell.BasicLSTMCell(3), inputs=f(2, 4), "
    "state=(f(2, 3), f(2, 3))",
    "nn.rnn_cell.BasicRNNCell.zero_state": "self=tf.nn.rnn_cell.BasicRNNCell(3), batch_size=2, dtype=tf.float32",
    "nn.dynamic_rnn": "cell=tf.nn.rnn_cell.BasicRNNCell(3), inputs=f(2, 5, 4), sequence_length=np.int32([3, 5]), "
    "dtype=tf.float32, time_major=False",
    "nn.static_rnn": "cell=tf.nn.rnn_cell.BasicRNNCell(3), inputs=[tf.constant(f(2, 4)), tf.constant(f(2, 4))], "
    "dtype=tf.float32",
    "nn.bidirectional_dynamic_rnn": "cell_fw=tf.nn.rnn_cell.BasicRNNCell(3), cell_bw=tf.nn.rnn_cell.BasicRNNCell(3), "
    "inputs=f(2, 5, 4), sequence_length=np.int32([3, 5]), dtype=tf.float32",
    "layers.Dense": "units=3, use_bias=True, trainable=True, name='dense'",
    "layers.Dense.__call__": "self=tf.layers.Dense(3), inputs=f(2, 4)",
    "layers.Conv2D.__call__": "self=tf.layers.Conv2D(3, 2), inputs=f(1, 4, 4, 2)",
    "layers.BatchNormalization.__call__": "self=tf.layers.BatchNormalization(), inputs=f(4, 3), training=True",
    "TensorArray": "dtype=tf.float32, size=3, dynamic_size=False, clear_after_read=True, infer_shape=True",
    "TensorArray.write": "self=tf.TensorArray(tf.float32, 3), index=0, value=f(2)",
    "TensorArray.unstack": "self=tf.TensorArray(tf.float32, 3), value=f(3, 2)",
    "TensorArray.scatter": "self=tf.TensorArray(tf.float32, 3), indices=np.int32([0, 2]), value=f(2, 2)",
    "TensorArray.read": "self=tf.TensorArray(tf.float32, 3).unstack(f(3, 2)), index=0",
    "TensorArray.gather": "self=tf.TensorArray(tf.float32, 3).unstack(f(3, 2)), indices=np.int32([0, 2])",
}
