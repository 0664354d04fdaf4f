/* Cuts inputs of a collective into blocks, the same on all ranks; hashes what ranks compare. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/instance.h"

static int out_of_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory for a collective");
}

static size_t bytes_of(const tfc_instance* x, int64_t n) {
  return (size_t)n * x->element;
}

/* Whether the thread that receives a block's last message reduces or copies it at once, which saves
 * waking another thread. A block takes 0.1 ms, so large inputs are left to another thread if there
 * is a core for it. */
static bool is_inline(const tfc_instance* x, int64_t n) {
  return bytes_of(x, n) <= INLINE_BYTES || tfc_pool_threads() == 1;
}

/* ---- Blocks */

static tfc_block* add_block(tfc_instance* x) {
  if (x->n_blocks == x->room) {
    int room = x->room ? 2 * x->room : 16;
    tfc_block* more = realloc(x->blocks, (size_t)room * sizeof *more);
    if (!more) return NULL;
    x->blocks = more;
    x->room = room;
  }
  tfc_block* b = &x->blocks[x->n_blocks++];
  memset(b, 0, sizeof *b);
  b->next = -1;
  return b;
}

/* How many blocks n elements become: if there are many, a multiple of the ranks, so that all have
 * the same work. */
static int64_t count_blocks(const tfc_instance* x, int64_t n, int ranks) {
  size_t bytes = bytes_of(x, n);
  int64_t blocks = (int64_t)((bytes + BLOCK_BYTES - 1) / BLOCK_BYTES);
  if (ranks <= MOST_EVEN) blocks = (blocks + ranks - 1) / ranks * ranks;
  int64_t most = (int64_t)(bytes / SMALL_BLOCK);
  if (blocks > most) blocks = most;
  return blocks < 1 ? 1 : blocks;
}

/* Elements that are cut: `to` may be NULL. */
typedef struct cutting {
  const tfc_tensor *from, *to;
  int64_t first, to_first, n;
  int32_t root; /* or one of the following */
} cutting;

enum { IN_TURN = -2 /* each block has another root */ };

static bool cut(tfc_instance* x, const cutting* c) {
  if (c->n == 0) return true;
  int64_t blocks =
      c->root == EVERYONE ? 1 : count_blocks(x, c->n, c->root == IN_TURN ? x->c->n : 1);
  int64_t line = (int64_t)(64 / x->element);
  int64_t step = ((c->n + blocks - 1) / blocks + line - 1) / line * line;
  for (int64_t at = 0; at < c->n; at += step) {
    int index = x->n_blocks;
    tfc_block* b = add_block(x);
    if (!b) return false;
    b->tree = c->root == IN_TURN ? tfc_tree_in_turn(&x->c->hosts, index)
                                 : (tfc_tree){.root = c->root, .turn = index};
    b->shared = x->c->kind == TFC_COLLECTIVE_REDUCE;
    b->n = c->n - at < step ? c->n - at : step;
    b->in = (const char*)c->from->data + bytes_of(x, c->first + at);
    b->in_buffer = c->from->buffer;
    if (c->to) {
      b->out = (char*)c->to->data + bytes_of(x, c->to_first + at);
      b->out_buffer = c->to->buffer;
    }
  }
  return true;
}

static bool is_few(const tfc_instance* x) {
  return x->c->n <= TFC_FEW_RANKS;
}

/* A first block without elements, whose messages only connect all ranks. Its tree is that of the
 * first block of any large reduction, so that ranks that disagree hear of each other. */
static bool cut_nothing(tfc_instance* x) {
  tfc_block* b = add_block(x);
  if (!b) return false;
  b->tree =
      is_few(x) ? (tfc_tree){.root = EVERYONE} : tfc_tree_in_turn(&x->c->hosts, x->n_blocks - 1);
  b->shared = true;
  return true;
}

/* The ranks whose values this rank combines in the block, or only their number (`parts` NULL). */
static int list_parts(const tfc_instance* x, const tfc_block* b, tfc_part* parts) {
  const tfc_hosts* hosts = &x->c->hosts;
  int me = x->c->me, host = hosts->host_of[me], n = 0;
  bool all = b->tree.root == EVERYONE;
  if (!all && tfc_tree_leader(hosts, b->tree, host) != me) return 0;
  int end = hosts->first[all ? hosts->n_hosts : host + 1];
  for (int i = hosts->first[all ? 0 : host]; i < end; i++, n++)
    if (parts) parts[n] = (tfc_part){.from = hosts->members[i], .here = hosts->members[i] == me};
  if (all) return n;
  tfc_child_host children[TFC_MAX_CHILD_HOSTS];
  int n_children = tfc_tree_children(hosts, b->tree, host, children);
  for (int i = 0; i < n_children; i++, n++)
    if (parts) parts[n] = (tfc_part){.from = tfc_tree_leader(hosts, b->tree, children[i].host)};
  return n > 1 ? n : 0; /* alone it has nothing to combine */
}

/* Gives the blocks their places in the trees. */
static bool add_parts(tfc_instance* x) {
  size_t n = 0;
  for (int i = 0; i < x->n_blocks; i++) {
    tfc_block* b = &x->blocks[i];
    b->parent = b->tree.root == EVERYONE ? -1 : tfc_tree_parent(&x->c->hosts, b->tree, x->c->me);
    b->n_parts = list_parts(x, b, NULL);
    b->missing = b->n_parts - 1;
    n += (size_t)b->n_parts;
    x->remaining += (b->n_parts > 0) + (b->parent >= 0 && b->shared);
  }
  x->block_parts = calloc(n + 1, sizeof *x->block_parts);
  if (!x->block_parts) return false;
  tfc_part* at = x->block_parts;
  for (int i = 0; i < x->n_blocks; i++) {
    x->blocks[i].parts = at;
    if (x->blocks[i].n_parts) at += list_parts(x, &x->blocks[i], at);
  }
  return true;
}

/* ---- Reduce */

static bool is_packed(const tfc_instance* x, int64_t n) {
  return n > 0 && bytes_of(x, n) <= PACK_BYTES;
}

static bool new_packed(tfc_instance* x, tfc_tensor* t, int64_t n) {
  t->dtype = x->dtype;
  return tfc_tensor_new(t, 1, &n);
}

static bool pack(tfc_instance* x, int64_t n) {
  if (!new_packed(x, &x->packed_in, n) || !new_packed(x, &x->packed_out, n)) return false;
  char* to = x->packed_in.data;
  for (int i = 0; i < x->ctx->n_inputs; i++) {
    const tfc_tensor* in = x->ctx->inputs[i];
    if (!is_packed(x, in->n)) continue;
    memcpy(to, in->data, bytes_of(x, in->n));
    to += bytes_of(x, in->n);
  }
  return true;
}

void tfc_instance_unpack(tfc_instance* x) {
  if (!x->packed_out.buffer) return;
  const char* from = x->packed_out.data;
  for (int i = 0; i < x->ctx->n_outputs; i++) {
    tfc_tensor* out = &x->ctx->outputs[i];
    if (!is_packed(x, out->n)) continue;
    memcpy(out->data, from, bytes_of(x, out->n));
    from += bytes_of(x, out->n);
  }
}

static int cut_reduce(tfc_instance* x, tfc_context* ctx) {
  int64_t total = 0, packed = 0;
  int n_packed = 0;
  for (int i = 0; i < ctx->n_inputs; i++) {
    const tfc_tensor* in = ctx->inputs[i];
    int code = tfc_output_like(ctx, i, in);
    if (code) return code;
    total += in->n;
    if (is_packed(x, in->n)) {
      packed += in->n;
      n_packed++;
    }
  }
  bool tiny = bytes_of(x, total) <= TINY_BYTES;
  int root = tiny && is_few(x) ? EVERYONE : IN_TURN;
  x->inline_work = is_inline(x, total);
  bool ok = true;
  if (n_packed > 1)
    ok = pack(x, packed) && cut(x, &(cutting){&x->packed_in, &x->packed_out, 0, 0, packed, root});
  for (int i = 0; i < ctx->n_inputs && ok; i++) {
    const tfc_tensor* in = ctx->inputs[i];
    if (n_packed < 2 || !is_packed(x, in->n))
      ok = cut(x, &(cutting){in, &ctx->outputs[i], 0, 0, in->n, root});
  }
  if (ok && !x->n_blocks) ok = cut_nothing(x);
  return ok && add_parts(x) ? TFC_OK : out_of_memory(ctx);
}

/* ---- Reduce, then scatter rows */

static int64_t row_size(const tfc_tensor* t) {
  int64_t n = 1;
  for (int d = 1; d < t->rank; d++) n *= t->dims[d];
  return n;
}

/* First row of a rank: as given, or in equal shares, with the rest spread over the first ranks. */
static int64_t first_row(const tfc_instance* x, const tfc_tensor* in, const tfc_tensor* sizes,
                         int rank) {
  int64_t first = 0;
  if (sizes->n == 0) {
    int64_t rows = in->dims[0], n = x->c->n;
    return rows / n * rank + (rank < rows % n ? rank : rows % n);
  }
  for (int p = 0; p < rank; p++) first += tfc_index_at(sizes, p);
  return first;
}

static int check_scatter(tfc_instance* x, tfc_context* ctx) {
  const tfc_tensor *in = ctx->inputs[0], *sizes = ctx->inputs[1];
  if (in->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "reduce_scatter needs a tensor with rows, but its input is a scalar");
  if (sizes->rank != 1 || (sizes->n != 0 && sizes->n != x->c->n))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "sizes must be a vector with the rows of each of the %d ranks, but has %lld "
                     "elements and rank %d",
                     x->c->n, (long long)sizes->n, (int)sizes->rank);
  int64_t sum = 0;
  for (int64_t i = 0; i < sizes->n; i++) {
    int64_t rows = tfc_index_at(sizes, i);
    if (rows < 0 || rows > in->dims[0])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "sizes[%lld] = %lld is not in [0, %lld]",
                       (long long)i, (long long)rows, (long long)in->dims[0]);
    sum += rows;
  }
  if (sizes->n && sum != in->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "sizes add up to %lld, but there are %lld rows",
                     (long long)sum, (long long)in->dims[0]);
  return TFC_OK;
}

static int cut_scatter(tfc_instance* x, tfc_context* ctx) {
  int code = check_scatter(x, ctx);
  if (code) return code;
  const tfc_tensor *in = ctx->inputs[0], *sizes = ctx->inputs[1];
  int me = x->c->me;
  int64_t row = row_size(in), dims[TFC_MAX_RANK];
  memcpy(dims, in->dims, sizeof dims);
  dims[0] = first_row(x, in, sizes, me + 1) - first_row(x, in, sizes, me);
  code = tfc_output(ctx, 0, in->rank, dims);
  if (code) return code;
  if (!cut_nothing(x)) return out_of_memory(ctx);
  for (int p = 0; p < x->c->n; p++) {
    int64_t first = first_row(x, in, sizes, p) * row, end = first_row(x, in, sizes, p + 1) * row;
    const tfc_tensor* out = p == me ? &ctx->outputs[0] : NULL;
    if (!cut(x, &(cutting){in, out, first, 0, end - first, p})) return out_of_memory(ctx);
  }
  x->inline_work = is_inline(x, in->n);
  return add_parts(x) ? TFC_OK : out_of_memory(ctx);
}

/* ---- Gather and broadcast: whole tensors */

/* For what has no other blocks: the work is so little that any thread may do it. */
static bool cut_alone(tfc_instance* x) {
  x->inline_work = true;
  return cut_nothing(x) && add_parts(x);
}

static int cut_parts(tfc_instance* x, tfc_context* ctx) {
  x->parts = calloc((size_t)x->c->n, sizeof *x->parts);
  if (!x->parts) return out_of_memory(ctx);
  const tfc_tensor* in = ctx->inputs[0];
  bool gathers = x->c->kind == TFC_COLLECTIVE_GATHER, brings = gathers || x->c->root == x->c->me;
  if (!gathers && !cut_alone(x)) return out_of_memory(ctx);
  if (!brings) return TFC_OK;
  x->parts[x->c->me] = *in;
  if (in->buffer) tfc_buffer_ref(in->buffer);
  x->n_parts = 1;
  return TFC_OK;
}

static int gather_outputs(tfc_instance* x, tfc_context* ctx) {
  const tfc_tensor* in = ctx->inputs[0];
  int64_t dims[TFC_MAX_RANK], n = x->c->n, rows = 0;
  int code = tfc_output(ctx, 1, 1, &n);
  if (code) return code;
  int64_t* sizes = ctx->outputs[1].data;
  for (int p = 0; p < n; p++) rows += sizes[p] = x->parts[p].rank ? x->parts[p].dims[0] : 1;
  memcpy(dims, in->dims, sizeof dims);
  dims[0] = rows;
  return tfc_output(ctx, 0, in->rank ? in->rank : 1, dims);
}

int tfc_instance_prepare(tfc_instance* x) {
  tfc_context* ctx = x->ctx;
  int code = gather_outputs(x, ctx);
  if (code) return code;
  int64_t at = 0;
  for (int p = 0; p < x->c->n; p++) {
    const tfc_tensor* part = &x->parts[p];
    if (!cut(x, &(cutting){part, &ctx->outputs[0], 0, at, part->n, p})) return out_of_memory(ctx);
    at += part->n;
  }
  x->inline_work = is_inline(x, at);
  x->remaining = x->n_blocks;
  return TFC_OK;
}

/* ---- What ranks compare */

static uint64_t mix(uint64_t hash, int64_t value) {
  hash ^= (uint64_t)value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdu;
}

static uint64_t hash_shape(uint64_t hash, const tfc_tensor* t, int from) {
  hash = mix(hash, t->rank);
  for (int d = from; d < t->rank; d++) hash = mix(hash, t->dims[d]);
  return hash;
}

static uint64_t hash_of(const tfc_instance* x, const tfc_context* ctx) {
  const tfc_collective* c = x->c;
  uint64_t hash = mix(mix(mix(mix(mix(1, c->kind), c->op), c->mean), c->root), x->dtype);
  for (int p = 0; p < c->n; p++) hash = mix(hash, c->ranks[p]);
  for (int i = 0; i < ctx->n_inputs; i++)
    hash = hash_shape(hash, ctx->inputs[i], c->kind == TFC_COLLECTIVE_GATHER);
  if (c->kind == TFC_COLLECTIVE_SCATTER)
    for (int64_t i = 0; i < ctx->inputs[1]->n; i++)
      hash = mix(hash, tfc_index_at(ctx->inputs[1], i));
  return hash;
}

/* A digest of n bytes, which depends on their order. Four lanes, as each multiplication of a chain
 * waits for the one before. */
static uint64_t digest(const char* data, size_t n) {
  uint64_t lanes[4] = {1, 2, 3, 4}, words[4];
  for (; n >= sizeof words; n -= sizeof words, data += sizeof words) {
    memcpy(words, data, sizeof words);
    for (int i = 0; i < 4; i++) lanes[i] = (lanes[i] ^ words[i]) * 0xff51afd7ed558ccdu;
    for (int i = 0; i < 4; i++) lanes[i] ^= lanes[i] >> 32;
  }
  memset(words, 0, sizeof words);
  memcpy(words, data, n);
  uint64_t result = n;
  for (int i = 0; i < 4; i++) result = mix(result, (int64_t)(lanes[i] ^ words[i]));
  return result;
}

/* A run compares all of a small tensor, and a different part of a large one each time, so that
 * EQUAL_RUNS runs cover all of it at little cost. */
int tfc_instance_digest(tfc_instance* x) {
  const tfc_context* ctx = x->ctx;
  x->digests = malloc((size_t)(ctx->n_inputs + 1) * sizeof *x->digests);
  if (!x->digests) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < ctx->n_inputs; i++) {
    const tfc_tensor* t = ctx->inputs[i];
    size_t bytes = (size_t)t->n * tfc_dtype_size(t->dtype), part = bytes / EQUAL_RUNS + 1;
    if (part < EQUAL_BYTES) part = EQUAL_BYTES;
    size_t parts = (bytes + part - 1) / part;
    size_t first = parts ? (size_t)x->count % parts * part : 0;
    x->digests[i] =
        digest((const char*)t->data + first, bytes - first < part ? bytes - first : part);
    x->hash = mix(x->hash, (int64_t)x->digests[i]);
  }
  return TFC_OK;
}

static const char* type_name(int32_t dtype) {
  static const char* const names[] = {
      [TFC_FLOAT] = "float32",       [TFC_DOUBLE] = "float64", [TFC_INT32] = "int32",
      [TFC_UINT8] = "uint8",         [TFC_INT16] = "int16",    [TFC_INT8] = "int8",
      [TFC_COMPLEX64] = "complex64", [TFC_INT64] = "int64",    [TFC_BOOL] = "bool",
      [TFC_BFLOAT16] = "bfloat16",   [TFC_UINT16] = "uint16",  [TFC_COMPLEX128] = "complex128",
      [TFC_HALF] = "float16",        [TFC_UINT32] = "uint32",  [TFC_UINT64] = "uint64",
      [TFC_STRING] = "string"};
  bool known = dtype > 0 && dtype < (int32_t)(sizeof names / sizeof *names) && names[dtype];
  return known ? names[dtype] : "unknown";
}

static void say_operation(FILE* f, const tfc_collective* c) {
  static const char* const kinds[] = {"allreduce", "allgather", "broadcast", "reduce_scatter",
                                      "equal values"};
  static const char* const ops[] = {"sum", "min", "max", "product"};
  fprintf(f, "%s", kinds[c->kind]);
  if (c->kind == TFC_COLLECTIVE_REDUCE || c->kind == TFC_COLLECTIVE_SCATTER)
    fprintf(f, " (%s)", c->mean ? "mean" : ops[c->op]);
  if (c->kind == TFC_COLLECTIVE_BROADCAST) fprintf(f, " from %d", c->root);
  fprintf(f, " among ranks [");
  for (int p = 0; p < c->n; p++) fprintf(f, "%s%d", p ? "," : "", c->ranks[p]);
  fprintf(f, "]");
}

/* Fields between tabs: "float32[2,3]", "x:0" and, of compared values, a digest. The rows of a
 * gather may differ between ranks. */
static void say_input(FILE* f, const tfc_instance* x, int i, const char* label, int length) {
  const tfc_tensor* t = x->ctx->inputs[i];
  fprintf(f, "%s[", type_name(t->dtype));
  for (int d = 0; d < t->rank; d++) {
    fprintf(f, "%s", d ? "," : "");
    if (d == 0 && x->c->kind == TFC_COLLECTIVE_GATHER)
      fprintf(f, "*");
    else
      fprintf(f, "%lld", (long long)t->dims[d]);
  }
  fprintf(f, "]");
  if (x->c->kind == TFC_COLLECTIVE_SCATTER && i == 1) {
    fprintf(f, " of values");
    for (int64_t k = 0; k < t->n; k++) fprintf(f, " %lld", (long long)tfc_index_at(t, k));
  }
  fprintf(f, "\t%.*s", length, label);
  if (x->digests) fprintf(f, "\t%016llx", (unsigned long long)x->digests[i]);
}

char* tfc_instance_describe(const tfc_instance* x) {
  char* text = NULL;
  size_t size = 0;
  FILE* f = open_memstream(&text, &size);
  if (!f) return NULL;
  say_operation(f, x->c);
  const char* label = x->c->labels ? x->c->labels : "";
  for (int i = 0; i < x->ctx->n_inputs; i++) {
    int length = (int)strcspn(label, "\n");
    fputc('\n', f);
    say_input(f, x, i, label, length);
    label += length + (label[length] != 0);
  }
  fclose(f);
  return text;
}

/* ---- All together */

int tfc_instance_cut(tfc_instance* x, tfc_context* ctx) {
  tfc_collective* c = x->c;
  x->ctx = ctx;
  x->first = x->last = -1;
  x->dtype = ctx->n_inputs ? ctx->inputs[0]->dtype : TFC_UINT8;
  x->element = tfc_dtype_size(x->dtype);
  x->hash = hash_of(x, ctx);
  x->heard = calloc((size_t)c->n, sizeof *x->heard);
  if (!x->heard) return out_of_memory(ctx);
  switch (c->kind) {
    case TFC_COLLECTIVE_REDUCE: return cut_reduce(x, ctx);
    case TFC_COLLECTIVE_SCATTER: return cut_scatter(x, ctx);
    case TFC_COLLECTIVE_EQUAL: /* ranks only exchange hashes */
      return cut_alone(x) ? TFC_OK : out_of_memory(ctx);
    default: return cut_parts(x, ctx);
  }
}

void tfc_instance_free(tfc_instance* x) {
  for (int i = 0; i < x->n_blocks; i++) {
    tfc_block* b = &x->blocks[i];
    for (int p = 0; p < b->n_parts && b->parts; p++) tfc_tensor_clear(&b->parts[p].value);
    tfc_tensor_clear(&b->result);
  }
  for (int p = 0; x->parts && p < x->c->n; p++) tfc_tensor_clear(&x->parts[p]);
  for (tfc_early *e = x->early, *next; e; e = next) {
    next = e->next;
    tfc_tensor_clear(&e->payload);
    free(e);
  }
  tfc_tensor_clear(&x->packed_in);
  tfc_tensor_clear(&x->packed_out);
  free(x->block_parts);
  free(x->blocks);
  free(x->parts);
  free(x->heard);
  free(x->digests);
  free(x->message);
  free(x);
}
