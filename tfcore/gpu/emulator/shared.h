/* What the host process and the device processes share: one file in memory, with this layout.
 *
 *   machine        this header: a channel for each device, and in it a ring for each stream
 *   arena          pinned host memory, staging buffers, images of graphs and modules
 *   device 0, 1..  the memory of each device
 *
 * Regions are far larger than the memory that may be used: untouched pages cost nothing, and a
 * freed address is not used again for a long time. The host maps the machine and the arena, never a
 * device's memory; a device process maps everything.
 */
#ifndef TFCORE_EMULATOR_SHARED_H
#define TFCORE_EMULATOR_SHARED_H

#include <errno.h>
#include <linux/futex.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
  MAX_DEVICES = 16,
  MAX_STREAMS = 128, /* of a device; the first is the legacy default stream */
  MAX_EVENTS = 1 << 16,
  RING_BYTES = 64 << 10,
  RECORD_ALIGN = 64,
  MAX_PARAMETERS = 4096,
  MAX_SHARED_BYTES = 160 << 10, /* of a block, after cuFuncSetAttribute */
  REPORT_BYTES = 1024,
  POISON = 0xCB,
  FILE_DESCRIPTOR = 3, /* where a device process finds the file and its end of the socket */
  SOCKET_DESCRIPTOR = 4,
};
/* Of all page sizes that a processor may have, the largest. */
#ifdef __x86_64__
#define PAGE 4096ull
#else
#define PAGE (64ull << 10)
#endif
#define TICK_NS 4000000ll /* the longest time that a ready command is held back */

enum { IN_ARENA = -1, IN_COMMAND = -2, INLINE_BYTES = 1024 };

/* Memory: an address on a device, an offset in the arena, or what follows a command. */
typedef struct {
  int32_t device; /* or IN_ARENA or IN_COMMAND */
  uint64_t at;
} place;

typedef enum {
  COMMAND_PAD, /* fills the end of a ring: records don't wrap */
  COMMAND_COPY,
  COMMAND_FILL,
  COMMAND_RECORD,
  COMMAND_WAIT,
  COMMAND_LAUNCH,
  COMMAND_CALL,
  COMMAND_ALLOW,
  COMMAND_GRAPH,
  COMMAND_NOTHING, /* a node that only joins others */
} command_kind;

typedef struct {
  uint32_t kind;
  uint32_t bytes; /* of the record: this structure and what follows it */
  union {
    struct {
      place to, from;
      uint64_t count;
    } copy;
    struct {
      uint64_t to, count; /* count of elements */
      uint32_t value, width;
    } fill;
    uint32_t event; /* RECORD: index of its time */
    struct {        /* until a stream of any device has completed so many commands */
      uint32_t device, stream;
      uint64_t sequence;
    } wait;
    struct { /* the parameters follow */
      uint32_t function, shared_bytes, parameter_bytes;
      uint32_t grid[3], block[3];
    } launch;
    struct { /* of a host function */
      uint64_t function, argument, stream;
      uint32_t is_callback; /* gets stream and status, even after an error */
    } call;
    struct {
      uint64_t start, count;
      uint32_t on;
    } allow;
    uint64_t image; /* GRAPH: offset in the arena */
  };
} command;

/* A graph that can be launched: this, then offsets (from its start) of `count` nodes. */
typedef struct {
  uint64_t count;
  uint64_t nodes[];
} graph_image;

/* A node, followed by the indices of the nodes that it waits for, then, aligned, by its command. */
typedef struct {
  uint32_t waits_for;
  uint32_t command_at; /* bytes from the start of the node */
  uint32_t indices[];
} graph_node;

/* Counters only grow. The host writes `written`, the device the others, except `calls_done`. */
typedef struct {
  alignas(64) uint64_t written; /* bytes; under the host's lock */
  uint64_t submitted;           /* commands */
  alignas(64) uint64_t read;    /* bytes */
  uint64_t completed;           /* commands */
  alignas(64) uint64_t calls_done;
  alignas(64) char ring[RING_BYTES];
} stream_ring;

typedef enum {
  REQUEST_ALLOCATE,
  REQUEST_FREE,
  REQUEST_LOAD,
  REQUEST_UNLOAD,
  REQUEST_FIND,
  REQUEST_GLOBAL,
} request;

/* A request, which the device serves between commands whatever its streams do. */
typedef struct {
  uint32_t kind;
  uint32_t asked, answered; /* counters; `answered` is a futex */
  int32_t result;
  uint64_t at, count; /* operands; the values of the answer, too */
  char text[4096];    /* an operand; after a LOAD that failed, why */
} mailbox;

typedef struct {
  alignas(64) uint32_t doorbell; /* futex: the host has done something */
  uint32_t sleeping;             /* the device waits for the doorbell */
  uint32_t urgent;               /* counts what ends the device's laziness */
  uint32_t queries;
  uint32_t stream_limit;         /* no stream from here on was ever open */
  uint32_t waiters;              /* threads of the host that wait for progress */
  uint32_t awaits_others;        /* a stream waits for another device */
  alignas(64) uint32_t progress; /* futex: commands have completed */
  int32_t status;                /* CUresult; the first error stays */
  char report[REPORT_BYTES];     /* written before `status` */
  uint64_t seed;                 /* when the process starts */
  mailbox mailbox;
  stream_ring streams[MAX_STREAMS];
} channel;

typedef struct {
  uint32_t devices;
  uint64_t arena_bytes, device_bytes; /* of the regions */
  uint64_t bases[MAX_DEVICES];        /* addresses of the devices' memory */
  int64_t event_times[MAX_EVENTS];    /* nanoseconds, of the monotonic clock */
  channel channels[MAX_DEVICES];
} machine;

/* From a device to the host's server (process.c), through the socket. */
typedef struct {
  enum { MESSAGE_READY, MESSAGE_CALL } kind;
  uint32_t stream_index;
  int32_t status;
  uint64_t function, argument, stream;
  uint32_t is_callback;
  char text[128]; /* READY: what went wrong, or empty */
} message;

#define LOAD(p) __atomic_load_n(p, __ATOMIC_SEQ_CST)
#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_SEQ_CST)
#define ADD(p, v) __atomic_add_fetch(p, v, __ATOMIC_SEQ_CST)

static inline uint64_t round_up(uint64_t n, uint64_t unit) {
  return (n + unit - 1) / unit * unit;
}

static inline uint64_t arena_offset(void) {
  return round_up(sizeof(machine), PAGE);
}

static inline uint64_t device_offset(const machine* m, int device) {
  return arena_offset() + m->arena_bytes + m->device_bytes * device;
}

static inline int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Sleeps while *word is `seen`, at most ns nanoseconds; negative: without limit. Spurious returns
 * happen. */
static inline void futex_wait(const uint32_t* word, uint32_t seen, int64_t ns) {
  struct timespec t = {ns / 1000000000, ns % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT, seen, ns < 0 ? NULL : &t, NULL, 0);
}

static inline void futex_wake(const uint32_t* word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Wakes the device of a channel if it sleeps. */
static inline void ring_doorbell(channel* c) {
  ADD(&c->doorbell, 1);
  if (LOAD(&c->sleeping)) futex_wake(&c->doorbell);
}

/* Ends its laziness, too. */
static inline void urge(channel* c) {
  ADD(&c->urgent, 1);
  ADD(&c->doorbell, 1);
  futex_wake(&c->doorbell);
}

/* The rest of the ring at `position` is too short for `bytes`: how much to leave. */
static inline uint64_t ring_pad(uint64_t position, uint64_t bytes) {
  uint64_t left = RING_BYTES - position % RING_BYTES;
  return left < bytes ? left : 0;
}

#endif
