/* Encodings of Unicode. Wrong bytes are cut as the Unicode Standard recommends: the longest
 * beginning of a code point is one error. */
#include "kernels_c/strings/encoding.h"

TFC_ONE_LEVEL;

/* ---- Attributes */

/* Names in lower case, without what is no letter or digit. */
static const struct {
  const char* name;
  encoding encoding;
} names[] = {
    {"usascii", ASCII},     {"ascii", ASCII},  {"ascii7", ASCII},      {"iso88591", LATIN_1},
    {"latin1", LATIN_1},    {"l1", LATIN_1},   {"utf8", UTF_8},        {"utf16be", UTF_16_BE},
    {"utf16le", UTF_16_LE}, {"utf16", UTF_16}, {"utf32be", UTF_32_BE}, {"utf32le", UTF_32_LE},
    {"utf32", UTF_32},
};

int encoding_attr(tfc_construction* c, const char* name, encoding* e) {
  const char* text;
  size_t size, n = 0;
  char plain[16] = "";
  TFC_TRY(c->api->attr_string(c, name, &text, &size));
  for (size_t i = 0; i < size && n < sizeof plain - 1; i++) {
    const char low = (char)(text[i] | 0x20);
    if (low >= 'a' && low <= 'z')
      plain[n++] = low;
    else if (text[i] >= '0' && text[i] <= '9')
      plain[n++] = text[i];
  }
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(plain, names[i].name)) continue;
    *e = names[i].encoding;
    return TFC_OK;
  }
  return c->api->error(c, TFC_INVALID_ARGUMENT,
                       "Could not create converter for input encoding: %.*s (there are UTF-8, "
                       "UTF-16, UTF-32, US-ASCII and ISO-8859-1)",
                       (int)size, text);
}

int on_bad_attrs(tfc_construction* c, bool has_control, on_bad* bad) {
  const char* errors;
  size_t size;
  int64_t replacement;
  TFC_TRY(c->api->attr_string(c, "errors", &errors, &size));
  bad->strict = size == 6 && !memcmp(errors, "strict", size);
  bad->ignore = size == 6 && !memcmp(errors, "ignore", size);
  TFC_TRY(c->api->attr_int(c, "replacement_char", &replacement));
  if (replacement < 0 || replacement > 0x10ffff)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "replacement_char out of unicode codepoint range");
  bad->replacement = (int32_t)replacement;
  return has_control ? c->api->attr_bool(c, "replace_control_characters", &bad->control) : TFC_OK;
}

/* ---- Decoding */

/* Takes `bytes` of what is left, which stand for `code`. */
static void take(code_points* p, int64_t bytes, int32_t code, bool bad) {
  p->at += TFC_MIN(bytes, p->end - p->at);
  p->code = code;
  p->bad = bad;
}

static void next_utf8(code_points* p) {
  const uint8_t* s = p->at;
  const int64_t left = p->end - s;
  const uint8_t first = s[0];
  if (first < 0x80) {
    take(p, 1, first, false);
    return;
  }
  const int length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (!length) {
    take(p, 1, 0, true);
    return;
  }
  int32_t code = first & (0x7f >> length);
  for (int i = 1; i < length; i++) {
    /* The second byte must not make the code point too small, too large, or a surrogate. */
    const uint8_t low = i > 1 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const uint8_t high = i > 1 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (i == left || s[i] < low || s[i] > high) {
      take(p, i, 0, true);
      return;
    }
    code = code << 6 | (s[i] & 0x3f);
  }
  take(p, length, code, false);
}

static int32_t unit_16(const code_points* p, int64_t at) {
  const uint8_t* s = p->at + at;
  return p->encoding == UTF_16_LE ? s[0] | s[1] << 8 : s[0] << 8 | s[1];
}

static void next_utf16(code_points* p) {
  const int64_t left = p->end - p->at;
  const int32_t first = left < 2 ? 0 : unit_16(p, 0);
  if (left < 2 || (first >= 0xdc00 && first < 0xe000)) {
    take(p, 2, 0, true);
  } else if (first < 0xd800 || first >= 0xe000) {
    take(p, 2, first, false);
  } else if (left < 4) {
    take(p, left, 0, true);
  } else {
    const int32_t second = unit_16(p, 2);
    const bool pair = second >= 0xdc00 && second < 0xe000;
    take(p, pair ? 4 : 2, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00), !pair);
  }
}

static void next_utf32(code_points* p) {
  const uint8_t* s = p->at;
  if (p->end - s < 4) {
    take(p, 4, 0, true);
    return;
  }
  const uint32_t code =
      p->encoding == UTF_32_LE
          ? s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24
          : (uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 | (uint32_t)s[2] << 8 | s[3];
  const bool good = code <= 0x10ffff && is_code_point((int32_t)code);
  take(p, 4, good ? (int32_t)code : 0, !good);
}

/* Takes the mark at the beginning, and makes the encoding one with an order of bytes. */
static void skip_mark(code_points* p) {
  static const uint8_t marks[4][4] = {
      {0xfe, 0xff}, {0xff, 0xfe}, {0, 0, 0xfe, 0xff}, {0xff, 0xfe, 0, 0}};
  const bool wide = p->encoding == UTF_32;
  const int64_t size = wide ? 4 : 2;
  const bool there = p->end - p->at >= size;
  const bool big = there && !memcmp(p->at, marks[wide ? 2 : 0], (size_t)size);
  const bool little = there && !memcmp(p->at, marks[wide ? 3 : 1], (size_t)size);
  p->encoding = wide ? (little ? UTF_32_LE : UTF_32_BE) : little ? UTF_16_LE : UTF_16_BE;
  if (big || little) p->at += size;
}

code_points code_points_of(encoding e, const tfc_string* s) {
  const uint8_t* bytes = (const uint8_t*)string_bytes(s);
  return (code_points){.encoding = e, .begin = bytes, .at = bytes, .end = bytes + s->size};
}

bool next_code_point(code_points* p) {
  p->start = p->at - p->begin;
  if (p->encoding == UTF_16 || p->encoding == UTF_32) skip_mark(p);
  if (p->at == p->end) return false;
  switch (p->encoding) {
    case ASCII: take(p, 1, *p->at, *p->at > 0x7f); break;
    case LATIN_1: take(p, 1, *p->at, false); break;
    case UTF_8: next_utf8(p); break;
    case UTF_16_BE:
    case UTF_16_LE: next_utf16(p); break;
    default: next_utf32(p);
  }
  return true;
}

/* ---- Encoding */

static void append_utf8(text_buffer* to, int32_t code) {
  char s[4];
  if (!is_code_point(code)) code = 0xfffd;
  if (code < 0x80) {
    s[0] = (char)code;
    text_append(to, s, 1);
  } else if (code < 0x800) {
    s[0] = (char)(0xc0 | code >> 6);
    s[1] = (char)(0x80 | (code & 0x3f));
    text_append(to, s, 2);
  } else if (code < 0x10000) {
    s[0] = (char)(0xe0 | code >> 12);
    s[1] = (char)(0x80 | (code >> 6 & 0x3f));
    s[2] = (char)(0x80 | (code & 0x3f));
    text_append(to, s, 3);
  } else {
    s[0] = (char)(0xf0 | code >> 18);
    s[1] = (char)(0x80 | (code >> 12 & 0x3f));
    s[2] = (char)(0x80 | (code >> 6 & 0x3f));
    s[3] = (char)(0x80 | (code & 0x3f));
    text_append(to, s, 4);
  }
}

static void append_16(text_buffer* to, int32_t unit) {
  const char s[2] = {(char)(unit >> 8), (char)unit};
  text_append(to, s, 2);
}

void append_code_point(text_buffer* to, encoding e, int32_t code) {
  if (e == UTF_8) {
    append_utf8(to, code);
  } else if (e == UTF_16_BE) {
    if (code >= 0x10000) append_16(to, 0xd800 + ((code - 0x10000) >> 10));
    append_16(to, code >= 0x10000 ? 0xdc00 + ((code - 0x10000) & 0x3ff) : code);
  } else {
    append_16(to, code >> 16);
    append_16(to, code & 0xffff);
  }
}
