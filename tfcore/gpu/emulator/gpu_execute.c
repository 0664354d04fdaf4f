/* What commands do. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu.h"

void fail(CUresult status, const char* text, ...) {
  if (LOAD(&self.channel->status)) return;
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(self.channel->report, REPORT_BYTES, text, arguments);
  va_end(arguments);
  STORE(&self.channel->status, status);
}

static void copy(const command* c, char* tail) {
  char* to = memory_find(c->copy.to, c->copy.count, "the target of a copy", tail);
  char* from = memory_find(c->copy.from, c->copy.count, "the source of a copy", tail);
  if (to && from) memmove(to, from, c->copy.count);
}

static void fill(const command* c) {
  uint64_t n = c->fill.count;
  place p = {self.index, c->fill.to};
  char* to = memory_find(p, n * c->fill.width, "a fill", NULL);
  if (!to) return;
  if (c->fill.width == 1) memset(to, c->fill.value, n);
  if (c->fill.width == 2)
    for (uint64_t i = 0; i < n; i++) ((uint16_t*)to)[i] = c->fill.value;
  if (c->fill.width == 4)
    for (uint64_t i = 0; i < n; i++) ((uint32_t*)to)[i] = c->fill.value;
}

void execute(command* c) {
  char* tail = (char*)(c + 1);
  switch ((command_kind)c->kind) {
    case COMMAND_COPY: copy(c, tail); break;
    case COMMAND_FILL: fill(c); break;
    case COMMAND_RECORD: STORE(&self.shared->event_times[c->event], now_ns()); break;
    case COMMAND_LAUNCH: launch(c, tail); break;
    case COMMAND_ALLOW: memory_allow(c->allow.start, c->allow.count, c->allow.on); break;
    default: break;
  }
}
