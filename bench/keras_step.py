"""How fast does a Keras model train? python -m bench.keras_step [--tensorflow PYTHON]

tfcore runs the installed Keras 2.3.1 (`pip install 'tfcore[keras]'`), PYTHON the Keras of its TensorFlow, which
compiles the step. Both begin with the same weights; the losses of the first steps are compared before anything is
timed. Prints milliseconds of one `train_on_batch`, medians of alternating turns, and the ratio.
"""

import argparse
import os
import statistics
import sys

if __name__ == "__main__" and "--worker" in sys.argv:  # started by path, with another library's interpreter
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

import numpy as np

from bench import peers

BATCH = 32
STEPS = 3  # whose losses are compared


def convolutional_net(keras):
    """The net of Keras's MNIST example."""
    layers = keras.layers
    return keras.models.Sequential(
        [
            layers.Conv2D(32, (3, 3), activation="relu", input_shape=(28, 28, 1)),
            layers.Conv2D(64, (3, 3), activation="relu"),
            layers.MaxPooling2D((2, 2)),
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dense(10, activation="softmax"),
        ]
    )


def lstm(keras):
    """The net of Keras's IMDB example."""
    layers = keras.layers
    return keras.models.Sequential(
        [
            layers.Embedding(20_000, 128),
            layers.LSTM(128, recurrent_activation="sigmoid"),
            layers.Dense(1, activation="sigmoid"),
        ]
    )


def images(random):
    return random.random((BATCH, 28, 28, 1), np.float32), random.integers(0, 10, (BATCH, 1))


def words(random):
    return random.integers(0, 20_000, (BATCH, 80)), random.integers(0, 2, (BATCH, 1))


CASES = {
    "convolutional net, 28 x 28": (convolutional_net, images, "sparse_categorical_crossentropy"),
    "LSTM of 128, 80 words": (lstm, words, "binary_crossentropy"),
}


def import_keras(library):
    if library == "tensorflow":
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        from tensorflow import keras

        return keras
    import tfcore.as_tensorflow

    tfcore.as_tensorflow.install()
    import keras

    return keras


def program(keras, case):
    """Function that does one step and returns the loss."""
    build, draw, loss = CASES[case]
    random = np.random.default_rng(1)
    x, y = draw(random)
    model = build(keras)
    model.compile(keras.optimizers.Adam(1e-3), loss)
    model.predict_on_batch(x)  # makes the variables of a model whose inputs have no shape
    model.set_weights([0.05 * random.standard_normal(w.shape).astype(w.dtype) for w in model.get_weights()])
    return lambda: float(np.ravel(model.train_on_batch(x, y))[0])


def work(library):
    """The process of one library."""
    keras = import_keras(library)
    programs = {}

    def answer(case, seconds=None):
        if case not in programs:
            programs[case] = program(keras, case)
            return {"losses": [programs[case]() for _ in range(STEPS)]}
        return {"time": peers.median_time(programs[case], seconds)}

    peers.serve(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    peers.add_arguments(parser)
    options = parser.parse_args()
    if options.worker:
        return work(options.worker)
    options.torch = None
    workers = peers.start_workers(__file__, options)
    print(f"{'ms per step':28}" + "".join(f"{w.library:>12}" for w in workers) + "     ratio")
    for case in CASES:
        losses = [w.ask(case=case)["losses"] for w in workers]
        if not np.allclose(losses, losses[0], rtol=2e-3):
            raise SystemExit(f"{case}: the losses differ: {losses}")
        times = [[] for _ in workers]
        for _ in range(options.rounds):
            for worker, of in zip(workers, times, strict=True):
                of.append(1000 * worker.ask(case=case, seconds=options.seconds)["time"])
        found = [statistics.median(of) for of in times]
        print(f"{case:28}" + "".join(f"{t:12.2f}" for t in found) + f"{found[-1] / found[0]:10.2f}", flush=True)
    for worker in workers:
        worker.close()


if __name__ == "__main__":
    main()
