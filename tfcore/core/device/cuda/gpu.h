/* GPUs, through the CUDA driver or its emulator: a device.h device each. Shared by the files of
 * this folder; device/gpu.pyx opens them from Python. (tfcore/gpu is below: it compiles kernels and
 * has the emulator.) */
#ifndef TFCORE_GPU_H
#define TFCORE_GPU_H

#include "device/device.h"
#include "step/step.h"
#include "tfcore/gpu/driver_api.h"

/* The loaded driver: its functions by name. The emulator's own are NULL with a card. */
typedef struct tfc_driver {
#define TFC_DRIVER_MEMBER(name, parameters) CUresult(*name) parameters;
  TFC_DRIVER_FUNCTIONS(TFC_DRIVER_MEMBER)
  TFC_EMULATOR_FUNCTIONS(TFC_DRIVER_MEMBER)
#undef TFC_DRIVER_MEMBER
} tfc_driver;

struct tfc_function {
  CUfunction handle;
  char name[96];
  uint32_t shared; /* atomic: bytes of dynamic shared memory that a launch may ask for */
  bool is_users;   /* it does not wait by itself for the kernel ahead of it */
};

typedef struct tfc_region tfc_region; /* memory from the driver */
typedef struct tfc_block tfc_block;   /* a part of a region: a buffer, or free */
typedef struct tfc_chunk tfc_chunk;   /* memory for the reports of kernels */
typedef struct tfc_timing tfc_timing; /* when a launch or a copy ran */

enum {
  TFC_GPU_BINS = 160,  /* of free blocks, four for each doubling */
  TFC_STAGES = 4,      /* pinned pieces through which uploads go */
  TFC_STAGE = 1 << 20, /* bytes of one */
  TFC_SMALL_UPLOAD = 256 << 10,
  TFC_GPU_EVENTS = 64, /* unused ones that are kept */
  TFC_GPU_LATEST = 64, /* launches that a step remembers */
};

typedef struct tfc_stage {
  char* memory; /* pinned */
  size_t used;
  CUevent event; /* behind its last copy */
  bool sent;     /* the event was recorded, and not seen to be done */
} tfc_stage;

/* Uploads through one stream, and the stages that they use in turn. */
typedef struct tfc_lane {
  CUstream stream;
  tfc_stage stages[TFC_STAGES];
  int stage; /* the current one */
} tfc_lane;

typedef struct tfc_gpu_stats {
  int64_t bytes_in_use, peak_bytes_in_use, bytes_reserved, bytes_limit, num_allocs;
} tfc_gpu_stats;

typedef struct tfc_gpu {
  tfc_device pub; /* must be first */
  int ordinal;    /* of the driver */
  CUcontext context;
  CUstream compute, down; /* the queue; copies to the host */
  char* lost;             /* atomic: the error after which nothing works, or NULL */
  bool synchronous;       /* TFCORE_GPU_SYNC: each launch is waited for, so that errors name it */
  int capability;         /* compute capability: 90 is 9.0 */
  bool starts_early;      /* from 9.0 on: a kernel may start before the one ahead ends */

  pthread_mutex_t memory_lock;
  tfc_region* regions;
  tfc_block* bins[TFC_GPU_BINS];
  tfc_gpu_stats stats;
  size_t next_region;
  bool takes_limit_at_once;

  /* Marks number places in the queue, in order. */
  int64_t last_mark;   /* atomic: the number of the latest one */
  int64_t passed_mark; /* atomic: all work before this one is done */

  pthread_mutex_t upload_lock; /* of what follows */
  tfc_lane queued, ahead;      /* through the queue; through a stream of its own */
  CUevent ahead_event; /* in the queue: the latest mark for which uploads ahead of it wait, ... */
  int64_t ahead_mark;  /* ... and its number */

  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t wake;  /* of the thread */
  pthread_cond_t idle;  /* a download is done */
  tfc_download *first, *last;
  bool has_thread;
  tfc_stage landing[2]; /* of the thread */
  CUevent events[TFC_GPU_EVENTS];
  int n_events;
  tfc_chunk* chunks; /* unused ones */
  int n_chunks;

  pthread_mutex_t graphs_lock; /* taken before the others */
  tfc_graph* graphs;
  int64_t graphs_made, replays; /* atomic */
} tfc_gpu;

/* What a step has at a GPU. */
typedef struct tfc_gpu_share {
  tfc_share pub; /* must be first */
  int64_t refs;  /* atomic: the step and its downloads */
  tfc_chunk* chunks;
  bool clean;        /* the step has seen that nothing was reported */
  tfc_step* step;    /* under the GPU's lock; NULL: it has ended */
  tfc_graph* graph;  /* under the GPU's lock: what it has recorded or replayed, until it ends */
  int64_t downloads; /* under the GPU's lock: not done yet */
  int64_t launches;  /* atomic */
  bool traced;
  int n_timings;       /* under the GPU's lock */
  tfc_timing* timings; /* under the GPU's lock: of a traced step */
  struct {
    int node;
    const tfc_function* function;
  } latest[TFC_GPU_LATEST]; /* launches, by number; for errors */
} tfc_gpu_share;

/* ---- driver.c */

extern tfc_driver tfc_cuda;

/* Loads the driver and initialises it. False: `text` says why it can't be used. */
bool tfc_driver_load(const char* path, char* text, size_t size);
int tfc_driver_count(void);
int64_t tfc_driver_memory(int ordinal); /* bytes of a device, 0: unknown */
/* Name, bus and compute capability of a device. */
void tfc_driver_describe(int ordinal, char* text, size_t size);
/* NULL: `text` says why. */
tfc_gpu* tfc_gpu_open(int ordinal, const char* name, const char* allocator, char* text,
                      size_t size);
/* Makes the GPU's context the current one of this thread. Enter again after anything that may run
 * other code on this thread, as signal handlers: it may call tfc_gpu_exit. True: the thread was in
 * no context of ours. */
bool tfc_gpu_enter(tfc_gpu* g);
/* Restores the context that was current before the first tfc_gpu_enter, as it may be another
 * library's. Called at the end of a step, and of each function that is called outside of steps. */
void tfc_gpu_exit(void);
bool tfc_gpu_is_forked(void); /* this is a child of the process that opened the GPUs */
/* What a failed call means: a code, and a text. After some errors nothing works any more. */
int tfc_gpu_explain(tfc_gpu* g, CUresult result, const char* call, char* text, size_t size);
/* The same for a kernel: records the error. TFC_OK if result is CUDA_SUCCESS. */
int tfc_gpu_check(tfc_gpu* g, tfc_context* ctx, CUresult result, const char* call);
/* TFC_OK, or an error that is recorded in ctx: the device is lost, or this is a forked child. */
int tfc_gpu_check_usable(tfc_gpu* g, tfc_context* ctx);
/* A module file, and a function of it. NULL: `text` says why. */
CUmodule tfc_gpu_load(tfc_gpu* g, const char* path, char* text, size_t size);
tfc_function* tfc_gpu_function(tfc_gpu* g, CUmodule module, const char* name, bool is_users,
                               char* text, size_t size);

/* ---- memory.c */

tfc_buffer* tfc_gpu_allocate(tfc_device* device, size_t bytes);
/* 0: none. at_once: the first allocation reserves all of it. */
void tfc_gpu_set_limit(tfc_gpu* g, int64_t bytes, bool at_once);
void tfc_gpu_memory_stats(tfc_gpu* g, tfc_gpu_stats* out);
/* What others have of the device's memory: libraries, programs, the driver. 0: unknown. */
int64_t tfc_gpu_bytes_of_others(tfc_gpu* g);
/* The mark behind all work that uses this memory as an earlier buffer. */
int64_t tfc_gpu_freed_at(const tfc_buffer* buffer);
/* Blocks of a graph. One is idle when nobody refers to it. */
tfc_graph* tfc_gpu_block_owner(const tfc_buffer* b);
/* How many references there are to blocks that are not idle. */
int64_t tfc_gpu_count_references(tfc_gpu* g, const tfc_block* blocks);
/* Takes the first reference to an idle block. False: it is not idle. */
bool tfc_gpu_take_idle_block(tfc_gpu* g, tfc_buffer* b);
/* This thread's next allocation of its size gets this block if it is idle. NULL: no longer. */
void tfc_gpu_allocate_next_in(tfc_buffer* b);
/* Makes a graph's blocks ordinary ones. */
void tfc_gpu_disown_blocks(tfc_gpu* g, tfc_graph* x);

/* ---- copies.c */

static inline CUdeviceptr tfc_gpu_at(const void* p) {
  return (CUdeviceptr)(uintptr_t)p;
}
/* The end of a copy of a tensor to a new buffer: *to gets the buffer, or nobody if the copy failed.
 */
static inline bool tfc_gpu_end_copy(tfc_tensor* to, const tfc_tensor* from, tfc_buffer* b,
                                    CUresult r) {
  if (r) {
    tfc_buffer_unref(b);
    return false;
  }
  *to = *from;
  to->buffer = b;
  to->data = b->data;
  return true;
}

int tfc_gpu_fill(tfc_device* device, tfc_context* ctx, void* to, int byte, size_t bytes);
int tfc_gpu_copy(tfc_device* device, tfc_context* ctx, void* to, const void* from, size_t bytes);
int tfc_gpu_copy_from_peer(tfc_device* device, tfc_context* ctx, void* to, const tfc_tensor* from);
bool tfc_gpu_read(tfc_device* device, tfc_tensor* to, const tfc_tensor* from);
bool tfc_gpu_clone(tfc_device* device, tfc_tensor* to, const tfc_tensor* from);
int tfc_gpu_download(tfc_device* device, tfc_context* ctx, tfc_download* d);
/* Queues a download for the download thread: once the work that is in the queue now is done, it
 * copies d->from to d->to (if d->to has a buffer) and calls d->done. False: no memory, or no
 * thread. */
bool tfc_gpu_queue_download(tfc_gpu* g, tfc_download* d);
CUevent tfc_gpu_event(tfc_gpu* g); /* NULL: the driver has no memory */
void tfc_gpu_drop_event(tfc_gpu* g, CUevent event);

/* ---- uploads.c */

int tfc_gpu_upload(tfc_device* device, tfc_context* ctx, void* to, const void* from, size_t bytes);
int tfc_gpu_upload_to_new(tfc_device* device, tfc_context* ctx, const tfc_buffer* to,
                          const void* from, size_t bytes);
bool tfc_gpu_write(tfc_device* device, tfc_tensor* to, const tfc_tensor* from);
CUresult tfc_stage_prepare(tfc_stage* s);
/* The number of a mark that is put into the queue after this call. When the mark is known to have
 * been reached, tfc_gpu_pass_mark says so. */
int64_t tfc_gpu_begin_mark(tfc_gpu* g);
void tfc_gpu_pass_mark(tfc_gpu* g, int64_t mark);

/* ---- timing.c */

/* Called before and after a node's work is put into a stream. NULL: it is not timed. `what` must
 * stay valid. bytes: of a copy; -1: it is a launch. */
tfc_timing* tfc_gpu_begin_timing(tfc_gpu* g, tfc_gpu_share* s, int node, CUstream stream,
                                 const char* what, int64_t bytes);
void tfc_gpu_end_timing(tfc_gpu* g, tfc_gpu_share* s, tfc_timing* t);
/* When all work is done: adds the times to the step's records. */
void tfc_gpu_collect_timings(tfc_gpu* g, tfc_gpu_share* s, tfc_step* step);
void tfc_gpu_drop_timings(tfc_gpu* g, tfc_gpu_share* s);

/* ---- arrays.c. An int that is a result is TFC_OK, or a code with a text. */

/* Makes the stream `then` wait for what is in the stream `first` now. */
int tfc_gpu_order(tfc_gpu* g, void* first, void* then, char* text, size_t size);
/* The same by a kernel, whose step then waits for the queue when it ends. */
int tfc_gpu_order_in_step(tfc_gpu* g, tfc_context* ctx, void* first, void* then, char* text,
                          size_t size);
int tfc_gpu_wait(tfc_gpu* g, char* text, size_t size); /* for the work in the queue */
/* The driver's number of the device in whose memory this is; -1: of none. */
int tfc_gpu_ordinal_of(size_t pointer);
/* Whether memory on this device belongs to the primary context, or to none. */
bool tfc_gpu_has_context_of(const tfc_gpu* g, size_t pointer);
int tfc_gpu_current_ordinal(void); /* the number of the device of the current context; -1: none */
bool tfc_gpu_is_current(const tfc_gpu* g); /* its primary context is the current one */
/* A buffer for another library's memory. Calls let_go(owner), on any thread, when the last
 * reference is dropped and the work that was in the queue then is done. NULL: no memory. */
tfc_buffer* tfc_gpu_borrow(tfc_gpu* g, void* data, size_t bytes, void* owner,
                           void (*let_go)(void* owner));
/* Replaces *t, whose memory has these strides, in elements, by a dense copy. f: Copy_bytes<size> of
 * the module array_copy. */
int tfc_gpu_make_dense(tfc_gpu* g, const tfc_function* f, tfc_tensor* t, const int64_t* strides,
                       char* text, size_t size);
/* Drops the tensor's reference when the work of all streams is done: other libraries, which got
 * the memory, may have put some there. */
void tfc_gpu_retire(tfc_gpu* g, tfc_tensor* t);

/* ---- graph.c */

extern const tfc_graphs tfc_gpu_graphs;
extern __thread tfc_graph* tfc_gpu_recording;
/* The graph that gets what this thread allocates on the GPU, or NULL. */
tfc_graph* tfc_gpu_recording_for(const tfc_gpu* g);
tfc_block** tfc_gpu_graph_blocks(tfc_graph* x); /* its first block: under memory_lock */
/* Note what was just put into the queue, if this thread records. */
void tfc_gpu_note_launch(tfc_gpu* g, const tfc_context* ctx, const tfc_function* f,
                         const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                         const void* params, size_t bytes);
void tfc_gpu_note_fill(tfc_gpu* g, const tfc_context* ctx, CUdeviceptr to, int byte, size_t bytes);
void tfc_gpu_note_copy(tfc_gpu* g, const tfc_context* ctx, CUdeviceptr to, CUdeviceptr from,
                       size_t bytes);
/* If this thread records: memory for an uploaded value, from which replays copy. Else NULL. */
void* tfc_gpu_upload_source(tfc_gpu* g, size_t bytes);
/* If this thread records: makes the recording useless, as it does what a graph can't replay. */
void tfc_gpu_break_recording(const tfc_gpu* g);
/* Gives up this thread's recording, if it has one: blocks that it owns but no longer uses become
 * free for all. False: there is none. */
bool tfc_gpu_reclaim_recording(tfc_gpu* g);
/* If this thread records: the graph's pointer to the chunk for its reports, to read or set. The
 * step owns the chunk until tfc_gpu_give_chunk_to_graph. Else NULL. */
tfc_chunk** tfc_gpu_recorded_chunk(tfc_gpu* g);
/* The step that recorded or replayed it has ended. */
void tfc_gpu_release_graph(tfc_graph* x, bool starved);
/* The node of a launch whose function the text names, or -1. */
int tfc_gpu_graph_culprit(const tfc_graph* x, const char* text);
void tfc_gpu_graph_stats(tfc_gpu* g, int64_t* made, int64_t* replays);
/* Frees the memory of all graphs that no step uses. False: there are none. */
bool tfc_gpu_reclaim_graphs(tfc_gpu* g);

/* ---- launch.c */

/* The number of the node that runs, in its step. */
static inline int tfc_gpu_number_of(const tfc_context* pub) {
  const tfc_node_context* ctx = (const tfc_node_context*)pub;
  return ctx->base + ctx->node;
}

/* tfc_gpu_begin_timing for a kernel's work, if the step is traced. */
static inline tfc_timing* tfc_gpu_time(tfc_gpu* g, tfc_gpu_share* s, const tfc_context* ctx,
                                       CUstream stream, const char* what, int64_t bytes) {
  if (__builtin_expect(!s->traced, 1)) return NULL;
  return tfc_gpu_begin_timing(g, s, tfc_gpu_number_of(ctx), stream, what, bytes);
}

/* Puts a launch into a stream; its argument is copied. On cards that can, the kernel starts before
 * the one ahead of it has ended, and waits for it by itself (kernels_cuda/common/kernel.cuh). A
 * user's kernel does not wait: it starts when the one ahead has ended, and what comes behind it
 * waits for it as for any other. */
static inline CUresult tfc_gpu_put_launch(const tfc_gpu* g, CUstream stream, const tfc_function* f,
                                          const uint32_t grid[3], const uint32_t block[3],
                                          uint32_t shared, const void* params, size_t bytes) {
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void*)params, CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  CUlaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                             .value.programmaticStreamSerializationAllowed = 1};
  CUlaunchConfig launch = {.gridDimX = grid[0],
                           .gridDimY = grid[1],
                           .gridDimZ = grid[2],
                           .blockDimX = block[0],
                           .blockDimY = block[1],
                           .blockDimZ = block[2],
                           .sharedMemBytes = shared,
                           .hStream = stream,
                           .attrs = &early,
                           .numAttrs = g->starts_early && !f->is_users};
  return tfc_cuda.cuLaunchKernelEx(&launch, f->handle, NULL, extra);
}
int tfc_gpu_launch(tfc_device* device, tfc_context* ctx, const tfc_function* function,
                   const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                   const void* params, size_t bytes);
/* Whether a text has this name of a function, not as a part of a longer one. */
bool tfc_gpu_is_named(const char* text, const char* name);
/* The node to blame for an error of the device: that of the function which the text names, or of
 * the only launch. Other threads may launch meanwhile: what they have just counted may be missing.
 * -1: none. */
int tfc_gpu_culprit(const tfc_gpu_share* s, const char* text);

/* ---- reports.c */

void* tfc_gpu_report_to(tfc_device* device, tfc_context* ctx, size_t bytes, tfc_explain_fn explain,
                        const void* argument, size_t argument_bytes);
/* At the end of a step: puts copies of all its reports into the queue, ... */
CUresult tfc_gpu_fetch_reports(tfc_gpu* g, tfc_gpu_share* s);
/* ... fails it with the first one of an error, in the order in which they were asked for, ... */
void tfc_gpu_read_reports(tfc_gpu* g, tfc_gpu_share* s, tfc_step* step);
/* ... and gives its chunks back. */
void tfc_gpu_return_chunks(tfc_gpu* g, tfc_gpu_share* s);

/* -- The chunk of a graph: its kernels report there in each replay. */

/* Before the graph is put into the queue: memory of the step for what it will report. False: there
 * is none. */
bool tfc_gpu_prepare_graph_reports(tfc_gpu* g, tfc_gpu_share* s, tfc_node_context* ctx,
                                   const tfc_chunk* graph_chunk);
/* Right after the graph was put into the queue: adds the copy of its reports, so that the next
 * replay may overwrite them while the step still runs. */
CUresult tfc_gpu_fetch_graph_reports(tfc_gpu* g, const tfc_gpu_share* s,
                                     const tfc_chunk* graph_chunk);
/* Both in the step that recorded the graph. True: the chunk is no longer the step's. */
bool tfc_gpu_give_chunk_to_graph(tfc_gpu* g, tfc_gpu_share* s, tfc_node_context* ctx,
                                 tfc_chunk* graph_chunk);
CUresult tfc_gpu_clear_chunk(const tfc_chunk* c, CUstream stream);
void tfc_gpu_return_graph_chunk(tfc_gpu* g, tfc_chunk* graph_chunk);

/* ---- steps.c */

tfc_gpu_share* tfc_gpu_share_of(tfc_gpu* g, tfc_context* ctx); /* NULL: no memory */
void tfc_gpu_share_unref(tfc_gpu_share* s);
/* Fails the step, if it has not ended, with an error that shows later than the call. node: whose
 * error it is; -1: that of the launch which the text names, if there is one. */
void tfc_gpu_fail(tfc_gpu* g, tfc_gpu_share* s, int node, int code, const char* text);
void tfc_gpu_finish(tfc_share* share, tfc_step* step);
void tfc_gpu_leave(tfc_share* share, tfc_step* step);

#endif
