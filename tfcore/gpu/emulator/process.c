/* The process of a device, seen from the host: its start, its attendant, its end, and requests.
 *
 * The attendant is a thread that starts the process and lives as long: the kernel ends the process
 * when the thread that started it ends (PR_SET_PDEATHSIG), and no thread of the caller may decide
 * that. It runs host functions for the device, and notices its death.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "host.h"

#define PROGRAM "tfcore_emulated_gpu"
enum { ABOVE_FIXED_DESCRIPTORS = 64 };

CUresult device_status(const device* d) {
  return LOAD(&d->channel->status);
}

static void wake_waiters(device* d) {
  ADD(&d->channel->progress, 1);
  futex_wake(&d->channel->progress);
  futex_wake(&d->channel->mailbox.answered);
}

/* ---- The attendant */

/* The program lies beside this library. */
static bool find_program(char* path, size_t size) {
  Dl_info info;
  if (!dladdr((void*)find_program, &info) || !info.dli_fname) return false;
  const char* slash = strrchr(info.dli_fname, '/');
  int folder = slash ? (int)(slash - info.dli_fname) : 1;
  int n = snprintf(path, size, "%.*s/%s", folder, slash ? info.dli_fname : ".", PROGRAM);
  return n > 0 && (size_t)n < size;
}

/* The environment without preloaded libraries: a sanitizer's would take the place of the callbacks
 * with which the device process checks kernels. NULL if there is no memory. */
static char** environment(void) {
  extern char** environ;
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  char** copy = malloc((count + 1) * sizeof *copy);
  if (!copy) return NULL;
  for (size_t i = 0; i < count; i++)
    if (strncmp(environ[i], "LD_PRELOAD=", strlen("LD_PRELOAD="))) copy[kept++] = environ[i];
  copy[kept] = NULL;
  return copy;
}

static int spawn(const device* d, int socket, pid_t* process) {
  char path[PATH_MAX], index[16], parent[16];
  if (!find_program(path, sizeof path)) return ENOENT;
  snprintf(index, sizeof index, "%d", d->index);
  snprintf(parent, sizeof parent, "%d", getpid());
  char* arguments[] = {path, index, parent, NULL};
  char** variables = environment();
  if (!variables) return ENOMEM;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, emu.file, FILE_DESCRIPTOR);
  posix_spawn_file_actions_adddup2(&actions, socket, SOCKET_DESCRIPTOR);
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  /* A group of its own: a Ctrl-C in the terminal is for the host. */
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  int error = posix_spawn(process, path, &actions, &attributes, arguments, variables);
  free(variables);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/* Two ends of a socket, with numbers that no fixed descriptor of the device process has. */
static bool make_sockets(int ends[2]) {
  int low[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, low)) return false;
  for (int i = 0; i < 2; i++) {
    ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, ABOVE_FIXED_DESCRIPTORS);
    close(low[i]);
  }
  if (ends[0] >= 0 && ends[1] >= 0) return true;
  for (int i = 0; i < 2; i++)
    if (ends[i] >= 0) close(ends[i]);
  return false;
}

static void call_function(device* d, const message* m) {
  emu_in_callback = true;
  if (m->is_callback)
    ((CUstreamCallback)m->function)((CUstream)m->stream, m->status, (void*)m->argument);
  else
    ((CUhostFn)m->function)((void*)m->argument);
  emu_in_callback = false;
  ADD(&d->channel->streams[m->stream_index].calls_done, 1);
  urge(d->channel);
}

/* What the device sends, until it has gone; true if it was ready once. */
static bool serve(device* d) {
  bool ready = false;
  message m;
  for (;;) {
    ssize_t n = recv(d->socket, &m, sizeof m, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n != sizeof m) return ready;
    if (m.kind == MESSAGE_CALL) {
      call_function(d, &m);
    } else if (*m.text) {
      memcpy(d->start_error, m.text, sizeof m.text);
    } else {
      ready = true;
      sem_post(&d->ready);
    }
  }
}

static void record_death(device* d, pid_t process) {
  int how;
  char text[REPORT_BYTES];
  pid_t reaped;
  while ((reaped = waitpid(process, &how, 0)) < 0 && errno == EINTR);
  if (reaped == process && WIFSIGNALED(how))
    snprintf(text, sizeof text, "the process of emulated GPU %d was ended by signal %d (%s)",
             d->index, WTERMSIG(how), strsignal(WTERMSIG(how)));
  else
    snprintf(text, sizeof text, "the process of emulated GPU %d has ended", d->index);
  if (!LOAD(&d->channel->status)) {
    memcpy(d->channel->report, text, sizeof text);
    STORE(&d->channel->status, CUDA_ERROR_DEVICE_UNAVAILABLE);
  }
}

static void* attend(void* arg) {
  device* d = arg;
  int ends[2];
  pid_t process;
  int error = EMFILE;
  if (make_sockets(ends)) {
    error = spawn(d, ends[1], &process);
    close(ends[1]);
    d->socket = ends[0];
    if (error) close(ends[0]);
  }
  if (error) {
    snprintf(d->start_error, sizeof d->start_error, "%s cannot be started: %s", PROGRAM,
             strerror(error));
    sem_post(&d->ready);
    return NULL;
  }
  bool was_ready = serve(d);
  kill(process, SIGKILL); /* it may have closed the socket otherwise than by its end */
  if (was_ready) {
    record_death(d, process);
    wake_waiters(d);
    return NULL;
  }
  if (!*d->start_error) strcpy(d->start_error, "the device process ended while it started");
  waitpid(process, NULL, 0);
  close(d->socket);
  sem_post(&d->ready);
  return NULL;
}

/* ---- Start and end */

CUresult device_start(device* d) {
  if (d->running) return CUDA_SUCCESS;
  if (!read_seed(&d->channel->seed)) return CUDA_ERROR_INVALID_VALUE;
  *d->start_error = 0;
  d->channel->mailbox.answered = d->channel->mailbox.asked;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* the attendant handles no signal of the caller */
  int error = pthread_create(&d->attendant, NULL, attend, d);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) return CUDA_ERROR_OPERATING_SYSTEM;
  while (sem_wait(&d->ready) && errno == EINTR);
  if (*d->start_error) {
    pthread_join(d->attendant, NULL);
    snprintf(d->channel->report, REPORT_BYTES, "%s", d->start_error);
    return CUDA_ERROR_DEVICE_UNAVAILABLE;
  }
  d->running = true;
  return CUDA_SUCCESS;
}

static void drop_object(void* handle, void* object, void* arg) {
  (void)arg;
  handle_drop(handle);
  free(object);
}

static void drop_event(void* handle, void* object, void* arg) {
  event_release(object);
  drop_object(handle, object, arg);
}

static void drop_graph(void* handle, void* object, void* arg) {
  (void)arg;
  handle_drop(handle);
  graph_release(object);
}

static void drop_exec(void* handle, void* object, void* arg) {
  (void)arg;
  handle_drop(handle);
  exec_release(object);
}

static void close_streams(device* d) {
  for (uint32_t i = 0; i < MAX_STREAMS; i++) {
    stream* s = &d->streams[i];
    if (s->capture) capture_abandon(s->capture);
    if (s->handle) handle_drop(s->handle);
    s->handle = NULL;
    if (i) s->open = 0;
    s->legacy.device = NULL;
    stream_ring* r = &d->channel->streams[i];
    r->read = r->written;
    STORE(&r->completed, r->submitted);
  }
}

void device_stop(device* d) {
  if (d->running) {
    shutdown(d->socket, SHUT_RDWR); /* each side takes it for the other's end */
    pthread_join(d->attendant, NULL);
    close(d->socket);
    d->running = false;
  }
  ADD(&d->epoch, 1);
  close_streams(d);
  handle_each(OF_EVENT, d, drop_event, NULL);
  handle_each(OF_FUNCTION, d, drop_object, NULL);
  handle_each(OF_MODULE, d, drop_object, NULL);
  handle_each(OF_GRAPH, d, drop_graph, NULL);
  handle_each(OF_EXEC, d, drop_exec, NULL);
  uint64_t start = device_offset(emu.shared, d->index);
  fallocate(emu.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, start, emu.shared->device_bytes);
  d->memory.count = 0;
  d->memory.used = 0;
  *d->channel->report = 0;
  STORE(&d->channel->status, CUDA_SUCCESS);
  wake_waiters(d);
}

/* ---- Requests */

static CUresult answer(device* d, uint64_t epoch, uint32_t asked) {
  mailbox* box = &d->channel->mailbox;
  for (;;) {
    uint32_t seen = LOAD(&box->answered);
    if (LOAD(&d->epoch) != epoch) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (seen == asked) return box->result;
    CUresult status = device_status(d);
    if (status == CUDA_ERROR_DEVICE_UNAVAILABLE) return status; /* else it still answers */
    futex_wait(&box->answered, seen, 100 * TICK_NS);
  }
}

CUresult device_ask(device* d, uint64_t epoch, request kind, uint64_t* at, uint64_t count,
                    const char* text) {
  pthread_mutex_lock(&d->mailbox);
  mailbox* box = &d->channel->mailbox;
  CUresult r = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (LOAD(&d->epoch) == epoch) {
    box->kind = kind;
    box->at = *at;
    box->count = count;
    snprintf(box->text, sizeof box->text, "%s", text ? text : "");
    uint32_t asked = ADD(&box->asked, 1);
    ADD(&d->channel->doorbell, 1);
    futex_wake(&d->channel->doorbell);
    r = answer(d, epoch, asked);
    *at = box->at;
  }
  pthread_mutex_unlock(&d->mailbox);
  return r;
}

CUresult tfcEmulatedReport(CUdevice number, char* text, size_t size) {
  if (emu.forked || !LOAD(&emu.initialized)) return CUDA_ERROR_NOT_INITIALIZED;
  if (number < 0 || number >= emu.count) return CUDA_ERROR_INVALID_DEVICE;
  if (!text || !size) return CUDA_ERROR_INVALID_VALUE;
  lock_host();
  snprintf(text, size, "%s", emu.devices[number].channel->report);
  return unlock_host(CUDA_SUCCESS);
}
