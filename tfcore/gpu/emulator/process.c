/* The process of a device, seen from the host: its start, its end, and requests. Two threads of
 * ours care for it:
 *
 * - The attendant starts the process and lives as long: the kernel ends the process when the thread
 *   that started it ends (PR_SET_PDEATHSIG), and no thread of the caller may decide that. It
 * notices the death of the process, whatever host functions do meanwhile.
 * - The server reads what the device sends: it is ready, or a host function is to be called.
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

/* What the device sends, until it has gone. */
static void* serve(void* arg) {
  device* d = arg;
  message m;
  for (;;) {
    ssize_t n = recv(d->socket, &m, sizeof m, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n != sizeof m) return NULL;
    if (m.kind == MESSAGE_CALL) {
      call_function(d, &m);
    } else if (*m.text) {
      memcpy(d->start_error, m.text, sizeof m.text);
    } else {
      STORE(&d->started, true);
      sem_post(&d->ready);
    }
  }
}

/* Waits for the end of the process, which stays a zombie: its number is not given away. */
static void await_death(const device* d, siginfo_t* how) {
  memset(how, 0, sizeof *how); /* stays so if another part of the program has reaped the process */
  while (waitid(P_PID, d->process, how, WEXITED | WNOWAIT) && errno == EINTR);
}

static void record_death(device* d, const siginfo_t* how) {
  char text[REPORT_BYTES];
  if (how->si_code == CLD_KILLED || how->si_code == CLD_DUMPED)
    snprintf(text, sizeof text, "the process of emulated GPU %d was ended by signal %d (%s)",
             d->index, how->si_status, strsignal(how->si_status));
  else
    snprintf(text, sizeof text, "the process of emulated GPU %d has ended", d->index);
  if (!LOAD(&d->channel->status)) {
    memcpy(d->channel->report, text, sizeof text);
    STORE(&d->channel->status, CUDA_ERROR_DEVICE_UNAVAILABLE);
  }
  wake_waiters(d);
}

/* Ends the process if it is still ours: its number may name another one after somebody reaped it.
 */
static void end_process(const device* d) {
  siginfo_t how;
  if (!waitid(P_PID, d->process, &how, WEXITED | WNOWAIT | WNOHANG)) kill(d->process, SIGKILL);
}

/* Connects a new process with us; 0, or what went wrong. */
static int start_process(device* d) {
  int ends[2];
  if (!make_sockets(ends)) return EMFILE;
  int error = spawn(d, ends[1], &d->process);
  close(ends[1]);
  d->socket = ends[0];
  if (error) close(ends[0]);
  return error;
}

/* A process that says it is ready may die before the server has read that; so `started` is looked
 * at again once the server has read everything. */
static void* attend(void* arg) {
  device* d = arg;
  siginfo_t how;
  pthread_t server;
  int error = start_process(d);
  if (!error && (error = pthread_create(&server, NULL, serve, d))) {
    end_process(d);
    waitpid(d->process, NULL, 0);
    close(d->socket);
  }
  if (error) {
    snprintf(d->start_error, sizeof d->start_error, "%s cannot be started: %s", PROGRAM,
             strerror(error));
    sem_post(&d->ready);
    return NULL;
  }
  await_death(d, &how);
  if (LOAD(&d->started)) record_death(d, &how);
  shutdown(d->socket, SHUT_RDWR); /* a forked child may have the other end */
  pthread_join(server, NULL);
  if (LOAD(&d->started)) {
    record_death(d, &how);
    return NULL;
  }
  if (!*d->start_error) strcpy(d->start_error, "the device process ended while it started");
  waitpid(d->process, NULL, 0);
  close(d->socket);
  sem_post(&d->ready);
  return NULL;
}

/* ---- Start and end */

/* A fault of a host function is told like any other one: faulthandler, explain.c. */
static void all_but_faults(sigset_t* set) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigfillset(set);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(set, faults[i]);
}

CUresult device_start(device* d) {
  if (d->running) return CUDA_SUCCESS;
  if (!read_seed(&d->channel->seed)) return CUDA_ERROR_INVALID_VALUE;
  *d->start_error = 0;
  *d->channel->report = 0;
  d->started = false;
  sigset_t others, before;
  all_but_faults(&others);
  pthread_sigmask(SIG_SETMASK, &others, &before); /* our threads handle no signal of the caller */
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

static void empty_rings(device* d) {
  for (uint32_t i = 0; i < MAX_STREAMS; i++) {
    stream_ring* r = &d->channel->streams[i];
    r->read = r->written;
    STORE(&r->completed, r->submitted);
  }
}

static void empty_context(void* handle, void* object, void* d) {
  (void)handle;
  context* c = object;
  if (c->device == d) context_drop_objects(c);
}

/* After this, no thread sends a request that it began before the device's end. */
static void cancel_requests(device* d) {
  mailbox* box = &d->channel->mailbox;
  STORE(&box->answered, LOAD(&box->asked));
  futex_wake(&box->answered);
  pthread_mutex_lock(&d->mailbox);
  STORE(&box->answered, LOAD(&box->asked));
  pthread_mutex_unlock(&d->mailbox);
}

void device_stop(device* d) {
  ADD(&d->epoch, 1); /* first: threads that wait hear of the reset, not of the death */
  if (d->running) {
    shutdown(d->socket, SHUT_RDWR); /* the server takes it for the other side's end */
    end_process(d);
    pthread_join(d->attendant, NULL);
    waitpid(d->process, NULL, 0);
    close(d->socket);
    d->running = false;
  }
  cancel_requests(d);
  empty_rings(d);
  handle_each(OF_CONTEXT, NULL, empty_context, d);
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

CUresult device_ask(device* d, uint64_t epoch, request kind, uint64_t* at, uint64_t* count,
                    const char* text) {
  pthread_mutex_lock(&d->mailbox);
  mailbox* box = &d->channel->mailbox;
  CUresult r = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (LOAD(&d->epoch) == epoch) {
    box->kind = kind;
    box->at = *at;
    box->count = count ? *count : 0;
    snprintf(box->text, sizeof box->text, "%s", text ? text : "");
    uint32_t asked = ADD(&box->asked, 1);
    ADD(&d->channel->doorbell, 1);
    futex_wake(&d->channel->doorbell);
    r = answer(d, epoch, asked);
    *at = box->at;
    if (count) *count = box->count;
    if (kind == REQUEST_LOAD && r == CUDA_ERROR_INVALID_IMAGE)
      snprintf(emu_load_error, sizeof emu_load_error, "%.*s", REPORT_BYTES - 1, box->text);
  }
  pthread_mutex_unlock(&d->mailbox);
  return r;
}

CUresult tfcEmulatedReport(CUdevice number, char* text, size_t size) {
  if (emu.forked || !LOAD(&emu.initialized)) return CUDA_ERROR_NOT_INITIALIZED;
  if (number < 0 || number >= emu.count) return CUDA_ERROR_INVALID_DEVICE;
  if (!text || !size) return CUDA_ERROR_INVALID_VALUE;
  lock_host();
  const device* d = &emu.devices[number];
  bool written = !d->running || LOAD(&d->channel->status); /* a thread writes it when d dies */
  const char* report = written ? d->channel->report : "";
  snprintf(text, size, "%s", *report ? report : emu_load_error);
  return unlock_host(CUDA_SUCCESS);
}
