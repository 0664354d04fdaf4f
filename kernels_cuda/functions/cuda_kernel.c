/* CudaKernel: a kernel of the user's, from its source.
 *
 * Its parameters are a pointer for each input, one for each output, and then the scalars, each at a
 * multiple of its size, as in a struct of C. */
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/functions/size_program.h"

enum {
  MOST_PARAMETERS = 4096, /* bytes */
  MOST_THREADS = 1024,    /* of a block */
  MOST_SCALARS = 512,
};

typedef struct scalar {
  tfc_size_program program;
  size_t offset; /* in the parameters */
  int32_t dtype;
  bool is_constant; /* `bits` are its bytes */
  uint64_t bits;
} scalar;

typedef struct kernel_state {
  const tfc_function* function;
  tfc_size_program grid, block, shared;
  int n_outputs, n_scalars;
  tfc_size_program* shapes; /* of the outputs */
  int64_t* in_place; /* for each the input whose value it has before the kernel runs, or -1 */
  scalar* scalars;
  size_t parameters; /* bytes */
} kernel_state;

/* ---- Creation */

static void destroy(void* state) {
  kernel_state* s = state;
  tfc_size_program_free(&s->grid);
  tfc_size_program_free(&s->block);
  tfc_size_program_free(&s->shared);
  for (int i = 0; s->shapes && i < s->n_outputs; i++) tfc_size_program_free(&s->shapes[i]);
  for (int i = 0; s->scalars && i < s->n_scalars; i++)
    tfc_size_program_free(&s->scalars[i].program);
  free(s->shapes);
  free(s->in_place);
  free(s->scalars);
  free(s);
}

static int read_program(tfc_construction* c, const char* attr, tfc_size_program* p) {
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_string(c, attr, &text, &size));
  return tfc_size_program_read(c, text, size, p);
}

static int out_of_memory(tfc_construction* c) {
  return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
}

static int read_output(tfc_construction* c, kernel_state* s, int i) {
  const int64_t input = s->in_place[i];
  const char* text;
  size_t size;
  int n;
  if (input >= c->n_inputs || (input >= 0 && c->input_dtypes[input] != c->output_dtypes[i]))
    return c->api->error(c, TFC_INVALID_ARGUMENT, "output %d can't take the place of input %lld", i,
                         (long long)input);
  TFC_TRY(c->api->attr_strings(c, "shapes", i, &text, &size, &n));
  if (i < n) return tfc_size_program_read(c, text, size, &s->shapes[i]);
  return c->api->error(c, TFC_INVALID_ARGUMENT, "%d shapes for %d outputs", n, s->n_outputs);
}

static int read_outputs(tfc_construction* c, kernel_state* s) {
  int n = s->n_outputs = c->n_outputs;
  s->shapes = calloc((size_t)n + 1, sizeof *s->shapes);
  s->in_place = calloc((size_t)n + 1, sizeof *s->in_place);
  if (!s->shapes || !s->in_place) return out_of_memory(c);
  for (int i = 0; i < n; i++) s->in_place[i] = -1;
  TFC_TRY(c->api->attr_ints(c, "in_place", n, s->in_place, &n));
  for (int i = 0; i < s->n_outputs; i++) TFC_TRY(read_output(c, s, i));
  return TFC_OK;
}

/* A scalar is "=" and the number of its bits, or a program. */
static int read_scalar(tfc_construction* c, kernel_state* s, int i, int32_t dtype) {
  const char* text;
  size_t size;
  int n;
  scalar* x = &s->scalars[i];
  TFC_TRY(c->api->attr_strings(c, "scalars", i, &text, &size, &n));
  x->dtype = dtype;
  const size_t bytes = tfc_dtype_size(dtype);
  if (i >= n || !bytes || bytes > sizeof x->bits)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "scalar %d is missing, or of a type that has none", i);
  x->offset = (s->parameters + bytes - 1) / bytes * bytes;
  s->parameters = x->offset + bytes;
  x->is_constant = size && *text == '=';
  if (!x->is_constant) return tfc_size_program_read(c, text, size, &x->program);
  x->bits = strtoull(text + 1, NULL, 10);
  return TFC_OK;
}

static int read_scalars(tfc_construction* c, kernel_state* s) {
  int32_t types[MOST_SCALARS];
  int n = 0;
  TFC_TRY(c->api->attr_types(c, "scalar_types", MOST_SCALARS, types, &n));
  if (n > MOST_SCALARS)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "%d scalars: more than %d", n, MOST_SCALARS);
  s->parameters = sizeof(void*) * (size_t)(c->n_inputs + c->n_outputs);
  s->scalars = calloc((size_t)n + 1, sizeof *s->scalars);
  if (!s->scalars) return out_of_memory(c);
  s->n_scalars = n;
  for (int i = 0; i < n && s->parameters <= MOST_PARAMETERS; i++)
    TFC_TRY(read_scalar(c, s, i, types[i]));
  if (s->parameters > MOST_PARAMETERS)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "a kernel's parameters have at most %d bytes",
                         MOST_PARAMETERS);
  return TFC_OK;
}

static int find_function(tfc_construction* c, kernel_state* s) {
  const char* text;
  char name[256];
  size_t size;
  TFC_TRY(c->api->attr_string(c, "function", &text, &size));
  snprintf(name, sizeof name, "%.*s", (int)size, text);
  return c->api->function(c, "", name, &s->function);
}

static int read_state(tfc_construction* c, kernel_state* s) {
  TFC_TRY(read_program(c, "grid", &s->grid));
  TFC_TRY(read_program(c, "block", &s->block));
  TFC_TRY(read_program(c, "shared", &s->shared));
  TFC_TRY(read_outputs(c, s));
  TFC_TRY(read_scalars(c, s));
  return find_function(c, s);
}

static int create(tfc_construction* c, void** state) {
  kernel_state* s = calloc(1, sizeof *s);
  if (!s) return out_of_memory(c);
  const int code = read_state(c, s);
  if (code == TFC_OK)
    *state = s;
  else
    destroy(s);
  return code;
}

/* ---- Outputs */

/* The output's memory has the input's value: it is the input's, if nobody else needs that. */
static int make_in_place(tfc_context* ctx, int i, int input, int rank, const int64_t* dims) {
  const tfc_tensor *from = ctx->inputs[input], *to = &ctx->outputs[i];
  if (rank != from->rank || memcmp(dims, from->dims, sizeof *dims * (size_t)rank))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "output %d is in place of input %d, which has another shape", i, input);
  TFC_TRY(tfc_output_forward(ctx, i, rank, dims, 1, &input));
  if (to->data == from->data || !from->n) return TFC_OK;
  return tfc_device_copy(ctx, to->data, from->data, (size_t)from->n * tfc_dtype_size(from->dtype));
}

static int make_output(tfc_context* ctx, const kernel_state* s, int i) {
  int64_t dims[TFC_MOST_SIZES];
  char what[48];
  int rank;
  snprintf(what, sizeof what, "the shape of output %d", i);
  TFC_TRY(tfc_size_program_run(ctx, &s->shapes[i], what, dims, &rank));
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s has %d dimensions", what, rank);
  for (int d = 0; d < rank; d++)
    if (dims[d] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s: dimension %d is %lld", what, d,
                       (long long)dims[d]);
  if (s->in_place[i] >= 0) return make_in_place(ctx, i, (int)s->in_place[i], rank, dims);
  return tfc_output(ctx, i, rank, dims);
}

/* ---- Launch */

/* Up to three sizes; the others are 1. */
static int compute_extent(tfc_context* ctx, const tfc_size_program* p, const char* what,
                          int64_t least, const int64_t most[3], uint32_t extent[3]) {
  int64_t sizes[TFC_MOST_SIZES];
  int n;
  TFC_TRY(tfc_size_program_run(ctx, p, what, sizes, &n));
  if (n < 1 || n > 3)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s has %d sizes, not 1 to 3", what, n);
  while (n < 3) sizes[n++] = 1;
  for (int i = 0; i < 3; i++) {
    if (sizes[i] < least || sizes[i] > most[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "%s is (%lld, %lld, %lld), but its sizes go from %lld to (%lld, %lld, %lld)",
                       what, (long long)sizes[0], (long long)sizes[1], (long long)sizes[2],
                       (long long)least, (long long)most[0], (long long)most[1],
                       (long long)most[2]);
    extent[i] = (uint32_t)sizes[i];
  }
  return TFC_OK;
}

static int compute_launch(tfc_context* ctx, const kernel_state* s, tfc_launch* l) {
  static const int64_t most_blocks[] = {INT32_MAX, 65535, 65535},
                       most_threads[] = {MOST_THREADS, MOST_THREADS, 64};
  int64_t shared[TFC_MOST_SIZES];
  int n;
  TFC_TRY(compute_extent(ctx, &s->grid, "the grid", 0, most_blocks, l->grid));
  TFC_TRY(compute_extent(ctx, &s->block, "the block", 1, most_threads, l->block));
  if ((int64_t)l->block[0] * l->block[1] * l->block[2] > MOST_THREADS)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the block is (%u, %u, %u): more than %d threads",
                     l->block[0], l->block[1], l->block[2], MOST_THREADS);
  TFC_TRY(tfc_size_program_run(ctx, &s->shared, "the shared memory", shared, &n));
  if (n != 1 || shared[0] < 0 || shared[0] > INT32_MAX) /* the card may refuse less */
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the shared memory is %lld bytes",
                     n ? (long long)shared[0] : 0);
  l->shared = (uint32_t)shared[0];
  return TFC_OK;
}

/* Writes a size as a scalar of a type. False: it has no such value. */
static bool convert(int64_t size, int32_t dtype, char* to) {
  const float as_float = (float)size;
  const double as_double = (double)size;
  const size_t bytes = tfc_dtype_size(dtype);
  const void* from = dtype == TFC_FLOAT    ? (const void*)&as_float
                     : dtype == TFC_DOUBLE ? (const void*)&as_double
                                           : &size;
  memcpy(to, from, bytes); /* little-endian, as GPUs are */
  switch (dtype) {
    case TFC_INT32: return size == (int32_t)size;
    case TFC_UINT32: return size == (uint32_t)size;
    case TFC_UINT64: return size >= 0;
    default: return dtype == TFC_INT64 || dtype == TFC_FLOAT || dtype == TFC_DOUBLE;
  }
}

static int pack_scalar(tfc_context* ctx, const scalar* x, char* to) {
  int64_t sizes[TFC_MOST_SIZES];
  int n;
  if (x->is_constant) {
    memcpy(to, &x->bits, tfc_dtype_size(x->dtype));
    return TFC_OK;
  }
  TFC_TRY(tfc_size_program_run(ctx, &x->program, "a scalar", sizes, &n));
  if (n == 1 && convert(sizes[0], x->dtype, to)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "a scalar is %lld, which its type can't hold",
                   n ? (long long)sizes[0] : 0);
}

static int pack(tfc_context* ctx, const kernel_state* s, char* params) {
  const void** pointers = (const void**)params;
  for (int i = 0; i < ctx->n_inputs; i++) pointers[i] = ctx->inputs[i]->data;
  for (int i = 0; i < s->n_outputs; i++) {
    pointers[ctx->n_inputs + i] = ctx->outputs[i].data;
    if (s->in_place[i] >= 0) pointers[s->in_place[i]] = ctx->outputs[i].data;
  }
  for (int i = 0; i < s->n_scalars; i++)
    TFC_TRY(pack_scalar(ctx, &s->scalars[i], params + s->scalars[i].offset));
  return TFC_OK;
}

static int compute_CudaKernel(tfc_context* ctx) {
  const kernel_state* s = ctx->state;
  _Alignas(16) char params[MOST_PARAMETERS];
  tfc_launch l;
  for (int i = 0; i < s->n_outputs; i++) TFC_TRY(make_output(ctx, s, i));
  TFC_TRY(compute_launch(ctx, s, &l));
  if (!l.grid[0] || !l.grid[1] || !l.grid[2]) return TFC_OK;
  TFC_TRY(pack(ctx, s, params));
  return tfc_launch_function(ctx, s->function, l.grid, l.block, l.shared, params, s->parameters);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("CudaKernel", "Tin=" TFC_TYPES_PLAIN ";Tout=" TFC_TYPES_PLAIN, compute_CudaKernel,
            .create = create, .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
