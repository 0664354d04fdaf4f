"""Run by the interpreter that has TensorFlow: restores each checkpoint FOLDER/ours/NAME with its graph, and saves what
it has restored as FOLDER/theirs/NAME. Prints the names."""

import glob
import os
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = sys.argv[1]
for meta in sorted(glob.glob(os.path.join(folder, "ours", "*.meta"))):
    name = os.path.basename(meta)[: -len(".meta")]
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(meta)
        saver.restore(session, os.path.join(folder, "ours", name))
        saver.save(session, os.path.join(folder, "theirs", name), write_state=False)
    print(name)
