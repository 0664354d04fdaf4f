/* Errors of kernels: how they end a launch, and how they are told. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

extern uint3 blockIdx;
extern dim3 blockDim;

static sigjmp_buf escape;
static tfc_host_report* current;
static volatile sig_atomic_t guarded; /* kernels run now */
static pthread_t guarded_thread;

void tfc_describe_thread(int t, char* text, size_t bytes) {
  const unsigned x = (unsigned)t % blockDim.x, y = (unsigned)t / blockDim.x % blockDim.y,
                 z = (unsigned)t / blockDim.x / blockDim.y;
  snprintf(text, bytes, "thread (%u, %u, %u)", x, y, z);
}

const char* tfc_file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void kernel_name(char* text, size_t bytes) {
  Dl_info info;
  static const char launch[] = "tfc_launch_of_"; /* of a user's kernel: host_source.py */
  const int found = dladdr((void*)(uintptr_t)tfc_run.kernel, &info) && info.dli_sname;
  const char* name = found ? info.dli_sname : "a kernel";
  if (strncmp(name, launch, sizeof launch - 1) == 0) name += sizeof launch - 1;
  snprintf(text, bytes, "%s", name);
}

_Noreturn void tfc_fail(int kind, const char* format, ...) {
  char name[128], thread[64], text[700];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  kernel_name(name, sizeof name);
  tfc_describe_thread(tfc_run.current, thread, sizeof thread);
  current->kind = kind;
  snprintf(current->text, sizeof current->text, "%s, block (%u, %u, %u), %s: %s", name, blockIdx.x,
           blockIdx.y, blockIdx.z, thread, text);
  siglongjmp(escape, 1);
}

int tfc_refuse(tfc_host_report* report, int kind, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  report->kind = kind;
  vsnprintf(report->text, sizeof report->text, format, arguments);
  va_end(arguments);
  return kind;
}

void tfc_host_trap(const char* what, const char* file, int line) {
  tfc_fail(TFC_HOST_TRAP, "%s at %s:%d", what, tfc_file_name(file), line);
}

/* ---- source lines */

/* What addr2line prints about an address in a shared object: "function\nfile:line\n". */
static int ask_addr2line(const char* path, uintptr_t offset, char* answer, size_t bytes) {
  char hex[32];
  char* const arguments[] = {"addr2line", "-s", "-e", (char*)path, hex, NULL};
  char* const environment[] = {"PATH=/usr/bin:/bin:/usr/local/bin", "LC_ALL=C", NULL};
  int ends[2], status;
  pid_t child;
  posix_spawn_file_actions_t actions;
  snprintf(hex, sizeof hex, "%#lx", (unsigned long)offset);
  if (pipe(ends) != 0) return -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  const int failed = posix_spawnp(&child, "addr2line", &actions, NULL, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  size_t got = 0;
  for (ssize_t n;
       !failed && got + 1 < bytes && (n = read(ends[0], answer + got, bytes - 1 - got)) > 0;)
    got += (size_t)n;
  close(ends[0]);
  if (failed) return -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  answer[got] = 0;
  answer[strcspn(answer, " \n")] = 0; /* without "(discriminator 1)" */
  return got == 0 || answer[0] == '?' ? -1 : 0;
}

void tfc_describe_code(const void* pc, char* text, size_t bytes) {
  const module* m = tfc_module_of(pc);
  if (m == NULL) {
    snprintf(text, bytes, "%p", pc);
    return;
  }
  /* One byte back: the instruction itself, not what follows the call. */
  const uintptr_t offset = (uintptr_t)pc - m->low;
  if (m->path == NULL || ask_addr2line(m->path, offset - 1, text, bytes) != 0)
    snprintf(text, bytes, "%s+%#lx", m->path ? m->path : "its code", (unsigned long)offset);
}

/* ---- faults */

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
enum { SIGNALS = sizeof signals / sizeof signals[0], HANDLER_STACK = 64 << 10 };
static struct sigaction before[SIGNALS];

/* A fault that is not a kernel's has whatever effect it had before. */
static void pass_on(int number) {
  for (int i = 0; i < SIGNALS; i++)
    if (signals[i] == number) sigaction(number, &before[i], NULL);
}

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)context;
  if (!guarded || !pthread_equal(pthread_self(), guarded_thread)) {
    pass_on(number); /* the instruction runs again, now without this handler */
    return;
  }
  guarded = 0;
  const uintptr_t address = (uintptr_t)info->si_addr;
  if (number == SIGFPE)
    tfc_fail(TFC_HOST_ARITHMETIC, "an integer division by zero or an overflow in one");
  if (number == SIGILL) tfc_fail(TFC_HOST_TRAP, "an instruction that stops the program");
  if (tfc_fiber_overflowed(tfc_threads_fiber(), address))
    tfc_fail(TFC_HOST_STACK, "its stack of %d bytes is full", TFC_FIBER_STACK);
  tfc_fail(TFC_HOST_FAULT, "an access to the address %p, which is not mapped or may not be written",
           info->si_addr);
}

int tfc_guarded(void (*run)(void), tfc_host_report* report) {
  static char handler_stack[HANDLER_STACK];
  stack_t alternate = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack}, old_alternate;
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  current = report;
  report->kind = TFC_HOST_OK;
  report->text[0] = 0;
  sigaltstack(&alternate, &old_alternate);
  for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &action, &before[i]);
  if (sigsetjmp(escape, 1) == 0) {
    guarded_thread = pthread_self();
    guarded = 1;
    run();
  }
  guarded = 0;
  for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
  sigaltstack(&old_alternate, NULL);
  return report->kind;
}
