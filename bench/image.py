"""Speed of images: python -m bench.image [--tf PYTHON]

PYTHON is an interpreter that has TensorFlow, which then runs the same program, in turns with tfcore. Prints, for each
operation alone, milliseconds per call and the ratio. Images are of 400 x 600 pixels, four of them, smooth with noise.
The last row is what programs do before they train: a JPEG file of 375 x 500 pixels is decoded, a random part of it is
taken, flipped, resized to 224 x 224, and scaled to [-1, 1].
"""

import argparse
import json
import subprocess
import sys
import time

ROUNDS = 3
SECONDS = 0.3  # of each operation in a round
TURN = [0.955, -0.296, 72.3, 0.296, 0.955, -79.6, 0.0, 0.0]  # by 0.3 around the middle of 400 x 600 pixels


def pictures(np, count, height, width):
    y, x, c = np.mgrid[:height, :width, :3]
    smooth = 0.5 + 0.2 * np.sin(y / 23 + c) + 0.2 * np.cos(x / 31 - c)
    noise = np.random.default_rng(1).uniform(-0.05, 0.05, (count, height, width, 3))
    return ((smooth + noise) * 255).astype(np.uint8)


def pipeline(tf, data):
    contents = tf.Variable(data, dtype=tf.string, trainable=False)
    image = tf.image.decode_jpeg(contents, channels=3)
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.shape(image), tf.zeros([1, 0, 4]), seed=1, area_range=[0.3, 1.0], use_image_if_no_bounding_boxes=True
    )
    part = tf.image.random_flip_left_right(tf.slice(image, begin, size))
    part.set_shape([None, None, 3])
    return tf.image.resize_images(part, [224, 224]) / 127.5 - 1.0


def operations(tf, np):
    """{name: Tensor}"""
    pixels = pictures(np, 4, 400, 600)
    bytes_, floats = (tf.Variable(x, trainable=False) for x in (pixels, (pixels / 255).astype(np.float32)))
    boxes = np.random.default_rng(2).uniform(0, 1, (16, 4)).astype(np.float32)
    of = np.arange(16, dtype=np.int32) % 4
    with tf.Session() as session:
        data = session.run(tf.image.encode_jpeg(pictures(np, 1, 375, 500)[0], quality=90))
    found = {}
    for name, x in (("uint8", bytes_), ("float", floats)):
        for method in ("bilinear", "bicubic", "nearest_neighbor", "area"):
            resize = getattr(tf.image, f"resize_{method}")
            found[f"resize_{method} to 224 x 224, {name}"] = resize(x, [224, 224])
        found[f"resize_bilinear to 800 x 1200, {name}"] = tf.image.resize_bilinear(x, [800, 1200])
        found[f"crop_and_resize, 16 of 224 x 224, {name}"] = tf.image.crop_and_resize(x, boxes, of, [224, 224])
        for method in ("NEAREST", "BILINEAR"):
            found[f"rotation, {method.lower()}, {name}"] = tf.raw_ops.ImageProjectiveTransformV2(
                images=x, transforms=[TURN], output_shape=[400, 600], interpolation=method
            )
    found["adjust_brightness"] = tf.image.adjust_brightness(floats, 0.1)
    found["adjust_contrast"] = tf.image.adjust_contrast(floats, 1.5)
    found["adjust_hue"] = tf.image.adjust_hue(floats, 0.1)
    found["adjust_saturation"] = tf.image.adjust_saturation(floats, 1.5)
    found["JPEG to 224 x 224"] = pipeline(tf, data)
    return found


def measure():
    """{name: milliseconds of a call}: the fastest, as the machine may be busy."""
    import numpy as np

    if "tensorflow" in sys.argv:
        import tensorflow.compat.v1 as tf

        tf.disable_eager_execution()
    else:
        import tfcore as tf
    times = {}
    found = operations(tf, np)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for name, tensor in found.items():
            call = session.make_callable(tensor.op)
            call()
            end, best = time.perf_counter() + SECONDS, float("inf")
            while time.perf_counter() < end:
                start = time.perf_counter()
                call()
                best = min(best, time.perf_counter() - start)
            times[name] = 1e3 * best
    return times


def run(python, *arguments):
    command = [python, "-m", "bench.image", "--worker", *arguments]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tf", metavar="PYTHON", help="an interpreter that has TensorFlow")
    parser.add_argument("--worker", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker is not None:
        print(json.dumps(measure()))
        return
    ours, theirs = {}, {}
    for _ in range(ROUNDS):
        for python, arguments, best in ((sys.executable, [], ours), (options.tf, ["tensorflow"], theirs)):
            for name, ms in run(python, *arguments).items() if python else ():
                best[name] = min(ms, best.get(name, ms))
    for name, ms in ours.items():
        other = f"{theirs[name]:9.3f} {theirs[name] / ms:6.1f}" if theirs else ""
        print(f"{name:40} {ms:9.3f} {other}")


if __name__ == "__main__":
    main()
