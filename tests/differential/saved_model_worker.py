"""Run by the interpreter that has TensorFlow: loads each SavedModel FOLDER/ours/NAME and writes what it has loaded as
FOLDER/theirs/NAME. Prints the names, with the results of the signature."""

import os
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = sys.argv[1]
for name in sorted(os.listdir(os.path.join(folder, "ours"))):
    source = os.path.join(folder, "ours", name)
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load(session, ["serve", "other"], source)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        model = tf.saved_model.load(session, ["serve"], source)
        signature = model.signature_def["serving_default"]
        ids = session.run(signature.outputs["ids"].name, {signature.inputs["words"].name: [b"yes", b"?"]})
        main_op = graph.get_collection(tf.saved_model.MAIN_OP_KEY)[0]
        for key in (tf.saved_model.MAIN_OP_KEY, tf.saved_model.ASSETS_KEY):
            graph.clear_collection(key)
        builder = tf.saved_model.Builder(os.path.join(folder, "theirs", name))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            dict(model.signature_def),
            assets_collection=graph.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=main_op,
        )
        builder.save(as_text=len(name) % 2 == 0)
    print(name, ids.tolist())
