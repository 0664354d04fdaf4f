/* _FusedCwise: a program of element-wise operations.
 *
 * It runs on tiles that stay in L1, so that each input is read once and only the result is written.
 * The loops are those of the ops themselves, and so are the bits. A value is an input (0 .. N - 1)
 * or the result of an operation (N ..). All results except the last are kept in tile buffers; a
 * buffer is free again after the last use of its value.
 */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"

enum { OPS = 64, INPUTS = 2 * OPS, BUFFERS = 8, TILE_BYTES = 4096, OP_NAME = 32 };

typedef struct operation {
  tfc_binary_loop binary; /* or */
  tfc_unary_loop unary;
  int x, y; /* values; y of a unary operation is x */
  int to;   /* a buffer; -1: the output */
} operation;

typedef struct program {
  int inputs, count;
  double ns; /* of all operations on an element */
  operation ops[OPS];
} program;

/* ---- Making the program. */

static int find_loops(tfc_construction* c, const char* name, int32_t dtype, program* p,
                      operation* op) {
  const tfc_binary_op* binary = tfc_fusible_binary(name);
  const tfc_unary_op* unary = binary ? NULL : tfc_fusible_unary(name);
  if (!binary && !unary)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "_FusedCwise has no operation %s", name);
  if (binary) op->binary = binary->loop[dtype];
  if (unary) op->unary = unary->loop[dtype];
  p->ns += binary ? binary->ns : unary->ns;
  return TFC_OK;
}

/* Assigns a buffer to each result. last[i]: the last operation that uses that of operation i. */
static int assign_buffers(tfc_construction* c, program* p, const int* last) {
  unsigned taken = 0;
  for (int i = 0; i < p->count; i++) {
    operation* op = &p->ops[i];
    for (int k = 0; k < 2; k++) { /* a loop may work in place */
      const int value = (k ? op->y : op->x) - p->inputs;
      if (value >= 0 && last[value] == i) taken &= ~(1u << p->ops[value].to);
    }
    op->to = -1;
    if (i == p->count - 1) continue;
    for (op->to = 0; taken & (1u << op->to);) op->to++;
    if (last[i] < 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "Operation %d: its result is not used", i);
    if (op->to >= BUFFERS)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "Operation %d: more than %d results would be kept at a time", i,
                           BUFFERS);
    taken |= 1u << op->to;
  }
  return TFC_OK;
}

static int read_program(tfc_construction* c, program* p) {
  int64_t args[2 * OPS], inputs;
  int n_args, last[OPS];
  int32_t dtype;
  TFC_TRY(c->api->attr_type(c, "T", &dtype));
  TFC_TRY(c->api->attr_int(c, "N", &inputs));
  TFC_TRY(c->api->attr_ints(c, "args", 2 * OPS, args, &n_args));
  p->inputs = (int)inputs;
  p->count = n_args / 2;
  if (n_args < 2 || n_args > 2 * OPS || n_args % 2)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "_FusedCwise can't have %d args", n_args);
  if (inputs > INPUTS)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "_FusedCwise can't have %lld inputs",
                         (long long)inputs);
  for (int i = 0; i < p->count; i++) {
    operation* op = &p->ops[i];
    const char* text;
    size_t size;
    int names;
    char name[OP_NAME];
    TFC_TRY(c->api->attr_strings(c, "ops", i, &text, &size, &names));
    if (names != p->count || size >= sizeof name)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "%d ops have %d args", names, n_args);
    memcpy(name, text, size);
    name[size] = 0;
    TFC_TRY(find_loops(c, name, dtype, p, op));
    last[i] = -1;
    for (int k = 0; k < 2; k++) {
      const int64_t value = args[2 * i + k];
      if (value < 0 || value >= inputs + i)
        return c->api->error(c, TFC_INVALID_ARGUMENT, "Operation %d uses value %lld", i,
                             (long long)value);
      if (value >= inputs) last[value - inputs] = i;
      *(k ? &op->y : &op->x) = (int)value;
    }
  }
  return assign_buffers(c, p, last);
}

static int fused_create(tfc_construction* c, void** state) {
  program* p = tfc_new_state(c, sizeof *p);
  if (!p) return TFC_RESOURCE_EXHAUSTED;
  const int rc = read_program(c, p);
  if (rc != TFC_OK) {
    free(p);
    return rc;
  }
  *state = p;
  return TFC_OK;
}

/* ---- Running it. */

typedef struct fused_run {
  const program* program;
  const tfc_tensor* inputs[INPUTS];
  char* to;
  int64_t size; /* of an element */
} fused_run;

typedef struct operand {
  char* at;
  bool single; /* the same element for the whole tile */
} operand;

static operand operand_at(const fused_run* r, int value, int64_t i, char* buffers) {
  const program* p = r->program;
  if (value >= p->inputs)
    return (operand){buffers + p->ops[value - p->inputs].to * TILE_BYTES, false};
  const tfc_tensor* x = r->inputs[value];
  const bool single = x->rank == 0;
  return (operand){(char*)x->data + (single ? 0 : i * r->size), single};
}

static void fused_range(void* arg, int64_t begin, int64_t end) {
  const fused_run* r = arg;
  const program* p = r->program;
  _Alignas(64) char buffers[BUFFERS * TILE_BYTES];
  const int64_t tile = TILE_BYTES / r->size;
  for (int64_t i = begin; i < end; i += tile) {
    const int64_t n = TFC_MIN(tile, end - i);
    for (int k = 0; k < p->count; k++) {
      const operation* op = &p->ops[k];
      const operand x = operand_at(r, op->x, i, buffers), y = operand_at(r, op->y, i, buffers);
      char* z = op->to < 0 ? r->to + i * r->size : buffers + op->to * TILE_BYTES;
      const int mode = x.single == y.single ? TFC_BOTH : x.single ? TFC_SCALAR_X : TFC_SCALAR_Y;
      if (op->unary)
        op->unary(x.at, z, n, NULL);
      else
        op->binary(x.at, y.at, z, n, mode, NULL);
    }
  }
}

/* Whether inputs are scalars or have one shape, and each operation has an operand of that shape. */
static bool fits(const tfc_context* ctx, const program* p, const tfc_tensor** full) {
  *full = ctx->inputs[0];
  for (int i = 0; i < ctx->n_inputs; i++)
    if (ctx->inputs[i]->rank) *full = ctx->inputs[i];
  for (int i = 0; i < ctx->n_inputs; i++)
    if (ctx->inputs[i]->rank && !tfc_same_shape(ctx->inputs[i], *full)) return false;
  for (int i = 0; i < p->count && (*full)->rank; i++) {
    const int x = p->ops[i].x, y = p->ops[i].y;
    if (x < p->inputs && y < p->inputs && !ctx->inputs[x]->rank && !ctx->inputs[y]->rank)
      return false;
  }
  return true;
}

/* The shape to which all inputs broadcast. */
static int common_shape(tfc_context* ctx, tfc_tensor* full) {
  *full = *ctx->inputs[0];
  for (int i = 1; i < ctx->n_inputs; i++) {
    tfc_broadcast b;
    if (!tfc_broadcast_shapes(full, ctx->inputs[i], &b))
      return tfc_incompatible_shapes(ctx, full, ctx->inputs[i]);
    full->rank = b.out_rank;
    full->n = b.n;
    memcpy(full->dims, b.out_dims, sizeof full->dims);
  }
  return TFC_OK;
}

/* Copies x to the shape of `to`. */
static int broadcast_to(tfc_context* ctx, const tfc_tensor* x, tfc_tensor* to) {
  tfc_broadcast b;
  if (!tfc_broadcast_shapes(x, to, &b)) return tfc_incompatible_shapes(ctx, x, to);
  tfc_box box = {.rank = b.rank};
  memcpy(box.dims, b.dims, sizeof b.dims);
  memcpy(box.from, b.x_stride, sizeof b.x_stride);
  tfc_strides(b.rank, b.dims, box.to);
  return tfc_copy_box(ctx, to, 0, x, 0, &box);
}

/* For inputs that have not the shapes that the compiler knew, such as after a wrong set_shape:
 * copies of one shape. Operations on elements and broadcasting may change places. */
static int run_on_copies(tfc_context* ctx, fused_run* run) {
  tfc_tensor full, copies[INPUTS];
  TFC_TRY(common_shape(ctx, &full));
  TFC_TRY(tfc_output(ctx, 0, full.rank, full.dims));
  for (int i = 0; i < ctx->n_inputs; i++) {
    copies[i] = full;
    copies[i].data = tfc_scratch(ctx, (size_t)full.n * (size_t)run->size);
    if (!copies[i].data) return TFC_RESOURCE_EXHAUSTED;
    TFC_TRY(broadcast_to(ctx, ctx->inputs[i], &copies[i]));
    run->inputs[i] = &copies[i];
  }
  run->to = ctx->outputs[0].data;
  tfc_parallel_for(ctx, full.n, run->program->ns, fused_range, run);
  return TFC_OK;
}

static int compute_FusedCwise(tfc_context* ctx) {
  const program* p = ctx->state;
  const tfc_tensor* full;
  int candidates[OPS], count = 0;
  fused_run run = {.program = p, .size = (int64_t)tfc_dtype_size(ctx->inputs[0]->dtype)};
  if (!fits(ctx, p, &full)) return run_on_copies(ctx, &run);
  for (int i = 0; i < ctx->n_inputs; i++) {
    run.inputs[i] = ctx->inputs[i];
    if (ctx->inputs[i]->rank == full->rank && count < OPS) candidates[count++] = i;
  }
  TFC_TRY(tfc_output_forward(ctx, 0, full->rank, full->dims, count, candidates));
  run.to = ctx->outputs[0].data;
  tfc_parallel_for(ctx, full->n, p->ns, fused_range, &run);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("_FusedCwise", "T=" TFC_TYPES_WIDE_FLOATS, compute_FusedCwise, TFC_STATE(fused_create)),
};
TFC_REGISTER_KERNELS(kernels);
