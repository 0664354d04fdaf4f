/* DecodeJSONExample: messages tf.train.Example from their JSON. Like TensorFlow, it also takes keys
 * without quotes, strings in single quotes, and commas after the last element. */
#include <float.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/number.h"
#include "kernels_c/common/wire.h"
#include "kernels_c/parsing/failure.h"

TFC_ONE_LEVEL;

typedef struct json {
  const char *at, *end;
  const char* wrong; /* what is wrong at `at`; the first error stays */
  int field;         /* that of a Feature whose list is read */
} json;

/* Reads a member of an object, whose key was read, and appends it to a message. */
typedef bool (*member_fn)(json* j, const text_buffer* key, text_buffer* to);

static bool wrong(json* j, const char* text) {
  if (!j->wrong) j->wrong = text;
  return false;
}

static void skip_space(json* j) {
  while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
    j->at++;
}
/* Whether the next character is c, which is then taken. */
static bool take(json* j, char c) {
  skip_space(j);
  if (j->at == j->end || *j->at != c) return false;
  j->at++;
  return true;
}
static bool take_word(json* j, const char* word) {
  const size_t size = strlen(word);
  skip_space(j);
  if ((size_t)(j->end - j->at) < size || memcmp(j->at, word, size) != 0) return false;
  j->at += size;
  return true;
}
static bool is(const text_buffer* text, const char* word) {
  return text->size == strlen(word) && memcmp(text_c(text), word, text->size) == 0;
}

/* ---- Strings */

static bool take_hex(json* j, uint32_t* code) {
  *code = 0;
  if (j->end - j->at < 4) return wrong(j, "four hexadecimal digits were expected");
  for (int i = 0; i < 4; i++) {
    const char c = *j->at++, low = (char)(c | 32);
    const bool digit = c >= '0' && c <= '9';
    if (!digit && (low < 'a' || low > 'f'))
      return wrong(j, "four hexadecimal digits were expected");
    *code = *code << 4 | (uint32_t)(digit ? c - '0' : low - 'a' + 10);
  }
  return true;
}

static void add_utf8(text_buffer* to, uint32_t code) {
  char bytes[4];
  size_t n = 0;
  if (code < 0x80) {
    bytes[n++] = (char)code;
  } else {
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    bytes[n++] = (char)((0xff00 >> (more + 1) & 0xff) | code >> (6 * more));
    for (int i = more - 1; i >= 0; i--) bytes[n++] = (char)(0x80 | (code >> (6 * i) & 0x3f));
  }
  text_append(to, bytes, n);
}

/* What follows "\u"; a character outside of the first plane is written as two. */
static bool take_code(json* j, text_buffer* to) {
  uint32_t code, low;
  if (!take_hex(j, &code)) return false;
  if (code >= 0xd800 && code < 0xe000) {
    if (code >= 0xdc00 || j->end - j->at < 2 || j->at[0] != '\\' || j->at[1] != 'u')
      return wrong(j, "half of a surrogate pair is missing");
    j->at += 2;
    if (!take_hex(j, &low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return wrong(j, "half of a surrogate pair is missing");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  add_utf8(to, code);
  return true;
}

static bool take_escape(json* j, text_buffer* to) {
  static const char escapes[] = "\"'\\/bfnrt", meanings[] = "\"'\\/\b\f\n\r\t";
  if (j->at == j->end) return wrong(j, "the text ends inside a string");
  const char c = *j->at++;
  if (c == 'u') return take_code(j, to);
  const char* found = c ? strchr(escapes, c) : NULL;
  if (!found) return wrong(j, "an unknown escape");
  text_append(to, &meanings[found - escapes], 1);
  return true;
}

/* The length of a valid character of UTF-8, or 0. */
static size_t character(const char* at, const char* end) {
  const unsigned char first = (unsigned char)*at;
  const size_t size = first < 0x80   ? 1
                      : first < 0xc2 ? 0
                      : first < 0xe0 ? 2
                      : first < 0xf0 ? 3
                      : first < 0xf5 ? 4
                                     : 0;
  if ((size_t)(end - at) < size) return 0;
  for (size_t i = 1; i < size; i++)
    if (((unsigned char)at[i] & 0xc0) != 0x80) return 0;
  const unsigned char second = size > 1 ? (unsigned char)at[1] : 0;
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : size;
}

/* A string whose first quote was taken. */
static bool take_string(json* j, char quote, text_buffer* to) {
  while (j->at < j->end && *j->at != quote) {
    if (*j->at == '\\') {
      j->at++;
      if (!take_escape(j, to)) return false;
      continue;
    }
    const size_t size = character(j->at, j->end);
    if (size == 0) return wrong(j, "a string is not UTF-8");
    text_append(to, j->at, size);
    j->at += size;
  }
  if (j->at == j->end) return wrong(j, "the text ends inside a string");
  j->at++;
  return true;
}

static bool take_key(json* j, text_buffer* to) {
  if (take(j, '"')) return take_string(j, '"', to);
  if (take(j, '\'')) return take_string(j, '\'', to);
  const char* first = j->at;
  while (j->at < j->end && (((*j->at | 32) >= 'a' && (*j->at | 32) <= 'z') || *j->at == '_' ||
                            *j->at == '$' || (j->at > first && *j->at >= '0' && *j->at <= '9')))
    j->at++;
  if (j->at == first) return wrong(j, "a key was expected");
  text_append(to, first, (size_t)(j->at - first));
  return true;
}

/* ---- Objects and lists */

static bool take_object(json* j, member_fn member, text_buffer* to) {
  if (!take(j, '{')) return wrong(j, "an object was expected");
  while (!take(j, '}')) {
    text_buffer key = {0};
    bool valid =
        take_key(j, &key) && (take(j, ':') || wrong(j, "':' was expected")) && member(j, &key, to);
    to->failed |= key.failed;
    text_free(&key);
    if (!valid) return false;
    if (take(j, ',')) continue;
    skip_space(j);
    if (j->at == j->end || *j->at != '}') return wrong(j, "',' or '}' was expected");
  }
  return true;
}

/* An object as field `field` of a message; null is nothing. */
static bool take_message(json* j, int field, member_fn member, text_buffer* to) {
  if (take_word(j, "null")) return true;
  text_buffer inner = {0};
  const bool valid = take_object(j, member, &inner);
  if (valid) wire_add_bytes(to, field, text_c(&inner), inner.size);
  to->failed |= inner.failed;
  text_free(&inner);
  return valid;
}

/* ---- Values */

/* A number as JSON writes it; it ends at *end. */
static bool is_number(const char* at, const char* end, const char** after) {
  const char* first;
  if (at < end && *at == '-') at++;
  for (first = at; at < end && *at >= '0' && *at <= '9';) at++;
  if (at == first || (*first == '0' && at > first + 1)) return false;
  if (at < end && *at == '.') {
    for (first = ++at; at < end && *at >= '0' && *at <= '9';) at++;
    if (at == first) return false;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    for (first = at; at < end && *at >= '0' && *at <= '9';) at++;
    if (at == first) return false;
  }
  *after = at;
  return true;
}

/* Numbers may stand in strings. */
static bool take_number(json* j, text_buffer* to) {
  const char* after;
  if (take(j, '"')) return take_string(j, '"', to);
  if (take(j, '\'')) return take_string(j, '\'', to);
  if (!is_number(j->at, j->end, &after)) return wrong(j, "a number was expected");
  text_append(to, j->at, (size_t)(after - j->at));
  j->at = after;
  return true;
}

static bool add_int(json* j, const text_buffer* text, text_buffer* to) {
  const char *first = text_c(text), *after;
  int64_t value;
  double wide;
  if (!is_number(first, first + text->size, &after) || after != first + text->size)
    return wrong(j, "an integer was expected");
  if (!number_int64(first, text->size, &value)) {
    if (!number_double(first, text->size, &wide) || !(wide >= -0x1p63 && wide < 0x1p63) ||
        wide != __builtin_floor(wide) || !strpbrk(first, ".eE"))
      return wrong(j, "a number is not a 64-bit integer");
    value = (int64_t)wide;
  }
  wire_add_tag(to, 1, WIRE_VARINT);
  wire_add_varint(to, (uint64_t)value);
  return true;
}

static bool add_float(json* j, const text_buffer* text, text_buffer* to) {
  double value;
  float narrow;
  if (!number_double(text_c(text), text->size, &value) ||
      !number_float(text_c(text), text->size, &narrow))
    return wrong(j, "a number was expected");
  bool digits = false;
  for (size_t i = 0; i < text->size; i++) digits |= text->data[i] >= '0' && text->data[i] <= '9';
  if (digits && !(__builtin_fabs((double)narrow) <= (double)FLT_MAX))
    return wrong(j, "a number is not a 32-bit float");
  wire_add_tag(to, 1, WIRE_FIXED32);
  text_append(to, (const char*)&narrow, 4);
  return true;
}

static int digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static bool add_bytes(json* j, const text_buffer* text, text_buffer* to) {
  text_buffer bytes = {0};
  size_t size = text->size;
  for (int i = 0; i < 2 && size && text->data[size - 1] == '='; i++) size--;
  uint32_t bits = 0;
  bool valid = size % 4 != 1;
  for (size_t i = 0; valid && i < size; i++) {
    const int digit = digit_of(text->data[i]);
    valid = digit >= 0;
    bits = bits << 6 | (uint32_t)digit;
    if (i % 4) text_append(&bytes, (char[]){(char)(bits >> (6 - 2 * (i % 4)))}, 1);
  }
  if (valid) wire_add_bytes(to, 1, text_c(&bytes), bytes.size);
  to->failed |= bytes.failed;
  text_free(&bytes);
  return valid || wrong(j, "a string is not base 64");
}

static bool take_value(json* j, text_buffer* to) {
  text_buffer text = {0};
  bool valid;
  if (take_word(j, "null")) {
    if (j->field != 1) text_add(&text, "0");
    valid = true;
  } else if (j->field == 1) {
    skip_space(j);
    const char quote = j->at < j->end ? *j->at : 0;
    valid = (quote == '"' || quote == '\'') && take(j, quote) ? take_string(j, quote, &text)
                                                              : wrong(j, "a string was expected");
  } else {
    valid = take_number(j, &text);
  }
  if (valid)
    valid = (j->field == 1 ? add_bytes : j->field == 2 ? add_float : add_int)(j, &text, to);
  to->failed |= text.failed;
  text_free(&text);
  return valid;
}

static bool list_member(json* j, const text_buffer* key, text_buffer* to) {
  if (!is(key, "value")) return wrong(j, "no such field in a list");
  if (!take(j, '[')) return take_word(j, "null") || take_value(j, to);
  while (!take(j, ']')) {
    if (!take_value(j, to)) return false;
    if (take(j, ',')) continue;
    skip_space(j);
    if (j->at == j->end || *j->at != ']') return wrong(j, "',' or ']' was expected");
  }
  return true;
}

static bool feature_member(json* j, const text_buffer* key, text_buffer* to) {
  static const char* const names[] = {"bytesList",  "bytes_list", "floatList",
                                      "float_list", "int64List",  "int64_list"};
  for (int i = 0; i < 6; i++) {
    if (!is(key, names[i])) continue;
    if (to->size) return wrong(j, "a feature has two lists");
    j->field = 1 + i / 2;
    return take_message(j, j->field, list_member, to);
  }
  return wrong(j, "no such field in a feature");
}

static bool map_member(json* j, const text_buffer* key, text_buffer* to) {
  text_buffer entry = {0};
  wire_add_bytes(&entry, 1, text_c(key), key->size);
  const bool valid = take_message(j, 2, feature_member, &entry);
  if (valid) wire_add_bytes(to, 1, text_c(&entry), entry.size);
  to->failed |= entry.failed;
  text_free(&entry);
  return valid;
}

static bool features_member(json* j, const text_buffer* key, text_buffer* to) {
  if (!is(key, "feature")) return wrong(j, "no such field in features");
  return take_word(j, "null") || take_object(j, map_member, to);
}

static bool example_member(json* j, const text_buffer* key, text_buffer* to) {
  if (!is(key, "features")) return wrong(j, "no such field in an example");
  return take_message(j, 1, features_member, to);
}

/* ---- The op */

typedef struct json_job {
  tfc_context* ctx;
  failure failure;
} json_job;

static bool decode(json_job* job, int64_t i) {
  const tfc_string* s = (const tfc_string*)job->ctx->inputs[0]->data + i;
  const char* first = s->data ? s->data : "";
  json j = {.at = first, .end = first + s->size};
  text_buffer out = {0};
  bool valid = take_object(&j, example_member, &out);
  skip_space(&j);
  if (valid && j.at < j.end) valid = wrong(&j, "there is text after the object");
  if (out.failed ||
      (valid && tfc_string_set(job->ctx, &job->ctx->outputs[0], i, text_c(&out), out.size))) {
    failure_set(&job->failure, i, TFC_RESOURCE_EXHAUSTED, "Out of memory");
    valid = false;
  } else if (!valid) {
    text_buffer near = {0};
    text_add_escaped(&near, j.at, TFC_MIN((size_t)(j.end - j.at), 30));
    failure_set(&job->failure, i, TFC_INVALID_ARGUMENT,
                "Error while parsing JSON: %s at offset %lld of string %lld, before '%s'", j.wrong,
                (long long)(j.at - first), (long long)i, text_c(&near));
    text_free(&near);
  }
  text_free(&out);
  return valid;
}

static void decode_range(void* arg, int64_t begin, int64_t end) {
  json_job* job = arg;
  for (int64_t i = begin; i < end; i++)
    if (failure_before(&job->failure, i) || !decode(job, i)) return;
}

static int decode_json(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  json_job job = {.ctx = ctx};
  double bytes = 0;
  TFC_TRY(tfc_output_like(ctx, 0, x));
  for (int64_t i = 0; i < x->n; i++) bytes += (double)((const tfc_string*)x->data)[i].size;
  failure_begin(&job.failure);
  tfc_parallel_for(ctx, x->n, 100 + (x->n ? 5 * bytes / (double)x->n : 0), decode_range, &job);
  return failure_end(ctx, &job.failure);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DecodeJSONExample", "", decode_json),
};
TFC_REGISTER_KERNELS(kernels);
