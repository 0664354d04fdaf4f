/* ImmutableConst: a tensor whose elements are the bytes of a file. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/io/records.h"

TFC_ONE_LEVEL;

typedef struct region_state {
  int rank;
  int64_t dims[TFC_MAX_RANK];
  size_t size;
  char name[]; /* of the file: `size` bytes */
} region_state;

static int read_shape(tfc_construction* c, region_state* s) {
  TFC_TRY(c->api->attr_shape(c, "shape", &s->rank, s->dims));
  if (s->rank < 0) s->rank = 0; /* as in TensorFlow */
  if (tfc_count(s->rank, s->dims) < 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Shape %s is not fully defined",
                         tfc_partial_dims_text(s->rank, s->dims).text);
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  const int32_t dtype = c->output_dtypes[0];
  const char* name;
  size_t size;
  if (tfc_is_object(dtype))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Resource and variant dtypes are invalid for this op.");
  if (dtype == TFC_STRING)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Sorry, DT_STRING is not currently supported for ImmutableConstOp.");
  TFC_TRY(c->api->attr_string(c, "memory_region_name", &name, &size));
  region_state* s = calloc(1, sizeof *s + size + 1);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = s;
  s->size = size;
  memcpy(s->name, name, size);
  return read_shape(c, s);
}

static int too_short(tfc_context* ctx, int64_t length, size_t wanted) {
  return tfc_error(ctx, TFC_INTERNAL,
                   "Readonly memory region has wrong length (%lld) when allocating %zu",
                   (long long)length, wanted);
}

/* Reads the beginning of a file. Returns 0 or the number of the system's error; *length is that of
 * the file, and nothing is read if it is too short. */
static int read_beginning(const char* path, void* to, size_t wanted, int64_t* length) {
  struct stat facts;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int number = fstat(file, &facts) ? errno : S_ISREG(facts.st_mode) ? 0 : ENODEV;
  *length = number ? 0 : facts.st_size;
  if (!number && !*length) number = EINVAL; /* what cannot be mapped */
  for (size_t done = 0; !number && *length >= (int64_t)wanted && done < wanted;) {
    const ssize_t n = read(file, (char*)to + done, wanted - done);
    if (n > 0)
      done += (size_t)n;
    else if (n == 0)
      *length = (int64_t)done; /* it was cut meanwhile */
    else if (errno != EINTR)
      number = errno;
  }
  close(file);
  return number;
}

static int read_remote(tfc_context* ctx, const char* path, size_t wanted) {
  static const record_options whole = {.format = RECORD_WHOLE};
  record_status status;
  const char* data;
  size_t size;
  record_reader* r = record_open(path, strlen(path), &whole, &status);
  if (!r) return tfc_error(ctx, status.code, "%s", status.text);
  int code = record_next(r, &data, &size, &status);
  if (code)
    code = tfc_error(ctx, status.code, "%s", status.text);
  else if (size < wanted)
    code = too_short(ctx, (int64_t)size, wanted);
  else
    memcpy(ctx->outputs[0].data, data, wanted);
  record_close(r);
  return code;
}

static int read_local(tfc_context* ctx, const char* path, size_t wanted) {
  record_status status;
  int64_t length = 0;
  const int number = read_beginning(path, ctx->outputs[0].data, wanted, &length);
  if (number) {
    record_fail_system(&status, number, path);
    return tfc_error(ctx, status.code, "%s", status.text);
  }
  return length < (int64_t)wanted ? too_short(ctx, length, wanted) : TFC_OK;
}

static int immutable_const(tfc_context* ctx) {
  const region_state* s = ctx->state;
  record_status status;
  TFC_TRY(tfc_output(ctx, 0, s->rank, s->dims));
  char* path = record_path(s->name, s->size, &status);
  if (!path) return tfc_error(ctx, status.code, "%s", status.text);
  const size_t wanted = (size_t)ctx->outputs[0].n * tfc_dtype_size(ctx->outputs[0].dtype);
  const int code = (tfc_is_remote(path) ? read_remote : read_local)(ctx, path, wanted);
  free(path);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ImmutableConst", "", immutable_const, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
