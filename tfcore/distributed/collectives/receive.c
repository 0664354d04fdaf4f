/* What the messages of other ranks mean for a running instance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/instance.h"

static const char EQUAL_ADVICE[] =
    ". These values have to be the same on all ranks: run tf.distributed.broadcast_variables() "
    "after the initializer or a restored checkpoint, and give all ranks the same learning rate";

int tfc_collective_index_of(const tfc_collective* c, int rank) {
  for (int p = 0; p < c->n; p++)
    if (c->ranks[p] == rank) return p;
  return -1;
}

/* ---- Blocks */

static int offer(tfc_instance* x, int block) {
  bool start = tfc_work_add(x, block);
  return x->inline_work ? MUST_WORK : start ? MUST_START : 0;
}

static bool is_16bit(int32_t dtype) {
  return dtype == TFC_HALF || dtype == TFC_BFLOAT16;
}

/* Whether the payload has the expected type and size. */
static bool fits(int32_t dtype, int64_t n, const tfc_tensor* t) {
  return n == 0 ? t->n == 0 : t->dtype == dtype && t->n == n && t->data;
}

/* NULL: there is no such block of a reduction. */
static tfc_block* block_of(tfc_instance* x, int64_t i) {
  bool any = x->c->kind != TFC_COLLECTIVE_GATHER && i >= 0 && i < x->n_blocks;
  return any ? &x->blocks[i] : NULL;
}

static int receive_input(tfc_instance* x, int p, int64_t i, tfc_tensor* payload) {
  tfc_block* b = block_of(x, i);
  tfc_part* part = NULL;
  for (int k = 0; b && k < b->n_parts && !part; k++)
    if (b->parts[k].from == p) part = &b->parts[k];
  if (!part || part->here) return 0;
  bool elsewhere = x->c->hosts.host_of[p] != x->c->hosts.host_of[x->c->me];
  bool wide = elsewhere && b->tree.root != EVERYONE && is_16bit(x->dtype);
  if (!fits(x->dtype, b->n, payload) && !(wide && fits(TFC_FLOAT, b->n, payload))) return 0;
  part->here = true;
  part->value = *payload;
  payload->buffer = NULL;
  return --b->missing == 0 ? offer(x, (int)i) : 0;
}

/* Whether a result that comes from this rank is waited for. */
static bool awaits_result(const tfc_block* b, int p) {
  return b->shared && b->parent == p && !b->has_result && (!b->n_parts || b->combined);
}

static int receive_result(tfc_instance* x, int p, int64_t i, tfc_tensor* payload) {
  tfc_block* b = block_of(x, i);
  if (!b || !awaits_result(b, p) || !fits(x->dtype, b->n, payload)) return 0;
  b->has_result = true;
  b->result = *payload;
  payload->buffer = NULL;
  return offer(x, (int)i);
}

/* A result from another host is received where it belongs. */
static bool place_result(tfc_instance* x, const tfc_message* m, tfc_tensor* out) {
  tfc_block* b = block_of(x, m->iteration);
  int p = tfc_collective_index_of(x->c, m->source);
  bool fits = b && m->dtype == x->dtype && m->bytes == b->n * (int64_t)x->element;
  if (!fits || b->placed || p < 0 || !awaits_result(b, p) || !b->out_buffer) return false;
  b->placed = true;
  *out = tfc_block_tensor(x, b, b->out, b->out_buffer);
  tfc_buffer_ref(out->buffer);
  return true;
}

bool tfc_instance_place(const tfc_message* m, tfc_tensor* out) {
  if ((m->flags & SAYS_MASK) != SAYS_RESULT) return false;
  pthread_mutex_lock(&tfc_collectives_lock);
  tfc_instance* x = tfc_instance_of(m);
  bool runs = x && !x->code && !x->cancelled && !x->claimed && m->frame == x->hash;
  bool placed = runs && place_result(x, m, out);
  pthread_mutex_unlock(&tfc_collectives_lock);
  return placed;
}

/* ---- Whole tensors */

/* In a gather, shapes may differ only in the number of rows. */
static bool has_rows_like(const tfc_tensor* t, const tfc_tensor* in) {
  if (t->rank != in->rank) return false;
  for (int d = 1; d < t->rank; d++)
    if (t->dims[d] != in->dims[d]) return false;
  return true;
}

static int receive_part(tfc_instance* x, int p, tfc_tensor* payload) {
  bool gathers = x->c->kind == TFC_COLLECTIVE_GATHER;
  bool expected = gathers ? has_rows_like(payload, x->ctx->inputs[0]) : p == x->c->root;
  if (!x->parts || !expected || x->heard[p] || payload->dtype != x->dtype) return 0;
  x->parts[p] = *payload;
  payload->buffer = NULL;
  x->heard[p] = true;
  x->n_heard++;
  bool all = ++x->n_parts == x->c->n;
  return all && gathers ? MUST_PREPARE : 0;
}

/* ---- Disagreement and failure */

static int disagree(tfc_instance* x) {
  if (x->described) return 0;
  x->described = true;
  return MUST_DESCRIBE;
}

static int length_of(const tfc_tensor* text) {
  bool is_text = text->dtype == TFC_UINT8 && text->data;
  return !is_text ? 0 : text->n < INT32_MAX ? (int)text->n : INT32_MAX;
}

/* Moves both to the first line in which two descriptions differ. */
static void find_difference(const char** a, const char** b) {
  for (;;) {
    size_t n = strcspn(*a, "\n"), m = strcspn(*b, "\n");
    bool same = n == m && memcmp(*a, *b, n) == 0;
    if (!same || !(*a)[n] || !(*b)[m]) return;
    *a += n + 1;
    *b += m + 1;
  }
}

/* The fields of a line of a description. */
typedef struct side {
  const char *what, *name;
  int what_length, name_length;
} side;

static side side_of(const char* line) {
  int n = (int)strcspn(line, "\t\n");
  const char* name = line + n + (line[n] == '\t');
  return (side){line, name, n, (int)strcspn(name, "\t\n")};
}

/* Whether the ranks name the same input: then only its values differ. */
static bool same_input(side a, side b) {
  return a.what_length == b.what_length && a.name_length == b.name_length && a.name_length &&
         !memcmp(a.what, b.what, (size_t)a.what_length) &&
         !memcmp(a.name, b.name, (size_t)a.name_length);
}

static void say_side(FILE* f, const char* who, side s) {
  fprintf(f, "%s has %.*s", who, s.what_length, s.what);
  if (s.name_length) fprintf(f, " '%.*s'", s.name_length, s.name);
}

static void say_disagreement(FILE* f, const tfc_instance* x, int source, side here, side there) {
  char me[256], peer[256];
  tfc_name_task(tfc_rank_here(), me, sizeof me);
  tfc_name_task(source, peer, sizeof peer);
  fprintf(f, "Ranks disagree about the collective '%s' (run %lld): ", x->c->key,
          tfc_run_number(x->count));
  if (same_input(here, there)) {
    fprintf(f, "'%.*s' (%.*s) has different values on %s and %s", here.name_length, here.name,
            here.what_length, here.what, me, peer);
  } else {
    say_side(f, me, here);
    fprintf(f, ", but ");
    say_side(f, peer, there);
  }
  if (x->c->kind == TFC_COLLECTIVE_EQUAL) fprintf(f, "%s", EQUAL_ADVICE);
}

/* Another rank has described its side, and it differs from ours. */
static int receive_description(tfc_instance* x, int source, const tfc_tensor* payload) {
  char *here = tfc_instance_describe(x), *message = NULL;
  char* there = strndup(payload->data ? payload->data : "", (size_t)length_of(payload));
  const char *a = here ? here : "", *b = there ? there : "";
  find_difference(&a, &b);
  size_t size = 0;
  FILE* f = open_memstream(&message, &size);
  if (f) {
    say_disagreement(f, x, source, side_of(a), side_of(b));
    fclose(f);
  }
  tfc_instance_fail(x, TFC_INVALID_ARGUMENT, message ? message : "Ranks disagree");
  free(message);
  free(here);
  free(there);
  return disagree(x);
}

static void receive_abort(tfc_instance* x, int code, const tfc_tensor* payload) {
  char* message = strndup(payload->data ? payload->data : "", (size_t)length_of(payload));
  tfc_instance_fail(x, code ? code : TFC_ABORTED, message ? message : "out of memory");
  free(message);
}

int tfc_instance_receive(tfc_instance* x, const tfc_message* m, tfc_tensor* payload) {
  int says = m->flags & SAYS_MASK, p = tfc_collective_index_of(x->c, m->source);
  if (x->code || x->cancelled) {
    bool differs = says != SAYS_ABORT && m->frame != x->hash;
    return differs ? disagree(x) : 0; /* the other rank must learn of it, too */
  }
  if (says == SAYS_ABORT) {
    receive_abort(x, m->code, payload);
    return 0;
  }
  if (m->frame != x->hash || p < 0) {
    if (says == SAYS_DESCRIPTION) return receive_description(x, m->source, payload);
    return disagree(x);
  }
  if (m->flags & TFC_MSG_LOST) {
    tfc_instance_fail_all(x, TFC_RESOURCE_EXHAUSTED,
                          "a rank of the collective has no memory for what others send");
    return 0;
  }
  int must = 0;
  if (says == SAYS_INPUT) must = receive_input(x, p, m->iteration, payload);
  if (says == SAYS_RESULT) must = receive_result(x, p, m->iteration, payload);
  if (says == SAYS_PART) must = receive_part(x, p, payload);
  return must;
}

static void prepare(tfc_instance* x) {
  int code = tfc_instance_prepare(x);
  bool start = false;
  pthread_mutex_lock(&tfc_collectives_lock);
  x->prepared = true;
  if (code) tfc_instance_fail_all(x, code, "a rank has no memory for the result");
  for (int i = 0; i < x->n_blocks && !code; i++) start |= tfc_work_add(x, i);
  pthread_mutex_unlock(&tfc_collectives_lock);
  if (start) tfc_work_start();
  if (x->inline_work) tfc_work_inline(x);
}

void tfc_instance_act(tfc_instance* x, int must) {
  if (must & MUST_DESCRIBE) {
    char* text = tfc_instance_describe(x);
    tfc_instance_send_text(x->c, x->count, x->hash, SAYS_DESCRIPTION, 0,
                           text ? text : "something else");
    free(text);
  }
  if (must & MUST_PREPARE) prepare(x);
  if (must & MUST_WORK) tfc_work_inline(x);
  if (must & MUST_START) tfc_work_start();
}
