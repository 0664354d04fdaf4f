"""Run by the interpreter that has TensorFlow: restores each checkpoint FOLDER/ours/NAME into the objects of that
program (`object_programs.py`), in a graph and eagerly, and saves them as FOLDER/graph/NAME and FOLDER/eager/NAME; then
it trains them in the graph, and saves them as FOLDER/new/NAME. Prints the names."""

import os
import sys

import object_programs
import tensorflow
import tensorflow.compat.v1 as tf

folder = sys.argv[1]


def in_graph(program, name):
    with tf.Graph().as_default(), tf.Session() as session:
        objects, train = program(tf)
        operations = train()
        checkpoint = tf.train.Checkpoint(**objects)
        checkpoint.restore(os.path.join(folder, "ours", name)).assert_consumed().run_restore_ops()
        checkpoint.write(os.path.join(folder, "graph", name))
        session.run(operations or [])
        checkpoint.write(os.path.join(folder, "new", name))


def eagerly(program, name):
    objects, train = program(tf)
    train()  # makes the slots
    checkpoint = tensorflow.train.Checkpoint(**objects)
    checkpoint.save_counter  # noqa: B018  made now
    checkpoint.restore(os.path.join(folder, "ours", name)).assert_consumed()
    checkpoint.write(os.path.join(folder, "eager", name))


for program in object_programs.PROGRAMS:
    in_graph(program, program.__name__)
    eagerly(program, program.__name__)
    print(program.__name__)
