from tfcore.core.memory.dlpack cimport DLTensor
from tfcore.core.runtime cimport tfc_tensor

ctypedef void (*let_go_fn)(void *) noexcept nogil

cdef class TensorValue:
    cdef tfc_tensor t

cdef object dtype_number_of(object array)
cdef object tensor_to_numpy(tfc_tensor *t, bint take)
cdef int tensor_from_numpy(object array, int dtype, tfc_tensor *out, bint borrow) except -1
cdef enum:  # what `feed` returns, as bits
    FED_ON_DEVICE = 1
    FED_CHANGED = 2
cdef int feed(object value, int dtype, object np_dtype, tfc_tensor *out) except -1
cdef object ask_for_dlpack(source, dict arguments)
cdef object to_dlpack(TensorValue value, int device_type, int device_id, max_version)
cdef DLTensor *open_capsule(object capsule, void **managed, let_go_fn *let_go) except NULL
cdef int use_capsule(object capsule) except -1
cdef int read_dlpack(const DLTensor *d, tfc_tensor *t) except -1
