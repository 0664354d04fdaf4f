"""A primary and its backup (replicas/primary.c, backup.c) in one process: tests choose when messages arrive."""

import ctypes
import functools
import itertools
import os
import shutil
import subprocess
import tempfile

import numpy as np
import pytest

from tests.distributed.transport.simulated_mpi import FOLDERS

ROW = 4  # elements of a row of a variable
PRIMARY, BACKUP = 0, 1
OFF, COPYING, ON = range(3)

# What the files need of the rest: a fabric that hands messages to the test, tensors, variables.
REST = """
#include "replicas/replica.h"
#include <stdlib.h>
#include <string.h>

enum { ROW = 4 };
typedef struct node { tfc_message m; tfc_tensor payload; int to; struct node* next; } node;
static node *first, *last;
static tfc_handler handlers[TFC_MSG_KINDS];
static tfc_failure_fn failures[4], drained;
static int n_failures, me, is_alive = 1, fails, n_released, shares, room, lends;
static uint32_t lives[2];
static tfc_keep_changes keep;
static int64_t released[1 << 16];

static void release(tfc_buffer* b) { free(b->data); free(b); }
bool tfc_tensor_new(tfc_tensor* t, int rank, const int64_t* dims) {
  t->rank = rank;
  t->n = 1;
  for (int i = 0; i < rank; i++) t->n *= t->dims[i] = dims[i];
  tfc_buffer* b = calloc(1, sizeof *b);
  b->refs = 1;
  b->release = release;
  b->size = (size_t)t->n * tfc_dtype_size(t->dtype);
  b->data = t->data = malloc(b->size + 1);
  t->buffer = b;
  return true;
}
bool tfc_tensor_copy(tfc_tensor* to, const tfc_tensor* from) {
  to->dtype = from->dtype;
  tfc_tensor_new(to, from->rank, from->dims);
  memcpy(to->data, from->data, to->buffer->size);
  return true;
}
bool tfc_tensor_read(tfc_tensor* to, const tfc_tensor* from) { return false; } /* of devices */
void tfc_variable_unref(tfc_variable* v) {
  if (--v->refs) return;
  v->tracker->destroyed(v->tracker);
  tfc_tensor_clear(&v->value);
  free(v);
}

int tfc_send_to(int peer, uint32_t life, tfc_message* m, const tfc_tensor* payload) {
  if (!is_alive || lives[peer] != life) return TFC_UNAVAILABLE;
  if (fails && m->code != TFC_REPLICA_STOP) return TFC_RESOURCE_EXHAUSTED;
  node* n = calloc(1, sizeof *n);
  n->m = *m;
  n->m.source = me;
  n->m.source_incarnation = lives[me];
  n->m.target_incarnation = life;
  n->to = peer;
  if (payload && payload->buffer) {
    n->payload = *payload;
    tfc_buffer_ref(payload->buffer);
    n->m.bytes = tfc_transit_bytes(payload);
    n->m.dtype = payload->dtype;
  }
  *(first ? &last->next : &first) = n;
  last = n;
  return TFC_OK;
}
int tfc_publish(int peer, uint32_t life, tfc_message* m, const tfc_tensor* payload, bool ring,
                   bool* published) {
  int code = tfc_send_to(peer, life, m, payload);
  *published = !code && shares && room-- > 0;
  return code;
}
int tfc_send(int peer, tfc_message* m, const tfc_tensor* payload) {
  return tfc_send_to(peer, lives[peer], m, payload);
}
void tfc_on_message(int kind, tfc_handler handler) { handlers[kind] = handler; }
void tfc_on_failure(tfc_failure_fn fn) { failures[n_failures++] = fn; }
void tfc_on_drained(tfc_failure_fn fn) { drained = fn; }
bool tfc_shares_memory(int peer) { return shares; }
void tfc_catch_up(int peer) {}
bool tfc_is_alive(int peer) { return is_alive; }
int tfc_failure_code(void) { return TFC_UNAVAILABLE; }
uint32_t tfc_incarnation_of(int peer) { return lives[peer]; }
void tfc_fail_incarnation(int peer, uint32_t incarnation, const char* why) {}
bool tfc_defer(void (*fn)(void*), void* arg, bool polls) { return false; }
void tfc_expect_no_more(void) {}
void tfc_lend_core_at_once(bool at_once) { lends = at_once; }

void tfc_partition_run_keep(tfc_keep_changes fn) { keep = fn; }
void tfc_partition_run_release(tfc_partition_run* run) {
  released[n_released++] = run->step;
  free(run);
}

/* ---- For the test */
void open_task(int rank, uint32_t own, uint32_t other) {
  me = rank;
  lives[rank] = own;
  lives[1 - rank] = other;
  if (rank == 0) tfc_replica_primary_open(1);
  tfc_replica_backup_open(rank ? 0 : -1, 1 - rank);
}
void set_life(int rank, uint32_t life) { lives[rank] = life; is_alive = 1; }
int lends_at_once(void) { return lends; }
void set_failing(int yes) { fails = yes; }
void set_memory(int is_shared, int messages) { shares = is_shared, room = messages; }
void lose_other(void) {
  is_alive = 0;
  for (int i = 0; i < n_failures; i++) failures[i](1 - me);
}
void drain_other(void) { drained(1 - me); }
node* take_message(void) {
  node* n = first;
  if (n) first = n->next;
  return n;
}
void deliver(node* n, int lost) {
  if (lost) {
    n->m.flags |= TFC_MSG_LOST;
    tfc_tensor_clear(&n->payload);
  }
  if (n->m.target_incarnation == lives[me] && n->m.source_incarnation == lives[1 - me])
    handlers[n->m.kind](&n->m, &n->payload);
  else
    tfc_tensor_clear(&n->payload);
  free(n);
}
void drop(node* n) { tfc_tensor_clear(&n->payload); free(n); }
tfc_variable* make_variable(const char* name, uint64_t number) {
  tfc_variable* v = calloc(1, sizeof *v);
  v->refs = 1;
  v->dtype = v->value.dtype = TFC_INT32;
  pthread_mutex_init(&v->mutex, NULL);
  tfc_replica_track(v, name, strlen(name), number);
  return v;
}
void drop_variable(tfc_variable* v) { tfc_variable_unref(v); }
static void fill(tfc_tensor* t, int64_t row, int32_t value) {
  for (int i = 0; i < ROW; i++) ((int32_t*)t->data)[row * ROW + i] = value;
}
void assign(tfc_variable* v, int64_t rows, int32_t value) {
  tfc_tensor t = {.dtype = TFC_INT32};
  int64_t dims[] = {rows, ROW};
  tfc_tensor_new(&t, 2, dims);
  for (int64_t i = 0; i < rows; i++) fill(&t, i, value);
  pthread_mutex_lock(&v->mutex);
  tfc_tensor_clear(&v->value);
  v->value = t;
  v->tracker->changed(v->tracker, NULL, 1);
  pthread_mutex_unlock(&v->mutex);
}
void write_rows(tfc_variable* v, int n, const int64_t* rows, int32_t value) {
  tfc_tensor indices = {.data = (void*)rows, .dtype = TFC_INT64, .n = n};
  pthread_mutex_lock(&v->mutex);
  if (!tfc_buffer_exclusive(v->value.buffer)) {
    tfc_tensor copy;
    tfc_tensor_copy(&copy, &v->value);
    tfc_tensor_clear(&v->value);
    v->value = copy;
  }
  for (int i = 0; i < n; i++)
    if (rows[i] >= 0 && rows[i] < v->value.dims[0]) fill(&v->value, rows[i], value);
  v->tracker->changed(v->tracker, &indices, 1);
  pthread_mutex_unlock(&v->mutex);
}
int end_run(int64_t step, int ok) {
  tfc_partition_run* run = calloc(1, sizeof *run);
  run->step = step;
  bool holds = keep(run, ok);
  if (!holds) free(run);
  return holds;
}
int64_t take_released(void) { return n_released ? released[--n_released] : -1; }
int64_t read_value(const tfc_tensor* t, int32_t* out) {
  if (!t->buffer) return -1;
  memcpy(out, t->data, (size_t)t->n * sizeof *out);
  return t->n;
}
int64_t read_variable(const tfc_variable* v, int32_t* out) { return read_value(&v->value, out); }
int64_t read_given(const tfc_given* g, int32_t* out) { return read_value(&g->value, out); }
const char* label_of(const tfc_given* g) { return g->label; }
int64_t label_size_of(const tfc_given* g) { return (int64_t)g->label_size; }
uint64_t number_of(const tfc_given* g) { return g->number; }
const tfc_given* next_of(const tfc_given* g) { return g->next; }
void count(int64_t out[5]) {
  tfc_replica_counts c = {0};
  tfc_replica_primary_count(&c);
  tfc_replica_backup_count(&c);
  int64_t found[] = {c.state, c.changes, c.acknowledged, c.complete, c.applied};
  memcpy(out, found, sizeof found);
}
"""


@functools.cache
def _built():
    """The folder with the compiled files. Skips the test where there is no gcc."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    folder = tempfile.TemporaryDirectory(prefix="tfcore-test-")
    rest, target = os.path.join(folder.name, "rest.c"), os.path.join(folder.name, "replicas.so")
    with open(rest, "w", encoding="utf-8") as file:
        file.write(REST)
    sources = [os.path.join(FOLDERS[0], "replicas", f"{side}.c") for side in ("primary", "backup")]
    flags = ["-O1", "-g", "-std=gnu11", "-pthread", "-shared", "-fPIC", *(f"-I{path}" for path in FOLDERS)]
    subprocess.run(["gcc", *flags, *sources, rest, "-o", target], check=True)
    return folder


_numbers = itertools.count(1)


class Process:
    """A process of a task, with state of its own.

    rank: PRIMARY or BACKUP. life, other: the incarnations of this process, and of the other task's.
    """

    def __init__(self, rank, life, other):
        folder = _built().name
        path = os.path.join(folder, f"{next(_numbers)}.so")  # a library of another name has other variables
        shutil.copyfile(os.path.join(folder, "replicas.so"), path)
        self.c = c = ctypes.CDLL(path)
        os.remove(path)
        for name in ("take_message", "make_variable", "next_of", "label_of"):
            getattr(c, name).restype = ctypes.c_void_p
        for name in ("take_released", "read_variable", "read_given", "label_size_of", "tfc_replica_give"):
            getattr(c, name).restype = ctypes.c_int64
        for name in ("tfc_replica_copy", "tfc_replica_list", "tfc_replica_take_given"):
            getattr(c, name).restype = ctypes.c_bool
        c.number_of.restype = ctypes.c_uint64
        c.make_variable.argtypes = (ctypes.c_char_p, ctypes.c_uint64)
        self.rank, self.life = rank, life
        c.open_task(rank, life, other)

    def messages(self):
        """Takes what it has sent."""
        found = []
        while message := self.c.take_message():
            found.append(ctypes.c_void_p(message))
        return found

    def counts(self):
        """(state, changes, acknowledged, complete, applied)"""
        found = (ctypes.c_int64 * 5)()
        self.c.count(found)
        return tuple(found)

    def released(self):
        """The runs that may have been told to their masters since the last call."""
        found = []
        while (step := self.c.take_released()) >= 0:
            found.append(step)
        return found

    def read(self, variable):
        return _read(self.c.read_variable, variable)

    def listed(self, take=False):
        """What it keeps, or with `take` what it was given: dict from labels to (number, value); None: incomplete."""
        first = ctypes.c_void_p()
        ok = (self.c.tfc_replica_take_given if take else self.c.tfc_replica_list)(ctypes.byref(first))
        found, at = {}, first.value
        while at:
            pointer = ctypes.c_void_p(at)
            label = ctypes.string_at(self.c.label_of(pointer), self.c.label_size_of(pointer)).decode()
            found[label] = self.c.number_of(pointer), _read(self.c.read_given, pointer)
            at = self.c.next_of(pointer)
        self.c.tfc_replica_free_given(first)
        return found if ok else None


def _read(read, pointer):
    values = np.empty(1 << 18, np.int32)
    n = read(pointer, values.ctypes.data_as(ctypes.c_void_p))
    return None if n < 0 else tuple(values[:n:ROW].tolist())
