"""Signatures that differ from TensorFlow's on purpose, with the reason, and names that come later."""

DIFFERENCES = {
    "tf.TFRecordReader": "skip_damaged, which TensorFlow lacks",
    "tf.data.TFRecordDataset": "skip_damaged, which TensorFlow lacks",
    "tf.Tensor": "operations make tensors; TensorFlow hides its constructor's parameters",
    "tf.lookup.StaticHashTable": "TensorFlow hides its constructor's parameters",
    "tf.lookup.StaticVocabularyTable": "TensorFlow hides its constructor's parameters",
    "tf.lookup.TextFileInitializer": "TensorFlow 2 has added value_index_offset",
    "tf.image.non_max_suppression_padded": "TensorFlow 2 has added sorted_input, canonicalized_coordinates, tile_size",
    "tf.train.CheckpointSaverHook": "in_background and mean_time_between_failures, which TensorFlow lacks",
    "tf.train.MonitoredTrainingSession": "save_in_background and mean_time_between_failures, which TensorFlow lacks",
    "tf.train.Saver": "save_random_state and save_queues, which TensorFlow lacks",
    "tf.train.ClusterSpec": "at_least, which TensorFlow lacks, leaves room for tasks that join later",
}

# Names of the namespaces that most programs use which need parts of the system that do not exist yet, by these parts.
LATER = {
    "feature columns (tables of strings, parsed examples)": {
        "tf.contrib.layers": """
            SPARSE_FEATURE_CROSS_DEFAULT_HASH_KEY bucketized_column check_feature_columns
            create_feature_spec_for_parsing crossed_column embedding_column
            embedding_lookup_sparse_with_distributed_aggregation feature_column infer_real_valued_columns
            input_from_feature_columns joint_weighted_sum_from_feature_columns
            make_place_holder_tensors_for_base_features multi_class_target one_hot_column
            parse_feature_columns_from_examples parse_feature_columns_from_sequence_examples real_valued_column
            regression_target scattered_embedding_column scattered_embedding_lookup scattered_embedding_lookup_sparse
            sequence_input_from_feature_columns shared_embedding_columns sparse_column_with_hash_bucket
            sparse_column_with_integerized_feature sparse_column_with_keys sparse_column_with_vocabulary_file
            transform_features weighted_sparse_column weighted_sum_from_feature_columns
        """,
    },
    "checkpoints": {
        "tf.contrib.framework": """
            load_and_remap_matrix_initializer load_embedding_initializer load_linear_multiclass_bias_initializer
            load_variable_slot_initializer
        """,
    },
    "queues, and sessions that use them": {
        "tf.contrib.framework": "RecordInput",
        "tf.contrib.training": "FeedingQueueRunner",
    },
}
