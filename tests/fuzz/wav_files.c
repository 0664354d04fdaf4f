/* Decodes damaged WAV files: wav_files FIRST-SEED ROUNDS FILE...
 *
 * Each round changes a few bytes of one of the files and gives it to the kernel of DecodeWav, in
 * memory of its exact size, as all outputs are. Built with AddressSanitizer by test_wav_files.py.
 */
#include <stdarg.h>

#include "kernels_c/common/common.h"
#include "tests/fuzz/damage.h"

extern const tfc_kernel_table __start_tfc_tables[], __stop_tfc_tables[];

/* ---- What the kernel calls. */

static int64_t desired[2]; /* channels, samples */
static char message[500];

static int attr_int(tfc_construction* c, const char* name, int64_t* value) {
  (void)c;
  *value = desired[strcmp(name, "desired_channels") ? 1 : 0];
  return TFC_OK;
}

static int report(tfc_context* ctx, int code, const char* format, ...) {
  (void)ctx;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return code;
}

static int output(tfc_context* ctx, int i, int rank, const int64_t* dims) {
  tfc_tensor* t = &ctx->outputs[i];
  t->rank = rank;
  t->n = 1;
  for (int k = 0; k < rank; k++) t->n *= t->dims[k] = dims[k];
  t->data = malloc((size_t)t->n * 4);
  return t->data ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

/* In pieces, as threads would take them. */
static void parallel_for(tfc_context* ctx, int64_t n, double ns, tfc_range_fn fn, void* arg) {
  (void)ctx, (void)ns;
  for (int64_t begin = 0, end; begin < n; begin = end) {
    end = begin + 1 + (int64_t)draw(40);
    if (end > n) end = n;
    fn(arg, begin, end);
  }
}

/* ---- Rounds. */

static const tfc_kernel_def* find_kernel(const char* op) {
  for (const tfc_kernel_table* t = __start_tfc_tables; t < __stop_tfc_tables; t++)
    for (size_t i = 0; i < t->count; i++)
      if (!strcmp(t->kernels[i].op, op)) return &t->kernels[i];
  abort();
}

/* Whether the file was decoded. */
static bool decode(const tfc_kernel_def* kernel, bytes b) {
  static const tfc_create_api create_api = {.attr_int = attr_int};
  static const tfc_api api = {.output = output, .parallel_for = parallel_for, .error = report};
  tfc_construction construction = {.api = &create_api};
  tfc_string contents = {b.data, b.size};
  tfc_tensor input = {.data = &contents, .n = 1, .dtype = TFC_STRING}, outputs[2] = {{0}};
  const tfc_tensor* inputs[] = {&input};
  tfc_context ctx = {.api = &api, .inputs = inputs, .outputs = outputs};
  desired[0] = (int64_t)draw(6) - 1;
  desired[1] = draw(2) ? -1 : (int64_t)draw(300);
  if (kernel->create(&construction, &ctx.state)) abort();
  message[0] = 0;
  const int code = kernel->compute(&ctx);
  if (code ? code != TFC_INVALID_ARGUMENT || !message[0] : message[0] != 0) abort();
  const float* samples = outputs[0].data;
  for (int64_t i = 0; !code && i < outputs[0].n; i++)
    if (!(samples[i] >= -1 && samples[i] < 1)) abort();
  kernel->destroy(ctx.state);
  for (int i = 0; i < 2; i++) free(outputs[i].data);
  return code == TFC_OK;
}

int main(int argc, char** argv) {
  const uint64_t first = strtoull(argv[1], NULL, 10), rounds = strtoull(argv[2], NULL, 10);
  const tfc_kernel_def* kernel = find_kernel("DecodeWav");
  uint64_t decoded = 0;
  for (uint64_t round = 0; round < rounds; round++) {
    state = (first + round) * 0x9e3779b97f4a7c15ull | 1;
    bytes b = read_file(argv[3 + draw((uint64_t)(argc - 3))]);
    damage_bytes(&b);
    bytes exact = {malloc(b.size), b.size};
    memcpy(exact.data, b.data, b.size);
    free(b.data);
    decoded += decode(kernel, exact);
    free(exact.data);
  }
  printf("rounds %llu decoded %llu\n", (unsigned long long)rounds, (unsigned long long)decoded);
  return 0;
}
