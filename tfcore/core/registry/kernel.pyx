"""Kernel instances, made from an operation's attributes, and the resource manager that holds their state."""

import threading

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from tfcore.core.registry.registry cimport Kernel
from tfcore.core.runtime cimport *
from tfcore.core.memory.tensor cimport TensorValue

import numpy

from tfcore.framework.types import dtypes
from tfcore.framework import errors

# Flags of kernels, for the compiler.
STATEFUL = TFC_KERNEL_STATEFUL
WAITS = TFC_KERNEL_ASYNC | TFC_KERNEL_BLOCKING


cdef extern from *:
    """
    #include <stdarg.h>
    #include <stdio.h>
    #include <string.h>
    /* A kernel's create() reports an error through a variadic call; the text waits here for Python. */
    typedef struct tfc_build { tfc_construction pub; void *python; char message[1024]; int code; } tfc_build;
    static int tfc_create_error(tfc_construction *c, int code, const char *format, ...) {
      tfc_build *b = (tfc_build *)c;
      va_list args;
      va_start(args, format);
      vsnprintf(b->message, sizeof b->message, format, args);
      va_end(args);
      b->code = code;
      return code;
    }
    """
    ctypedef struct tfc_build:
        tfc_construction pub
        void *python
        char message[1024]
        int code
    int tfc_create_error(tfc_construction *c, int code, const char *format, ...) noexcept


cdef class Resource:
    """A C object with its destructor, or a variable; destroyed with its last reference."""

    def __dealloc__(self):
        if self.pointer == NULL:
            return
        if self.is_variable:
            tfc_variable_unref(<tfc_variable *>self.pointer)
        elif self.destroy != NULL:
            self.destroy(self.pointer)


cdef class ResourceManager:
    """State that outlives steps, by container, kind and name; one per device of a session.

    watch: called as watch(address of the tfc_variable, container, kind, name) for each new variable, before a kernel
      has it; None: nobody is told.
    """

    def __init__(self):
        self.resources = {}
        self.lock = threading.RLock()
        self.watch = None

    def clear(self, container=None):
        """Forgets the resources of one container, or all. Threads of iterators, which use others, end before."""
        cdef Resource r
        with self.lock:
            names = list(self.resources) if container is None else [container or "localhost"]
            chosen = [self.resources.get(name, {}) for name in names]
            both = ("iterator", "session iterator")
            iterators = [held for kinds in chosen for (kind, _), held in kinds.items() if kind in both]
        for r in iterators:
            with nogil:  # their functions may be Python's
                (<void (**)(void *) noexcept nogil>r.pointer)[0](r.pointer)
        with self.lock:
            if container is None:
                self.resources.clear()
            else:
                self.resources.pop(container or "localhost", None)

    def variables(self):
        """[(name, bytes, addresses of the buffer and of its device)] of the variables that have a value."""
        cdef Resource r
        cdef tfc_tensor value
        cdef const tfc_buffer *buffer
        found = []
        with self.lock:
            items = [item for kinds in self.resources.values() for item in kinds.items()]
        held = [(key[1], r) for key, r in items if key[0] in ("variable", "resource variable")]
        for name, r in held:
            if tfc_variable_read(<tfc_variable *>r.pointer, &value):
                buffer = buffer_of(&value)
                found.append((name, <int64_t>buffer.size, <size_t>buffer, <size_t>buffer.device))
                tfc_tensor_clear(&value)
        return found

    cdef int add_variable(self, str container, str kind, str name, int32_t dtype, tfc_tensor *value, watch) except -1:
        """Adds a variable that no kernel has so far, in place of one of that name. It takes over the value, if it has
        any. watch: called for it.
        """
        cdef Resource r = new_variable(container, kind, name, dtype)
        cdef tfc_variable *v = <tfc_variable *>r.pointer
        if value.buffer != NULL:
            v.value = value[0]
            value.buffer = NULL
        watch(<size_t>r.pointer, container, kind, name)
        with self.lock:
            self.resources.setdefault(container, {})[kind, name] = r
        return 0

    def names(self):
        """(container, kind, name) of all resources."""
        with self.lock:
            return sorted((c, *key) for c, held in self.resources.items() for key in held)


cdef class Builder:
    """State for the callbacks of a create() call: attributes, resources, objects that the kernel keeps alive."""

    cdef dict attrs
    cdef ResourceManager resources
    cdef ResourceManager generators
    cdef object device
    cdef list kept
    cdef dict callables
    cdef object error
    cdef object message  # of an error, where it may be long


cdef int get_attr(tfc_construction *c, const char *name, void **out) noexcept:
    """Borrowed reference to the attribute's value."""
    cdef Builder b = <Builder>(<tfc_build *>c).python
    value = b.attrs.get(name.decode(), b)
    if value is b:
        return tfc_create_error(c, TFC_NOT_FOUND, b"No attr named '%s' in NodeDef", name)
    out[0] = <void *>value
    return TFC_OK


cdef int wrong_type(tfc_construction *c, const char *name, const char *wanted) noexcept:
    return tfc_create_error(c, TFC_INVALID_ARGUMENT, b"attr '%s' is not %s", name, wanted)


cdef int attr_bool(tfc_construction *c, const char *name, bool *value) noexcept:
    cdef void *found = NULL
    cdef int code = get_attr(c, name, &found)
    if code:
        return code
    if <object>found is not True and <object>found is not False:
        return wrong_type(c, name, b"a bool")
    value[0] = <object>found is True
    return TFC_OK


cdef int attr_int(tfc_construction *c, const char *name, int64_t *value) noexcept:
    cdef void *found = NULL
    cdef int code = get_attr(c, name, &found)
    if code:
        return code
    try:
        value[0] = <object>found
    except (TypeError, OverflowError):
        return wrong_type(c, name, b"an int")
    return TFC_OK


cdef int attr_float(tfc_construction *c, const char *name, double *value) noexcept:
    cdef void *found = NULL
    cdef int code = get_attr(c, name, &found)
    if code:
        return code
    try:
        value[0] = <float><double>(<object>found)  # a float attribute of a GraphDef has single precision
    except TypeError:
        return wrong_type(c, name, b"a float")
    return TFC_OK


cdef int attr_type(tfc_construction *c, const char *name, int32_t *value) noexcept:
    cdef void *found = NULL
    cdef int code = get_attr(c, name, &found)
    if code:
        return code
    if not isinstance(<object>found, dtypes.DType):
        return wrong_type(c, name, b"a type")
    value[0] = (<object>found).as_datatype_enum
    return TFC_OK


cdef int attr_string(tfc_construction *c, const char *name, const char **data, size_t *size) noexcept:
    cdef void *found = NULL
    cdef int code = get_attr(c, name, &found)
    if code:
        return code
    if not isinstance(<object>found, bytes):
        return wrong_type(c, name, b"a string")
    data[0] = PyBytes_AS_STRING(<object>found)
    size[0] = PyBytes_GET_SIZE(<object>found)
    return TFC_OK


cdef int get_list(tfc_construction *c, const char *name, int most, void **out, int *n, int *count) noexcept:
    """The list, its length, and how many of its entries the caller has room for."""
    cdef int code = get_attr(c, name, out)
    if code:
        return code
    if not isinstance(<object>out[0], (list, tuple)):
        return wrong_type(c, name, b"a list")
    n[0] = len(<object>out[0])
    count[0] = max(0, min(most, n[0]))
    return TFC_OK


cdef int attr_ints(tfc_construction *c, const char *name, int most, int64_t *values, int *n) noexcept:
    cdef void *found = NULL
    cdef int i
    cdef int count = 0
    cdef int code = get_list(c, name, most, &found, n, &count)
    try:
        for i in range(count):
            values[i] = (<object>found)[i]
    except (TypeError, OverflowError):
        return wrong_type(c, name, b"a list of ints")
    return code


cdef int attr_floats(tfc_construction *c, const char *name, int most, double *values, int *n) noexcept:
    cdef void *found = NULL
    cdef int i
    cdef int count = 0
    cdef int code = get_list(c, name, most, &found, n, &count)
    try:
        for i in range(count):
            values[i] = <float><double>((<object>found)[i])
    except TypeError:
        return wrong_type(c, name, b"a list of floats")
    return code


cdef int attr_types(tfc_construction *c, const char *name, int most, int32_t *values, int *n) noexcept:
    cdef void *found = NULL
    cdef int i
    cdef int count = 0
    cdef int code = get_list(c, name, most, &found, n, &count)
    try:
        for i in range(count):
            values[i] = (<object>found)[i].as_datatype_enum
    except AttributeError:
        return wrong_type(c, name, b"a list of types")
    return code


cdef int give_shape(tfc_construction *c, const char *name, shape, int *rank, int64_t *dims) noexcept:
    if shape is None:
        rank[0] = -1
        return TFC_OK
    if not isinstance(shape, (list, tuple)):
        return wrong_type(c, name, b"a shape")
    rank[0] = len(shape)
    if len(shape) > TFC_MAX_RANK:
        return tfc_create_error(
            c, 12, b"tensors of rank %d are not supported (at most %d)", <int>rank[0], <int>TFC_MAX_RANK)
    for i, d in enumerate(shape):
        dims[i] = -1 if d is None else d
    return TFC_OK


cdef int attr_shape(tfc_construction *c, const char *name, int *rank, int64_t *dims) noexcept:
    cdef void *found = NULL
    cdef int code = get_attr(c, name, &found)
    return code or give_shape(c, name, <object>found, rank, dims)


cdef int attr_shapes(tfc_construction *c, const char *name, int i, int *rank, int64_t *dims, int *n) noexcept:
    cdef void *found = NULL
    cdef int count = 0
    cdef int code = get_list(c, name, 0, &found, n, &count)
    if code or not 0 <= i < n[0]:
        return code
    return give_shape(c, name, (<object>found)[i], rank, dims)


cdef int attr_strings(tfc_construction *c, const char *name, int i, const char **data, size_t *size, int *n) noexcept:
    cdef void *found = NULL
    cdef int code = get_attr(c, name, &found)
    if code:
        return code
    if not isinstance(<object>found, (list, tuple)):
        return wrong_type(c, name, b"a list")
    n[0] = len(<object>found)
    if not 0 <= i < n[0]:
        return TFC_OK
    text = (<object>found)[i]
    if not isinstance(text, bytes):
        return wrong_type(c, name, b"a list of strings")
    data[0] = PyBytes_AS_STRING(text)
    size[0] = PyBytes_GET_SIZE(text)
    return TFC_OK


cdef int attr_tensor(tfc_construction *c, const char *name, tfc_tensor *value) noexcept:
    cdef void *found = NULL
    cdef TensorValue held
    cdef Builder b = <Builder>(<tfc_build *>c).python
    cdef int code = get_attr(c, name, &found)
    if code:
        return code
    try:
        attr = <object>found
        held = attr if isinstance(attr, TensorValue) else TensorValue.from_numpy(attr)
    except MemoryError:  # a value stored as repetitions is expanded only now
        shape = str(list(attr.shape)).encode()
        return tfc_create_error(
            c, TFC_RESOURCE_EXHAUSTED, b"OOM when allocating the tensor of attr '%s' with shape%s", name,
            <const char *>shape)
    except Exception as error:
        b.error = error
        return tfc_create_error(c, TFC_INTERNAL, b"attr '%s' can't be converted to a tensor", name)
    b.kept.append(held)
    value[0] = held.t
    return TFC_OK


cdef str text_of(const char *name):
    """Decodes a name, which comes from an attribute and may hold any bytes."""
    return name.decode("utf-8", "surrogateescape")


cdef int get_resource(tfc_construction *c, const char *kind, const char *container, const char *name,
                      void *(*make)(void *) noexcept nogil, void *arg, void (*destroy)(void *) noexcept nogil,
                      void **out) noexcept:
    cdef Builder b = <Builder>(<tfc_build *>c).python
    cdef Resource r
    cdef bint of_session = kind == b"generator" or kind == b"session iterator"
    cdef ResourceManager manager = b.generators if of_session else b.resources
    with manager.lock:
        held = manager.resources.setdefault(text_of(container) or "localhost", {})
        key = (text_of(kind), text_of(name))
        r = held.get(key)
        if r is None:
            r = Resource.__new__(Resource)
            r.pointer = make(arg)
            r.destroy = destroy
            if r.pointer == NULL:
                return tfc_create_error(c, TFC_RESOURCE_EXHAUSTED, b"cannot make the %s '%s'", kind, name)
            held[key] = r
    b.kept.append(r)
    out[0] = r.pointer
    return TFC_OK


cdef void shape_variable(tfc_variable *v, dims) noexcept:
    """Gives a variable, before its first assignment, the shape of its definition if that is fully known."""
    if dims is None or None in dims or len(dims) > TFC_MAX_RANK:
        return
    v.value.rank = len(dims)
    for i, d in enumerate(dims):
        v.value.dims[i] = d


cdef Resource new_variable(str container, str kind, str name, int32_t dtype):
    """A variable without a value. kind: "variable", or "resource variable" for one that handles name."""
    cdef Resource r = Resource.__new__(Resource)
    cdef bytes label = name.encode("utf-8", "surrogateescape"), where = container.encode("utf-8", "surrogateescape")
    r.is_variable = True
    r.pointer = tfc_variable_new(label, <const char *>where if kind == "resource variable" else NULL, dtype)
    if r.pointer == NULL:
        raise MemoryError(f"no memory for variable {name}")
    return r


cdef int get_variable(tfc_construction *c, const char *container, const char *name, int32_t dtype, void **out) noexcept:
    cdef Builder b = <Builder>(<tfc_build *>c).python
    cdef Resource r
    with b.resources.lock:
        where = text_of(container) or "localhost"
        held = b.resources.resources.setdefault(where, {})
        key = ("resource variable" if c.op_type == b"_ResourceVariable" else "variable", text_of(name))
        r = held.get(key)
        if r is None:
            try:
                r = new_variable(where, key[0], key[1], dtype)
                shape_variable(<tfc_variable *>r.pointer, b.attrs.get("shape"))
                if b.resources.watch is not None:
                    b.resources.watch(<size_t>r.pointer, where, key[0], key[1])
            except MemoryError:
                return tfc_create_error(c, TFC_RESOURCE_EXHAUSTED, b"no memory for variable %s", name)
            held[key] = r
        elif (<tfc_variable *>r.pointer).dtype != dtype:
            return tfc_create_error(
                c, TFC_INVALID_ARGUMENT, b"Trying to share variable %s, but it has another dtype", name)
    b.kept.append(r)
    out[0] = r.pointer
    return TFC_OK


cdef int get_function(tfc_construction *c, const char *module, const char *name, const tfc_function **out) noexcept:
    cdef Builder b = <Builder>(<tfc_build *>c).python
    if b.device is None:
        return tfc_create_error(c, TFC_INTERNAL, b"the kernel asks for function '%s', but runs on the CPU", name)
    try:
        if module[0]:
            address = b.device.function(module.decode(), name.decode())
        else:
            options = tuple(option.decode() for option in b.attrs.get("options") or ())
            address = b.device.source_function(b.attrs["source"].decode(), name.decode(), options)
        out[0] = <const tfc_function *><size_t>address
    except errors.OpError as error:
        b.message = error.message
        return tfc_create_error(c, error.error_code, b"%s", name)
    except Exception as error:
        b.error = error
        return tfc_create_error(c, TFC_INTERNAL, b"function '%s' can't be loaded", name)
    return TFC_OK


cdef int get_callable(tfc_construction *c, const char *name, tfc_callable **out, int *n_inputs,
                      int *n_outputs) noexcept:
    cdef Builder b = <Builder>(<tfc_build *>c).python
    made = b.callables.get(name.decode())
    if made is None:
        return wrong_type(c, name, b"a function")
    b.kept.append(made)
    out[0] = <tfc_callable *><size_t>made.address
    n_inputs[0], n_outputs[0] = made.n_inputs, made.n_outputs
    return TFC_OK


cdef tfc_create_api create_api
create_api.callable = get_callable
create_api.function = get_function
create_api.attr_bool = attr_bool
create_api.attr_int = attr_int
create_api.attr_float = attr_float
create_api.attr_type = attr_type
create_api.attr_string = attr_string
create_api.attr_ints = attr_ints
create_api.attr_floats = attr_floats
create_api.attr_types = attr_types
create_api.attr_shape = attr_shape
create_api.attr_tensor = attr_tensor
create_api.error = tfc_create_error
create_api.resource = get_resource
create_api.variable = get_variable
create_api.attr_strings = attr_strings
create_api.attr_shapes = attr_shapes


cdef class KernelInstance:
    """A kernel ready to run for one operation: the library's function and the state made by its create()."""

    def __dealloc__(self):
        if self.state != NULL and self.kernel.destroy != NULL:
            self.kernel.destroy(self.state)

    @property
    def flags(self):
        return self.kernel.flags

    @property
    def level(self):
        return (<Kernel>self.entry).level if self.entry is not None else None


def make_null_kernel():
    """The kernel of every operation on the null device."""
    cdef KernelInstance instance = KernelInstance.__new__(KernelInstance)
    instance.kernel = &tfc_null_kernel
    return instance


def make_kernel(op, Kernel entry not None, dict attrs, list input_dtypes, list output_dtypes,
                ResourceManager resources, device=None, hosted=((), ()), generators=None, callables=None):
    """Creates the kernel of an operation from an entry of the registry.

    Args:
      op: has name and type. attrs: its attributes as Operation keeps them. input_dtypes, output_dtypes: DTypes.
      generators: the ResourceManager of the session's random generators; `resources` by default.
      callables: a `callable.Callable` for each attribute that names a function which the kernel calls.
      device: a `gpu.Gpu`, for its kernels. hosted: the inputs and the outputs that are in the host's memory then.

    Raises:
      OpError: as reported by the kernel's create().
    """
    cdef KernelInstance instance = KernelInstance.__new__(KernelInstance)
    cdef Builder builder = Builder.__new__(Builder)
    cdef tfc_build build
    cdef int32_t ins[64]
    cdef int32_t outs[64]
    cdef int32_t *in_types = ins
    cdef int32_t *out_types = outs
    cdef int code
    instance.kernel = entry.kernel
    instance.entry = entry
    instance.kept = []
    instance.device = device
    types = input_dtypes, output_dtypes
    instance.host_inputs, instance.host_outputs = [
        bytes([i in side for i in range(len(all_types))]) for side, all_types in zip(hosted, types)]
    if entry.kernel.create == NULL:
        return instance
    builder.attrs = attrs
    builder.resources = resources
    builder.generators = resources if generators is None else generators
    builder.device = device
    builder.kept = instance.kept
    builder.callables = callables or {}
    if len(input_dtypes) > 64:
        in_types = <int32_t *>malloc(len(input_dtypes) * sizeof(int32_t))
    if len(output_dtypes) > 64:
        out_types = <int32_t *>malloc(len(output_dtypes) * sizeof(int32_t))
    for i, t in enumerate(input_dtypes):
        in_types[i] = t.as_datatype_enum
    for i, t in enumerate(output_dtypes):
        out_types[i] = t.as_datatype_enum
    name, op_type = op.name.encode(), op.type.encode()
    memset(&build, 0, sizeof(build))
    build.pub.api = &create_api
    build.pub.op_name = name
    build.pub.op_type = op_type
    build.pub.n_inputs = len(input_dtypes)
    build.pub.n_outputs = len(output_dtypes)
    build.pub.input_dtypes = in_types
    build.pub.output_dtypes = out_types
    build.python = <void *>builder
    code = entry.kernel.create(&build.pub, &instance.state)
    if in_types != ins:
        free(in_types)
    if out_types != outs:
        free(out_types)
    if code:
        instance.state = NULL
        if builder.error is not None:
            raise builder.error
        message = builder.message or build.message.decode(errors="replace")
        message = message or f"create() of the kernel failed with code {code}"
        raise errors.from_code(code, op, message)
    return instance
