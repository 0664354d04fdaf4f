/* DebugIdentity, DebugNanCount, DebugNumericSummary: what a debugger sees of a tensor. Each writes
 * it, as a message Event, into a file of every folder that its URLs name.
 *
 *   Event{double wall_time = 1; Summary summary = 5}
 *   Summary{repeated Value value = 1}
 *   Value{tag = 1; node_name = 7; TensorProto tensor = 8; SummaryMetadata metadata = 9}
 *   SummaryMetadata{PluginData plugin_data = 1}, PluginData{plugin_name = 1; content = 2} */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/tensor_proto.h"

TFC_ONE_LEVEL;

static const char file_scheme[] = "file://", grpc_scheme[] = "grpc://";

typedef struct watch_state {
  char *node, *device, *op; /* of the tensor: its operation and device; the type of this op */
  char** urls;
  int64_t slot;
  int n_urls;
  bool gated, quiet_if_healthy;
  double lowest, highest;
} watch_state;

/* ---- Attributes. */

static char* copy_text(const char* data, size_t size) {
  char* copy = malloc(size + 1);
  if (!copy) return NULL;
  memcpy(copy, data, size);
  copy[size] = 0;
  return copy;
}

static int keep_text(tfc_construction* c, const char* name, char** to) {
  const char* data;
  size_t size;
  TFC_TRY(c->api->attr_string(c, name, &data, &size));
  *to = copy_text(data, size);
  return *to ? TFC_OK : c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
}

/* "node:slot", or the node alone. */
static int read_name(tfc_construction* c, watch_state* s) {
  TFC_TRY(keep_text(c, "tensor_name", &s->node));
  char* colon = strchr(s->node, ':');
  char* end = NULL;
  if (!*s->node || (colon && strchr(colon + 1, ':')))
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Failed to parse tensor name: \"%s\"", s->node);
  if (!colon) return TFC_OK;
  *colon = 0;
  errno = 0;
  s->slot = strtol(colon + 1, &end, 10);
  if (end == colon + 1 || *end || errno || s->slot != (int32_t)s->slot)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Invalid string value for output_slot: \"%s\"",
                         colon + 1);
  return TFC_OK;
}

static int read_urls(tfc_construction* c, watch_state* s) {
  const char* data;
  size_t size;
  int n = 0;
  TFC_TRY(c->api->attr_strings(c, "debug_urls", 0, &data, &size, &n));
  s->urls = calloc((size_t)n + 1, sizeof *s->urls);
  if (!s->urls) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  for (int i = 0; i < n; i++) {
    TFC_TRY(c->api->attr_strings(c, "debug_urls", i, &data, &size, &n));
    s->urls[i] = copy_text(data, size);
    if (!s->urls[i]) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
    s->n_urls = i + 1;
  }
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  watch_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = s;
  s->op = copy_text(c->op_type, strlen(c->op_type));
  if (!s->op) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  TFC_TRY(read_name(c, s));
  TFC_TRY(keep_text(c, "device_name", &s->device));
  TFC_TRY(read_urls(c, s));
  return c->api->attr_bool(c, "gated_grpc", &s->gated);
}

static int create_summary(tfc_construction* c, void** state) {
  TFC_TRY(create(c, state));
  watch_state* s = *state;
  TFC_TRY(c->api->attr_float(c, "lower_bound", &s->lowest));
  TFC_TRY(c->api->attr_float(c, "upper_bound", &s->highest));
  return c->api->attr_bool(c, "mute_if_healthy", &s->quiet_if_healthy);
}

static void destroy(void* state) {
  watch_state* s = state;
  for (int i = 0; i < s->n_urls; i++) free(s->urls[i]);
  free(s->urls);
  free(s->node);
  free(s->device);
  free(s->op);
  free(s);
}

/* ---- Publishing. */

/* A text within quotes in JSON. */
static void add_json(text_buffer* to, const char* text) {
  for (; *text; text++) {
    char code[8];
    const unsigned char c = (unsigned char)*text;
    snprintf(code, sizeof code, c < 32 ? "\\u%04x" : c == '"' || c == '\\' ? "\\%c" : "%c", c);
    text_add(to, code);
  }
}

/* Appends a message as a field of another one, and frees it. */
static void add_message(text_buffer* to, int field, text_buffer* message) {
  wire_add_bytes(to, field, text_c(message), message->size);
  to->failed |= message->failed;
  text_free(message);
}

static void add_event(text_buffer* to, const watch_state* s, const tfc_tensor* t, int64_t time) {
  const double wall_time = (double)time;
  char name[40];
  text_buffer content = {0}, plugin = {0}, metadata = {0}, tensor = {0}, value = {0}, summary = {0};
  text_buffer node = {0};
  snprintf(name, sizeof name, ":%lld:", (long long)s->slot);
  text_add(&node, s->node);
  text_add(&node, name);
  text_add(&node, s->op);
  snprintf(name, sizeof name, "\",\"outputSlot\":%lld", (long long)s->slot);
  text_add(&content, "{\"device\":\"");
  add_json(&content, s->device);
  text_add(&content, name);
  text_add(&content, ",\"numChunks\":1,\"chunkIndex\":0}");
  wire_add_bytes(&plugin, 1, "debugger", strlen("debugger"));
  add_message(&plugin, 2, &content);
  add_message(&metadata, 1, &plugin);
  tensor_proto_add(&tensor, t->rank, t->dims, t, 0, true);
  wire_add_bytes(&value, 1, s->node, strlen(s->node));
  add_message(&value, 7, &node);
  add_message(&value, 8, &tensor);
  add_message(&value, 9, &metadata);
  add_message(&summary, 1, &value);
  wire_add_tag(to, 1, WIRE_FIXED64);
  text_append(to, (const char*)&wall_time, sizeof wall_time);
  add_message(to, 5, &summary);
}

/* FOLDER/_tfdbg_device_DEVICE/NODE_SLOT_OP_TIME. The layout of names is also in
 * tfcore/client/tensor_dump.py and is read by as_tensorflow/debug/dump.py. */
static void add_path(text_buffer* to, const watch_state* s, const char* folder, int64_t time) {
  char end[64];
  text_add(to, folder);
  text_add(to, "/_tfdbg_device_");
  for (const char* at = s->device; *at; at++)
    text_append(to, *at == '/' ? "," : *at == ':' ? "_" : at, 1);
  text_add(to, "/");
  text_add(to, s->node);
  snprintf(end, sizeof end, "_%lld_", (long long)s->slot);
  text_add(to, end);
  text_add(to, s->op);
  snprintf(end, sizeof end, "_%lld", (long long)time);
  text_add(to, end);
}

/* Makes the folders of a path. Returns 0, or the number of the system's error. */
static int make_folders(char* path) {
  for (char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    const int failed = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
    *slash = '/';
    if (failed) return failed;
  }
  return 0;
}

static int write_file(const char* path, const text_buffer* data) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int number = 0;
  for (size_t done = 0; !number && done < data->size;) {
    const ssize_t n = write(file, data->data + done, data->size - done);
    if (n >= 0)
      done += (size_t)n;
    else if (errno != EINTR)
      number = errno;
  }
  if (close(file) && !number) number = errno;
  return number;
}

/* Appends what went wrong to `wrong`. */
static bool publish_to_folder(const watch_state* s, const char* folder, const text_buffer* event,
                              int64_t time, text_buffer* wrong) {
  text_buffer path = {0};
  add_path(&path, s, folder, time);
  int number = path.failed || event->failed ? ENOMEM : make_folders(path.data);
  const bool folders = number;
  if (!number) number = write_file(path.data, event);
  if (number) {
    text_add(wrong, folders ? " Failed to create directory  " : " Failed to write ");
    text_add(wrong, text_c(&path));
    text_add(wrong, ", due to: ");
    text_add(wrong, strerror(number));
    text_add(wrong, ";");
  }
  text_free(&path);
  return !number;
}

static bool begins_with(const char* text, const char* start) {
  return !strncmp(text, start, strlen(start));
}

static int publish(tfc_context* ctx, const tfc_tensor* t) {
  const watch_state* s = ctx->state;
  struct timespec now;
  text_buffer event = {0}, wrong = {0};
  int failed = 0;
  clock_gettime(CLOCK_REALTIME, &now);
  const int64_t time = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
  for (int i = 0; i < s->n_urls; i++)
    if (!begins_with(s->urls[i], file_scheme) && !begins_with(s->urls[i], grpc_scheme))
      return tfc_error(ctx, TFC_INTERNAL, "Invalid debug target URL: %s", s->urls[i]);
  if (s->n_urls) add_event(&event, s, t, time);
  for (int i = 0; i < s->n_urls; i++)
    if (begins_with(s->urls[i], file_scheme)) {
      failed += !publish_to_folder(s, s->urls[i] + strlen(file_scheme), &event, time, &wrong);
    } else if (!s->gated) { /* a closed gate stays closed: no debugger can be reached */
      failed++;
      text_add(&wrong, " There is no connection to the debugger ");
      text_add(&wrong, s->urls[i]);
      text_add(&wrong, ", as this system has no gRPC;");
    }
  const int code =
      failed ? tfc_error(ctx, TFC_INTERNAL,
                         "Publishing to %d of %d debug target URLs failed, due to the following "
                         "errors:%s",
                         failed, s->n_urls, text_c(&wrong))
             : TFC_OK;
  text_free(&event);
  text_free(&wrong);
  return code;
}

/* Whether nobody wants to see the tensor: no gate is open, and there is no folder. */
static bool is_shut(const watch_state* s) {
  if (!s->gated) return false;
  for (int i = 0; i < s->n_urls; i++)
    if (!begins_with(s->urls[i], grpc_scheme)) return false;
  return true;
}

/* As in TensorFlow, there is no value then. */
static int nothing(tfc_context* ctx) {
  const int64_t none = 0;
  return tfc_output(ctx, 0, 1, &none);
}

/* ---- Kernels. */

static int debug_identity(tfc_context* ctx) {
  if (is_shut(ctx->state)) return nothing(ctx);
  TFC_TRY(publish(ctx, ctx->inputs[0]));
  return tfc_output_input(ctx, 0, 0);
}

static int nan_count(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const int64_t one = 1;
  if (is_shut(ctx->state)) return nothing(ctx);
  TFC_TRY(tfc_output(ctx, 0, 1, &one));
  int64_t* count = ctx->outputs[0].data;
  *count = 0;
  for (int64_t i = 0; i < x->n; i++) *count += isnan(tfc_to_double(x, i)) != 0;
  return publish(ctx, &ctx->outputs[0]);
}

/* The first numbers of a summary, before the dimensions. */
enum {
  INITIALIZED,
  COUNT,
  NANS,
  LOW,
  NEGATIVE,
  ZERO,
  POSITIVE,
  HIGH,
  MIN,
  MAX,
  MEAN,
  VARIANCE,
  DTYPE,
  RANK,
  FIXED
};

static void count_number(const watch_state* s, double x, double* y) {
  if (isnan(x))
    y[NANS]++;
  else if (x == -INFINITY || x <= s->lowest)
    y[LOW]++;
  else if (x == INFINITY || x >= s->highest)
    y[HIGH]++;
  else
    y[x < 0 ? NEGATIVE : x > 0 ? POSITIVE : ZERO]++;
}

/* Of the finite numbers; in two passes. */
static void find_moments(const tfc_tensor* x, double* y) {
  double sum = 0, squares = 0, n = 0;
  y[MIN] = INFINITY;
  y[MAX] = -INFINITY;
  y[MEAN] = y[VARIANCE] = NAN;
  for (int64_t i = 0; i < x->n; i++) {
    const double v = tfc_to_double(x, i);
    if (!isfinite(v)) continue;
    n++;
    sum += v;
    y[MIN] = v < y[MIN] ? v : y[MIN];
    y[MAX] = v > y[MAX] ? v : y[MAX];
  }
  if (n == 0) return;
  y[MEAN] = sum / n;
  for (int64_t i = 0; i < x->n; i++) {
    const double v = tfc_to_double(x, i), distance = v - y[MEAN];
    if (isfinite(v)) squares += distance * distance;
  }
  y[VARIANCE] = squares / n;
}

static int numeric_summary(tfc_context* ctx) {
  const watch_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  const int64_t n = FIXED + x->rank;
  if (is_shut(s)) return nothing(ctx);
  TFC_TRY(tfc_output(ctx, 0, 1, &n));
  double* y = ctx->outputs[0].data;
  memset(y, 0, FIXED * sizeof *y);
  y[INITIALIZED] = 1;
  y[COUNT] = (double)x->n;
  y[DTYPE] = x->dtype;
  y[RANK] = x->rank;
  for (int i = 0; i < x->rank; i++) y[FIXED + i] = (double)x->dims[i];
  for (int64_t i = 0; i < x->n; i++) count_number(s, tfc_to_double(x, i), y);
  find_moments(x, y);
  const bool healthy = y[NANS] == 0 && y[LOW] == 0 && y[HIGH] == 0;
  return healthy && s->quiet_if_healthy ? TFC_OK : publish(ctx, &ctx->outputs[0]);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DebugIdentity", "T=" TFC_TYPES_VALUES, debug_identity, .create = create,
            .destroy = destroy),
    TFC_ROW("DebugNanCount", "T=" TFC_TYPES_REALS, nan_count, .create = create, .destroy = destroy),
    TFC_ROW("DebugNumericSummary", "T=bool|" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_INTEGERS,
            numeric_summary, .create = create_summary, .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
