/* SaveV2, RestoreV2, MergeV2Checkpoints, and the names of parts of checkpoints. */
#include <unistd.h>

#include "kernels_c/checkpoint/op.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

/* ---- SaveV2 and RestoreV2 */

enum { PREFIX, NAMES, SLICES, TENSORS };

static int check_lists(tfc_context* ctx) {
  const tfc_tensor *names = ctx->inputs[NAMES], *slices = ctx->inputs[SLICES];
  if (names->rank != 1 || slices->rank != 1)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Input tensor_names and shape_and_slices should be an 1-D tensors, got %s and %s instead.",
        tfc_shape_text(names).text, tfc_shape_text(slices).text);
  if (names->n != slices->n)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "tensor_names and shape_and_slices have different number of elements: %lld vs. %lld",
        (long long)names->n, (long long)slices->n);
  return TFC_OK;
}

/* Adds which tensor could not be saved to an error of the file system. */
static int failed_for(tfc_context* ctx, ckpt_status* status, tfc_string name) {
  if (status->code == TFC_CANCELLED || status->code == TFC_INVALID_ARGUMENT)
    return ckpt_op_error(ctx, status);
  return tfc_error(ctx, status->code, "%s (while tensor '%.*s' was saved)", status->text,
                   (int)TFC_MIN(name.size, 400), name.data);
}

static int save_all(tfc_context* ctx, ckpt_writer* w) {
  ckpt_status status = ckpt_op_status(ctx);
  for (int i = 0; i < ctx->n_inputs - TENSORS; i++) {
    const tfc_tensor* value = ctx->inputs[TENSORS + i];
    tfc_string name = ckpt_op_string(ctx, NAMES, i);
    int rank;
    int64_t dims[TFC_MAX_RANK];
    ckpt_slice slice;
    TFC_TRY(ckpt_op_part(ctx, value, ckpt_op_string(ctx, SLICES, i), &rank, dims, &slice));
    if (ckpt_writer_add(w, name.data, name.size, value, rank, dims, &slice, &status))
      return failed_for(ctx, &status, name);
  }
  return ckpt_writer_finish(w, &status) ? ckpt_op_error(ctx, &status) : TFC_OK;
}

static int save(tfc_context* ctx) {
  TFC_TRY(check_lists(ctx));
  if (ctx->inputs[NAMES]->n != ctx->n_inputs - TENSORS)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Got %lld tensor names but %d tensors.",
                     (long long)ctx->inputs[NAMES]->n, ctx->n_inputs - TENSORS);
  char* prefix;
  TFC_TRY(ckpt_op_path(ctx, PREFIX, "prefix", &prefix));
  ckpt_writer w;
  ckpt_status status = ckpt_op_status(ctx);
  int code = ckpt_writer_open(&w, prefix, &status) ? ckpt_op_error(ctx, &status) : TFC_OK;
  if (!code) code = save_all(ctx, &w);
  ckpt_writer_close(&w);
  free(prefix);
  return code;
}

static int restore(tfc_context* ctx) {
  if (ctx->inputs[NAMES]->n != ctx->n_outputs)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Got %lld tensor names, but %d expected dtypes.",
                     (long long)ctx->inputs[NAMES]->n, ctx->n_outputs);
  TFC_TRY(check_lists(ctx));
  char* prefix;
  TFC_TRY(ckpt_op_path(ctx, PREFIX, "prefix", &prefix));
  ckpt_reader r;
  ckpt_status status = ckpt_op_status(ctx);
  int code = ckpt_reader_open(&r, prefix, &status);
  free(prefix);
  if (code) return ckpt_op_error(ctx, &status);
  code = ckpt_op_restore(ctx, &r, NAMES, SLICES);
  ckpt_reader_close(&r);
  return code;
}

/* ---- MergeV2Checkpoints */

typedef struct merge_state {
  bool delete_folders, allow_missing;
} merge_state;

static int create_merge(tfc_construction* c, void** state) {
  merge_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *state = s;
  int code = c->api->attr_bool(c, "delete_old_dirs", &s->delete_folders);
  if (!code) code = c->api->attr_bool(c, "allow_missing_files", &s->allow_missing);
  if (code) free(s);
  return code;
}

/* Removes the folders of the parts, if they are empty and not the checkpoint's own. */
static void delete_folders(char** prefixes, int64_t n, const char* merged) {
  size_t own = ckpt_folder_size(merged);
  for (int64_t i = 0; i < n; i++) {
    size_t size = ckpt_folder_size(prefixes[i]);
    if (size == 0 || (size == own && !memcmp(prefixes[i], merged, size))) continue;
    prefixes[i][size] = '\0';
    ckpt_remove_folder(prefixes[i]);
  }
}

static int merge_to(tfc_context* ctx, char** prefixes, int64_t n, const char* merged) {
  const merge_state* s = ctx->state;
  ckpt_status status = ckpt_op_status(ctx);
  for (int64_t i = 0; i < n; i++) {
    tfc_string text = ckpt_op_string(ctx, 0, i);
    if (ckpt_path(text.data, text.size, &prefixes[i], &status)) return ckpt_op_error(ctx, &status);
  }
  if (ckpt_merge((const char* const*)prefixes, n, merged, s->allow_missing, &status))
    return ckpt_op_error(ctx, &status);
  if (s->delete_folders) delete_folders(prefixes, n, merged);
  return TFC_OK;
}

static int merge(tfc_context* ctx) {
  const tfc_tensor *list = ctx->inputs[0], *destination = ctx->inputs[1];
  if (list->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input checkpoint_prefixes should be an 1-D tensor, got %s instead.",
                     tfc_shape_text(list).text);
  if (destination->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input destination_prefix should be a scalar tensor, got %s instead.",
                     tfc_shape_text(destination).text);
  char* merged;
  TFC_TRY(ckpt_op_path(ctx, 1, "destination_prefix", &merged));
  char** prefixes = calloc((size_t)list->n + 1, sizeof *prefixes);
  int code = prefixes ? merge_to(ctx, prefixes, list->n, merged)
                      : tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory");
  for (int64_t i = 0; prefixes && i < list->n; i++) free(prefixes[i]);
  free(prefixes);
  free(merged);
  return code;
}

/* ---- Names */

static int set_scalar(tfc_context* ctx, text_buffer* text) {
  int code = text->failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory")
                          : tfc_output_scalar(ctx, 0);
  if (!code) code = tfc_string_set(ctx, &ctx->outputs[0], 0, text_c(text), text->size);
  text_free(text);
  return code;
}

/* basename-00001-of-00002; the number of shards is the last input. */
static int sharded_name(tfc_context* ctx) {
  static const char* const names[] = {"basename", "shard", "num_shards"};
  for (int i = 0; i < ctx->n_inputs; i++)
    if (ctx->inputs[i]->rank != 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a scalar, got shape %s",
                       i ? names[i + 3 - ctx->n_inputs] : names[0],
                       tfc_shape_text(ctx->inputs[i]).text);
  bool is_pattern = ctx->n_inputs == 2; /* of all shards */
  tfc_string base = ckpt_op_string(ctx, 0, 0);
  char shard[16] = "?????", end[48];
  if (!is_pattern) snprintf(shard, sizeof shard, "%05d", *(const int32_t*)ctx->inputs[1]->data);
  snprintf(end, sizeof end, "-%s-of-%05d", shard,
           *(const int32_t*)ctx->inputs[ctx->n_inputs - 1]->data);
  text_buffer text = {0};
  text_append(&text, base.data, base.size);
  text_add(&text, end);
  return set_scalar(ctx, &text);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SaveV2", "", save, .flags = TFC_KERNEL_BLOCKING),
    TFC_ROW("RestoreV2", "", restore, .flags = TFC_KERNEL_BLOCKING),
    TFC_ROW("MergeV2Checkpoints", "", merge, TFC_STATE(create_merge), .flags = TFC_KERNEL_BLOCKING),
    TFC_ROW("ShardedFilename", "", sharded_name),
    TFC_ROW("ShardedFilespec", "", sharded_name),
};
TFC_REGISTER_KERNELS(kernels);
