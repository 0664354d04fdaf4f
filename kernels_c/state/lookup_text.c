/* Tables from the lines of text files. See lookup.h. */
#include <errno.h>

#include "kernels_c/common/remote_files.h"
#include "kernels_c/state/lookup.h"

TFC_ONE_LEVEL;

enum { WHOLE_LINE = -2, LINE_NUMBER = -1 };

typedef struct line {
  char* text; /* with a NUL at its end */
  size_t size;
  int64_t number;
} line;

/* One element, for the map to copy. */
typedef union element {
  int32_t i32;
  int64_t i64;
  float f32;
  double f64;
  tfc_string text;
} element;

/* The field of a line between delimiters; it ends with a NUL, so each line is split once only. */
static bool field(const line* l, const char* delimiters, int64_t index, tfc_string* out) {
  char* at = l->text;
  char* end = l->text + l->size;
  for (;;) {
    char* stop = memchr(at, delimiters[0], (size_t)(end - at));
    if (index-- == 0) {
      *out = (tfc_string){at, (size_t)((stop ? stop : end) - at)};
      return true;
    }
    if (!stop) return false;
    at = stop + 1;
  }
}

static int64_t count_fields(const line* l, char delimiter) {
  int64_t n = 1;
  for (size_t i = 0; i < l->size; i++) n += l->text[i] == delimiter;
  return n;
}

static int not_a_number(tfc_context* ctx, const char* text, const line* l, int32_t dtype) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Field %s in line %lld is not a valid %s.", text,
                   (long long)l->number, tfc_dtype_name(dtype));
}

/* Numbers may be between blanks, as in TensorFlow. */
static int parse(tfc_context* ctx, const tfc_string* s, const line* l, const lookup_text* how,
                 int32_t dtype, element* out) {
  if (dtype == TFC_STRING) {
    out->text = *s;
    return TFC_OK;
  }
  char text[128], *end = text;
  const size_t size = TFC_MIN(s->size, sizeof text - 1);
  memcpy(text, s->data, size);
  text[size] = '\0';
  errno = 0;
  switch (dtype) {
    case TFC_INT32:
    case TFC_INT64: {
      const long long value = strtoll(text, &end, 10);
      if (dtype == TFC_INT32 && (value < INT32_MIN || value > INT32_MAX)) errno = ERANGE;
      if (dtype == TFC_INT32)
        out->i32 = (int32_t)(value + how->offset);
      else
        out->i64 = value;
      break;
    }
    case TFC_FLOAT: out->f32 = strtof(text, &end); break;
    case TFC_DOUBLE: out->f64 = strtod(text, &end); break;
    default:
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Data type %s not supported.",
                       tfc_dtype_name(dtype));
  }
  if (end == text || s->size >= sizeof text ||
      (errno && (dtype == TFC_INT32 || dtype == TFC_INT64)))
    return not_a_number(ctx, text, l, dtype);
  while (*end == ' ' || *end == '\t' || *end == '\r') end++;
  return *end ? not_a_number(ctx, text, l, dtype) : TFC_OK;
}

static int read_element(tfc_context* ctx, const char* path, const line* l, const lookup_text* how,
                        int64_t index, int32_t dtype, element* out) {
  tfc_string found = {l->text, l->size};
  if (index == LINE_NUMBER) {
    out->i64 = l->number + how->offset;
    return TFC_OK;
  }
  if (index >= 0 && !field(l, &how->delimiter, index, &found))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Invalid number of columns in %s line %lld (%.500s) : expected at least %lld "
                     "got %lld",
                     path, (long long)l->number, l->text,
                     (long long)(TFC_MAX(how->key_index, how->value_index) + 1),
                     (long long)count_fields(l, how->delimiter));
  return parse(ctx, &found, l, how, dtype, out);
}

static int add_line(tfc_context* ctx, const char* path, const line* l, const lookup_text* how,
                    lookup_map* m) {
  element key, value;
  if (l->size == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Invalid content in %s: empty line found at line %lld.", path,
                     (long long)l->number);
  TFC_TRY(read_element(ctx, path, l, how, how->key_index, m->keys.dtype, &key));
  TFC_TRY(read_element(ctx, path, l, how, how->value_index, m->values.dtype, &value));
  return lookup_put_new(ctx, m, &key, 0, &value, 0);
}

static int read_lines(tfc_context* ctx, FILE* file, const char* path, const lookup_text* how,
                      lookup_map* m) {
  line l = {0};
  size_t room = 0;
  int code = TFC_OK, error = 0;
  while (!code && (how->vocab_size < 0 || l.number < how->vocab_size)) {
    errno = 0;
    const ssize_t size = getline(&l.text, &room, file);
    if (size < 0) {
      if (ferror(file) || errno == ENOMEM) error = errno;
      break;
    }
    l.size = (size_t)size;
    if (l.size && l.text[l.size - 1] == '\n') l.text[--l.size] = '\0';
    if (l.size && l.text[l.size - 1] == '\r') l.text[--l.size] = '\0'; /* of Windows */
    code = tfc_cancelled(ctx) ? TFC_CANCELLED : add_line(ctx, path, &l, how, m);
    l.number++;
  }
  free(l.text);
  if (code) return code;
  if (error) return tfc_error(ctx, tfc_code_of_errno(error), "%s; %s", path, strerror(error));
  if (how->vocab_size >= 0 && l.number != how->vocab_size)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Invalid vocab_size in %s: expected %lld but got %lld", path,
                     (long long)how->vocab_size, (long long)l.number);
  if (l.number == 0 && how->vocab_size < 0)
    return tfc_error(ctx, TFC_OUT_OF_RANGE, "%s has no lines", path);
  return TFC_OK;
}

int lookup_read_file(tfc_context* ctx, const char* path, const lookup_text* how, lookup_map* m) {
  tfc_file_status status;
  FILE* file = tfc_open_stream(path, &status);
  if (!file) return tfc_error(ctx, status.code, "%s", status.text);
  const int code = read_lines(ctx, file, path, how, m);
  fclose(file);
  return code;
}
