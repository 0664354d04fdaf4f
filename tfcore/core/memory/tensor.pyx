# distutils: extra_compile_args = -O3 -fno-plt
"""Tensors as Python objects; conversion from and to NumPy arrays and DLPack."""

cimport numpy as np
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyTypeObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from tfcore.core.memory.dlpack cimport *
from tfcore.core.runtime cimport *

import numpy

from tfcore.framework.types import dtypes
from tfcore.framework import errors

np.import_array()

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewFromDescr(PyTypeObject *subtype, np.dtype descr, int nd, np.npy_intp *dims, np.npy_intp *strides,
                                void *data, int flags, object obj)
    object PyArray_Scalar(void *data, np.dtype descr, object base)
    int PyArray_SetBaseObject(np.ndarray arr, object obj) except -1
    int NPY_ARRAY_DEFAULT
    int NPY_ARRAY_CARRAY_RO


DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"

# Below this size a copy into a new array is cheaper than an array that keeps our buffer alive.
cdef enum:
    SMALL = 512

cdef int64_t MOST_ELEMENTS = (<int64_t>1 << 59) - 1  # so that their bytes can be counted

cdef list _np_dtypes = [None] * 32  # by type number
for _t in dtypes.BY_ENUM.values():
    if _t.as_datatype_enum < 32 and _t.as_numpy_dtype is not None:
        _np_dtypes[_t.as_datatype_enum] = dtypes.fed_dtype(_t)
cdef frozenset _PLAIN = frozenset([list, tuple, int, float, type(True), str, bytes])  # fed values that are not arrays
cdef dict _enum_of = {np_dtype: t.as_datatype_enum for np_dtype, t in dtypes.BY_NUMPY.items()}


cdef class TensorValue:
    """A tensor with a value: type, shape and reference-counted memory. Immutable."""

    def __cinit__(self):
        memset(&self.t, 0, sizeof(self.t))

    def __dealloc__(self):
        tfc_tensor_clear(&self.t)

    @staticmethod
    def from_numpy(array, dtype=None):
        """A tensor with a copy of the array's elements, converted to `dtype` if given."""
        cdef TensorValue v = TensorValue.__new__(TensorValue)
        array = numpy.asarray(array)
        cdef int number = dtype_number_of(array) if dtype is None else dtypes.as_dtype(dtype).as_datatype_enum
        if _np_dtypes[number] != array.dtype and number != TFC_STRING:
            array = array.astype(_np_dtypes[number])
        tensor_from_numpy(array, number, &v.t, False)
        return v

    @property
    def dtype(self):
        return dtypes.as_dtype(self.t.dtype)

    @property
    def shape(self):
        return tuple([self.t.dims[i] for i in range(self.t.rank)])

    @property
    def nbytes(self):
        return self.t.n * tfc_dtype_size(self.t.dtype)

    @property
    def device(self):
        """The full name of the device in whose memory it is."""
        return DEVICE

    def numpy(self):
        """A copy as an array."""
        return tensor_to_numpy(&self.t, False)

    def __array__(self, dtype=None, copy=None):
        array = numpy.asarray(tensor_to_numpy(&self.t, False), _np_dtypes[self.t.dtype])
        return array if dtype is None else array.astype(dtype)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return to_dlpack(self, DL_CPU, 0, max_version)

    @staticmethod
    def from_dlpack(source):
        """A tensor that shares the memory of an array on the CPU or on a GPU, by `__dlpack__` or, on a GPU,
        `__cuda_array_interface__`.

        Elements on the GPU that are not dense in row-major order are copied there.

        Args:
          source: the array, or a DLPack capsule with a tensor on the CPU.

        Returns: a TensorValue; on a GPU, a DeviceTensor.
        Raises:
          ValueError: elsewhere, or of a type without a counterpart; on the CPU and not dense in row-major order.
          InvalidArgumentError: on a GPU that sessions of this process do not have.
        """
        return from_other_library(source)

    def __repr__(self):
        return f"{type(self).__name__}(shape={self.shape}, dtype={self.dtype.name})"


cdef object dtype_number_of(object array):
    number = _enum_of.get(array.dtype)
    if number is None:
        return dtypes.as_dtype(array.dtype).as_datatype_enum
    return number


# ---- To NumPy

cdef object strings_to_numpy(tfc_tensor *t):
    cdef tfc_string *s = <tfc_string *>t.data
    cdef int64_t i
    flat = numpy.empty(t.n, dtype=object)
    for i in range(t.n):
        flat[i] = PyBytes_FromStringAndSize(s[i].data, s[i].size) if s[i].size else b""
    if t.rank == 0:
        return flat[0]
    return flat.reshape(tuple([t.dims[d] for d in range(t.rank)]))


cdef object device_tensor_to_numpy(tfc_tensor *t):
    cdef tfc_tensor copy
    cdef bint ok
    with nogil:
        ok = tfc_tensor_read(&copy, t)
    if not ok:
        raise errors.UnavailableError(None, None, "A tensor in a device's memory can't be copied to the host.")
    try:
        return tensor_to_numpy(&copy, True)
    finally:
        tfc_tensor_clear(&copy)


cdef object tensor_to_numpy(tfc_tensor *t, bint take):
    """The tensor as an array (rank 0: a NumPy scalar, bytes for a string).

    With `take` the array may take over the tensor's memory if it has no other holder, so that a fetched value never
    changes and the user may write to it.
    """
    cdef np.npy_intp dims[TFC_MAX_RANK]
    cdef int i
    cdef size_t size
    cdef TensorValue owner
    if t.buffer != NULL and buffer_of(t).device != NULL:
        return device_tensor_to_numpy(t)
    if t.dtype == TFC_STRING:
        return strings_to_numpy(t)
    descr = _np_dtypes[t.dtype]
    if descr is None:
        raise TypeError(f"A tensor of type {dtypes.as_dtype(t.dtype).name} has no value outside of the graph.")
    for i in range(t.rank):
        dims[i] = t.dims[i]
    size = <size_t>t.n * tfc_dtype_size(t.dtype)
    if take and size > SMALL and t.buffer != NULL and tfc_buffer_exclusive(buffer_of(t)):
        owner = TensorValue.__new__(TensorValue)
        owner.t = t[0]
        t.buffer = NULL
        Py_INCREF(descr)
        array = PyArray_NewFromDescr(
            <PyTypeObject *>numpy.ndarray, descr, t.rank, dims, NULL, t.data, NPY_ARRAY_DEFAULT, None)
        Py_INCREF(owner)
        PyArray_SetBaseObject(array, owner)
        return array
    if t.rank == 0:
        return PyArray_Scalar(t.data, descr, None)
    Py_INCREF(descr)
    array = PyArray_NewFromDescr(<PyTypeObject *>numpy.ndarray, descr, t.rank, dims, NULL, NULL, 0, None)
    if size:
        memcpy(np.PyArray_DATA(array), t.data, size)
    return array


# ---- From NumPy

cdef void release_borrowed(tfc_buffer *b) noexcept nogil:
    with gil:
        Py_DECREF(<object>b.owner)
    free(b)


cdef object out_of_memory(shape, int dtype):
    sizes = ",".join(map(str, shape))
    name = dtypes.SHORT_NAMES[dtypes.as_dtype(dtype)]
    text = f"OOM when allocating tensor with shape[{sizes}] and type {name} on {DEVICE} by allocator cpu"
    return errors.ResourceExhaustedError(None, None, text)


cdef int strings_from_numpy(object array, tfc_tensor *out) except -1:
    cdef int64_t dims[TFC_MAX_RANK]
    cdef int64_t i
    for i in range(array.ndim):
        dims[i] = array.shape[i]
    out.dtype = TFC_STRING
    if not tfc_tensor_new(out, array.ndim, dims):
        raise out_of_memory(array.shape, TFC_STRING)
    i = 0
    for item in array.ravel():
        if isinstance(item, str):
            item = (<str>item).encode()
        elif not isinstance(item, bytes):
            tfc_tensor_clear(out)
            raise TypeError(f"Expected bytes or str, got {item!r} of type '{type(item).__name__}' instead.")
        if tfc_string_assign(out, i, PyBytes_AS_STRING(item), PyBytes_GET_SIZE(item)):
            tfc_tensor_clear(out)
            raise out_of_memory(array.shape, TFC_STRING)
        i += 1
    return 0


cdef int tensor_from_numpy(object array, int dtype, tfc_tensor *out, bint borrow) except -1:
    """Fills *out from an array of the right element type; with `borrow` it may use the array's memory."""
    cdef int64_t dims[TFC_MAX_RANK]
    cdef int i
    cdef tfc_buffer *b
    cdef np.ndarray a
    out.buffer = NULL
    if np.PyArray_NDIM(array) > TFC_MAX_RANK:
        raise errors.UnimplementedError(
            None, None, f"Tensors of rank {array.ndim} are not supported (at most {TFC_MAX_RANK})")
    if dtype == TFC_STRING:
        return strings_from_numpy(array, out)
    if not np.PyArray_ISCARRAY_RO(array):
        array = numpy.require(array, requirements="CA").astype(_np_dtypes[dtype], copy=False)
    a = array
    out.dtype = dtype
    for i in range(np.PyArray_NDIM(a)):
        dims[i] = np.PyArray_DIM(a, i)
    if borrow:
        b = <tfc_buffer *>malloc(sizeof(tfc_buffer))
        if b == NULL:
            raise MemoryError()
        b.refs = 1
        b.release = release_borrowed
        b.flags = TFC_BUFFER_BORROWED
        b.device = NULL
        b.size = np.PyArray_NBYTES(a)
        Py_INCREF(a)
        b.owner = <void *>a
        out.buffer = b
        out.data = np.PyArray_DATA(a)
        out.n = np.PyArray_SIZE(a)
        out.rank = np.PyArray_NDIM(a)
        for i in range(out.rank):
            out.dims[i] = dims[i]
        return 0
    if not tfc_tensor_new(out, np.PyArray_NDIM(a), dims):
        raise out_of_memory(array.shape, dtype)
    if out.n:
        memcpy(out.data, np.PyArray_DATA(a), <size_t>out.n * tfc_dtype_size(dtype))
    return 0


cdef int feed(object value, int dtype, object np_dtype, tfc_tensor *out) except -1:
    """Fills *out with a fed value: arrays of the right type are used in place, small ones are copied.

    Returns FED_ON_DEVICE if it is in a device's memory, FED_CHANGED if numbers are others after the conversion.
    """
    cdef np.ndarray a
    if type(value) is numpy.ndarray:
        a = value
        if a.dtype is np_dtype and np.PyArray_ISCARRAY_RO(a):
            return tensor_from_numpy(a, dtype, out, np.PyArray_NBYTES(a) > SMALL)
    elif type(value) is float and dtype == 1:
        out.dtype = dtype
        if not tfc_tensor_new(out, 0, NULL):
            raise out_of_memory((), dtype)
        (<float *>out.data)[0] = <float><double>value
        return 0
    elif type(value) not in _PLAIN and not isinstance(value, (TensorValue, numpy.generic)) and (
            hasattr(value, "__dlpack__") or hasattr(value, "__cuda_array_interface__")):
        value = import_feed(value)
    if isinstance(value, TensorValue):
        if (<TensorValue>value).t.dtype != dtype:
            return feed(value.numpy(), dtype, np_dtype, out)
        out[0] = (<TensorValue>value).t
        tfc_buffer_ref(buffer_of(out))
        return FED_ON_DEVICE if buffer_of(out).device != NULL else 0
    if hasattr(value, "_as_graph_element"):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python scalars, strings, "
            f"lists, numpy ndarrays, or TensorValues. For reference, the tensor object was {value} which was passed to "
            "the feed."
        )
    if np_dtype is None:
        raise TypeError(f"A tensor of type {dtypes.as_dtype(dtype).name} can't be fed.")
    changed = False
    if dtype == TFC_STRING:
        array = numpy.asarray(value, dtype=object)
    elif np_dtype.kind in "iu" and not are_ints(value):
        array, changed = convert_to_integers(value, np_dtype)
    else:
        array = convert_feed(value, np_dtype)
    # An array made here has no other holder, but NumPy owns its memory: borrowing keeps it alive for the step.
    tensor_from_numpy(array, dtype, out, array.nbytes > SMALL)
    return FED_CHANGED if changed else 0


cdef object import_feed(value):
    """A fed tensor of another library: shares its memory where possible, else converts it to an array."""
    try:
        on_gpu = is_on_gpu(value)
    except Exception:
        on_gpu = False
    if on_gpu:
        try:
            return from_other_library(value)
        except Exception:
            copied = as_array(value)  # for example of a GPU that this process does not have
            if copied is None:
                raise
            return copied
    try:
        return from_capsule(ask_for_dlpack(value, {}))
    except Exception:
        return numpy.asarray(value)


cdef object as_array(value):
    """A copy on the host that the value's own library makes, or None."""
    try:
        array = numpy.asarray(value)
    except Exception:
        return None
    return None if array.dtype == object else array


cdef bint are_ints(value):
    """Whether it is nested lists of Python's integers alone, which NumPy refuses to change."""
    if type(value) is not list:
        return type(value) is int
    for item in <list>value:
        if type(item) is not int and not are_ints(item):
            return False
    return True


cdef object convert_to_integers(value, np_dtype):
    """(array, whether some numbers are others): 1.5 becomes 1, as in TensorFlow; what Python refuses is an error."""
    array = convert_feed(value, np_dtype)
    given = numpy.asarray(value)
    kind, size = given.dtype.kind, given.dtype.itemsize
    if kind not in "fiu" or kind == np_dtype.kind and size <= np_dtype.itemsize:
        return array, False
    return array, numpy.count_nonzero(array != given) > 0


cdef object convert_feed(value, np_dtype):
    if value is None:
        raise TypeError("The value of a feed cannot be None.")  # NumPy would make it NaN
    try:
        array = numpy.asarray(value, dtype=np_dtype, order="C")
    except OverflowError:
        array = None
    if type(value) is int and (array is None or array != value and np_dtype.kind in "iub"):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type {np_dtype.name}. "
            "Try explicitly setting the type of the feed tensor to a larger type (e.g. int64)."
        )
    if array is None:
        raise TypeError(f"Some of the fed numbers do not fit into the Tensor's type {np_dtype.name}.")
    return array


# ---- DLPack

# (type code, bits) of DLPack for each type: 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool
cdef dict _DL_CODES = {
    1: (2, 32), 2: (2, 64), 3: (0, 32), 4: (1, 8), 5: (0, 16), 6: (0, 8), 8: (5, 64), 9: (0, 64), 10: (6, 8),
    14: (4, 16), 17: (1, 16), 18: (5, 128), 19: (2, 16), 22: (1, 32), 23: (1, 64),
}
cdef dict _DL_TYPES = {code: number for number, code in _DL_CODES.items()}


cdef object ask_for_dlpack(source, dict arguments):
    """A capsule of an object with `__dlpack__`, by version 1.x of the protocol if the object knows it."""
    try:
        return source.__dlpack__(max_version=(1, 1), **arguments)
    except TypeError:
        return source.__dlpack__(**arguments)


# -- Export

cdef void delete_exported(DLManagedTensor *m) noexcept with gil:
    Py_DECREF(<object>m.manager_ctx)
    free(m.dl_tensor.shape)
    free(m)


cdef void delete_exported_versioned(DLManagedTensorVersioned *m) noexcept with gil:
    Py_DECREF(<object>m.manager_ctx)
    free(m.dl_tensor.shape)
    free(m)


cdef void drop_capsule(object capsule) noexcept:
    cdef DLManagedTensor *m
    cdef DLManagedTensorVersioned *v
    if PyCapsule_IsValid(capsule, "dltensor"):
        m = <DLManagedTensor *>PyCapsule_GetPointer(capsule, "dltensor")
        m.deleter(m)
    elif PyCapsule_IsValid(capsule, "dltensor_versioned"):
        v = <DLManagedTensorVersioned *>PyCapsule_GetPointer(capsule, "dltensor_versioned")
        v.deleter(v)


cdef int describe(TensorValue value, int device_type, int device_id, DLTensor *d) except -1:
    cdef int i
    d.shape = <int64_t *>malloc((value.t.rank + 1) * sizeof(int64_t))
    if d.shape == NULL:
        raise MemoryError()
    d.code, d.bits = _DL_CODES[value.t.dtype]
    d.lanes = 1
    d.data = value.t.data
    d.device_type, d.device_id = device_type, device_id
    d.ndim = value.t.rank
    for i in range(value.t.rank):
        d.shape[i] = value.t.dims[i]
    return 0


cdef object to_dlpack(TensorValue value, int device_type, int device_id, max_version):
    """A capsule that shares the tensor's memory, which nobody may write to; only version 1.x can say that."""
    cdef DLManagedTensor *m
    cdef DLManagedTensorVersioned *v
    if value.t.dtype not in _DL_CODES:
        raise ValueError(f"Tensors of type {value.dtype.name} can't be exported by DLPack.")
    if max_version is None or max_version[0] < 1:
        m = <DLManagedTensor *>calloc(1, sizeof(DLManagedTensor))
        if m == NULL:
            raise MemoryError()
        describe(value, device_type, device_id, &m.dl_tensor)
        m.deleter = delete_exported
        m.manager_ctx = <void *>value
        Py_INCREF(value)
        return PyCapsule_New(m, "dltensor", drop_capsule)
    v = <DLManagedTensorVersioned *>calloc(1, sizeof(DLManagedTensorVersioned))
    if v == NULL:
        raise MemoryError()
    describe(value, device_type, device_id, &v.dl_tensor)
    v.major, v.flags = 1, DL_READ_ONLY
    v.deleter = delete_exported_versioned
    v.manager_ctx = <void *>value
    Py_INCREF(value)
    return PyCapsule_New(v, "dltensor_versioned", drop_capsule)


# -- Import

cdef void delete_managed(void *managed) noexcept nogil:
    cdef DLManagedTensor *m = <DLManagedTensor *>managed
    if m.deleter != NULL:
        with gil:
            m.deleter(m)


cdef void delete_managed_versioned(void *managed) noexcept nogil:
    cdef DLManagedTensorVersioned *v = <DLManagedTensorVersioned *>managed
    if v.deleter != NULL:
        with gil:
            v.deleter(v)


cdef DLTensor *open_capsule(object capsule, void **managed, let_go_fn *let_go) except NULL:
    """The tensor in a capsule; let_go(managed) gives it back once `use_capsule` has been called."""
    cdef DLManagedTensorVersioned *v
    if PyCapsule_IsValid(capsule, "dltensor_versioned"):
        v = <DLManagedTensorVersioned *>PyCapsule_GetPointer(capsule, "dltensor_versioned")
        if v.major != 1:
            raise BufferError(f"The tensor has version {v.major} of DLPack, and only 1.x is known.")
        managed[0], let_go[0] = v, delete_managed_versioned
        return &v.dl_tensor
    managed[0], let_go[0] = PyCapsule_GetPointer(capsule, "dltensor"), delete_managed
    return &(<DLManagedTensor *>managed[0]).dl_tensor


cdef int use_capsule(object capsule) except -1:
    """Takes the tensor out of the capsule, which would delete it otherwise."""
    if PyCapsule_IsValid(capsule, "dltensor_versioned"):
        PyCapsule_SetName(capsule, "used_dltensor_versioned")
    else:
        PyCapsule_SetName(capsule, "used_dltensor")
    return 0


cdef int read_dlpack(const DLTensor *d, tfc_tensor *t) except -1:
    """Fills in all but the buffer. Returns 1, or 0 if the elements are not dense in row-major order."""
    cdef int64_t expected = 1
    cdef bint dense = True
    cdef int i
    number = _DL_TYPES.get((d.code, d.bits))
    if number is None or d.lanes != 1 or d.ndim < 0 or d.ndim > TFC_MAX_RANK:
        raise ValueError(
            f"The DLPack tensor has a type or rank without a counterpart: type code {d.code}, {d.bits} bits, "
            f"{d.lanes} lanes, rank {d.ndim}.")
    t.dtype = number
    t.rank = d.ndim
    for i in range(d.ndim - 1, -1, -1):
        if d.shape[i] < 0 or d.shape[i] and expected > MOST_ELEMENTS // d.shape[i]:
            raise ValueError("The DLPack tensor has a shape that is impossible.")
        dense = dense and (d.strides == NULL or d.shape[i] == 1 or d.strides[i] == expected)
        expected *= d.shape[i]
        t.dims[i] = d.shape[i]
    t.n = expected
    t.data = <char *>d.data + d.byte_offset
    return dense or not expected


cdef void release_imported(tfc_buffer *b) noexcept nogil:
    delete_managed(b.owner)
    free(b)


cdef void release_imported_versioned(tfc_buffer *b) noexcept nogil:
    delete_managed_versioned(b.owner)
    free(b)


cdef object from_capsule(object capsule):
    """A tensor that shares the memory of one in a capsule, on the host."""
    cdef void *managed
    cdef let_go_fn let_go
    cdef DLTensor *d = open_capsule(capsule, &managed, &let_go)
    cdef TensorValue value = TensorValue.__new__(TensorValue)
    cdef tfc_buffer *buffer
    if d.device_type not in (DL_CPU, DL_CUDA_HOST, DL_ROCM_HOST):
        raise ValueError("The DLPack tensor is not in the memory of the CPU.")
    if not read_dlpack(d, &value.t):
        raise ValueError("The DLPack tensor is not dense in row-major order.")
    buffer = <tfc_buffer *>calloc(1, sizeof(tfc_buffer))
    if buffer == NULL:
        raise MemoryError()
    buffer.refs = 1
    buffer.release = release_imported if let_go == delete_managed else release_imported_versioned
    # Its exporter may still write to it, so state must not alias it.
    buffer.flags = TFC_BUFFER_BORROWED
    buffer.owner = managed
    value.t.buffer = buffer
    use_capsule(capsule)
    return value


cdef bint is_on_gpu(source):
    """Whether an array is in a GPU's memory, as far as it says."""
    if not hasattr(source, "__dlpack__") or not hasattr(source, "__dlpack_device__"):
        return hasattr(source, "__cuda_array_interface__")
    return int(source.__dlpack_device__()[0]) in (DL_CUDA, DL_CUDA_MANAGED)


cdef object from_other_library(source):
    if is_on_gpu(source):
        from tfcore.core.device import device_tensor  # here, because programs without GPUs need not load it

        return device_tensor.borrow(source)
    if hasattr(source, "__dlpack_device__") and int(source.__dlpack_device__()[0]) not in (
            DL_CPU, DL_CUDA_HOST, DL_ROCM_HOST):
        raise ValueError("Only tensors in the memory of the CPU or of a CUDA device can be imported.")
    return from_capsule(ask_for_dlpack(source, {}) if hasattr(source, "__dlpack__") else source)
