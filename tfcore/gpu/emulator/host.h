/* The emulated driver in the host process.
 *
 * One lock protects all state of this file. It is not held while a thread waits for the work of a
 * device, only for its start and its end; what a thread needs afterwards it looks up again or has
 * copied. Functions marked "locked" are called
 * with it. Every function of the API begins with `enter`, which also refuses calls in a forked
 * child.
 */
#ifndef TFCORE_EMULATOR_HOST_H
#define TFCORE_EMULATOR_HOST_H

#include <pthread.h>
#include <semaphore.h>

#include "pycuda_api.h"
#include "ranges.h"
#include "shared.h"

#define API __attribute__((visibility("default")))
#define TFC_DECLARE(name, parameters) API CUresult name parameters;
TFC_DRIVER_FUNCTIONS(TFC_DECLARE)
TFC_EMULATOR_FUNCTIONS(TFC_DECLARE)
TFC_PYCUDA_FUNCTIONS(TFC_DECLARE)
#undef TFC_DECLARE

typedef struct capture capture;
typedef struct context context;
typedef struct device device;

/* A point in a stream: done when the stream has completed so many commands. `epoch` is the device's
 * when it was made: a reset device has completed everything. */
typedef struct {
  device* device;
  uint32_t stream;
  uint64_t sequence, epoch;
} point;

typedef struct {
  device* device;
  context* context; /* of the one that is open; NULL for the legacy default stream */
  uint32_t index;
  uint64_t open; /* unique while it is open, 0 when it is closed */
  bool blocking; /* ordered with the legacy default stream */
  void* handle;  /* NULL for that stream itself */
  point legacy;  /* the last command of the legacy stream that it waits for */
  capture* capture;
  uint32_t* tips; /* in a capture: the nodes that the next command waits for */
  uint32_t tip_count;
} stream;

typedef struct {
  context* context;
  point at;      /* its last record; at.device is NULL before the first */
  uint32_t time; /* index of its time in the machine, if timed */
  bool timed;
  uint64_t capture; /* id of the capture in which it was last recorded, or 0 */
  uint32_t* tips;   /* the nodes recorded then */
  uint32_t tip_count;
} event;

struct context {
  device* device;
  void* handle;
  int uses;    /* how often it is retained or attached; 0 for a primary context that is not used */
  bool ending; /* waits for the device to end it */
  uint64_t epoch; /* counts its ends */
  int cache_config;
  size_t limits[TFC_LIMITS];
};

struct device {
  int index;
  int contexts; /* that are used */
  bool running;
  uint64_t epoch; /* atomic: counts its ends */
  pid_t process;
  int socket;
  bool started; /* atomic: the process has been ready */
  sem_t ready;
  char start_error[128];
  pthread_t attendant;
  pthread_mutex_t mailbox;
  context primary;
  ranges memory;
  channel* channel;
  stream streams[MAX_STREAMS];
};

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t ended; /* a context has */
  bool initialized;     /* atomic */
  bool forked;
  int file;
  int count;
  uint64_t memory_bytes; /* of each device */
  machine* shared;
  char* arena;    /* where the host has mapped it */
  ranges pinned;  /* of the arena: for callers; without access when free */
  ranges staging; /* for us */
  device devices[MAX_DEVICES];
} host;

extern host emu;
extern _Thread_local bool emu_in_callback;
/* Why the last call of this thread could not load a module; empty after any other call. */
extern _Thread_local char emu_load_error[REPORT_BYTES];

static inline void lock_host(void) {
  pthread_mutex_lock(&emu.lock);
}
static inline CUresult unlock_host(CUresult r) {
  pthread_mutex_unlock(&emu.lock);
  return r;
}

/* ---- init.c */

bool read_seed(uint64_t* seed); /* from the environment; false if it is not a number */

/* ---- handles.c (locked) */

typedef enum {
  OF_CONTEXT = 1,
  OF_STREAM,
  OF_EVENT,
  OF_MODULE,
  OF_FUNCTION,
  OF_GLOBAL,
  OF_GRAPH,
  OF_EXEC
} kind;

/* NULL if there is no memory. `owner` is the context whose end makes the handle invalid, or NULL.
 */
void* handle_new(kind k, void* object, context* owner);
void* handle_find(kind k, const void* handle); /* the object, or NULL */
void handle_drop(const void* handle);
/* Calls for each object of a kind whose handle belongs to `owner` (NULL: any). */
void handle_each(kind k, const context* owner, void (*visit)(void* handle, void* object, void* arg),
                 void* arg);

/* ---- context.c */

/* Begins a call for the current context: locks, starts the device. On failure it has unlocked. */
CUresult enter(context** c);
void context_init(context* c, device* d, void* handle);
/* Begins a call that needs no context. */
CUresult enter_any(void);
context* context_current(void);            /* locked; NULL if there is none in use */
context* context_find(const void* handle); /* locked; NULL if there is none in use */
void context_drop_objects(context* c);     /* locked: makes all its handles invalid */

/* ---- process.c */

CUresult device_start(device* d); /* locked */
void device_stop(device* d);      /* locked: ends the process, empties all contexts */
CUresult device_status(const device* d);
/* Sends a request and waits for the answer; not locked. What it says is in *at and, unless `count`
 * is NULL, in *count. */
CUresult device_ask(device* d, uint64_t epoch, request kind, uint64_t* at, uint64_t* count,
                    const char* text);

/* ---- submit.c */

/* Finds a stream of a context by its handle; NULL is the legacy default stream. Locked. */
CUresult stream_find(const context* c, CUstream handle, stream** s);
/* Appends a command to a stream, or to the graph that it captures. Locked, but it releases the lock
 * while the ring is full. `tail` follows the command. */
CUresult submit(stream* s, command* c, const void* tail, size_t tail_bytes);
point stream_end(stream* s); /* locked: after all that has been submitted */
bool point_done(const point* p);
CUresult point_wait(const point* p); /* not locked */
/* Success if done, NOT_READY if not, or what made the device fail. */
CUresult point_query(const point* p);
/* Makes a stream wait for a point of another one. Locked, as submit. */
CUresult submit_wait(stream* s, const point* p);
CUresult device_wait(device* d); /* not locked: for all streams */
/* Not locked: waits for all streams of all devices, whatever becomes of them. */
void machine_wait(void);

/* ---- memory.c */

/* Frees what was allocated in a context, by its handle. Locked, but it releases the lock. */
void memory_drop_all(device* d, const void* owner);

/* Where count bytes at an address of a device are; INVALID_VALUE if not in one allocation. Locked.
 */
CUresult device_place(CUdeviceptr pointer, size_t count, place* p);
typedef enum { MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_NOT_OF_HOST } host_memory;
/* What count bytes that a caller gives as host memory are; where, if pinned. Locked. */
host_memory host_place(const void* pointer, size_t count, place* p);
/* Memory of the arena for our own use. Locked. */
CUresult staging_take(uint64_t bytes, uint64_t* offset);
/* Frees it once a point is done; at once if `p` is NULL. */
void staging_drop(uint64_t offset, const point* p);

/* ---- modules.c */

/* Whether these bytes are of a variable of a device's module that somebody has asked for. Locked.
 */
bool global_is_there(const device* d, CUdeviceptr pointer, size_t count);

/* ---- streams.c */

void stream_close(stream* s); /* locked */

void event_release(event* e); /* locked; before its memory is freed */

/* ---- graphs.c (locked) */

/* The node for a command of a capturing stream; it becomes the stream's only tip. */
CUresult capture_command(stream* s, const command* c, const void* tail, size_t tail_bytes);
/* What no capture of this thread may see; makes the captures invalid. */
CUresult refuse_in_capture(void);
CUresult refuse_stream_in_capture(stream* s); /* waiting for a stream that captures */
void capture_abandon(capture* c);             /* a stream of it is destroyed */

CUresult capture_record(stream* s, event* e);
CUresult capture_wait(stream* s, const event* e);
void graph_release(void* graph);
void exec_release(void* exec);

/* ---- explain.c */
void explain_faults(void);

#endif
