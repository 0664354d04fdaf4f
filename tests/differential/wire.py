"""Messages between this process and TensorFlow's: pickled, with arrays as plain bytes.

Both interpreters import this file, whatever their versions of NumPy: pickled arrays would tie them together.
"""

import pickle
import struct

import numpy as np


def _pack(message):
    """Lists stay lists; a tuple is an array: the name of its type, its shape, its bytes (strings: a list of them)."""
    if isinstance(message, dict):
        return {key: _pack(value) for key, value in message.items()}
    if isinstance(message, (list, tuple)):
        return [_pack(value) for value in message]
    if isinstance(message, (np.ndarray, np.generic)):
        array = np.asarray(message)
        is_text = array.dtype.kind in "OSU"
        data = [_bytes(s) for s in array.flat] if is_text else np.ascontiguousarray(array).tobytes()
        return array.dtype.name, array.shape, data
    return message


def _bytes(text):
    return text.encode() if isinstance(text, str) else bytes(text)


def _unpack(message):
    if isinstance(message, dict):
        return {key: _unpack(value) for key, value in message.items()}
    if isinstance(message, tuple):
        return _array(*message)
    return [_unpack(value) for value in message] if isinstance(message, list) else message


def _array(name, shape, data):
    if isinstance(data, list):
        flat = np.empty(len(data), object)
        flat[:] = data
        return flat.reshape(shape)
    return np.frombuffer(bytearray(data), _dtype(name)).reshape(shape)


def _dtype(name):
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def send(file, message):
    data = pickle.dumps(_pack(message), protocol=4)
    file.write(struct.pack("<Q", len(data)) + data)
    file.flush()


def receive(file):
    """The next message; None at the end."""
    head = file.read(8)
    if len(head) < 8:
        return None
    data = file.read(struct.unpack("<Q", head)[0])
    return _unpack(pickle.loads(data))
