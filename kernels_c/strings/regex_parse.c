/* From regular expressions to programs, in one pass: an operator behind an expression is put
 * around the code that the expression already has. */
#include "kernels_c/strings/regex.h"

TFC_ONE_LEVEL;

enum { FOLD_CASE = 1, LINES = 2, DOT_NEWLINE = 4, NON_GREEDY = 8 }; /* i, m, s, U */
enum { MAX_REPEAT = 1000 };

/* Code that an operator may follow. */
typedef struct atom {
  int32_t begin;   /* -1: there is none */
  bool nullable;   /* matches the empty text */
  int32_t repeats; /* product of the counts of nested repetitions */
} atom;

/* A group that is open; the outermost is the expression itself. */
typedef struct group {
  int32_t begin;       /* of its code */
  int32_t alternative; /* begin of the code of the current one */
  int32_t last_exit;   /* the last jump behind the group; its x is the one before */
  int32_t number;      /* of a capturing one, or 0 */
  int32_t repeats;     /* the largest of its atoms */
  bool nullable;       /* one of the alternatives before is */
  bool rest_nullable;  /* what comes before the last atom of this one is */
  unsigned outer_flags;
  atom last;
} group;

typedef struct parser {
  const char *begin, *at, *end;
  regex* re;
  regex_error error;
  unsigned flags;
  group* groups;
  size_t n, room;
  const char* last_operator; /* where the repetition operator just before `at` begins, or NULL */
} parser;

static bool fail(parser* p, const char* text, const char* from, const char* to) {
  p->error = (regex_error){text, from, (size_t)(to - from)};
  return false;
}
static bool too_large(parser* p) {
  const bool large = p->re->n_code >= REGEX_MAX_CODE;
  return fail(p, large ? "pattern too large - compile failed" : NULL, p->at, p->at);
}

static size_t left(const parser* p) {
  return (size_t)(p->end - p->at);
}
static bool next_is(const parser* p, const char* text) {
  const size_t n = strlen(text);
  return left(p) >= n && memcmp(p->at, text, n) == 0;
}

static bool read_rune(parser* p, int32_t* rune) {
  const int n = regex_decode(p->at, left(p), rune);
  if (n == 0) return fail(p, "invalid UTF-8", p->at, p->at);
  p->at += n;
  return true;
}

/* ---- Code. */

bool regex_emit(regex* re, regex_inst inst) {
  if (re->n_code == re->code_room) {
    if (re->n_code >= REGEX_MAX_CODE) return false;
    const int32_t room = TFC_MIN(re->code_room * 2 + 16, REGEX_MAX_CODE);
    regex_inst* grown = realloc(re->code, (size_t)room * sizeof *grown);
    if (!grown) return false;
    re->code = grown;
    re->code_room = room;
  }
  re->code[re->n_code++] = inst;
  return true;
}

static bool emit(parser* p, regex_inst inst) {
  return regex_emit(p->re, inst) || too_large(p);
}

/* Puts an instruction before all code from `at` on. */
static bool insert(parser* p, int32_t at, regex_inst inst) {
  if (!emit(p, inst)) return false;
  regex_inst* code = p->re->code + at;
  memmove(code + 1, code, (size_t)(p->re->n_code - 1 - at) * sizeof *code);
  *code = inst;
  return true;
}

static regex_inst split(bool greedy, int32_t in, int32_t out) {
  return (regex_inst){.op = REGEX_SPLIT, .x = greedy ? in : out, .y = greedy ? out : in};
}

static bool copy(parser* p, int32_t from, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (!emit(p, p->re->code[from + i])) return false;
  return true;
}

/* ---- Groups. */

static group* current(parser* p) {
  return &p->groups[p->n - 1];
}

/* What comes next is an atom. */
static void begin_atom(parser* p, bool nullable) {
  group* g = current(p);
  g->rest_nullable &= g->last.begin < 0 || g->last.nullable;
  g->last = (atom){p->re->n_code, nullable, 1};
}

static bool open_group(parser* p, bool captures, unsigned outer_flags) {
  if (p->n == p->room) {
    const size_t room = p->room * 2 + 8;
    group* grown = realloc(p->groups, room * sizeof *grown);
    if (!grown) return fail(p, NULL, p->at, p->at);
    p->groups = grown;
    p->room = room;
  }
  group g = {.begin = p->re->n_code,
             .last_exit = -1,
             .number = captures ? ++p->re->n_groups : 0,
             .repeats = 1,
             .rest_nullable = true,
             .outer_flags = outer_flags,
             .last = {.begin = -1}};
  if (captures && !emit(p, (regex_inst){.op = REGEX_SAVE, .x = 2 * g.number})) return false;
  g.alternative = p->re->n_code;
  p->groups[p->n++] = g;
  return true;
}

static void end_alternative(group* g) {
  g->nullable |= g->rest_nullable && (g->last.begin < 0 || g->last.nullable);
}

static bool next_alternative(parser* p) {
  group* g = current(p);
  end_alternative(g);
  const int32_t length = p->re->n_code - g->alternative;
  if (!insert(p, g->alternative, split(true, 1, length + 2))) return false;
  if (!emit(p, (regex_inst){.op = REGEX_JUMP, .x = g->last_exit})) return false;
  g->last_exit = p->re->n_code - 1;
  g->alternative = p->re->n_code;
  g->rest_nullable = true;
  g->last.begin = -1;
  return true;
}

/* Returns the group, without its place among the open ones. */
static group close_group(parser* p) {
  group g = *current(p);
  end_alternative(&g);
  for (int32_t at = g.last_exit, before; at >= 0; at = before) {
    before = p->re->code[at].x;
    p->re->code[at].x = p->re->n_code - at;
  }
  p->n--;
  return g;
}

static bool right_paren(parser* p) {
  if (p->n == 1) return fail(p, "unexpected )", p->begin, p->end);
  const group g = close_group(p);
  begin_atom(p, g.nullable);
  current(p)->last.begin = g.begin;
  current(p)->last.repeats = g.repeats;
  current(p)->repeats = TFC_MAX(current(p)->repeats, g.repeats);
  p->flags = g.outer_flags;
  return g.number == 0 || emit(p, (regex_inst){.op = REGEX_SAVE, .x = 2 * g.number + 1});
}

/* ---- Repetition. */

/* If the atom can be empty, a repetition of it has to enter it before it decides to leave. */
static bool star(parser* p, const atom* a, bool greedy) {
  const int32_t length = p->re->n_code - a->begin;
  if (!a->nullable)
    return insert(p, a->begin, split(greedy, 1, length + 2)) &&
           emit(p, (regex_inst){.op = REGEX_JUMP, .x = -length - 1});
  return emit(p, split(greedy, -length, 1)) && insert(p, a->begin, split(greedy, 1, length + 2));
}

/* At least `min` times, at most `max`, or any number of times if max is negative. */
static bool repeat(parser* p, int min, int max, bool greedy) {
  atom* a = &current(p)->last;
  const int32_t begin = a->begin, length = p->re->n_code - begin;
  if (max == 0) p->re->n_code = begin;
  if (min == 0 && max < 0 && !star(p, a, greedy)) return false;
  for (int i = 1; i < min; i++)
    if (!copy(p, begin, length)) return false;
  if (min > 0 && max < 0 && !emit(p, split(greedy, -length, 1))) return false;
  int32_t optional = max - min;
  if (min == 0 && max > 0) { /* the code that there is becomes the first that may be left out */
    if (!insert(p, begin, split(greedy, 1, (length + 1) * max))) return false;
    optional--;
  }
  const int32_t source = begin + (min == 0);
  for (; max > 0 && optional > 0; optional--)
    if (!emit(p, split(greedy, 1, (length + 1) * optional)) || !copy(p, source, length))
      return false;
  a->nullable |= min == 0;
  return true;
}

static bool read_count(parser* p, int* n) {
  if (!left(p) || *p->at < '0' || *p->at > '9') return false;
  if (left(p) >= 2 && p->at[0] == '0' && p->at[1] >= '0' && p->at[1] <= '9') return false;
  for (*n = 0; left(p) && *p->at >= '0' && *p->at <= '9'; p->at++) {
    if (*n >= 100000000) return false; /* as in RE2: no count */
    *n = *n * 10 + (*p->at - '0');
  }
  return true;
}

/* {n}, {n,} or {n,m}; false, without an error: it is something else. */
static bool read_counts(parser* p, int* min, int* max) {
  const char* begin = p->at++;
  bool counts = read_count(p, min);
  *max = *min;
  if (counts && next_is(p, ",")) {
    p->at++;
    *max = -1;
    if (!next_is(p, "}")) counts = read_count(p, max);
  }
  counts = counts && next_is(p, "}");
  p->at = counts ? p->at + 1 : begin;
  return counts;
}

/* The operator, without the ? that may follow, is from `begin` to `at`. `before`: where another
 * operator just before it begins, or NULL. */
static bool apply(parser* p, const char* begin, const char* before, int min, int max,
                  bool counted) {
  group* g = current(p);
  bool greedy = !(p->flags & NON_GREEDY);
  if (next_is(p, "?")) {
    p->at++;
    greedy = !greedy;
  }
  if (before) return fail(p, "bad repetition operator", before, p->at);
  if ((max >= 0 && max < min) || min > MAX_REPEAT || max > MAX_REPEAT)
    return fail(p, "invalid repetition size", begin, p->at);
  if (g->last.begin < 0) return fail(p, "no argument for repetition operator", begin, p->at);
  if (counted) {
    const int times = max < 0 ? min : max;
    if (times > 0) g->last.repeats *= times;
    if (g->last.repeats > MAX_REPEAT && (min >= 2 || max >= 2))
      return fail(p, "invalid repetition size", begin, p->at);
    g->repeats = TFC_MAX(g->repeats, g->last.repeats);
  }
  p->last_operator = begin;
  return repeat(p, min, max, greedy);
}

/* ---- Single characters and classes. */

static bool place(parser* p, regex_place where) {
  begin_atom(p, true);
  return emit(p, (regex_inst){.op = REGEX_ASSERT, .x = where});
}

static bool emit_class(parser* p, regex_class* c) {
  begin_atom(p, false);
  const bool failed = !regex_class_emit(c, p->re);
  regex_class_free(c);
  return !failed || too_large(p);
}

static bool characters(parser* p, int32_t lo, int32_t hi) {
  regex_class c = {0};
  regex_class_add(&c, lo, hi, p->flags & FOLD_CASE);
  return emit_class(p, &c);
}

static bool dot(parser* p) {
  regex_class c = {0};
  regex_class_add(&c, '\n', '\n', false);
  if (p->flags & DOT_NEWLINE) c.n = 0;
  regex_class_negate(&c);
  return emit_class(p, &c);
}

static bool is_word(int32_t rune) {
  return (rune >= '0' && rune <= '9') || (rune >= 'A' && rune <= 'Z') ||
         (rune >= 'a' && rune <= 'z') || rune == '_';
}
static int hex_digit(int32_t rune) {
  if (rune >= '0' && rune <= '9') return rune - '0';
  if (rune >= 'a' && rune <= 'f') return rune - 'a' + 10;
  if (rune >= 'A' && rune <= 'F') return rune - 'A' + 10;
  return -1;
}

/* \x41 or \x{1f600}, behind the x; -1: neither; -2: invalid UTF-8, with the error set. */
static int32_t read_hex(parser* p) {
  int32_t rune, code = 0;
  int digits = 0;
  if (!left(p)) return -1;
  if (!read_rune(p, &rune)) return -2;
  if (rune != '{') {
    code = hex_digit(rune);
    if (!left(p)) return -1;
    if (!read_rune(p, &rune)) return -2;
    return code < 0 || hex_digit(rune) < 0 ? -1 : code * 16 + hex_digit(rune);
  }
  for (;; digits++) {
    if (!left(p)) return -1;
    if (!read_rune(p, &rune)) return -2;
    if (hex_digit(rune) < 0) return rune == '}' && digits ? code : -1;
    code = code * 16 + hex_digit(rune);
    if (code > REGEX_MAX_RUNE) return -1;
  }
}

static int32_t read_octal(parser* p, int32_t first) {
  int32_t code = first;
  for (int i = 0; i < 2 && left(p) && *p->at >= '0' && *p->at <= '7'; i++)
    code = code * 8 + (*p->at++ - '0');
  return code;
}

/* The character for which an escape stands. */
static bool read_escape(parser* p, int32_t* rune) {
  static const char letters[] = "a\ab\bf\fn\nr\rt\tv\v";
  const char* begin = p->at++;
  int32_t c, code = -1;
  if (!left(p)) return fail(p, "trailing \\", p->at, p->at);
  if (!read_rune(p, &c)) return false;
  if (c < 0x80 && (!is_word(c) || c == '_'))
    code = c;
  else if (c == 'x')
    code = read_hex(p);
  else if (c == '0' || (c >= '1' && c <= '7' && left(p) && *p->at >= '0' && *p->at <= '7'))
    code = read_octal(p, c - '0'); /* \1 alone refers to a group in other languages */
  else if (c < 0x80 && c != 'b')
    for (const char* l = letters; *l; l += 2)
      if (*l == c) code = l[1];
  if (code == -2) return false;
  if (code < 0) return fail(p, "invalid escape sequence", begin, p->at);
  *rune = code;
  return true;
}

/* A named class of ASCII characters: pairs of first and last ones. */
typedef struct named_class {
  const char* name;
  const char* ranges;
} named_class;

static const named_class perl_classes[] = {
    {"d", "09"}, {"s", "\t\n\f\r  "}, {"w", "09AZ__az"}, {NULL, NULL}};
static const named_class posix_classes[] = {{"alnum", "09AZaz"},
                                            {"alpha", "AZaz"},
                                            {"ascii", "\0\x7f"},
                                            {"blank", "\t\t  "},
                                            {"cntrl", "\0\x1f\x7f\x7f"},
                                            {"digit", "09"},
                                            {"graph", "!~"},
                                            {"lower", "az"},
                                            {"print", " ~"},
                                            {"punct", "!/:@[`{~"},
                                            {"space", "\t\r  "},
                                            {"upper", "AZ"},
                                            {"word", "09AZ__az"},
                                            {"xdigit", "09AFaf"},
                                            {NULL, NULL}};

/* Adds members, or what is none of them, and frees them. */
static void add_class(regex_class* c, regex_class* members, bool negated) {
  if (negated) regex_class_negate(members);
  for (size_t i = 0; i < members->n; i++)
    regex_class_add(c, members->ranges[i].lo, members->ranges[i].hi, false);
  c->failed |= members->failed;
  regex_class_free(members);
}

static void add_named(regex_class* c, const named_class* named, bool negated, bool fold) {
  regex_class members = {0};
  const char* r = named->ranges;
  do regex_class_add(&members, r[0], r[1], fold);
  while (*(r += 2));
  add_class(c, &members, negated);
}

static const named_class* find_named(const named_class* all, const char* name, size_t size) {
  for (; all->name; all++)
    if (strlen(all->name) == size && memcmp(all->name, name, size) == 0) return all;
  return NULL;
}

/* \d, \S and so on; whether there was one. */
static bool read_perl_class(parser* p, regex_class* c) {
  if (left(p) < 2 || p->at[0] != '\\') return false;
  const bool negated = p->at[1] >= 'A' && p->at[1] <= 'Z';
  const char name = (char)(negated ? p->at[1] - 'A' + 'a' : p->at[1]);
  const named_class* named = find_named(perl_classes, &name, 1);
  if (!named) return false;
  add_named(c, named, negated, p->flags & FOLD_CASE);
  p->at += 2;
  return true;
}

/* [:alpha:] or [:^alpha:]. *found: there was one. */
static bool read_posix_class(parser* p, regex_class* c, bool* found) {
  *found = false;
  if (left(p) <= 2 || !next_is(p, "[:")) return true;
  const char* close = p->at + 2;
  while (close + 1 < p->end && !(close[0] == ':' && close[1] == ']')) close++;
  if (close + 1 >= p->end) return true;
  const bool negated = p->at[2] == '^' && p->at + 2 < close;
  const char* name = p->at + 2 + negated;
  const named_class* named = find_named(posix_classes, name, (size_t)(close - name));
  if (!named) return fail(p, "invalid character class range", p->at, close + 2);
  add_named(c, named, negated, p->flags & FOLD_CASE);
  p->at = close + 2;
  *found = true;
  return true;
}

/* \pN, \P{Lu} or \p{^Greek}. *found: there was one. */
static bool read_unicode_class(parser* p, regex_class* c, bool* found) {
  const char *begin = p->at, *name = begin + 2, *name_end, *at;
  int32_t rune;
  *found = left(p) >= 2 && begin[0] == '\\' && (begin[1] == 'p' || begin[1] == 'P');
  if (!*found) return true;
  bool negated = begin[1] == 'P';
  p->at = name;
  if (!left(p)) return fail(p, "invalid character class range", begin, name);
  if (!read_rune(p, &rune)) return false;
  name_end = p->at;
  if (rune == '{') {
    name = p->at;
    name_end = memchr(name, '}', left(p));
    for (at = name; at < (name_end ? name_end : p->end);) {
      const int n = regex_decode(at, (size_t)(p->end - at), &rune);
      if (n == 0) return fail(p, "invalid UTF-8", at, at);
      at += n;
    }
    p->at = name_end ? name_end + 1 : p->end;
  }
  if (name_end && name < name_end && *name == '^') {
    negated = !negated;
    name++;
  }
  regex_class members = {0};
  if (!name_end ||
      !regex_class_add_group(&members, name, (size_t)(name_end - name), p->flags & FOLD_CASE))
    return fail(p, "invalid character class range", begin, p->at);
  add_class(c, &members, negated);
  return true;
}

static bool read_bound(parser* p, const char* class_begin, int32_t* rune) {
  if (!left(p)) return fail(p, "missing ]", class_begin, p->end);
  return *p->at == '\\' ? read_escape(p, rune) : read_rune(p, rune);
}

static bool read_range(parser* p, const char* class_begin, regex_class* c) {
  const char* begin = p->at;
  int32_t lo, hi;
  if (!read_bound(p, class_begin, &lo)) return false;
  hi = lo;
  if (left(p) >= 2 && p->at[0] == '-' && p->at[1] != ']') {
    p->at++;
    if (!read_bound(p, class_begin, &hi)) return false;
    if (hi < lo) return fail(p, "invalid character class range", begin, p->at);
  }
  regex_class_add(c, lo, hi, p->flags & FOLD_CASE);
  return true;
}

static bool read_class(parser* p, regex_class* c) {
  const char* begin = p->at++;
  const bool negated = next_is(p, "^");
  p->at += negated;
  const char* first = p->at;
  while (left(p) && (*p->at != ']' || p->at == first)) {
    bool found;
    if (!read_posix_class(p, c, &found)) return false;
    if (found || read_perl_class(p, c)) continue;
    if (!read_unicode_class(p, c, &found)) return false;
    if (!found && !read_range(p, begin, c)) return false;
  }
  if (!left(p)) return fail(p, "missing ]", begin, p->end);
  p->at++;
  if (negated) regex_class_negate(c);
  return true;
}

static bool bracket(parser* p) {
  regex_class c = {0};
  if (read_class(p, &c)) return emit_class(p, &c);
  regex_class_free(&c);
  return false;
}

/* ---- What begins with ( or \. */

static bool named_group(parser* p) {
  const char* name = p->at + strlen("(?P<");
  const char* end = memchr(name, '>', (size_t)(p->end - name));
  const char* shown = end ? end + 1 : p->end;
  for (const char* s = p->at; s < shown;) {
    int32_t rune;
    const int n = regex_decode(s, (size_t)(p->end - s), &rune);
    if (n == 0) return fail(p, "invalid UTF-8", s, s);
    s += n;
  }
  bool valid = end && end > name;
  for (const char* s = name; valid && s < end; s++) valid = is_word(*s);
  if (!valid) return fail(p, "invalid named capture group", p->at, shown);
  p->at = end + 1;
  return open_group(p, true, p->flags);
}

/* (?i-s) sets flags, (?i-s: opens a group with them. */
static bool flags(parser* p) {
  const char* begin = p->at;
  unsigned set = p->flags;
  bool negated = false, any = false;
  int32_t c;
  p->at += strlen("(?");
  while (left(p)) {
    if (!read_rune(p, &c)) return false;
    const unsigned flag = c == 'i'   ? FOLD_CASE
                          : c == 'm' ? LINES
                          : c == 's' ? DOT_NEWLINE
                          : c == 'U' ? NON_GREEDY
                                     : 0;
    if (flag) {
      any = true;
      set = negated ? set & ~flag : set | flag;
    } else if (c == '-' && !negated) {
      negated = true;
      any = false;
    } else if ((c == ':' || c == ')') && (any || !negated)) {
      if (c == ':' && !open_group(p, false, p->flags)) return false;
      p->flags = set;
      return true;
    } else {
      break;
    }
  }
  return fail(p, "invalid perl operator", begin, p->at);
}

static bool left_paren(parser* p) {
  if (next_is(p, "(?P<")) return named_group(p);
  if (next_is(p, "(?")) return flags(p);
  p->at++;
  return open_group(p, true, p->flags);
}

static bool quoted(parser* p) {
  int32_t rune;
  for (p->at += strlen("\\Q"); left(p);) {
    if (next_is(p, "\\E")) {
      p->at += strlen("\\E");
      break;
    }
    if (!read_rune(p, &rune) || !characters(p, rune, rune)) return false;
  }
  return true;
}

static bool backslash(parser* p) {
  regex_class c = {0};
  int32_t rune;
  if (next_is(p, "\\Q")) return quoted(p);
  switch (left(p) >= 2 ? p->at[1] : 0) {
    case 'b': p->at += 2; return place(p, REGEX_WORD_BOUND);
    case 'B': p->at += 2; return place(p, REGEX_NO_WORD_BOUND);
    case 'A': p->at += 2; return place(p, REGEX_TEXT_BEGIN);
    case 'z': p->at += 2; return place(p, REGEX_TEXT_END);
    case 'C':
      p->at += 2;
      begin_atom(p, false);
      return emit(p, (regex_inst){.op = REGEX_RANGE, .lo = 0, .hi = 0xff});
    default: break;
  }
  bool found;
  if (!read_unicode_class(p, &c, &found)) return false;
  if (found || read_perl_class(p, &c)) return emit_class(p, &c);
  return read_escape(p, &rune) && characters(p, rune, rune);
}

/* ---- The expression. */

static bool parse_one(parser* p) {
  const char *begin = p->at, *before = p->last_operator;
  const bool lines = p->flags & LINES;
  int32_t rune;
  int min, max;
  p->last_operator = NULL;
  switch (*begin) {
    case '(': return left_paren(p);
    case ')': p->at++; return right_paren(p);
    case '|': p->at++; return next_alternative(p);
    case '^': p->at++; return place(p, lines ? REGEX_LINE_BEGIN : REGEX_TEXT_BEGIN);
    case '$': p->at++; return place(p, lines ? REGEX_LINE_END : REGEX_TEXT_END);
    case '.': p->at++; return dot(p);
    case '[': return bracket(p);
    case '\\': return backslash(p);
    case '*': p->at++; return apply(p, begin, before, 0, -1, false);
    case '+': p->at++; return apply(p, begin, before, 1, -1, false);
    case '?': p->at++; return apply(p, begin, before, 0, 1, false);
    case '{':
      if (read_counts(p, &min, &max)) return apply(p, begin, before, min, max, true);
      break;
    default: break;
  }
  return read_rune(p, &rune) && characters(p, rune, rune);
}

static bool parse_all(parser* p) {
  if (!open_group(p, false, 0)) return false;
  while (left(p))
    if (!parse_one(p)) return false;
  if (p->n > 1) return fail(p, "missing )", p->begin, p->end);
  close_group(p);
  return emit(p, (regex_inst){.op = REGEX_MATCH});
}

/* ---- What a match can begin with. */

typedef struct beginning {
  bool empty; /* it may have no bytes */
  bool first[256];
  bool any;
} beginning;

/* Follows the code from its begin, also over the begin of the text if `anchors` says so. `reached`
 * and `stack` are work memory. */
static beginning follow(const regex* re, bool anchors, bool* reached, int32_t* stack) {
  beginning found = {0};
  int32_t n = 0;
  memset(reached, 0, (size_t)re->n_code * sizeof *reached);
  stack[n++] = 0;
  while (n > 0) {
    const int32_t pc = stack[--n];
    const regex_inst* i = &re->code[pc];
    if (reached[pc]) continue;
    reached[pc] = true;
    switch (i->op) {
      case REGEX_RANGE: memset(found.first + i->lo, true, (size_t)(i->hi - i->lo) + 1); break;
      case REGEX_SET:
        for (int b = 0; b < 128; b++) found.first[b] |= re->sets[i->x].bits[b / 64] >> b % 64 & 1;
        break;
      case REGEX_CHARACTER: regex_class_first(&re->classes[i->x], found.first); break;
      case REGEX_SPLIT: stack[n++] = pc + i->y; /* fall through */
      case REGEX_JUMP: stack[n++] = pc + i->x; break;
      case REGEX_SAVE: stack[n++] = pc + 1; break;
      case REGEX_ASSERT:
        if (i->x != REGEX_TEXT_BEGIN || anchors) stack[n++] = pc + 1;
        break;
      case REGEX_MATCH: found.empty = true; break;
      default: break;
    }
    found.any |= i->op <= REGEX_CHARACTER || i->op == REGEX_MATCH;
  }
  return found;
}

static bool find_beginnings(regex* re) {
  bool* reached = malloc((size_t)re->n_code * sizeof *reached);
  int32_t* stack = malloc(((size_t)re->n_code * 2 + 1) * sizeof *stack);
  const bool done = reached && stack;
  if (done) {
    re->begins_text = !follow(re, false, reached, stack).any;
    const beginning all = follow(re, true, reached, stack);
    re->skips = !all.empty;
    memcpy(re->first, all.first, sizeof re->first);
  }
  free(reached);
  free(stack);
  return done;
}

regex* regex_compile(const char* pattern, size_t size, regex_error* error) {
  regex* re = calloc(1, sizeof *re);
  parser p = {.begin = pattern, .at = pattern, .end = pattern + size, .re = re};
  const bool done = re && parse_all(&p) && find_beginnings(re);
  free(p.groups);
  *error = p.error;
  if (re) re->references = 1;
  if (done) return re;
  regex_release(re);
  return NULL;
}

void regex_release(regex* re) {
  if (!re || __atomic_sub_fetch(&re->references, 1, __ATOMIC_ACQ_REL)) return;
  free(re->code);
  free(re->sets);
  for (int32_t i = 0; i < re->n_classes; i++) regex_class_free(&re->classes[i]);
  free(re->classes);
  free(re);
}
