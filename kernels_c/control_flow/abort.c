/* Abort: ends the process. */
#include <unistd.h>

#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

typedef struct abort_state {
  bool quietly;
  char text[]; /* for standard error */
} abort_state;

static int create(tfc_construction* c, void** state) {
  const char* text;
  size_t size;
  bool quietly;
  TFC_TRY(c->api->attr_string(c, "error_msg", &text, &size));
  TFC_TRY(c->api->attr_bool(c, "exit_without_error", &quietly));
  abort_state* s = malloc(sizeof *s + size + 1);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  s->quietly = quietly;
  memcpy(s->text, text, size);
  s->text[size] = 0;
  *state = s;
  return TFC_OK;
}

/* Without the functions of atexit: other threads still run and use what those would destroy. */
static int end_process(tfc_context* ctx) {
  const abort_state* s = ctx->state;
  if (s->quietly) {
    fprintf(stderr, "Exiting without error.\n");
    _exit(0);
  }
  fprintf(stderr, "Abort_op intentional failure; %s\n", s->text);
  abort();
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Abort", "", end_process, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
