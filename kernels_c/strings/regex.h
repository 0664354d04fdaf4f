/* Regular expressions in the syntax of RE2, matched in time linear in the text: no backtracking.
 *
 * An expression is compiled to a program for a machine that is in many places of the program at
 * once (K. Thompson, R. Pike). The program reads bytes; characters are UTF-8 and classes of them
 * become sequences of bytes. Bytes that are no UTF-8 are matched by \C only. */
#ifndef TFCORE_STRINGS_REGEX_H
#define TFCORE_STRINGS_REGEX_H

#include "kernels_c/strings/element.h"

/* ---- Programs. */

typedef enum regex_opcode {
  REGEX_RANGE,     /* reads a byte from lo to hi */
  REGEX_SET,       /* reads a byte below 128 that is in set x */
  REGEX_CHARACTER, /* reads the first byte of a character of class x, after looking at all of it.
                      Three instructions follow that each read one more byte (0x80 to 0xbf); goes on
                      at the one that leaves as many as the character has */
  REGEX_SPLIT,     /* goes on at x, or else at y */
  REGEX_JUMP,      /* goes on at x */
  REGEX_SAVE,      /* notes the place in the text as bound x of the captures */
  REGEX_ASSERT,    /* goes on where the regex_place x is */
  REGEX_FAIL,
  REGEX_MATCH,
} regex_opcode;

typedef enum regex_place {
  REGEX_TEXT_BEGIN,
  REGEX_TEXT_END,
  REGEX_LINE_BEGIN,
  REGEX_LINE_END,
  REGEX_WORD_BOUND,
  REGEX_NO_WORD_BOUND,
} regex_place;

/* SPLIT and JUMP: x and y are relative to the instruction. */
typedef struct regex_inst {
  uint8_t op, lo, hi;
  int32_t x, y;
} regex_inst;

typedef struct regex_set {
  uint64_t bits[2];
} regex_set;

typedef struct regex_range {
  int32_t lo, hi;
} regex_range;

/* A set of characters; sorted and without overlaps after regex_class_tidy. */
typedef struct regex_class {
  regex_range* ranges;
  size_t n, room;
  bool failed; /* out of memory */
} regex_class;

/* Immutable, except for the count of references. */
typedef struct regex {
  regex_inst* code;
  regex_set* sets;
  regex_class* classes; /* those with many ranges; no two are equal */
  int32_t n_code, n_sets, n_classes, code_room, sets_room, classes_room;
  size_t class_ranges; /* of all classes */
  int32_t n_groups;    /* capturing ones */
  bool begins_text;    /* matches begin nowhere else */
  bool skips;          /* matches begin with a byte in `first` only, and are not empty */
  bool first[256];
  int64_t references; /* atomic */
} regex;

enum { REGEX_MAX_CODE = 87381 }; /* RE2's limit with its default memory */

/* What is wrong with an expression: one of RE2's texts, and the part of the expression. */
typedef struct regex_error {
  const char* text;
  const char* part;
  size_t size;
} regex_error;

/* NULL: the error says why. */
regex* regex_compile(const char* pattern, size_t size, regex_error* error);
void regex_release(regex* re);
static inline regex* regex_share(regex* re) {
  __atomic_fetch_add(&re->references, 1, __ATOMIC_RELAXED);
  return re;
}

/* Appends an instruction; false: the program is too large, or there is no memory. */
bool regex_emit(regex* re, regex_inst inst);

/* ---- Characters. */

enum { REGEX_MAX_RUNE = 0x10ffff };

/* The length of the character at the beginning of `size` bytes; 0: they are no UTF-8. */
int regex_decode(const char* data, size_t size, int32_t* rune);
/* The other characters that are the same but for their case come in turn. */
int32_t regex_next_case(int32_t rune);

void regex_class_add(regex_class* c, int32_t lo, int32_t hi, bool fold);
/* Adds the characters of a general category ("Lu"), of all with that first letter ("L"), or of a
 * script ("Greek"). False: there is no such name. */
bool regex_class_add_group(regex_class* c, const char* name, size_t size, bool fold);
void regex_class_tidy(regex_class* c);
void regex_class_negate(regex_class* c);
/* Of a tidy class. */
bool regex_class_has(const regex_class* c, int32_t rune);
/* The bytes that characters of a tidy class begin with. */
void regex_class_first(const regex_class* c, bool* first);
static inline void regex_class_free(regex_class* c) {
  free(c->ranges);
}
/* Code that reads a character of the class. */
bool regex_class_emit(regex_class* c, regex* re);

/* ---- Matching. */

/* What a thread needs to match an expression. */
typedef struct regex_machine regex_machine;

/* Finds bounds of the match and of n_groups groups. NULL: no memory. */
regex_machine* regex_machine_new(tfc_context* ctx, const regex* re, int n_groups);
void regex_machine_free(regex_machine* m);

enum { REGEX_UNSET = -1 };

/* Whether a match begins at `from` or later; with `full` it must be the whole text. `bounds` gets
 * the first one: the places where it and each group begin and end, or REGEX_UNSET. A text of a step
 * that is cancelled may match nothing. */
bool regex_search(regex_machine* m, const tfc_string* text, int64_t from, bool full,
                  int64_t* bounds);

#endif /* TFCORE_STRINGS_REGEX_H */
