/* Whole files: ReadFile, WriteFile, and the names of files, MatchingFiles. */
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/io/records.h"

TFC_ONE_LEVEL;

static int report(tfc_context* ctx, const record_status* status) {
  return tfc_error(ctx, status->code, "%s", status->text);
}

static int fail_system(tfc_context* ctx, int number, const char* path) {
  record_status status;
  record_fail_system(&status, number, path);
  return report(ctx, &status);
}

/* The element of an input that must have one. */
static int text_of(tfc_context* ctx, int input, const char* what, tfc_string* text) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input %s tensor must be scalar, but had shape: %s",
                     what, tfc_shape_text(t).text);
  *text = *(const tfc_string*)t->data;
  return TFC_OK;
}

static int read_file(tfc_context* ctx) {
  static const record_options whole = {.format = RECORD_WHOLE};
  tfc_string name;
  record_status status;
  const char* data;
  size_t size;
  TFC_TRY(text_of(ctx, 0, "filename", &name));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  record_reader* r = record_open(name.data, name.size, &whole, &status);
  if (!r) return report(ctx, &status);
  const int code = record_next(r, &data, &size, &status)
                       ? report(ctx, &status)
                       : tfc_string_set(ctx, &ctx->outputs[0], 0, data, size);
  record_close(r);
  return code;
}

/* ---- WriteFile */

/* Makes the folders that a path needs; what goes wrong is seen when the file is opened. */
static void make_folders(char* path) {
  for (char* slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    (void)mkdir(path, 0777);
    *slash = '/';
  }
}

static int write_all(int file, const char* data, size_t size) {
  while (size) {
    const ssize_t n = write(file, data, size);
    if (n < 0 && errno != EINTR) return errno;
    if (n < 0) continue;
    data += n;
    size -= (size_t)n;
  }
  return 0;
}

static int write_to(tfc_context* ctx, char* path, const tfc_string* contents) {
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  int file = open(path, flags, 0666);
  if (file < 0 && errno == ENOENT && path[0]) {
    make_folders(path);
    file = open(path, flags, 0666);
  }
  if (file < 0) return fail_system(ctx, errno, path);
  int number = write_all(file, contents->data, contents->size);
  if (close(file) && !number) number = errno;
  return number ? fail_system(ctx, number, path) : TFC_OK;
}

static int write_remote(tfc_context* ctx, const char* path, const tfc_string* contents) {
  record_status status;
  const tfc_remote_files* files = tfc_remote(path, &status);
  if (files && !files->write(path, contents->data, contents->size, &status)) return TFC_OK;
  return report(ctx, &status);
}

static int write_file(tfc_context* ctx) {
  tfc_string name, contents;
  record_status status;
  TFC_TRY(text_of(ctx, 0, "filename", &name));
  TFC_TRY(text_of(ctx, 1, "contents", &contents));
  char* path = record_path(name.data, name.size, &status);
  if (!path) return report(ctx, &status);
  const int code =
      tfc_is_remote(path) ? write_remote(ctx, path, &contents) : write_to(ctx, path, &contents);
  free(path);
  return code;
}

/* ---- MatchingFiles */

typedef struct path_list {
  char** path;
  int64_t n, room;
  record_status status; /* the code is not TFC_OK: it failed */
} path_list;

static void add_path(path_list* l, const char* path) {
  if (l->n == l->room) {
    const int64_t room = l->room ? 2 * l->room : 64;
    char** grown = realloc(l->path, (size_t)room * sizeof *grown);
    if (grown) {
      l->path = grown;
      l->room = room;
    }
  }
  char* copy = l->n < l->room ? strdup(path) : NULL;
  if (copy)
    l->path[l->n++] = copy;
  else
    record_fail(&l->status, TFC_RESOURCE_EXHAUSTED, "no memory for the names of files");
}

/* What is in a folder and matches the first part of a pattern; `path` is the folder's, of `size`
 * bytes in a buffer of PATH_SIZE, with the slash. */
enum { PATH_SIZE = 4096 };
static void match_in(path_list* l, char* path, size_t size, char* pattern);

/* One name at the end of the path; `rest`: of the pattern, NULL at its end. */
static void match_name(path_list* l, char* path, size_t size, const char* name, size_t name_size,
                       char* rest) {
  struct stat found;
  if (size + name_size + 2 > PATH_SIZE) return; /* no file has so long a path */
  memcpy(path + size, name, name_size);
  path[size + name_size] = '\0';
  if (stat(path, &found) && lstat(path, &found)) return;
  if (!rest) {
    add_path(l, path);
    return;
  }
  if (!S_ISDIR(found.st_mode)) return;
  path[size + name_size] = '/';
  match_in(l, path, size + name_size + 1, rest);
}

static void match_listed(path_list* l, char* path, size_t size, const char* part, char* rest) {
  path[size] = '\0';
  DIR* folder = opendir(size ? path : ".");
  if (!folder) return; /* what can't be listed has nothing that matches */
  for (struct dirent* e = readdir(folder); e && !l->status.code; e = readdir(folder))
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && !fnmatch(part, e->d_name, 0))
      match_name(l, path, size, e->d_name, strlen(e->d_name), rest);
  closedir(folder);
}

static void match_in(path_list* l, char* path, size_t size, char* pattern) {
  for (; *pattern == '/'; pattern++) { /* between two names there may be several */
    if (size + 1 >= PATH_SIZE) return;
    path[size++] = '/';
  }
  char* slash = strchr(pattern, '/');
  if (slash) *slash = '\0';
  char* rest = slash ? slash + 1 : NULL;
  if (strpbrk(pattern, "*?[\\"))
    match_listed(l, path, size, pattern, rest);
  else
    match_name(l, path, size, pattern, strlen(pattern),
               rest); /* "a/" has an empty one at its end */
  if (slash) *slash = '/';
}

static int by_name(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

static void add_remote(void* list, const char* path) {
  add_path(list, path);
}

static void match_remote(path_list* l, const char* pattern) {
  const tfc_remote_files* files = tfc_remote(pattern, &l->status);
  if (files) files->match(pattern, add_remote, l, &l->status);
}

static void match_pattern(path_list* l, const tfc_string* text) {
  char path[PATH_SIZE];
  char* pattern = record_path(text->data, text->size, &l->status);
  if (pattern && tfc_is_remote(pattern))
    match_remote(l, pattern);
  else if (pattern && *pattern)
    match_in(l, path, 0, pattern);
  free(pattern);
}

static int output_paths(tfc_context* ctx, const path_list* l) {
  TFC_TRY(tfc_output(ctx, 0, 1, &l->n));
  for (int64_t i = 0; i < l->n; i++)
    TFC_TRY(tfc_string_set(ctx, &ctx->outputs[0], i, l->path[i], strlen(l->path[i])));
  return TFC_OK;
}

static int matching_files(tfc_context* ctx) {
  const tfc_tensor* patterns = ctx->inputs[0];
  path_list l = {0};
  if (patterns->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input patterns tensor must be scalar or vector, but had shape: %s",
                     tfc_shape_text(patterns).text);
  for (int64_t i = 0; i < patterns->n && !l.status.code; i++)
    match_pattern(&l, (const tfc_string*)patterns->data + i);
  if (l.n) qsort(l.path, (size_t)l.n, sizeof *l.path, by_name);
  const int code = l.status.code ? report(ctx, &l.status) : output_paths(ctx, &l);
  for (int64_t i = 0; i < l.n; i++) free(l.path[i]);
  free(l.path);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ReadFile", "", read_file),
    TFC_ROW("WriteFile", "", write_file),
    TFC_ROW("MatchingFiles", "", matching_files),
};
TFC_REGISTER_KERNELS(kernels);
