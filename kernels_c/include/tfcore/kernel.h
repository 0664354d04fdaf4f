/* The tfcore kernel ABI: the one header that a kernel library needs.
 *
 * A kernel is a C function that computes the outputs of one graph operation.
 * A kernel library is a shared object with one or more tables made with
 * TFC_REGISTER_KERNELS and, in exactly one source file, TFC_LIBRARY. A library
 * that adds op types defines them with TFC_REGISTER_OPS. tfcore's own kernels
 * are such libraries, one for each instruction-set level; tf.load_op_library
 * loads users' libraries.
 *
 * Versions: new fields are appended to tfc_api, tfc_create_api, tfc_context and
 * tfc_library_def and raise TFC_ABI_VERSION. tfcore loads libraries of its own
 * version and of older ones back to TFC_ABI_OLDEST. Since that version nothing was
 * removed, and the structs that are stored in arrays (tfc_tensor, tfc_kernel_def,
 * tfc_op_def) have not changed.
 *
 * Rules for every kernel
 *  - It runs without the Python GIL, on any thread, and may run for several
 *    steps at once. They all share `state`: it is immutable after create(), or
 *    the kernel protects it with a lock of its own.
 *  - Inputs are read-only, dense, row-major, aligned to their element size (not
 *    to a vector: use unaligned loads). The data pointer of a tensor without
 *    elements may be anything, NULL included: never dereference it.
 *  - It must not trust its inputs: whatever the shape function could not check
 *    is checked here and reported with tfc_error, whose return value is
 *    returned at once. It must never abort, exit or write out of bounds.
 *  - Each output is made exactly once, by one of the tfc_output functions
 *    below. New memory is uninitialised.
 *  - Results must not depend on the number of threads: tfc_parallel_for may split
 *    a range anywhere, so a reduction combines fixed chunks in a fixed order.
 */
#ifndef TFCORE_KERNEL_H
#define TFCORE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TFC_ABI_VERSION 10
#define TFC_ABI_OLDEST 8 /* up to 7 there were calls that copied variables in pieces */
#define TFC_MAX_RANK 20

/* Numbers are those of TensorFlow's DataType. */
typedef enum {
  TFC_FLOAT = 1,
  TFC_DOUBLE = 2,
  TFC_INT32 = 3,
  TFC_UINT8 = 4,
  TFC_INT16 = 5,
  TFC_INT8 = 6,
  TFC_STRING = 7,
  TFC_COMPLEX64 = 8,
  TFC_INT64 = 9,
  TFC_BOOL = 10,
  TFC_QINT8 = 11, /* quantized: integers that stand for numbers between a minimum and a maximum */
  TFC_QUINT8 = 12,
  TFC_QINT32 = 13,
  TFC_BFLOAT16 = 14,
  TFC_QINT16 = 15,
  TFC_QUINT16 = 16,
  TFC_UINT16 = 17,
  TFC_COMPLEX128 = 18,
  TFC_HALF = 19,
  TFC_RESOURCE = 20,
  TFC_VARIANT = 21,
  TFC_UINT32 = 22,
  TFC_UINT64 = 23,
  TFC_REF = 100 /* added to the type of a reference to a variable */
} tfc_dtype;

/* Numbers are those of TensorFlow's error codes. */
typedef enum {
  TFC_OK = 0,
  TFC_CANCELLED = 1,
  TFC_UNKNOWN = 2,
  TFC_INVALID_ARGUMENT = 3,
  TFC_DEADLINE_EXCEEDED = 4,
  TFC_NOT_FOUND = 5,
  TFC_ALREADY_EXISTS = 6,
  TFC_PERMISSION_DENIED = 7,
  TFC_RESOURCE_EXHAUSTED = 8,
  TFC_FAILED_PRECONDITION = 9,
  TFC_ABORTED = 10,
  TFC_OUT_OF_RANGE = 11,
  TFC_UNIMPLEMENTED = 12,
  TFC_INTERNAL = 13,
  TFC_UNAVAILABLE = 14,
  TFC_DATA_LOSS = 15,
  TFC_PENDING = 100 /* an asynchronous kernel will call tfc_resume */
} tfc_code;

typedef struct tfc_buffer tfc_buffer;     /* reference-counted memory, opaque */
typedef struct tfc_async tfc_async;       /* a suspended asynchronous kernel, opaque */
typedef struct tfc_function tfc_function; /* a function that runs on a device, opaque */
typedef struct tfc_callable tfc_callable; /* a function of the graph, opaque */

typedef struct tfc_tensor {
  void* data;
  tfc_buffer* buffer;
  int64_t n; /* number of elements: the product of dims */
  int32_t dtype;
  int32_t rank;
  int64_t dims[TFC_MAX_RANK];
} tfc_tensor;

/* Element of a TFC_STRING tensor: `size` bytes, not NUL-terminated. Owned by
 * the tensor's buffer; written only with tfc_string_set. All zero is "". */
typedef struct tfc_string {
  char* data;
  size_t size;
} tfc_string;

/* IEEE half precision (GCC's _Float16), and bfloat16: the upper half of a float. */
typedef struct tfc_half {
  uint16_t bits;
} tfc_half;
typedef struct tfc_bfloat16 {
  uint16_t bits;
} tfc_bfloat16;

/* A place in a stream of random numbers, see tfc_draw. */
typedef struct tfc_draw_place {
  uint64_t scope; /* of the call's number; 0: the caller numbers all its calls in one sequence */
  int64_t number; /* of the call, from 0; -1: it has none */
  int64_t taken;  /* what this call has drawn from the stream before */
} tfc_draw_place;

struct tfc_api;

/* What a running kernel sees. Kernels must not change the fields. */
typedef struct tfc_context {
  const struct tfc_api* api;
  const tfc_tensor* const* inputs; /* value inputs; a reference input has dtype >= TFC_REF */
  tfc_tensor* outputs;             /* outputs[i].dtype is set before the kernel runs */
  void* state;                     /* what create() returned */
  int32_t n_inputs;
  int32_t n_outputs;
  int64_t step_id;
} tfc_context;

/* What create() sees. It reads the operation's attributes once, into its state. */
typedef struct tfc_construction {
  const struct tfc_create_api* api;
  const char* op_name;
  const char* op_type;
  int32_t n_inputs;
  int32_t n_outputs;
  const int32_t* input_dtypes;
  const int32_t* output_dtypes;
} tfc_construction;

/* Processes items [begin, end) of a parallel loop. */
typedef void (*tfc_range_fn)(void* arg, int64_t begin, int64_t end);

/* Modes of ref_lock. */
enum {
  TFC_REF_READ = 0,                /* the value may be shared: do not write to it */
  TFC_REF_WRITE = 1,               /* the value's memory is made exclusive (copy on write) */
  TFC_REF_MAYBE_UNINITIALIZED = 2, /* not an error if never assigned: buffer is NULL then */
  TFC_REF_REPLACE = 4, /* the kernel takes the value away, or puts another one in its place */
  /* With TFC_REF_WRITE, see tfc_ref_rows. */
  TFC_REF_ROWS = 8,
  TFC_REF_POSITIONS = 16,
  TFC_REF_ROWS_SHIFT = 8
};

typedef struct tfc_object_type {
  size_t bytes;
  void (*destroy)(void* object);
  /* Calls fn for each tensor that the object holds, for reports of memory use. No kernel uses the
   * object meanwhile. NULL: it holds no tensors. */
  void (*visit)(void* object, void (*fn)(void* arg, const tfc_tensor* value), void* arg);
} tfc_object_type;

/* What a function on a device found wrong: reads `report`, which it has filled, and writes a text
 * of less than `size` bytes. `argument`: the bytes that the kernel gave to tfc_report_to. Returns
 * the code of the error, or TFC_OK: nothing was wrong. */
typedef int (*tfc_explain_fn)(const void* report, const void* argument, char* text, size_t size);

typedef struct tfc_api {
  int (*output)(tfc_context*, int i, int rank, const int64_t* dims);
  int (*output_forward)(tfc_context*, int i, int rank, const int64_t* dims, int n_candidates,
                        const int* candidates);
  int (*output_view)(tfc_context*, int i, int input, int64_t first_element, int rank,
                     const int64_t* dims);
  int (*output_ref)(tfc_context*, int i, int input);
  void* (*scratch)(tfc_context*, size_t bytes);
  void (*parallel_for)(tfc_context*, int64_t n, double ns_per_item, tfc_range_fn, void* arg);
  int (*error)(tfc_context*, int code, const char* format, ...);
  int (*ref_lock)(tfc_context*, int n, const int* inputs, unsigned mode, tfc_tensor** values);
  void (*ref_unlock)(tfc_context*);
  int (*ref_assign)(tfc_context*, int input, const tfc_tensor* value);
  int (*output_variable)(tfc_context*, int i, void* variable);
  int (*string_set)(tfc_tensor*, int64_t i, const char* data, size_t size);
  int (*set_tensor)(tfc_context*, int i, const tfc_tensor* value);
  bool (*cancelled)(tfc_context*);
  int (*max_threads)(tfc_context*);
  tfc_async* (*suspend)(tfc_context*);
  void (*resume)(tfc_async*, int code);
  bool (*is_initialized)(tfc_context*, int input);
  tfc_context* (*async_context)(tfc_async*);
  bool (*on_cancel)(tfc_async*, void (*fn)(void* arg), void* arg);
  bool (*claim)(tfc_async*);
  int (*output_object)(tfc_context*, int i, const tfc_object_type* type, void** object);
  int (*make)(tfc_context*, tfc_tensor* t, int rank, const int64_t* dims);
  void (*hold)(tfc_tensor* to, const tfc_tensor* from);
  void (*let_go)(tfc_tensor*);
  bool (*exclusive)(const tfc_tensor*);
  void (*on_low_memory)(int64_t (*give_back)(int64_t bytes));
  int (*keep)(tfc_context*, tfc_tensor* to, const tfc_tensor* from);
  int (*launch)(tfc_context*, const tfc_function*, const uint32_t grid[3], const uint32_t block[3],
                uint32_t shared, const void* params, size_t bytes);
  int (*fill)(tfc_context*, void* to, int byte, size_t bytes);
  int (*copy)(tfc_context*, void* to, const void* from, size_t bytes);
  int (*upload)(tfc_context*, void* to, const void* from, size_t bytes);
  void* (*report_to)(tfc_context*, size_t bytes, tfc_explain_fn, const void* argument,
                     size_t argument_bytes);
  void* (*stream)(tfc_context*);
  tfc_context* (*begin_inner)(tfc_context*);
  void (*end_inner)(tfc_context* inner);
  int (*take_error)(tfc_context* inner, char** text);
  void (*cancel_inner)(tfc_context* inner);
  bool (*spawn)(void (*fn)(tfc_context* inner, void* arg), void* arg);
  int (*call)(tfc_context* inner, tfc_callable*, tfc_tensor* inputs, tfc_tensor* outputs);
  void (*hold_callable)(tfc_callable*);
  void (*drop_callable)(tfc_callable*);
  int (*number_calls)(tfc_context* inner, uint64_t scope, int64_t number);
  uint64_t (*new_scope)(tfc_context*);
  int (*draw)(tfc_context*, const void* stream, int64_t amount, tfc_draw_place* place);
} tfc_api;

typedef struct tfc_create_api {
  int (*attr_bool)(tfc_construction*, const char* name, bool* value);
  int (*attr_int)(tfc_construction*, const char* name, int64_t* value);
  int (*attr_float)(tfc_construction*, const char* name, double* value);
  int (*attr_type)(tfc_construction*, const char* name, int32_t* value);
  /* The string lives as long as the construction; copy it to keep it. */
  int (*attr_string)(tfc_construction*, const char* name, const char** data, size_t* size);
  /* Writes up to max entries; *n is the length of the list, which may exceed max. */
  int (*attr_ints)(tfc_construction*, const char* name, int max, int64_t* values, int* n);
  int (*attr_floats)(tfc_construction*, const char* name, int max, double* values, int* n);
  int (*attr_types)(tfc_construction*, const char* name, int max, int32_t* values, int* n);
  /* String i of a list (if i is below its length *n); lives as long as the construction. */
  int (*attr_strings)(tfc_construction*, const char* name, int i, const char** data, size_t* size,
                      int* n);
  /* rank -1: unknown rank; dim -1: unknown size. */
  int (*attr_shape)(tfc_construction*, const char* name, int* rank, int64_t dims[TFC_MAX_RANK]);
  /* The tensor shares the attribute's memory and is kept until the kernel is destroyed. */
  int (*attr_tensor)(tfc_construction*, const char* name, tfc_tensor* value);
  int (*error)(tfc_construction*, int code, const char* format, ...);
  /* Finds or makes a resource of the device's resource manager, which owns it and calls
   * `destroy` when its container is cleared. `make` runs at most once. Those of kind "generator"
   * and "session iterator" belong to the session. Iterators of both kinds begin with a function
   * pointer, void (*stop)(void* object): it ends what they do on threads of their own, and is
   * called before a session forgets any resource. */
  int (*resource)(tfc_construction*, const char* kind, const char* container, const char* name,
                  void* (*make)(void* arg), void* arg, void (*destroy)(void*), void** out);
  /* Finds or makes the variable of that name; for api->output_variable when running. */
  int (*variable)(tfc_construction*, const char* container, const char* name, int32_t dtype,
                  void** out);
  /* A function of a module of the kernel's device. Modules of a GPU are the files of kernels_cuda,
   * by name; "" is the CUDA source that the attribute `source` is. */
  int (*function)(tfc_construction*, const char* module, const char* name,
                  const tfc_function** out);
  /* Shape i of a list (if i is below its length *n), as attr_shape gives it. */
  int (*attr_shapes)(tfc_construction*, const char* name, int i, int* rank,
                     int64_t dims[TFC_MAX_RANK], int* n);
  /* The function that an attribute names, with the numbers of its inputs and outputs. It lives as
   * long as the kernel, and longer while it is held (tfc_hold_callable). */
  int (*callable)(tfc_construction*, const char* name, tfc_callable** out, int* n_inputs,
                  int* n_outputs);
} tfc_create_api;

/* Flags of a kernel. */
enum {
  TFC_KERNEL_EXPENSIVE = 1, /* accepted, but without effect: the executor goes by measured time */
  TFC_KERNEL_ASYNC = 2,     /* may return TFC_PENDING */
  TFC_KERNEL_STATEFUL = 4,  /* one instance per session and operation, kept between plans */
  TFC_KERNEL_BLOCKING = 8,  /* may wait for something outside the step: it gets its own thread, and
                               calls tfc_cancelled at least every 10 ms while it waits */
  TFC_KERNEL_LEAVES_LOOPS = 16, /* tfc_parallel_for may leave out ranges when the step is cancelled:
                                   no later access to memory depends on what they would have
                                   computed */
  TFC_KERNEL_INTERRUPTIBLE = 32, /* Python's signal handlers may run inside tfc_cancelled, and
                                    inside the loops of a kernel that leaves them. A handler may run
                                    any step, this op included: hold no lock of your own there */
};

typedef int (*tfc_compute_fn)(tfc_context*);

typedef struct tfc_kernel_def {
  const char* op;     /* operation type, e.g. "MatMul" */
  const char* device; /* device type, e.g. "CPU" */
  /* Which attribute types this kernel serves: "T=float|double;Tidx=int32", "" for all. Names
   * are TensorFlow's: float double half bfloat16 int8..int64 uint8..uint64 bool complex64
   * complex128 string. */
  const char* types;
  tfc_compute_fn compute;
  int (*create)(tfc_construction*, void** state); /* may be NULL */
  void (*destroy)(void* state);                   /* may be NULL */
  uint32_t flags;
  /* Comma-separated names of the arguments that a device with its own memory keeps on the host, or
   * NULL. "*": the kernel works on the host, as one of a CPU, with scratch memory there. */
  const char* host_args;
} tfc_kernel_def;

typedef struct tfc_kernel_table {
  const tfc_kernel_def* kernels;
  size_t count;
} tfc_kernel_table;

/* Flags of an op type. */
enum {
  TFC_OP_STATEFUL = 1,   /* has state or a side effect: never folded, merged or eliminated */
  TFC_OP_COMMUTATIVE = 2 /* its first two inputs may be swapped */
};

/* An op type, in the notation of TensorFlow's registry. The entries of a list are separated by ';'.
 * Shape function and gradient are given in Python: tf.RegisterShape, tf.RegisterGradient. */
typedef struct tfc_op_def {
  const char* name;   /* CamelCase, e.g. "LogCosh" */
  const char* inputs; /* "x: T; n: int32; more: N * T; any: Tlist; variable: Ref(T)"; may be NULL */
  const char* outputs; /* in the same notation; may be NULL */
  const char* attrs;   /* "T: {float, double}; N: int >= 1; scale: float = 1.0"; may be NULL */
  const char* doc;     /* becomes the docstring; may be NULL */
  uint32_t flags;
} tfc_op_def;

typedef struct tfc_op_table {
  const tfc_op_def* ops;
  size_t count;
} tfc_op_table;

/* What the loader reads of a library: the result of its function tfc_library(). */
typedef struct tfc_library_def {
  int32_t abi_version;
  const tfc_kernel_table* begin;
  const tfc_kernel_table* end;
  const tfc_op_table* ops_begin;
  const tfc_op_table* ops_end;
} tfc_library_def;

/* Goes after `static const tfc_kernel_def NAME[] = {...};` at the end of a source file. The linker
 * collects the tables of all files of a library in one section. */
#define TFC_REGISTER_KERNELS(NAME)                                                        \
  static const tfc_kernel_table tfc_table_##NAME                                          \
      __attribute__((section("tfc_tables"), used, aligned(sizeof(tfc_kernel_table)))) = { \
          NAME, sizeof(NAME) / sizeof(NAME[0])}

/* Goes after `static const tfc_op_def NAME[] = {...};`: the op types that the library defines. */
#define TFC_REGISTER_OPS(NAME)                                                     \
  static const tfc_op_table tfc_op_table_##NAME                                    \
      __attribute__((section("tfc_ops"), used, aligned(sizeof(tfc_op_table)))) = { \
          NAME, sizeof(NAME) / sizeof(NAME[0])}

/* Goes into one source file of a library. The linker defines the bounds of the sections; they are
 * weak because a library may have only kernels or only op types. */
#define TFC_LIBRARY                                                                               \
  extern const tfc_kernel_table __start_tfc_tables[] __attribute__((weak, visibility("hidden"))); \
  extern const tfc_kernel_table __stop_tfc_tables[] __attribute__((weak, visibility("hidden")));  \
  extern const tfc_op_table __start_tfc_ops[] __attribute__((weak, visibility("hidden")));        \
  extern const tfc_op_table __stop_tfc_ops[] __attribute__((weak, visibility("hidden")));         \
  TFC_EXPORT const tfc_library_def* tfc_library(void) {                                           \
    static tfc_library_def library;                                                               \
    library.abi_version = TFC_ABI_VERSION;                                                        \
    library.begin = __start_tfc_tables;                                                           \
    library.end = __stop_tfc_tables;                                                              \
    library.ops_begin = __start_tfc_ops;                                                          \
    library.ops_end = __stop_tfc_ops;                                                             \
    return &library;                                                                              \
  }                                                                                               \
  TFC_EXPORT const tfc_library_def* tfc_library(void)

#ifdef __cplusplus
#define TFC_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define TFC_EXPORT __attribute__((visibility("default")))
#endif

/* ---- Calls for a running kernel. Those that return int return TFC_OK or the code that the kernel
 * must return. */

/* Allocates output i of outputs[i].dtype. */
static inline int tfc_output(tfc_context* ctx, int i, int rank, const int64_t* dims) {
  return ctx->api->output(ctx, i, rank, dims);
}
static inline int tfc_output_like(tfc_context* ctx, int i, const tfc_tensor* t) {
  return ctx->api->output(ctx, i, t->rank, t->dims);
}
static inline int tfc_output_scalar(tfc_context* ctx, int i) {
  return ctx->api->output(ctx, i, 0, NULL);
}
/* Like tfc_output, but reuses the memory of the first candidate input that nobody else uses and
 * that has as many elements of the same size. The kernel must work whether or not the output shares
 * memory with that input. */
static inline int tfc_output_forward(tfc_context* ctx, int i, int rank, const int64_t* dims,
                                     int n_candidates, const int* candidates) {
  return ctx->api->output_forward(ctx, i, rank, dims, n_candidates, candidates);
}
/* Output i shares the memory of an input, from element `first_element` on, with a shape of its own.
 */
static inline int tfc_output_view(tfc_context* ctx, int i, int input, int64_t first_element,
                                  int rank, const int64_t* dims) {
  return ctx->api->output_view(ctx, i, input, first_element, rank, dims);
}
/* Output i is the same value as an input. */
static inline int tfc_output_input(tfc_context* ctx, int i, int input) {
  const tfc_tensor* t = ctx->inputs[input];
  return ctx->api->output_view(ctx, i, input, 0, t->rank, t->dims);
}
/* Output i (a reference) is the variable that reference input `input` refers to. */
static inline int tfc_output_ref(tfc_context* ctx, int i, int input) {
  return ctx->api->output_ref(ctx, i, input);
}
/* Memory that is freed when the kernel returns, aligned to 64 bytes. May be called from inside a
 * parallel loop. NULL: out of memory; return TFC_RESOURCE_EXHAUSTED, the message is already set. */
static inline void* tfc_scratch(tfc_context* ctx, size_t bytes) {
  return ctx->api->scratch(ctx, bytes);
}
/* Calls fn on disjoint ranges that cover [0, n), possibly on several threads, and returns when all
 * are done. ns_per_item: the rough cost of an item, which decides how finely to split. A loop of
 * less than 15 us in all is one call on this thread. Loops may be nested: the inner one runs on the
 * thread that calls it. */
static inline void tfc_parallel_for(tfc_context* ctx, int64_t n, double ns_per_item,
                                    tfc_range_fn fn, void* arg) {
  ctx->api->parallel_for(ctx, n, ns_per_item, fn, arg);
}
/* Records an error (the first of a step wins) and returns `code`. The runtime adds the op's name
 * and the user's line. */
#define tfc_error(ctx, code, ...) ((ctx)->api->error((ctx), (code), __VA_ARGS__))

/* Locks the variables behind the given reference inputs, without deadlock, and gives their values.
 * Fails with FAILED_PRECONDITION if one was never assigned. Call it at most once per run; unlock
 * before you return, even with an error of your own, but not after an error of this call. Until
 * then do not take Python's global lock, nor wait for a thread that may need it: a short step can
 * wait for the same variable while it holds that lock. */
static inline int tfc_ref_lock(tfc_context* ctx, int n, const int* inputs, unsigned mode,
                               tfc_tensor** values) {
  return ctx->api->ref_lock(ctx, n, inputs, mode, values);
}
static inline void tfc_ref_unlock(tfc_context* ctx) {
  ctx->api->ref_unlock(ctx);
}
/* To be added to TFC_REF_WRITE: of the locked variables, only those rows (slices along the first
 * dimension) change that an input names, of type int32 or int64. Whoever keeps copies of variables
 * then copies these rows only. Entries that name no row of a variable are ignored. positions: the
 * last dimension of the input has the indices of a position, and the first one is the row; a vector
 * has positions of one index. */
static inline unsigned tfc_ref_rows(int input, bool positions) {
  return TFC_REF_ROWS | (positions ? TFC_REF_POSITIONS : 0u) |
         (unsigned)input << TFC_REF_ROWS_SHIFT;
}
/* The variable's value becomes `value`: it shares its memory, or copies it if it is the user's.
 * Takes the lock itself: do not call it between tfc_ref_lock and tfc_ref_unlock. */
static inline int tfc_ref_assign(tfc_context* ctx, int input, const tfc_tensor* value) {
  return ctx->api->ref_assign(ctx, input, value);
}

/* Output i shares memory and shape with a tensor the kernel holds (an attribute, a resource). */
static inline int tfc_output_tensor(tfc_context* ctx, int i, const tfc_tensor* value) {
  return ctx->api->set_tensor(ctx, i, value);
}
/* Copies `size` bytes into element i of a string output. */
static inline int tfc_string_set(tfc_context* ctx, tfc_tensor* t, int64_t i, const char* data,
                                 size_t size) {
  return ctx->api->string_set(t, i, data, size);
}

/* ---- Objects as values (TFC_RESOURCE, TFC_VARIANT): an output is a scalar whose element is a C
 * object. The runtime passes it on like any tensor and calls `destroy` when the last reference to
 * it is dropped, on whatever thread that happens. Only output_object makes tensors of this type. */

/* *object: zeroed memory, aligned to 64; `type` is not copied. */
static inline int tfc_output_object(tfc_context* ctx, int i, const tfc_object_type* type,
                                    void** object) {
  return ctx->api->output_object(ctx, i, type, object);
}
/* A tensor for an object to hold: t->dtype is set, its memory is uninitialised. */
static inline int tfc_make(tfc_context* ctx, tfc_tensor* t, int rank, const int64_t* dims) {
  return ctx->api->make(ctx, t, rank, dims);
}
/* *to becomes another reference to a tensor, so that an object can keep it after the kernel
 * returns, but not after the step, as the memory may be the user's: see tfc_keep. tfc_output_tensor
 * makes it an output again; tfc_let_go drops the reference. Both work on any thread, and for
 * tensors without memory. */
static inline void tfc_hold(const struct tfc_api* api, tfc_tensor* to, const tfc_tensor* from) {
  api->hold(to, from);
}
static inline void tfc_let_go(const struct tfc_api* api, tfc_tensor* t) {
  api->let_go(t);
}
/* Like tfc_hold, for a value that outlives the step, in a resource for example: memory of the user
 * is copied. RESOURCE_EXHAUSTED: there was no memory for the copy; *to holds nothing then. */
static inline int tfc_keep(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from) {
  return ctx->api->keep(ctx, to, from);
}
/* Whether `t` is the only reference to its memory, so that tfc_let_go would free it. */
static inline bool tfc_exclusive(const struct tfc_api* api, const tfc_tensor* t) {
  return api->exclusive(t);
}
/* From now on `give_back` is called when memory is short, on the thread that needs it, possibly on
 * several at once. It frees about as many bytes as it is asked for and returns how many it freed.
 * It must not allocate through the api. Registering the same function again has no effect. */
static inline void tfc_on_low_memory(const struct tfc_api* api,
                                     int64_t (*give_back)(int64_t bytes)) {
  api->on_low_memory(give_back);
}

/* Whether the step is to end soon, because of its time limit, Session.close, Ctrl-C or an error
 * elsewhere. Cheap enough for a loop. The kernel then cleans up and returns TFC_CANCELLED. Signals
 * are handled on the main thread: a kernel that runs there learns of Ctrl-C only if it is
 * TFC_KERNEL_INTERRUPTIBLE. */
static inline bool tfc_cancelled(tfc_context* ctx) {
  return ctx->api->cancelled(ctx);
}

/* ---- Asynchronous kernels (TFC_KERNEL_ASYNC) wait without a thread:
 *
 *   static int compute(tfc_context* ctx) {
 *     if (there is a value) return take it;
 *     tfc_async* a = tfc_suspend(ctx);
 *     if (!a) return TFC_RESOURCE_EXHAUSTED;
 *     waiter* w = make a waiter(a);
 *     lock;
 *     bool waits = tfc_on_cancel(ctx->api, a, forget, w);
 *     if (waits) append w to the waiters;
 *     unlock;
 *     if (!waits) { free(w); tfc_resume(ctx->api, a, TFC_CANCELLED); }
 *     return TFC_PENDING;
 *   }
 *
 * `ctx` is not valid after that. tfc_async_context(a) is, until tfc_resume: it still has the
 * inputs, and the outputs are made through it. tfc_resume then continues the step on the thread
 * that calls.
 *
 * Which side resumes. A cancellation and the event that a kernel waits for may coincide.
 * Both sides make a claim, which only the first one gets:
 *  - the side of the event calls tfc_claim before it touches the outputs or resumes. True: it must
 *    resume. False: the cancellation was first, and `a` must not be used any more;
 *  - the cancellation makes its claim by itself and then calls fn(arg), which must make the kernel
 *    resume soon, with TFC_CANCELLED.
 * fn is called at most once, on the thread that cancels, which holds no lock that tfc_resume needs.
 * The side that got the claim frees what `arg` points to; the kernel's own lock keeps it alive for
 * the other side: claim under the lock that protects the list of waiters, and let fn remove the
 * waiter from the list under that lock before it resumes. The cancellation may come at once, before
 * the waiter is in the list: register and append under the same lock, and never hold it while
 * calling tfc_resume.
 */
static inline tfc_async* tfc_suspend(tfc_context* ctx) {
  return ctx->api->suspend(ctx);
}
static inline tfc_context* tfc_async_context(const struct tfc_api* api, tfc_async* a) {
  return api->async_context(a);
}
/* Call it before anybody else knows of `a`, and at most once. False: the step is already cancelled,
 * and fn will not be called. */
static inline bool tfc_on_cancel(const struct tfc_api* api, tfc_async* a, void (*fn)(void* arg),
                                 void* arg) {
  return api->on_cancel(a, fn, arg);
}
static inline bool tfc_claim(const struct tfc_api* api, tfc_async* a) {
  return api->claim(a);
}
/* Ends a suspended kernel with TFC_OK or an error. */
static inline void tfc_resume(const struct tfc_api* api, tfc_async* a, int code) {
  api->resume(a, code);
}

/* ---- Inner contexts: for work within a kernel that may fail without failing the step, and for
 * work between steps. All calls for a running kernel take one, except those for inputs, outputs,
 * variables and suspending. It belongs to the thread that began it. */

/* It ends when the kernel's step is cancelled, too. NULL: out of memory. */
static inline tfc_context* tfc_begin_inner(tfc_context* ctx) {
  return ctx->api->begin_inner(ctx);
}
static inline void tfc_end_inner(tfc_context* inner) {
  inner->api->end_inner(inner);
}
/* The code of its error, which is forgotten; TFC_OK: there is none. *text is malloc'd, or NULL.
 * After a cancellation all work in it fails: it is not forgotten. */
static inline int tfc_take_error(tfc_context* inner, char** text) {
  return inner->api->take_error(inner, text);
}
/* On any thread, while it has not ended; no lock may be held that its work takes. */
static inline void tfc_cancel_inner(const struct tfc_api* api, tfc_context* inner) {
  api->cancel_inner(inner);
}
/* Calls fn on a thread of its own, which may wait, with an inner context of no kernel. False: no
 * memory. */
static inline bool tfc_spawn_inner(const struct tfc_api* api,
                                   void (*fn)(tfc_context* inner, void* arg), void* arg) {
  return api->spawn(fn, arg);
}
/* Runs a function of the graph. It takes over the inputs, also if it fails: each is a reference of
 * the caller's, like the outputs afterwards. The error has the name of the operation that failed.
 */
static inline int tfc_invoke(tfc_context* inner, tfc_callable* callable, tfc_tensor* inputs,
                             tfc_tensor* outputs) {
  return inner->api->call(inner, callable, inputs, outputs);
}
static inline void tfc_hold_callable(const struct tfc_api* api, tfc_callable* callable) {
  api->hold_callable(callable);
}
static inline void tfc_drop_callable(const struct tfc_api* api, tfc_callable* callable) {
  api->drop_callable(callable);
}

/* ---- Numbered calls (since version 10). A function that draws random numbers may be called on
 * several threads. So that results do not depend on threads, the caller numbers its calls, and
 * kernels in the function draw from the place in their stream that belongs to the number, not from
 * the next one. Calls that are made one after the other need no numbers. */

/* Numbers the calls made through `inner`, and through inner contexts begun in it, until the next
 * tfc_number_calls. A number is unique within its scope. -1: no number. */
static inline int tfc_number_calls(tfc_context* inner, uint64_t scope, int64_t number) {
  return inner->api->number_calls(inner, scope, number);
}
/* A scope for calls that are numbered within this call, such as those of an iterator that it opens.
 * Each use within a call returns another scope; a repeated call gets the same ones again. 0: this
 * call has no number. */
static inline uint64_t tfc_new_scope(tfc_context* ctx) {
  return ctx->api->new_scope(ctx);
}
/* Reserves `amount` of a kernel's stream, which any address identifies. If place->number is -1, the
 * call has no number: draw what comes next. */
static inline int tfc_draw(tfc_context* ctx, const void* stream, int64_t amount,
                           tfc_draw_place* place) {
  return ctx->api->draw(ctx, stream, amount, place);
}

/* ---- Kernels of a device with memory of its own (a GPU). Their inputs, outputs, variables and
 * scratch memory lie in that memory, except for the arguments that host_args names: the kernel
 * must not touch what they point to, only pass the pointers on. It puts work into the device's
 * queue with the functions below and returns without waiting for it. The work is done in the order
 * of the calls. So memory that is released, scratch memory too, stays valid for the work before.
 *
 * What goes wrong later is reported when the step ends, with this op's name. */

/* Runs a function with grid[0] * grid[1] * grid[2] blocks of threads, `shared` bytes of dynamic
 * shared memory for each, and one argument: the `bytes` bytes at `params`, which are copied. */
static inline int tfc_launch_function(tfc_context* ctx, const tfc_function* function,
                                      const uint32_t grid[3], const uint32_t block[3],
                                      uint32_t shared, const void* params, size_t bytes) {
  return ctx->api->launch(ctx, function, grid, block, shared, params, bytes);
}
/* Sets bytes of the device's memory. */
static inline int tfc_device_fill(tfc_context* ctx, void* to, int byte, size_t bytes) {
  return ctx->api->fill(ctx, to, byte, bytes);
}
/* Copies within the device's memory; the two ranges do not overlap. */
static inline int tfc_device_copy(tfc_context* ctx, void* to, const void* from, size_t bytes) {
  return ctx->api->copy(ctx, to, from, bytes);
}
/* Copies from the host's memory, which may change as soon as the call returns. */
static inline int tfc_device_upload(tfc_context* ctx, void* to, const void* from, size_t bytes) {
  return ctx->api->upload(ctx, to, from, bytes);
}
/* Zeroed device memory to which functions that the kernel launches report what is wrong with their
 * data. After the step's work is done, `explain` gets what they have written, and a copy of the
 * argument. At most TFC_MAX_REPORT and TFC_MAX_REPORT_ARGUMENT bytes. NULL: out of memory; return
 * TFC_RESOURCE_EXHAUSTED, the message is already set. */
enum { TFC_MAX_REPORT = 192, TFC_MAX_REPORT_ARGUMENT = 1024 };
static inline void* tfc_report_to(tfc_context* ctx, size_t bytes, tfc_explain_fn explain,
                                  const void* argument, size_t argument_bytes) {
  return ctx->api->report_to(ctx, bytes, explain, argument, argument_bytes);
}
/* The queue in which the device works for this kernel: of a GPU its CUstream, for libraries that
 * launch by themselves; the context is current. */
static inline void* tfc_device_stream(tfc_context* ctx) {
  return ctx->api->stream(ctx);
}

/* ---- Small helpers. */

static inline size_t tfc_dtype_size(int32_t dtype) {
  switch (dtype % TFC_REF) {
    case TFC_UINT8:
    case TFC_INT8:
    case TFC_QINT8:
    case TFC_QUINT8:
    case TFC_BOOL: return 1;
    case TFC_INT16:
    case TFC_UINT16:
    case TFC_QINT16:
    case TFC_QUINT16:
    case TFC_HALF:
    case TFC_BFLOAT16: return 2;
    case TFC_FLOAT:
    case TFC_INT32:
    case TFC_UINT32:
    case TFC_QINT32: return 4;
    case TFC_DOUBLE:
    case TFC_INT64:
    case TFC_UINT64:
    case TFC_COMPLEX64: return 8;
    case TFC_COMPLEX128:
    case TFC_STRING: return 16;
    default: return 0;
  }
}
/* Whether the elements of tensors of this type are C objects. */
static inline bool tfc_is_object(int32_t dtype) {
  return dtype == TFC_RESOURCE || dtype == TFC_VARIANT;
}
/* Element i of an int32 or int64 tensor, read exactly once. An input that is fed is memory of the
 * user, who may write it while the kernel runs: what has been checked must not be read again. */
static inline int64_t tfc_index_at(const tfc_tensor* t, int64_t i) {
  if (t->dtype == TFC_INT64) return __atomic_load_n((const int64_t*)t->data + i, __ATOMIC_RELAXED);
  return __atomic_load_n((const int32_t*)t->data + i, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif

#endif /* TFCORE_KERNEL_H */
