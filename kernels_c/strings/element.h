/* What the kernels of strings share: the elements of tensors, loops over them, UTF-8. */
#ifndef TFCORE_STRINGS_ELEMENT_H
#define TFCORE_STRINGS_ELEMENT_H

#include "kernels_c/array/array.h"
#include "kernels_c/common/text.h"

static inline const tfc_string* strings_of(const tfc_tensor* t) {
  return t->data;
}
/* An empty string may have no address. */
static inline const char* string_bytes(const tfc_string* s) {
  return s->data ? s->data : "";
}

/* Sets element i of output 0 to a text and frees it. */
static inline int string_finish(tfc_context* ctx, int64_t i, text_buffer* text) {
  const int code = text->failed
                       ? TFC_RESOURCE_EXHAUSTED
                       : tfc_string_set(ctx, &ctx->outputs[0], i, text_c(text), text->size);
  text_free(text);
  return code;
}

/* A NUL-terminated copy of a string attribute. */
static inline int string_attr(tfc_construction* c, const char* name, tfc_string* kept) {
  const char* data;
  TFC_TRY(c->api->attr_string(c, name, &data, &kept->size));
  kept->data = malloc(kept->size + 1);
  if (!kept->data) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  if (kept->size) memcpy(kept->data, data, kept->size);
  kept->data[kept->size] = '\0';
  return TFC_OK;
}

/* Makes element i of an output. It fails for want of memory only. */
typedef int (*string_element_fn)(tfc_context* ctx, const void* arg, int64_t i);

typedef struct string_loop {
  tfc_context* ctx;
  string_element_fn element;
  const void* arg;
  int failed;
} string_loop;

static inline void string_loop_range(void* arg, int64_t begin, int64_t end) {
  string_loop* loop = arg;
  for (int64_t i = begin; i < end; i++)
    if (loop->element(loop->ctx, loop->arg, i))
      __atomic_store_n(&loop->failed, 1, __ATOMIC_RELAXED);
}

/* Makes n elements on several threads. */
static inline int string_for(tfc_context* ctx, int64_t n, double ns_per_item,
                             string_element_fn element, const void* arg) {
  string_loop loop = {ctx, element, arg, 0};
  tfc_parallel_for(ctx, n, ns_per_item, string_loop_range, &loop);
  return loop.failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory") : TFC_OK;
}

/* ---- UTF-8. What is not valid is not refused: a character ends before the next byte that does not
 * continue one. */

static inline bool utf8_continues(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}
/* Moves *at over `count` characters; false if there are fewer. */
static inline bool utf8_forward(const tfc_string* s, int64_t count, int64_t* at) {
  const int64_t size = (int64_t)s->size;
  for (; count > 0 && *at < size; count--) do
      ++*at;
    while (*at < size && utf8_continues(s->data[*at]));
  return count == 0;
}
static inline bool utf8_back(const tfc_string* s, int64_t count, int64_t* at) {
  for (; count > 0 && *at > 0; count--) do
      --*at;
    while (*at > 0 && utf8_continues(s->data[*at]));
  return count == 0;
}

#endif /* TFCORE_STRINGS_ELEMENT_H */
