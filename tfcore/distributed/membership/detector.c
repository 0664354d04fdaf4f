/* Waves, answers, leases and the election of a root. detector.h has the protocol and why it is
 * right. */
#include "membership/detector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "membership/detector_wire.h"

enum { SLOTS = 32 /* of the latest waves */, MAX_CHILDREN = 4096, NOT_CONDEMNED = 0 };

/* A wave as this node saw it. */
typedef struct slot {
  uint32_t wave; /* 0: none */
  int parent;
  bool answered;
  bool slow; /* root: the wave said so */
  int64_t began, answered_at;
  uint32_t known; /* root: the last wave whose answers had come when this one was sent */
  uint32_t condemned_version;
} slot;

typedef struct child {
  int rank;
  int via;             /* the child whose children are asked directly, too; -1: it is a child */
  bool bypassed;       /* its children are in the list, too */
  int64_t asked_since; /* the first wave that it has not answered; 0: none */
  uint32_t last_answer;
  /* By slot: the wave that it answered, with how many; whether this node's answer included it. */
  uint32_t answered[SLOTS], count[SLOTS], included[SLOTS];
  bool has_lowest[SLOTS], elsewhere[SLOTS];
  tfc_rank_set missing; /* of its last answer */
} child;

/* What the root knows of a member that is missing or condemned. */
typedef struct suspect {
  int64_t counted_at; /* no later than its lease began; 0: it is counted */
  uint32_t version;   /* of the condemned set with its name; NOT_CONDEMNED */
} suspect;

struct tfc_detector {
  tfc_detector_options options;
  tfc_detector_user user;
  tfc_view view;
  uint8_t* buffer;
  int64_t now;
  bool over;
  bool slow;       /* some path is: the limit for others is longer */
  bool slow_lease; /* a quorum knows that: so is this task's own lease */
  bool complete;   /* as the root says */
  /* The tree. */
  uint64_t term; /* the low half makes it unique */
  int root, parent;
  child* children;
  int n_children, room;
  uint64_t tree_digest; /* of the view that `children` follows */
  int tree_root, height;
  slot slots[SLOTS];
  /* As a member. */
  bool elected, counted;
  int64_t last_wave; /* when one came */
  int64_t old_wave;  /* when the last one of an earlier term came, to any that has answered */
  uint32_t confirmed, reached;
  int64_t lease_start;
  int64_t quorum_sent; /* when the root sent the last wave that a quorum has answered, or earlier */
  tfc_rank_set condemned;
  /* As the root. */
  uint32_t sent, completed, version, adopted;
  int64_t next_wave, completed_at, first_quorum, last_quorum;
  bool had_quorum;   /* the last completed wave */
  suspect* suspects; /* by rank; NULL: none yet */
};

/* ---- Time */

static int64_t limit_if(const tfc_detector* d, bool slow) {
  int64_t ns = d->options.limit_ns;
  return slow && ns && ns < d->options.slow_ns ? d->options.slow_ns : ns;
}

/* How long others may be silent. */
static int64_t limit(const tfc_detector* d) {
  return limit_if(d, d->slow);
}

static int64_t intervals(const tfc_detector* d, double n) {
  return (int64_t)(n * (double)d->options.interval_ns);
}

static int64_t lease(const tfc_detector* d) {
  return limit_if(d, d->slow_lease) + intervals(d, 2.5);
}

static int64_t grace(const tfc_detector* d) {
  return limit(d) + intervals(d, 3.5);
}

/* How long a node waits for answers from children that answer other waves: its parent waits longer,
 * and the root waits for the limit. */
static int64_t patience(const tfc_detector* d) {
  int levels = 1;
  for (int64_t n = 1, width = TFC_DETECTOR_FANOUT; n + width < d->view.n; levels++) {
    n += width;
    width *= TFC_DETECTOR_FANOUT;
  }
  int64_t all = limit(d) ? limit(d) : intervals(d, 15);
  return all * d->height / levels;
}

static bool is_root(const tfc_detector* d) {
  return d->root == d->options.rank;
}

static bool is_quorum(const tfc_detector* d, int64_t count, bool has_lowest) {
  return 2 * count > d->view.n || (2 * count == d->view.n && has_lowest);
}

static void end(tfc_detector* d, const char* why) {
  if (d->over) return;
  d->over = true;
  d->user.ended(d->user.user, why);
}

/* ---- The tree: the root, then the other members in the order of the view */

static int tree_index(const tfc_detector* d, int rank) {
  int i = tfc_view_index(&d->view, rank), root = tfc_view_index(&d->view, d->root);
  if (i < 0 || root < 0) return i;
  return i == root ? 0 : i < root ? i + 1 : i;
}

static int tree_member(const tfc_detector* d, int index) {
  int root = tfc_view_index(&d->view, d->root);
  if (root < 0) return tfc_view_member(&d->view, index);
  return index == 0 ? d->root : tfc_view_member(&d->view, index <= root ? index - 1 : index);
}

static void clear_children(tfc_detector* d) {
  for (int i = 0; i < d->n_children; i++) tfc_rank_set_clear(&d->children[i].missing);
  d->n_children = 0;
}

static child* add_child(tfc_detector* d, int rank, int via) {
  if (d->n_children == d->room) {
    int room = d->room ? 2 * d->room : TFC_DETECTOR_FANOUT;
    child* more = realloc(d->children, (size_t)room * sizeof *more);
    if (!more) return NULL;
    d->children = more;
    d->room = room;
  }
  child* c = &d->children[d->n_children++];
  memset(c, 0, sizeof *c);
  c->rank = rank;
  c->via = via;
  c->missing.size = d->options.size;
  return c;
}

/* The children of a node; without memory for one it is found missing. */
static void add_children_of(tfc_detector* d, int index, int via) {
  for (int64_t i = (int64_t)index * TFC_DETECTOR_FANOUT + 1, n = 0;
       n < TFC_DETECTOR_FANOUT && i < d->view.n && d->n_children < MAX_CHILDREN; i++, n++)
    add_child(d, tree_member(d, (int)i), via);
}

static void make_tree(tfc_detector* d) {
  if (d->tree_digest == d->view.digest && d->tree_root == d->root) return;
  clear_children(d);
  d->tree_digest = d->view.digest;
  d->tree_root = d->root;
  d->height = 0;
  int index = tree_index(d, d->options.rank);
  if (index < 0 || d->root < 0) return;
  add_children_of(d, index, -1);
  for (int64_t i = index; i * TFC_DETECTOR_FANOUT + 1 < d->view.n; i = i * TFC_DETECTOR_FANOUT + 1)
    d->height++;
}

static child* find_child(tfc_detector* d, int rank) {
  for (int i = 0; i < d->n_children; i++)
    if (d->children[i].rank == rank) return &d->children[i];
  return NULL;
}

/* A child that does not answer may have children that live. Their leases must not end before a wave
 * finds its way around many dead nodes, so there one wave is enough. */
static void bypass(tfc_detector* d) {
  for (int i = 0; i < d->n_children; i++) {
    child* c = &d->children[i];
    int64_t longest = intervals(d, d->elected && c->via < 0 ? 1.5 : 0.5);
    if (c->bypassed || !c->asked_since || d->now - c->asked_since < longest) continue;
    c->bypassed = true;
    add_children_of(d, tree_index(d, c->rank), c->rank);
  }
}

/* It answers again. */
static void stop_bypassing(tfc_detector* d, int rank) {
  child* c = find_child(d, rank);
  if (!c || !c->bypassed) return;
  c->bypassed = false;
  for (int i = 0; i < d->n_children;) {
    if (d->children[i].via != rank) {
      i++;
      continue;
    }
    int below = d->children[i].rank;
    stop_bypassing(d, below);
    i = 0;
    while (d->children[i].rank != below || d->children[i].via != rank) i++;
    tfc_rank_set_clear(&d->children[i].missing);
    d->children[i] = d->children[--d->n_children];
  }
}

/* All below a node, and the node. */
static void add_subtree(tfc_detector* d, int rank, tfc_rank_set* to) {
  int64_t first = tree_index(d, rank), last = first;
  if (first < 0) return;
  for (; first < d->view.n; first = first * TFC_DETECTOR_FANOUT + 1,
                            last = last * TFC_DETECTOR_FANOUT + TFC_DETECTOR_FANOUT)
    for (int64_t i = first; i <= last && i < d->view.n; i++)
      tfc_rank_set_add(to, tree_member(d, (int)i));
}

/* ---- Messages */

static tfc_detector_message message(const tfc_detector* d, int kind) {
  return (tfc_detector_message){
      .kind = (uint8_t)kind,
      .from = (uint32_t)d->options.rank,
      .number = d->options.number,
      .digest = d->view.digest,
      .term = d->term,
      .root = (uint32_t)d->root,
      .ranks = {.size = d->options.size},
      .condemned = d->condemned,
  };
}

static void send(tfc_detector* d, int to, const tfc_detector_message* m) {
  size_t bytes = tfc_detector_write(m, d->buffer);
  d->user.send(d->user.user, to, d->buffer, bytes);
}

static void send_reason(tfc_detector* d, int to, const tfc_reason* reason, tfc_rank_set* ranks) {
  tfc_detector_message m = message(d, TFC_FACTS);
  m.fact_number = reason->number;
  m.event = (uint32_t)reason->event;
  snprintf(m.text, sizeof m.text, "%s", reason->text);
  m.ranks = *ranks;
  send(d, to, &m);
}

void tfc_detector_tell(tfc_detector* d, int rank) {
  for (int i = 0; i < d->view.n_reasons; i++) {
    tfc_rank_set ranks = {.size = d->options.size};
    for (int j = 0; j < d->view.n_changes; j++) {
      const tfc_change* c = &d->view.changes[j];
      if (c->reason == i) tfc_rank_set_add(&ranks, (int)(c->place * d->view.stride % d->view.size));
    }
    if (ranks.n) send_reason(d, rank, &d->view.reasons[i], &ranks);
    tfc_rank_set_clear(&ranks);
  }
}

static void tell_one(tfc_detector* d, int to, int about) {
  tfc_rank_set ranks = {.size = d->options.size};
  const tfc_reason* reason = tfc_view_reason(&d->view, about);
  if (reason && tfc_rank_set_add(&ranks, about)) send_reason(d, to, reason, &ranks);
  tfc_rank_set_clear(&ranks);
}

/* ---- As the root */

static suspect* suspect_of(tfc_detector* d, int rank) {
  if (!d->suspects) d->suspects = calloc((size_t)d->options.size, sizeof *d->suspects);
  return d->suspects ? &d->suspects[rank] : NULL;
}

/* A lease of a member that never answered this root began no later than this. */
static int64_t first_count(const tfc_detector* d) {
  int64_t from = d->first_quorum;
  return d->complete || from > d->options.start_ns ? from : d->options.start_ns;
}

static void condemn(tfc_detector* d, int rank, int64_t counted_at) {
  suspect* s = suspect_of(d, rank);
  if (!s || !tfc_rank_set_add(&d->condemned, rank)) return; /* no memory: with the next wave */
  s->counted_at = counted_at;
  s->version = ++d->version;
  d->next_wave = d->now;
}

static void note_missing(tfc_detector* d, const tfc_rank_set* missing) {
  if (!missing->n && !d->suspects) return;
  for (int rank = 0; rank < d->options.size; rank++) {
    suspect* s = suspect_of(d, rank);
    if (!s || s->version != NOT_CONDEMNED) continue;
    if (!tfc_rank_set_has(missing, rank)) {
      if (s->counted_at < d->now) s->counted_at = 0; /* a newcomer's is in the future */
      continue;
    }
    if (!s->counted_at) s->counted_at = d->completed_at ? d->completed_at : 1;
    int64_t since = s->counted_at > first_count(d) ? s->counted_at : first_count(d);
    if (d->had_quorum && limit(d) && d->now - since > limit(d)) condemn(d, rank, since);
  }
  if (!missing->n && !d->condemned.n) {
    free(d->suspects);
    d->suspects = NULL;
  }
}

/* What the members of a quorum have told of earlier roots. */
static void adopt_condemned(tfc_detector* d) {
  for (int r = tfc_rank_set_next(&d->condemned, 0); r >= 0;
       r = tfc_rank_set_next(&d->condemned, r + 1)) {
    suspect* s = suspect_of(d, r);
    if (s && s->version == NOT_CONDEMNED) condemn(d, r, d->now);
  }
}

static void complete(tfc_detector* d, slot* s, int64_t count, bool has_lowest,
                     const tfc_rank_set* missing) {
  bool quorum = is_quorum(d, count, has_lowest);
  d->reached = (uint32_t)count;
  if (quorum) {
    if (!d->first_quorum) d->first_quorum = d->old_wave > 1 ? d->old_wave : 1;
    d->elected = true;
    d->complete |= count == d->view.n;
    d->slow_lease |= s->slow;
    if (s->known > d->confirmed) d->confirmed = s->known;
    if (s->began > d->lease_start) d->lease_start = s->began;
    if (s->began > d->quorum_sent) d->quorum_sent = s->began;
    if (s->condemned_version > d->adopted) d->adopted = s->condemned_version;
    d->last_quorum = d->now;
  }
  if (s->wave <= d->completed) return;
  d->had_quorum = quorum;
  if (quorum) adopt_condemned(d);
  note_missing(d, missing);
  d->completed = s->wave;
  d->completed_at = d->now;
}

/* ---- Waves */

/* A child's answer is confirmed if it is part of this node's last confirmed answer. An earlier one
 * may never have reached the root. */
static uint32_t confirmed_of(const tfc_detector* d, const child* c) {
  bool included = c->included[d->confirmed % SLOTS] == d->confirmed;
  return included && !tfc_rank_set_has(&d->condemned, c->rank) ? d->confirmed : 0;
}

static void forward(tfc_detector* d, const slot* s) {
  make_tree(d);
  bypass(d);
  tfc_detector_message m = message(d, TFC_WAVE);
  m.flags = (uint8_t)((d->elected ? TFC_ELECTED : 0) | (d->complete ? TFC_COMPLETE : 0) |
                      (d->slow ? TFC_SLOW : 0) | (d->slow_lease ? TFC_SLOW_LEASE : 0));
  m.wave = s->wave;
  m.count = d->reached;
  m.silence_ms = (uint32_t)((d->now - d->quorum_sent) / 1000000) + 1;
  for (int i = 0; i < d->n_children; i++) {
    child* c = &d->children[i];
    if (!c->asked_since) c->asked_since = d->now;
    m.confirmed = confirmed_of(d, c);
    send(d, c->rank, &m);
  }
}

/* What the answers to a wave say together. */
typedef struct total {
  int64_t count;
  bool has_lowest;
  tfc_rank_set missing;
} total;

/* Whether all have answered that may still do so. */
static bool is_complete(const tfc_detector* d, const slot* s) {
  int at = (int)(s->wave % SLOTS);
  if (d->now - s->began > patience(d)) return true;
  for (int i = 0; i < d->n_children; i++) {
    const child* c = &d->children[i];
    if (c->answered[at] == s->wave || c->last_answer > s->wave) continue;
    if (!c->asked_since || d->now - c->asked_since <= intervals(d, 2.5)) return false;
  }
  return true;
}

static void sum(tfc_detector* d, const slot* s, total* t) {
  int at = (int)(s->wave % SLOTS);
  *t = (total){1, tfc_view_lowest(&d->view) == d->options.rank, {.size = d->options.size}};
  for (int i = 0; i < d->n_children; i++) {
    child* c = &d->children[i];
    bool answered = c->answered[at] == s->wave;
    if (answered && c->elsewhere[at]) continue;
    if (answered && c->count[at]) {
      t->count += c->count[at];
      t->has_lowest |= c->has_lowest[at];
      c->included[at] = s->wave;
      tfc_rank_set_merge(&t->missing, &c->missing);
    } else if (c->bypassed) {
      tfc_rank_set_add(&t->missing, c->rank);
    } else {
      add_subtree(d, c->rank, &t->missing);
    }
  }
}

static void answer(tfc_detector* d, slot* s) {
  total t;
  sum(d, s, &t);
  s->answered = true;
  s->answered_at = d->now;
  if (!d->counted) d->lease_start = d->now;
  d->counted = true;
  if (is_root(d)) {
    complete(d, s, t.count, t.has_lowest, &t.missing);
  } else {
    tfc_detector_message m = message(d, TFC_ANSWER);
    m.flags = (uint8_t)((t.has_lowest ? TFC_LOWEST : 0) | (d->slow ? TFC_SLOW : 0));
    m.wave = s->wave;
    m.count = (uint32_t)t.count;
    m.silence_ms = (uint32_t)((d->now - d->old_wave) / 1000000);
    m.ranks = t.missing;
    send(d, s->parent, &m);
  }
  tfc_rank_set_clear(&t.missing);
}

static void answer_if_complete(tfc_detector* d, slot* s) {
  if (s->wave && !s->answered && is_complete(d, s)) answer(d, s);
}

static slot* new_slot(tfc_detector* d, uint32_t wave, int parent) {
  slot* s = &d->slots[wave % SLOTS];
  *s = (slot){.wave = wave, .parent = parent, .began = d->now};
  return s;
}

static void start_wave(tfc_detector* d) {
  slot* s = new_slot(d, ++d->sent, d->options.rank);
  s->known = d->completed;
  s->condemned_version = d->version;
  s->slow = d->slow;
  d->next_wave = d->now + d->options.interval_ns;
  forward(d, s);
  answer_if_complete(d, s);
}

/* ---- Terms */

static void begin_term(tfc_detector* d, uint64_t term, int root) {
  if (d->last_wave > d->old_wave) d->old_wave = d->last_wave;
  d->term = term;
  d->root = root;
  d->elected = false;
  d->confirmed = d->completed = d->sent = 0;
  d->first_quorum = d->completed_at = 0;
  d->had_quorum = false;
  d->version = d->adopted = 0;
  free(d->suspects);
  d->suspects = NULL;
  memset(d->slots, 0, sizeof d->slots);
  d->tree_root = -1;
  make_tree(d);
}

static void become_root(tfc_detector* d) {
  uint32_t unique = (uint32_t)(d->options.size - tfc_view_index(&d->view, d->options.rank));
  begin_term(d, ((d->term >> 32) + 1) << 32 | unique, d->options.rank);
  d->next_wave = d->now;
}

/* The first in the order need the shortest silence. */
static bool should_become_root(const tfc_detector* d) {
  int index = tfc_view_index(&d->view, d->options.rank);
  int root = tfc_view_index(&d->view, d->root);
  if (root >= 0 && root < index) index--;
  return d->now - d->last_wave > intervals(d, 5 + 0.5 * index);
}

/* Follows another root, unless its own has been heard lately. */
static bool follow(tfc_detector* d, const tfc_detector_message* m) {
  int64_t heard = is_root(d) ? d->last_quorum : d->last_wave;
  if (d->elected && (int)m->root != d->root && d->now - heard < intervals(d, 2.5)) return false;
  if (is_root(d)) d->last_wave = d->now; /* earlier waves of this task are over from now on */
  begin_term(d, m->term, (int)m->root);
  return true;
}

/* ---- Receiving */

/* Late answers are not confirmed in time: a wave alone extends the lease, too, by less. */
static void extend_lease(tfc_detector* d, const tfc_detector_message* m) {
  if (!(m->flags & TFC_ELECTED)) return;
  d->quorum_sent = d->now - (int64_t)m->silence_ms * 1000000;
  int64_t start = d->quorum_sent - intervals(d, 6.5);
  if (start > d->lease_start && !tfc_rank_set_has(&d->condemned, d->options.rank))
    d->lease_start = start;
}

/* What came too late to count in a wave is a sign of life of the child and those below it. */
static void note_late(tfc_detector* d, const child* c) {
  if (!is_root(d) || !d->suspects) return;
  tfc_rank_set below = {.size = d->options.size};
  add_subtree(d, c->rank, &below);
  for (int r = tfc_rank_set_next(&below, 0); r >= 0; r = tfc_rank_set_next(&below, r + 1)) {
    suspect* s = &d->suspects[r];
    if (!tfc_rank_set_has(&c->missing, r) && s->counted_at && s->version == NOT_CONDEMNED &&
        s->counted_at < d->now)
      s->counted_at = d->now;
  }
  tfc_rank_set_clear(&below);
}

static void handle_wave(tfc_detector* d, const tfc_detector_message* m) {
  int from = (int)m->from;
  if (m->term < d->term || (m->term == d->term && is_root(d))) {
    tfc_detector_message stale = message(d, TFC_ANSWER); /* of a higher term */
    if (m->term < d->term) send(d, from, &stale);
    return;
  }
  if ((m->term > d->term || d->root < 0) && !follow(d, m)) return;
  bool same = m->digest == d->view.digest;
  if (same) tfc_rank_set_merge(&d->condemned, &m->condemned);
  d->last_wave = d->now;
  d->elected = m->flags & TFC_ELECTED;
  d->complete |= (m->flags & TFC_COMPLETE) != 0;
  d->slow |= (m->flags & TFC_SLOW) != 0;
  d->slow_lease |= (m->flags & TFC_SLOW_LEASE) != 0;
  d->reached = m->count;
  const slot* own = &d->slots[m->confirmed % SLOTS];
  if (m->confirmed > d->confirmed && own->wave == m->confirmed && own->answered) {
    d->confirmed = m->confirmed;
    if (own->answered_at > d->lease_start) d->lease_start = own->answered_at;
  }
  extend_lease(d, m);
  slot* s = &d->slots[m->wave % SLOTS];
  if (s->wave >= m->wave) {
    if (s->wave != m->wave || s->parent == from) return;
    tfc_detector_message elsewhere = message(d, TFC_ANSWER);
    elsewhere.flags = TFC_ELSEWHERE;
    elsewhere.wave = m->wave;
    send(d, from, &elsewhere);
    return;
  }
  d->parent = from;
  s = new_slot(d, m->wave, from);
  forward(d, s);
  answer_if_complete(d, s);
}

static void handle_answer(tfc_detector* d, tfc_detector_message* m) {
  if (m->term > d->term && is_root(d)) {
    /* An elected root outvotes one that is not; others have gone over to the newer one. */
    d->term = m->term;
    if (d->elected && d->now - d->last_quorum < intervals(d, 2.5)) {
      d->last_wave = d->last_quorum;
      become_root(d);
    } else {
      d->last_wave = d->now;
      begin_term(d, m->term, -1);
    }
    return;
  }
  child* c = find_child(d, (int)m->from);
  int at = (int)(m->wave % SLOTS);
  if (m->term != d->term || !c || !m->wave) return;
  slot* s = &d->slots[at];
  bool elsewhere = m->flags & TFC_ELSEWHERE, same = m->digest == d->view.digest;
  c->asked_since = 0;
  if (m->wave > c->last_answer) {
    c->last_answer = m->wave;
    tfc_rank_set_clear(&c->missing);
    if (same) {
      c->missing = m->ranks;
      m->ranks.bits = NULL;
    }
  }
  d->slow |= (m->flags & TFC_SLOW) != 0;
  if (s->wave == m->wave && !s->answered) {
    c->answered[at] = m->wave;
    c->count[at] = same ? m->count : 0;
    c->has_lowest[at] = m->flags & TFC_LOWEST;
    c->elsewhere[at] = elsewhere;
    if (same) tfc_rank_set_merge(&d->condemned, &m->condemned);
    int64_t old_wave = d->now - (int64_t)m->silence_ms * 1000000;
    if (old_wave > d->old_wave) d->old_wave = old_wave;
  } else if (same && !elsewhere && m->count) {
    note_late(d, c);
  }
  if (!elsewhere) stop_bypassing(d, (int)m->from);
  /* Others that waited for an answer to an earlier wave know now that none will come. */
  for (int i = 0; i < SLOTS; i++) answer_if_complete(d, &d->slots[i]);
}

/* The parent is the node that sends waves, and the one that should. */
static void tell_neighbours(tfc_detector* d, int but, const tfc_reason* reason,
                            tfc_rank_set* ranks) {
  int index = tree_index(d, d->options.rank);
  int above = index > 0 ? tree_member(d, (index - 1) / TFC_DETECTOR_FANOUT) : -1;
  if (d->parent >= 0 && d->parent != but && d->parent != d->options.rank)
    send_reason(d, d->parent, reason, ranks);
  if (above >= 0 && above != but && above != d->parent) send_reason(d, above, reason, ranks);
  for (int i = 0; i < d->n_children; i++)
    if (d->children[i].rank != but && d->children[i].rank != d->parent)
      send_reason(d, d->children[i].rank, reason, ranks);
}

/* A quorum of fewer members says nothing of the time when they were more. */
static void shrink(tfc_detector* d, int n_before) {
  if (!is_root(d) || !d->first_quorum || d->view.n >= n_before) return;
  if (2 * (int64_t)d->reached <= n_before) d->first_quorum = d->now;
}

/* Tells the old and the new neighbours: a task that has not learnt it still has the old tree. */
static void learn(tfc_detector* d, tfc_rank_set* ranks, uint32_t number, int event,
                  const char* text, int from) {
  int n = d->view.n;
  if (!tfc_view_learn(&d->view, ranks, number, event, text) || !ranks->n) return;
  const tfc_reason* reason = tfc_view_reason(&d->view, tfc_rank_set_next(ranks, 0));
  tell_neighbours(d, from, reason, ranks);
  for (int r = tfc_rank_set_next(ranks, 0); r >= 0; r = tfc_rank_set_next(ranks, r + 1)) {
    tfc_rank_set_remove(&d->condemned, r);
    /* A newcomer has time to start; the place's earlier process says nothing. */
    suspect* s = is_root(d) && (number % 2 == 0 || d->suspects) ? suspect_of(d, r) : NULL;
    if (s) *s = (suspect){number % 2 ? 0 : d->now + grace(d), NOT_CONDEMNED};
  }
  shrink(d, n);
  make_tree(d);
  tell_neighbours(d, from, reason, ranks);
  bool me = tfc_rank_set_has(ranks, d->options.rank) && number > d->options.number;
  for (int r = tfc_rank_set_next(ranks, 0); r >= 0; r = tfc_rank_set_next(ranks, r + 1))
    if (r != d->options.rank) d->user.changed(d->user.user, r, number, event, text);
  if (me && event == TFC_MEMBER_LEFT) d->over = true; /* it has told the others so itself */
  if (me) end(d, event == TFC_MEMBER_JOINED ? "another process has its place" : text);
  if (!d->over && !is_root(d) && (d->root < 0 || !tfc_view_is_member(&d->view, d->root))) {
    /* No need to wait for a root that is certainly dead. */
    int64_t soon = d->now - intervals(d, 5);
    if (d->root >= 0 && d->last_wave > soon) {
      d->old_wave = d->last_wave;
      d->last_wave = soon;
    }
  }
  for (int i = 0; i < SLOTS && !d->over; i++) answer_if_complete(d, &d->slots[i]);
}

static void handle_facts(tfc_detector* d, tfc_detector_message* m) {
  if (m->event < TFC_MEMBER_DEAD || m->event > TFC_MEMBER_JOINED) return;
  if ((m->event == TFC_MEMBER_JOINED) == m->fact_number % 2) return;
  learn(d, &m->ranks, m->fact_number, (int)m->event, m->text, (int)m->from);
}

static void dispatch(tfc_detector* d, tfc_detector_message* m) {
  int from = (int)m->from;
  uint32_t number = tfc_view_number(&d->view, from);
  if (m->kind == TFC_FACTS) {
    handle_facts(d, m);
    return;
  }
  if (m->number < number) tell_one(d, from, from); /* it must not act as if it counted */
  if (m->number != number) return;                 /* higher: the task that let it in will tell */
  if (m->digest != d->view.digest) tfc_detector_tell(d, from);
  if (m->kind == TFC_WAVE) handle_wave(d, m);
  if (m->kind == TFC_ANSWER) handle_answer(d, m);
}

int tfc_detector_receive(tfc_detector* d, int64_t now, const void* data, size_t bytes) {
  tfc_detector_message m;
  memset(&m, 0, sizeof m);
  m.ranks.size = m.condemned.size = d->options.size;
  bool ok = tfc_detector_read(&m, data, bytes) && m.from < (uint32_t)d->options.size &&
            m.from != (uint32_t)d->options.rank &&
            (m.kind != TFC_WAVE || m.root < (uint32_t)d->options.size);
  if (now > d->now) d->now = now;
  if (ok && !d->over) dispatch(d, &m);
  tfc_rank_set_clear(&m.ranks);
  tfc_rank_set_clear(&m.condemned);
  return ok ? (int)m.from : -1;
}

/* ---- Time passes */

static void check_lease(tfc_detector* d) {
  char text[160];
  if (limit(d) && tfc_rank_set_has(&d->condemned, d->options.rank)) {
    end(d, "it has given no sign of life in time");
    return;
  }
  if (!limit(d) || d->now - d->lease_start <= lease(d)) return;
  snprintf(text, sizeof text,
           "it is on the smaller side of a network cut: it reaches fewer than half of the %d tasks",
           d->view.n);
  end(d, text);
}

/* Declares dead the condemned members whose leases are over. */
static void exclude(tfc_detector* d) {
  tfc_rank_set over = {.size = d->options.size};
  int64_t longest = 0;
  if (!d->had_quorum || !d->suspects) return;
  for (int r = tfc_rank_set_next(&d->condemned, 0); r >= 0;
       r = tfc_rank_set_next(&d->condemned, r + 1)) {
    const suspect* s = &d->suspects[r];
    if (s->version == NOT_CONDEMNED || s->version > d->adopted) continue;
    int64_t silence = d->now - s->counted_at;
    if (silence < grace(d) || tfc_view_number(&d->view, r) % 2) continue;
    if (silence > longest) longest = silence;
    tfc_rank_set_add(&over, r);
  }
  char text[100];
  snprintf(text, sizeof text, "it has given no sign of life for %.1f s", (double)longest / 1e9);
  /* Places with different numbers are different facts. */
  while (over.n) {
    tfc_rank_set same = {.size = d->options.size};
    uint32_t number = tfc_view_number(&d->view, tfc_rank_set_next(&over, 0));
    for (int r = tfc_rank_set_next(&over, 0); r >= 0; r = tfc_rank_set_next(&over, r + 1))
      if (tfc_view_number(&d->view, r) == number) tfc_rank_set_add(&same, r);
    for (int r = tfc_rank_set_next(&same, 0); r >= 0; r = tfc_rank_set_next(&same, r + 1))
      tfc_rank_set_remove(&over, r);
    learn(d, &same, number + 1, TFC_MEMBER_FROZEN, text, -1);
    tfc_rank_set_clear(&same);
  }
  tfc_rank_set_clear(&over);
}

void tfc_detector_tick(tfc_detector* d, int64_t now) {
  if (now > d->now) d->now = now;
  if (d->over) return;
  check_lease(d);
  if (d->over) return;
  if (!is_root(d) && should_become_root(d)) become_root(d);
  if (is_root(d) && d->now >= d->next_wave) start_wave(d);
  for (int i = 0; i < SLOTS; i++) answer_if_complete(d, &d->slots[i]);
  if (is_root(d)) exclude(d);
}

void tfc_detector_note(tfc_detector* d, int64_t now, int rank, uint32_t number, int event,
                       const char* text) {
  tfc_rank_set one = {.size = d->options.size};
  if (now > d->now) d->now = now;
  /* It leaves: tells others, and not its user. */
  if (rank == d->options.rank && number > d->options.number) d->over = true;
  if (tfc_rank_set_add(&one, rank)) learn(d, &one, number, event, text, -1);
  tfc_rank_set_clear(&one);
}

/* ---- Making one */

tfc_detector* tfc_detector_new(const tfc_detector_options* options, const tfc_detector_user* user,
                               int64_t now) {
  tfc_detector* d = calloc(1, sizeof *d);
  if (!d) return NULL;
  d->options = *options;
  d->user = *user;
  d->now = d->last_wave = d->old_wave = now;
  /* A task that joins is not waited for: its lease begins at once. */
  d->lease_start = options->start_ns > now ? options->start_ns : now;
  d->condemned.size = options->size;
  tfc_view_init(&d->view, options->size);
  d->buffer = malloc(tfc_detector_message_room(options->size));
  if (!d->buffer || !tfc_view_leave_empty(&d->view, options->empty)) {
    tfc_detector_free(d);
    return NULL;
  }
  d->root = d->parent = -1;
  begin_term(d, 0, options->number ? -1 : tfc_view_member(&d->view, 0));
  d->next_wave = now;
  return d;
}

void tfc_detector_free(tfc_detector* d) {
  clear_children(d);
  free(d->children);
  free(d->suspects);
  tfc_rank_set_clear(&d->condemned);
  tfc_view_free(&d->view);
  free(d->buffer);
  free(d);
}

bool tfc_detector_is_counted(const tfc_detector* d) {
  return d->counted;
}

void tfc_detector_go_slow(tfc_detector* d) {
  d->slow = true;
}

const tfc_view* tfc_detector_view(const tfc_detector* d) {
  return &d->view;
}

int tfc_detector_root(const tfc_detector* d) {
  return d->root;
}

bool tfc_detector_is_over(const tfc_detector* d) {
  return d->over;
}

int tfc_detector_neighbours(const tfc_detector* d, int* ranks, int room) {
  int n = 0;
  if (d->parent >= 0 && d->parent != d->options.rank && n < room) ranks[n++] = d->parent;
  for (int i = 0; i < d->n_children && n < room; i++) ranks[n++] = d->children[i].rank;
  return n;
}
