from tfcore.core.runtime cimport tfc_tensor

cdef class TensorValue:
    cdef tfc_tensor t

cdef object dtype_number_of(object array)
cdef object tensor_to_numpy(tfc_tensor *t, bint take)
cdef int tensor_from_numpy(object array, int dtype, tfc_tensor *out, bint borrow) except -1
cdef int feed(object value, int dtype, object np_dtype, tfc_tensor *out) except -1
