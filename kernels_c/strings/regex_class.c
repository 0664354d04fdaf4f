/* Characters of regular expressions: UTF-8, sets of characters, and the code that reads them. */
#include "kernels_c/strings/regex.h"
#include "kernels_c/strings/regex_fold.h"
#include "kernels_c/strings/regex_unicode.h"

TFC_ONE_LEVEL;

int regex_decode(const char* data, size_t size, int32_t* rune) {
  static const int32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char* s = (const unsigned char*)data;
  if (size == 0) return 0;
  const int n = s[0] < 0x80 ? 1 : s[0] < 0xc0 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
  if (n == 0 || s[0] >= 0xf8 || (size_t)n > size) return 0;
  int32_t r = n == 1 ? s[0] : s[0] & (0x7f >> n);
  for (int i = 1; i < n; i++) {
    if (!utf8_continues((char)s[i])) return 0;
    r = r << 6 | (s[i] & 0x3f);
  }
  if (r < least[n] || r > REGEX_MAX_RUNE) return 0;
  *rune = r;
  return n;
}

/* Writes up to four bytes. */
static int encode(int32_t rune, uint8_t* out) {
  if (rune < 0x80) {
    out[0] = (uint8_t)rune;
    return 1;
  }
  const int n = rune < 0x800 ? 2 : rune < 0x10000 ? 3 : 4;
  for (int i = n - 1; i > 0; i--, rune >>= 6) out[i] = (uint8_t)(0x80 | (rune & 0x3f));
  out[0] = (uint8_t)(0xf00 >> n | rune);
  return n;
}

/* ---- Case. */

enum { N_FOLDS = sizeof regex_folds / sizeof *regex_folds };

/* The first entry that may have the character. Entries are sorted by lo, and interleave. */
static int first_fold(int32_t rune) {
  int low = 0, high = N_FOLDS;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (regex_folds[middle].lo + REGEX_FOLD_SPAN < rune)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int32_t regex_next_case(int32_t rune) {
  for (int i = first_fold(rune); i < N_FOLDS && regex_folds[i].lo <= rune; i++) {
    const regex_fold* f = &regex_folds[i];
    if (rune <= f->hi && (rune - f->lo) % f->stride == 0) return rune + f->delta;
  }
  return rune;
}

/* ---- Classes. */

static void append(regex_class* c, int32_t lo, int32_t hi) {
  if (c->failed) return;
  if (c->n && c->ranges[c->n - 1].hi == lo - 1) {
    c->ranges[c->n - 1].hi = hi;
    return;
  }
  if (c->n == c->room) {
    regex_class_tidy(c); /* repetitions of the same take no room */
    if (c->n * 2 >= c->room) {
      const size_t room = c->n * 2 + 8;
      regex_range* grown = realloc(c->ranges, room * sizeof *grown);
      c->failed = !grown;
      if (!grown) return;
      c->ranges = grown;
      c->room = room;
    }
  }
  c->ranges[c->n++] = (regex_range){lo, hi};
}

void regex_class_add(regex_class* c, int32_t lo, int32_t hi, bool fold) {
  append(c, lo, hi);
  if (!fold) return;
  for (int i = first_fold(lo); i < N_FOLDS && regex_folds[i].lo <= hi; i++) {
    const regex_fold* f = &regex_folds[i];
    const int32_t before = TFC_MAX(lo - f->lo, 0);
    int32_t rune = f->lo + (before + f->stride - 1) / f->stride * f->stride;
    for (; rune <= TFC_MIN(hi, f->hi); rune += f->stride)
      for (int32_t other = regex_next_case(rune); other != rune; other = regex_next_case(other))
        if (other < lo || other > hi) append(c, other, other);
  }
}

static int compare_ranges(const void* a, const void* b) {
  const regex_range *x = a, *y = b;
  return (x->lo > y->lo) - (x->lo < y->lo);
}

void regex_class_tidy(regex_class* c) {
  size_t n = 0;
  if (c->n) qsort(c->ranges, c->n, sizeof *c->ranges, compare_ranges);
  for (size_t i = 0; i < c->n; i++) {
    const regex_range r = c->ranges[i];
    if (n && r.lo <= c->ranges[n - 1].hi + 1)
      c->ranges[n - 1].hi = TFC_MAX(c->ranges[n - 1].hi, r.hi);
    else
      c->ranges[n++] = r;
  }
  c->n = n;
}

bool regex_class_has(const regex_class* c, int32_t rune) {
  size_t low = 0, high = c->n;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (c->ranges[middle].hi < rune)
      low = middle + 1;
    else
      high = middle;
  }
  return low < c->n && c->ranges[low].lo <= rune;
}

void regex_class_first(const regex_class* c, bool* first) {
  uint8_t lo[4], hi[4];
  for (size_t i = 0; i < c->n; i++) {
    encode(c->ranges[i].lo, lo);
    encode(c->ranges[i].hi, hi);
    memset(first + lo[0], true, (size_t)(hi[0] - lo[0]) + 1);
  }
}

void regex_class_negate(regex_class* c) {
  regex_class others = {0};
  int32_t next = 0;
  regex_class_tidy(c);
  for (size_t i = 0; i < c->n; i++) {
    if (c->ranges[i].lo > next) append(&others, next, c->ranges[i].lo - 1);
    next = c->ranges[i].hi + 1;
  }
  if (next <= REGEX_MAX_RUNE) append(&others, next, REGEX_MAX_RUNE);
  others.failed |= c->failed;
  free(c->ranges);
  *c = others;
}

/* ---- Categories and scripts. */

/* Adds the characters whose number is wanted. */
static void add_numbers(regex_class* c, const uint32_t* starts, size_t n, const bool* wanted,
                        bool fold) {
  for (size_t i = 0; i < n; i++) {
    const int32_t next = i + 1 < n ? (int32_t)(starts[i + 1] >> 8) : REGEX_MAX_RUNE + 1;
    if (wanted[starts[i] & 0xff]) regex_class_add(c, (int32_t)(starts[i] >> 8), next - 1, fold);
  }
}

/* Marks the names that are equal to a text, or without `whole` begin with it.
 * Whether there is one. */
static bool find_names(const char* const* names, size_t n, const char* text, size_t size,
                       bool whole, bool* wanted) {
  bool found = false;
  for (size_t i = 0; i < n; i++) {
    const size_t length = strlen(names[i]);
    wanted[i + 1] = (whole ? length == size : length > size) && !memcmp(names[i], text, size);
    found |= wanted[i + 1];
  }
  return found;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

bool regex_class_add_group(regex_class* c, const char* name, size_t size, bool fold) {
  bool wanted[256] = {false};
  if (size == 3 && memcmp(name, "Any", size) == 0) {
    regex_class_add(c, 0, REGEX_MAX_RUNE, false);
    return true;
  }
  const bool is_short = size == 1 || size == 2; /* there are scripts with such names as well */
  if (is_short &&
      find_names(regex_categories, COUNT(regex_categories), name, size, size == 2, wanted)) {
    add_numbers(c, regex_categories_starts, COUNT(regex_categories_starts), wanted, fold);
    return true;
  }
  if (!find_names(regex_scripts, COUNT(regex_scripts), name, size, true, wanted)) return false;
  add_numbers(c, regex_scripts_starts, COUNT(regex_scripts_starts), wanted, fold);
  return true;
}

/* ---- Code. Its alternatives, of which one at most can match, are sequences of ranges of bytes. */

typedef struct alternatives {
  regex* re;         /* NULL: only counts */
  int64_t n;         /* counted, or left to emit */
  int32_t last_exit; /* the last jump behind all of them; its x is the one before */
  bool failed;
} alternatives;

static void emit_alternative(alternatives* a, int n, const regex_inst* insts) {
  if (!a->re) {
    a->n++;
    return;
  }
  const bool last = --a->n == 0;
  if (!last) a->failed |= !regex_emit(a->re, (regex_inst){.op = REGEX_SPLIT, .x = 1, .y = n + 2});
  for (int i = 0; i < n; i++) a->failed |= !regex_emit(a->re, insts[i]);
  if (last || a->failed) return;
  a->failed |= !regex_emit(a->re, (regex_inst){.op = REGEX_JUMP, .x = a->last_exit});
  a->last_exit = a->re->n_code - 1;
}

static void emit_bytes(alternatives* a, int n, const uint8_t* lo, const uint8_t* hi) {
  regex_inst insts[4];
  for (int i = 0; i < n; i++) insts[i] = (regex_inst){.op = REGEX_RANGE, .lo = lo[i], .hi = hi[i]};
  emit_alternative(a, n, insts);
}

/* Characters of several bytes. All of them together also include longer encodings than necessary
 * and some beyond the last character, as RE2 has it: that takes fewer instructions. */
static void emit_range(alternatives* a, int32_t lo, int32_t hi) {
  static const int32_t last_of_length[] = {0x7ff, 0xffff};
  uint8_t low[4], high[4];
  if (a->failed) return;
  if (lo == 0x80 && hi == REGEX_MAX_RUNE) {
    emit_bytes(a, 2, (uint8_t[]){0xc2, 0x80}, (uint8_t[]){0xdf, 0xbf});
    emit_bytes(a, 3, (uint8_t[]){0xe0, 0x80, 0x80}, (uint8_t[]){0xef, 0xbf, 0xbf});
    emit_bytes(a, 4, (uint8_t[]){0xf0, 0x80, 0x80, 0x80}, (uint8_t[]){0xf4, 0xbf, 0xbf, 0xbf});
    return;
  }
  int32_t cut = hi; /* the last character of the first part */
  for (int i = 0; i < 2 && cut == hi; i++)
    if (lo <= last_of_length[i] && last_of_length[i] < hi) cut = last_of_length[i];
  /* All bytes but the first different ones must have their full range. */
  for (int bits = 6; bits <= 18 && cut == hi; bits += 6) {
    const int32_t mask = (1 << bits) - 1;
    if ((lo & ~mask) == (hi & ~mask)) continue;
    if (lo & mask)
      cut = lo | mask;
    else if ((hi & mask) != mask)
      cut = (hi & ~mask) - 1;
  }
  if (cut != hi) {
    emit_range(a, lo, cut);
    emit_range(a, cut + 1, hi);
    return;
  }
  const int n = encode(lo, low);
  encode(hi, high);
  emit_bytes(a, n, low, high);
}

static void emit_ascii(alternatives* a, const regex_class* c) {
  regex_set set = {{0}};
  size_t n = 0;
  for (; n < c->n && c->ranges[n].lo < 0x80; n++)
    for (int32_t r = c->ranges[n].lo; r <= TFC_MIN(c->ranges[n].hi, 0x7f); r++)
      set.bits[r / 64] |= (uint64_t)1 << r % 64;
  regex_inst inst = {.op = REGEX_SET};
  if (n == 0) return;
  if (n == 1) {
    inst = (regex_inst){.op = REGEX_RANGE,
                        .lo = (uint8_t)c->ranges[0].lo,
                        .hi = (uint8_t)TFC_MIN(c->ranges[0].hi, 0x7f)};
  } else if (a->re) {
    regex* re = a->re;
    if (re->n_sets == re->sets_room) {
      const int32_t room = re->sets_room * 2 + 4;
      regex_set* grown = realloc(re->sets, (size_t)room * sizeof *grown);
      a->failed |= !grown;
      if (!grown) return;
      re->sets = grown;
      re->sets_room = room;
    }
    re->sets[re->n_sets] = set;
    inst.x = re->n_sets++;
  }
  emit_alternative(a, 1, &inst);
}

static void emit_all(alternatives* a, const regex_class* c) {
  emit_ascii(a, c);
  for (size_t i = 0; i < c->n; i++)
    if (c->ranges[i].hi >= 0x80) emit_range(a, TFC_MAX(c->ranges[i].lo, 0x80), c->ranges[i].hi);
}

enum { MANY = 16 }; /* alternatives, for which one instruction that searches them is faster */

/* The number of a class among those of the expression; -1: they are too large, or there is no
 * memory. */
static int32_t class_number(regex* re, const regex_class* c) {
  const size_t bytes = c->n * sizeof *c->ranges;
  for (int32_t i = 0; i < re->n_classes; i++)
    if (re->classes[i].n == c->n && !memcmp(re->classes[i].ranges, c->ranges, bytes)) return i;
  if (re->class_ranges + c->n > REGEX_MAX_CODE) return -1;
  if (re->n_classes == re->classes_room) {
    const int32_t room = re->classes_room * 2 + 4;
    regex_class* grown = realloc(re->classes, (size_t)room * sizeof *grown);
    if (!grown) return -1;
    re->classes = grown;
    re->classes_room = room;
  }
  regex_range* ranges = malloc(bytes);
  if (!ranges) return -1;
  memcpy(ranges, c->ranges, bytes);
  re->classes[re->n_classes] = (regex_class){.ranges = ranges, .n = c->n, .room = c->n};
  re->class_ranges += c->n;
  return re->n_classes++;
}

static bool emit_character(regex* re, int32_t number) {
  const regex_inst other_byte = {.op = REGEX_RANGE, .lo = 0x80, .hi = 0xbf};
  return regex_emit(re, (regex_inst){.op = REGEX_CHARACTER, .x = number}) &&
         regex_emit(re, other_byte) && regex_emit(re, other_byte) && regex_emit(re, other_byte);
}

bool regex_class_emit(regex_class* c, regex* re) {
  alternatives counted = {0};
  regex_class_tidy(c);
  if (c->failed) return false;
  emit_all(&counted, c);
  const int32_t number = counted.n > MANY ? class_number(re, c) : -1;
  if (number >= 0) return emit_character(re, number);
  if (counted.n == 0) return regex_emit(re, (regex_inst){.op = REGEX_FAIL});
  alternatives a = {.re = re, .n = counted.n, .last_exit = -1};
  emit_all(&a, c);
  for (int32_t at = a.last_exit, before; at >= 0 && !a.failed; at = before) {
    before = re->code[at].x;
    re->code[at].x = re->n_code - at;
  }
  return !a.failed;
}
