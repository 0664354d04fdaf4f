/* The machine that runs programs of regular expressions. It reads the text once and has a list of
 * threads, places in the program, in order of preference: what a thread does that comes earlier
 * wins. No two threads are in the same place, so a step takes time for the program's size at most.
 */
#include "kernels_c/strings/regex.h"

TFC_ONE_LEVEL;

typedef struct thread_list {
  int32_t n;
  int32_t* at;     /* in the program, of each thread */
  int64_t* bounds; /* n_bounds of each thread */
} thread_list;

/* To do while a thread splits: go on somewhere, or take back what a bound was. */
typedef struct pending {
  int32_t at; /* -1: take back */
  int32_t bound;
  int64_t value;
} pending;

struct regex_machine {
  tfc_context* ctx;
  const regex* re;
  int32_t n_bounds;
  thread_list now, next;
  uint64_t* visited; /* for each instruction the last round that came to it */
  uint64_t round;    /* one for each place in a text */
  pending* stack;
  int64_t* bounds; /* of the thread that splits */
};

static bool make_list(thread_list* l, int32_t n_code, int32_t n_bounds) {
  l->at = malloc((size_t)n_code * sizeof *l->at);
  l->bounds = malloc((size_t)n_code * (size_t)n_bounds * sizeof *l->bounds);
  return l->at && l->bounds;
}

regex_machine* regex_machine_new(tfc_context* ctx, const regex* re, int n_groups) {
  regex_machine* m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->ctx = ctx;
  m->re = re;
  m->n_bounds = 2 * (n_groups + 1);
  m->visited = calloc((size_t)re->n_code, sizeof *m->visited);
  m->stack = malloc(((size_t)re->n_code * 2 + 1) * sizeof *m->stack);
  m->bounds = malloc((size_t)m->n_bounds * sizeof *m->bounds);
  const bool lists =
      make_list(&m->now, re->n_code, m->n_bounds) & make_list(&m->next, re->n_code, m->n_bounds);
  if (lists && m->visited && m->stack && m->bounds) return m;
  regex_machine_free(m);
  return NULL;
}

void regex_machine_free(regex_machine* m) {
  if (!m) return;
  free(m->now.at);
  free(m->now.bounds);
  free(m->next.at);
  free(m->next.bounds);
  free(m->visited);
  free(m->stack);
  free(m->bounds);
  free(m);
}

static bool in_word(const tfc_string* text, int64_t i) {
  if (i < 0 || i >= (int64_t)text->size) return false;
  const char c = text->data[i];
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static bool is_place(const tfc_string* text, int64_t i, regex_place place) {
  const int64_t size = (int64_t)text->size;
  switch (place) {
    case REGEX_TEXT_BEGIN: return i == 0;
    case REGEX_TEXT_END: return i == size;
    case REGEX_LINE_BEGIN: return i == 0 || text->data[i - 1] == '\n';
    case REGEX_LINE_END: return i == size || text->data[i] == '\n';
    default: return (in_word(text, i - 1) != in_word(text, i)) == (place == REGEX_WORD_BOUND);
  }
}

/* Adds the threads that begin at an instruction, with the machine's bounds, at a place in the
 * text. */
static void add_threads(regex_machine* m, thread_list* l, int32_t from, const tfc_string* text,
                        int64_t place) {
  size_t n = 0;
  m->stack[n++] = (pending){.at = from};
  while (n > 0) {
    const pending todo = m->stack[--n];
    if (todo.at < 0) {
      m->bounds[todo.bound] = todo.value;
      continue;
    }
    for (int32_t at = todo.at; at >= 0 && m->visited[at] != m->round;) {
      const regex_inst* i = &m->re->code[at];
      m->visited[at] = m->round;
      switch (i->op) {
        case REGEX_SPLIT:
          m->stack[n++] = (pending){.at = at + i->y};
          at += i->x;
          break;
        case REGEX_JUMP: at += i->x; break;
        case REGEX_SAVE:
          if (i->x < m->n_bounds) {
            m->stack[n++] = (pending){-1, i->x, m->bounds[i->x]};
            m->bounds[i->x] = place;
          }
          at++;
          break;
        case REGEX_ASSERT: at = is_place(text, place, i->x) ? at + 1 : -1; break;
        case REGEX_FAIL: at = -1; break;
        default: /* waits for a byte, or for its turn */
          memcpy(l->bounds + (size_t)l->n * (size_t)m->n_bounds, m->bounds,
                 (size_t)m->n_bounds * sizeof *m->bounds);
          l->at[l->n++] = at;
          at = -1;
      }
    }
  }
}

/* Where a thread goes on after the byte at a place; -1: it ends there. */
static int32_t after_byte(const regex* re, int32_t at, const tfc_string* text, int64_t place) {
  const regex_inst* i = &re->code[at];
  const uint8_t byte = (uint8_t)text->data[place];
  if (i->op == REGEX_RANGE) return byte >= i->lo && byte <= i->hi ? at + 1 : -1;
  if (i->op == REGEX_SET)
    return byte < 128 && (re->sets[i->x].bits[byte / 64] >> byte % 64 & 1) ? at + 1 : -1;
  int32_t rune;
  const int n = regex_decode(text->data + place, (size_t)((int64_t)text->size - place), &rune);
  return n && regex_class_has(&re->classes[i->x], rune) ? at + 5 - n : -1;
}

/* Moves all threads over the byte at a place, or over the end of the text. Whether one of them
 * matched; those behind it are gone then. */
static bool step(regex_machine* m, const tfc_string* text, int64_t place, bool full,
                 int64_t* bounds) {
  const regex* re = m->re;
  const bool at_end = place == (int64_t)text->size;
  const size_t bytes = (size_t)m->n_bounds * sizeof *bounds;
  m->round++;
  m->next.n = 0;
  for (int32_t t = 0; t < m->now.n; t++) {
    const regex_inst* i = &re->code[m->now.at[t]];
    const int64_t* own = m->now.bounds + (size_t)t * (size_t)m->n_bounds;
    if (i->op == REGEX_MATCH) {
      if (full && !at_end) continue;
      memcpy(bounds, own, bytes);
      bounds[1] = place;
      return true;
    }
    const int32_t to = at_end ? -1 : after_byte(re, m->now.at[t], text, place);
    if (to < 0) continue;
    memcpy(m->bounds, own, bytes);
    add_threads(m, &m->next, to, text, place + 1);
  }
  return false;
}

static bool can_begin(const regex_machine* m, const tfc_string* text, int64_t place) {
  if (!m->re->skips) return true;
  return place < (int64_t)text->size && m->re->first[(uint8_t)text->data[place]];
}

static void begin_thread(regex_machine* m, const tfc_string* text, int64_t place) {
  for (int32_t b = 0; b < m->n_bounds; b++) m->bounds[b] = REGEX_UNSET;
  m->bounds[0] = place;
  add_threads(m, &m->now, 0, text, place);
}

bool regex_search(regex_machine* m, const tfc_string* text, int64_t from, bool full,
                  int64_t* bounds) {
  const int64_t size = (int64_t)text->size;
  const bool begins_once = full || m->re->begins_text;
  bool matched = false;
  m->now.n = 0;
  for (int64_t place = from; place <= size; place++) {
    const bool begins = !matched && (!begins_once || place == (full ? from : 0));
    if (m->now.n == 0) {
      if (!begins) break;
      while (!begins_once && place < size && !can_begin(m, text, place)) place++;
      m->round++; /* nothing has been visited at this place */
    }
    if (begins && can_begin(m, text, place)) begin_thread(m, text, place);
    matched |= step(m, text, place, full, bounds);
    const thread_list last = m->now;
    m->now = m->next;
    m->next = last;
    if ((place & 0xff) == 0 && tfc_cancelled(m->ctx)) return false;
  }
  return matched;
}
