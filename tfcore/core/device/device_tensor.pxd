from libc.stdint cimport int64_t

from tfcore.core.device.gpu cimport Gpu
from tfcore.core.memory.tensor cimport TensorValue, let_go_fn
from tfcore.core.runtime cimport tfc_tensor

cdef class DeviceTensor(TensorValue):
    cdef readonly Gpu gpu
    cdef bint exported  # other libraries may have work that reads it
    cdef bint lent      # the default stream may

cdef DeviceTensor view_of(Gpu device, const tfc_tensor *t)
cdef object borrow_by_interface(source)
cdef DeviceTensor part_of(DeviceTensor whole, source)
cdef int number_of(np_dtype) except -1
