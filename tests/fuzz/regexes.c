/* Compiles and runs random regular expressions: regexes FIRST-SEED ROUNDS
 *
 * Each round makes an expression of pieces of the syntax and of random bytes, which may be wrong,
 * and searches random texts. Bounds must lie within the text and in order, and the whole text must
 * match if and only if a search for the anchored expression finds something. Built with
 * AddressSanitizer by test_regexes.py. */
#include <stdio.h>

#include "kernels_c/strings/regex.h"

static uint64_t state;
static uint64_t draw(uint64_t below) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state * 0x2545f4914f6cdd1dull >> 11) % below;
}

static const char* const pieces[] = {"a",          "b",
                                     "ab",         ".",
                                     "(",          ")",
                                     "(?:",        "(?P<n>",
                                     "|",          "*",
                                     "+",          "?",
                                     "*?",         "{2}",
                                     "{0,3}",      "{3,}",
                                     "{50}",       "{,1}",
                                     "[",          "]",
                                     "[^a",        "a-b]",
                                     "[^]",        "\\d",
                                     "\\W",        "\\b",
                                     "\\B",        "^",
                                     "$",          "(?i)",
                                     "(?m",        "(?s:",
                                     "(?U)",       "-",
                                     "[:",         ":]",
                                     "[[:word:]]", "\\Q",
                                     "\\E",        "\\x{e9}",
                                     "\\x",        "\\p",
                                     "\\pL",       "\\C",
                                     "\\A",        "\\z",
                                     "\xc3\xa9",   "\xe2\x82\xac",
                                     "\xff",       "\\",
                                     "k",          "(a*)*",
                                     "(|a)+",      "[\\x{0}-\\x{10ffff}]",
                                     "\\012",      "[a-\xe2\x82\xac]",
                                     "()",         "{1000}",
                                     "\\PN",       "\\p{Greek}",
                                     "\\p{^",      "\\p{Lu}",
                                     ")*",         "(a|b)"};
static const char* const words[] = {"a",    "b", "ab", "\n", "\xc3\xa9", "\xe2\x82\xac",
                                    "\xff", "k", "K",  " ",  "0",        "\xc3"};

/* In memory of exactly its size, so that reading beyond it is found. */
static tfc_string make_text(const char* const* from, size_t n_from, size_t most) {
  text_buffer b = {0};
  for (uint64_t n = draw(most + 1); n; n--) {
    const char random = (char)draw(256);
    if (draw(30) == 0)
      text_append(&b, &random, 1);
    else
      text_add(&b, from[draw(n_from)]);
  }
  tfc_string s = {malloc(b.size + !b.size), b.size};
  memcpy(s.data, text_c(&b), b.size);
  text_free(&b);
  return s;
}

static bool never(tfc_context* ctx) {
  (void)ctx;
  return false;
}

static void check(bool fine, const tfc_string* pattern, const char* what) {
  if (fine) return;
  fprintf(stderr, "%s: ", what);
  for (size_t i = 0; i < pattern->size; i++) fprintf(stderr, "\\x%02x", (uint8_t)pattern->data[i]);
  fprintf(stderr, "\n");
  exit(1);
}

static void check_bounds(const tfc_string* pattern, const tfc_string* text, int64_t from,
                         const int64_t* bounds, int groups) {
  for (int g = 0; g <= groups; g++) {
    const int64_t lo = bounds[2 * g], hi = bounds[2 * g + 1];
    const bool unset = g && (lo == REGEX_UNSET || hi == REGEX_UNSET);
    check(unset || (lo >= from && lo <= hi && hi <= (int64_t)text->size), pattern, "bounds");
    check(unset || (lo >= bounds[0] && hi <= bounds[1]), pattern, "a group outside of the match");
  }
}

static void search(tfc_context* ctx, regex* re, regex* anchored, const tfc_string* pattern) {
  int64_t bounds[2 * 10], ignored[2];
  const int groups = (int)draw(TFC_MIN(re->n_groups, 9) + 1);
  regex_machine* m = regex_machine_new(ctx, re, groups);
  regex_machine* whole = anchored ? regex_machine_new(ctx, anchored, 0) : NULL;
  for (int i = 0; i < 4; i++) {
    tfc_string text = make_text(words, sizeof words / sizeof *words, 12);
    int64_t from = 0;
    while (from <= (int64_t)text.size && regex_search(m, &text, from, false, bounds)) {
      check_bounds(pattern, &text, from, bounds, groups);
      from = bounds[1] > from ? bounds[1] : from + 1;
    }
    const bool full = regex_search(m, &text, 0, true, bounds);
    check(!full || (bounds[0] == 0 && bounds[1] == (int64_t)text.size), pattern, "full match");
    if (whole) check(full == regex_search(whole, &text, 0, false, ignored), pattern, "anchored");
    free(text.data);
  }
  regex_machine_free(m);
  regex_machine_free(whole);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const tfc_api api = {.cancelled = never};
  tfc_context ctx = {.api = &api};
  long compiled = 0, first = atol(argv[1]), rounds = atol(argv[2]);
  for (long round = first; round < first + rounds; round++) {
    state = 0x9e3779b97f4a7c15ull * (uint64_t)(round + 1);
    for (int i = 0; i < 5; i++) draw(2);
    tfc_string pattern = make_text(pieces, sizeof pieces / sizeof *pieces, draw(8) ? 8 : 40);
    regex_error error = {0};
    regex* re = regex_compile(pattern.data, pattern.size, &error);
    if (re) {
      text_buffer b = {0};
      text_add(&b, "\\A(?:");
      text_append(&b, pattern.data, pattern.size);
      text_add(&b, ")\\z");
      regex_error ignored;
      regex* anchored = regex_compile(b.data, b.size, &ignored);
      search(&ctx, re, anchored, &pattern);
      compiled++;
      regex_release(anchored);
      regex_release(re);
      text_free(&b);
    } else {
      check(error.text &&
                (error.size == 0 || (error.part >= pattern.data &&
                                     error.part + error.size <= pattern.data + pattern.size)),
            &pattern, "error");
    }
    free(pattern.data);
  }
  printf("rounds %ld compiled %ld\n", rounds, compiled);
  return 0;
}
