/* The members of the cluster as one task knows them. */
#include "membership/view.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sets of ranks */

static size_t words(const tfc_rank_set* s) {
  return ((size_t)s->size + 63) / 64;
}

bool tfc_rank_set_has(const tfc_rank_set* s, int rank) {
  return s->bits && rank >= 0 && rank < s->size && s->bits[rank / 64] >> rank % 64 & 1;
}

bool tfc_rank_set_add(tfc_rank_set* s, int rank) {
  if (rank < 0 || rank >= s->size || tfc_rank_set_has(s, rank)) return true;
  if (!s->bits && !(s->bits = calloc(words(s), sizeof *s->bits))) return false;
  s->bits[rank / 64] |= UINT64_C(1) << rank % 64;
  s->n++;
  return true;
}

void tfc_rank_set_remove(tfc_rank_set* s, int rank) {
  if (!tfc_rank_set_has(s, rank)) return;
  s->bits[rank / 64] &= ~(UINT64_C(1) << rank % 64);
  s->n--;
}

bool tfc_rank_set_merge(tfc_rank_set* to, const tfc_rank_set* from) {
  if (!from->n) return true;
  if (!to->bits && !(to->bits = calloc(words(to), sizeof *to->bits))) return false;
  to->n = 0;
  for (size_t i = 0; i < words(to); i++) {
    to->bits[i] |= from->bits[i];
    to->n += __builtin_popcountll(to->bits[i]);
  }
  return true;
}

void tfc_rank_set_clear(tfc_rank_set* s) {
  free(s->bits);
  s->bits = NULL;
  s->n = 0;
}

int tfc_rank_set_next(const tfc_rank_set* s, int from) {
  if (!s->n) return -1;
  for (int i = from; i < s->size; i++) {
    uint64_t rest = s->bits[i / 64] >> i % 64;
    if (rest) return i + __builtin_ctzll(rest);
    i |= 63;
  }
  return -1;
}

/* ---- Views */

static int64_t gcd(int64_t a, int64_t b) {
  return b ? gcd(b, a % b) : a;
}

/* The golden section of the circle keeps neighbours far apart at every scale. */
void tfc_view_init(tfc_view* v, int size) {
  *v = (tfc_view){.size = size, .n = size, .stride = (int64_t)(0.618034 * size)};
  while (v->stride < 1 || gcd(v->stride, size) != 1) v->stride++;
  for (int64_t r = 1, inverse = 0, m = size, a = v->stride % size; size > 1;) {
    if (!a) {
      v->back = (inverse % size + size) % size;
      break;
    }
    int64_t q = m / a, rest = m % a, next = inverse - q * r;
    m = a, a = rest, inverse = r, r = next;
  }
}

void tfc_view_free(tfc_view* v) {
  for (int i = 0; i < v->n_reasons; i++) free(v->reasons[i].text);
  free(v->reasons);
  free(v->changes);
}

static int32_t place_of(const tfc_view* v, int rank) {
  return (int32_t)(rank * v->back % v->size);
}

static int rank_at(const tfc_view* v, int64_t place) {
  return (int)(place * v->stride % v->size);
}

/* The first change at this place or after it. */
static int find(const tfc_view* v, int32_t place) {
  int low = 0, high = v->n_changes;
  while (low < high) {
    int middle = (low + high) / 2;
    if (v->changes[middle].place < place) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static const tfc_change* change_of(const tfc_view* v, int rank) {
  if (rank < 0 || rank >= v->size) return NULL;
  int32_t place = place_of(v, rank);
  int i = find(v, place);
  return i < v->n_changes && v->changes[i].place == place ? &v->changes[i] : NULL;
}

uint32_t tfc_view_number(const tfc_view* v, int rank) {
  const tfc_change* c = change_of(v, rank);
  return c ? c->number : 0;
}

const tfc_reason* tfc_view_reason(const tfc_view* v, int rank) {
  const tfc_change* c = change_of(v, rank);
  return c ? &v->reasons[c->reason] : NULL;
}

static int gone_before(const tfc_view* v, int change) {
  if (!change) return 0;
  const tfc_change* c = &v->changes[change - 1];
  return c->gone_before + (int)(c->number % 2);
}

int tfc_view_index(const tfc_view* v, int rank) {
  if (rank < 0 || rank >= v->size || !tfc_view_is_member(v, rank)) return -1;
  int32_t place = place_of(v, rank);
  return place - gone_before(v, find(v, place));
}

int tfc_view_member(const tfc_view* v, int index) {
  int low = 0, high = v->n_changes; /* how many changes are at places before the member's */
  while (low < high) {
    int middle = (low + high) / 2;
    const tfc_change* c = &v->changes[middle];
    /* Members before its place; an empty place has the index of the next member. */
    int before = c->place - c->gone_before;
    if (before < index || (before == index && c->number % 2)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return rank_at(v, index + gone_before(v, low));
}

int tfc_view_lowest(const tfc_view* v) {
  for (int rank = 0; rank < v->size; rank++)
    if (tfc_view_is_member(v, rank)) return rank;
  return -1;
}

static uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static uint64_t digest_of(int rank, uint32_t number) {
  return number ? mix((uint64_t)rank << 32 | number) : 0;
}

static int new_reason(tfc_view* v, uint32_t number, int event, const char* text) {
  int i = 0;
  while (i < v->n_reasons && v->reasons[i].users) i++;
  if (i == v->n_reasons) {
    tfc_reason* more = realloc(v->reasons, (size_t)(i + 1) * sizeof *more);
    if (!more) return -1;
    v->reasons = more;
    v->reasons[v->n_reasons++] = (tfc_reason){.text = NULL};
  }
  char* copy = strndup(text, TFC_REASON_BYTES);
  if (!copy) return -1;
  free(v->reasons[i].text);
  v->reasons[i] = (tfc_reason){event, number, 0, copy};
  return i;
}

static int by_place(const void* a, const void* b) {
  return ((const tfc_change*)a)->place - ((const tfc_change*)b)->place;
}

static void set_number(tfc_view* v, tfc_change* c, int rank, uint32_t number, int reason) {
  v->epoch += number - c->number;
  v->digest ^= digest_of(rank, c->number) ^ digest_of(rank, number);
  v->n += (int)(c->number % 2) - (int)(number % 2);
  if (c->reason >= 0) v->reasons[c->reason].users--;
  v->reasons[reason].users++;
  c->number = number;
  c->reason = reason;
}

bool tfc_view_learn(tfc_view* v, tfc_rank_set* ranks, uint32_t number, int event,
                    const char* text) {
  for (int r = tfc_rank_set_next(ranks, 0); r >= 0; r = tfc_rank_set_next(ranks, r + 1))
    if (tfc_view_number(v, r) >= number) tfc_rank_set_remove(ranks, r);
  if (!ranks->n) return true;
  if (v->n_changes + ranks->n > v->room) {
    int room = 2 * (v->n_changes + ranks->n);
    tfc_change* more = realloc(v->changes, (size_t)room * sizeof *more);
    if (!more) return false;
    v->changes = more;
    v->room = room;
  }
  int reason = new_reason(v, number, event, text);
  if (reason < 0) return false;
  int n = v->n_changes; /* those that are sorted */
  for (int r = tfc_rank_set_next(ranks, 0); r >= 0; r = tfc_rank_set_next(ranks, r + 1)) {
    int i = find(v, place_of(v, r));
    tfc_change* c = &v->changes[i];
    if (i == v->n_changes || c->place != place_of(v, r)) {
      c = &v->changes[n++];
      *c = (tfc_change){place_of(v, r), 0, -1, 0};
    }
    set_number(v, c, r, number, reason);
  }
  v->n_changes = n;
  qsort(v->changes, (size_t)n, sizeof *v->changes, by_place);
  int gone = 0;
  for (int i = 0; i < n; gone += (int)(v->changes[i++].number % 2))
    v->changes[i].gone_before = gone;
  return true;
}

bool tfc_view_leave_empty(tfc_view* v, const tfc_rank_set* ranks) {
  tfc_rank_set copy = {.size = v->size};
  bool ok = tfc_rank_set_merge(&copy, ranks) &&
            tfc_view_learn(v, &copy, 1, TFC_MEMBER_LEFT, "it has not started");
  tfc_rank_set_clear(&copy);
  return ok;
}
