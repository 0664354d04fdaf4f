/* Families that are loaded: where their code and their shared memory are.
 *
 * A static variable of a kernel's shared memory is uninitialised data of its family. Checked builds
 * leave a gap after each such variable; the table of symbols says where the variables are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

static module* modules;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const module* tfc_module_of(const void* p) {
  const uintptr_t address = (uintptr_t)p;
  pthread_mutex_lock(&lock);
  const module* m = modules;
  while (m && !(address >= m->low && address < m->high)) m = m->next;
  pthread_mutex_unlock(&lock);
  return m;
}

/* Reads where an object is mapped from its program headers, which are mapped with it. */
static void read_segments(module* m, uintptr_t base) {
  const ElfW(Ehdr)* header = (const ElfW(Ehdr)*)base;
  const ElfW(Phdr)* segments = (const ElfW(Phdr)*)(base + header->e_phoff);
  m->low = base;
  m->high = base;
  for (int i = 0; i < header->e_phnum; i++) {
    const ElfW(Phdr)* s = &segments[i];
    if (s->p_type != PT_LOAD) continue;
    const uintptr_t end = base + s->p_vaddr + s->p_memsz;
    if (end > m->high) m->high = end;
    if (s->p_flags & PF_W && s->p_memsz > s->p_filesz) {
      m->shared = (base + s->p_vaddr + s->p_filesz + 7) & ~(uintptr_t)7;
      m->shared_bytes = end > m->shared ? (end - m->shared + 7) & ~(size_t)7 : 0;
    }
  }
}

static void mark_variables(module* m, const char* file, size_t bytes) {
  const ElfW(Ehdr)* header = (const ElfW(Ehdr)*)file;
  if (bytes < sizeof *header ||
      header->e_shoff + (size_t)header->e_shnum * sizeof(ElfW(Shdr)) > bytes)
    return;
  const ElfW(Shdr)* sections = (const ElfW(Shdr)*)(file + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_offset + sections[i].sh_size > bytes)
      continue;
    const ElfW(Sym)* symbols = (const ElfW(Sym)*)(file + sections[i].sh_offset);
    for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; s++) {
      const uintptr_t at = m->low + symbols[s].st_value - m->shared;
      if (ELF64_ST_TYPE(symbols[s].st_info) != STT_OBJECT || at >= m->shared_bytes) continue;
      for (size_t n = 0; n < symbols[s].st_size && at + n < m->shared_bytes; n++)
        m->shared_live[(at + n) / 8] |= (uint8_t)(1 << (at + n) % 8);
    }
  }
}

static void find_variables(module* m) {
  struct stat status;
  const int file = m->path ? open(m->path, O_RDONLY | O_CLOEXEC) : -1;
  if (file >= 0 && fstat(file, &status) == 0) {
    void* text = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (text != MAP_FAILED) {
      mark_variables(m, text, (size_t)status.st_size);
      munmap(text, (size_t)status.st_size);
    }
  } else {
    memset(m->shared_live, 0xFF, m->shared_bytes / 8); /* unknown: anywhere is allowed */
  }
  if (file >= 0) close(file);
}

void tfc_host_loaded(const void* anchor, int checked) {
  Dl_info info;
  module* m = calloc(1, sizeof *m);
  if (m == NULL || !dladdr(anchor, &info)) {
    free(m); /* launches will say that no family has the kernel */
    return;
  }
  m->anchor = anchor;
  m->path = strdup(info.dli_fname);
  m->checked = checked;
  read_segments(m, (uintptr_t)info.dli_fbase);
  if (checked) {
    if (tfc_check_prepare(m) != 0) {
      free(m->path);
      free(m);
      return;
    }
    find_variables(m);
  }
  pthread_mutex_lock(&lock);
  m->next = modules;
  modules = m;
  pthread_mutex_unlock(&lock);
}

void tfc_host_variables(const void* anchor, const void* begin, const void* end) {
  pthread_mutex_lock(&lock);
  for (module* m = modules; m; m = m->next)
    if (m->anchor == anchor) {
      m->variables = (uintptr_t)begin;
      m->variable_bytes = (size_t)((const char*)end - (const char*)begin);
    }
  pthread_mutex_unlock(&lock);
}

void tfc_host_unloaded(const void* anchor) {
  pthread_mutex_lock(&lock);
  module** at = &modules;
  while (*at && (*at)->anchor != anchor) at = &(*at)->next;
  module* m = *at;
  if (m) *at = m->next;
  pthread_mutex_unlock(&lock);
  if (m == NULL) return;
  tfc_check_release(m);
  free(m->path);
  free(m);
}
