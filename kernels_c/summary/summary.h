/* Messages of summaries, which are serialized protocol buffers:
 *
 *   Summary{repeated Value value = 1}
 *   Value{string tag = 1; float simple_value = 2; Image image = 4; HistogramProto histo = 5;
 *         Audio audio = 6; string node_name = 7; TensorProto tensor = 8; SummaryMetadata metadata =
 * 9}
 */
#ifndef TFCORE_SUMMARY_H
#define TFCORE_SUMMARY_H

#include "kernels_c/array/array.h"
#include "kernels_c/common/wire.h"

enum {
  SUMMARY_VALUE = 1,
  VALUE_TAG = 1,
  VALUE_SIMPLE = 2,
  VALUE_IMAGE = 4,
  VALUE_HISTOGRAM = 5,
  VALUE_AUDIO = 6,
  VALUE_NODE = 7,
  VALUE_TENSOR = 8,
  VALUE_METADATA = 9
};

static inline const tfc_string* summary_strings(const tfc_tensor* t) {
  return t->data;
}
/* An empty string may have no address. */
static inline const char* summary_bytes(const tfc_string* s) {
  return s->data ? s->data : "";
}

static inline void summary_add_string(text_buffer* b, int field, const tfc_string* s) {
  wire_add_bytes(b, field, summary_bytes(s), s->size);
}

/* A float that is one of several fields, so that it is there even if it is 0. */
static inline void summary_add_float(text_buffer* b, int field, float x) {
  wire_add_tag(b, field, WIRE_FIXED32);
  text_append(b, (const char*)&x, sizeof x);
}

/* Appends a message as a field of another one, and frees it. */
static inline void summary_add_message(text_buffer* b, int field, text_buffer* message) {
  wire_add_bytes(b, field, text_c(message), message->size);
  b->failed |= message->failed;
  text_free(message);
}

/* The tag of element i of those that a summary shows: with a number if there may be several. */
static inline void summary_add_numbered_tag(text_buffer* b, const tfc_string* tag, const char* kind,
                                            int64_t most, int64_t i) {
  char number[24] = "";
  if (most > 1) snprintf(number, sizeof number, "/%lld", (long long)i);
  wire_add_tag(b, VALUE_TAG, WIRE_BYTES);
  wire_add_varint(b, tag->size + strlen(kind) + strlen(number));
  text_append(b, summary_bytes(tag), tag->size);
  text_add(b, kind);
  text_add(b, number);
}

/* Output 0 is the text, which it frees. */
static inline int summary_finish(tfc_context* ctx, text_buffer* text) {
  int code = text->failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory")
                          : tfc_output(ctx, 0, 0, NULL);
  if (!code) code = tfc_string_set(ctx, &ctx->outputs[0], 0, text_c(text), text->size);
  text_free(text);
  return code;
}

#endif /* TFCORE_SUMMARY_H */
