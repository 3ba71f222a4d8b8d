/*
 * Records the files that a Python process opens, lists or looks for, in any of its libraries.
 *
 * This library is preloaded and replaces functions of the system, so it also records accesses
 * without an audit event: a database named by a URI, certificates, files of C libraries. It appends
 * one record for each path to the file in STEADY_WATCH: a letter, the path, a zero byte.
 *
 *   b  the library is loaded
 *   o  opened, or examined by code other than Python itself
 *   k  examined by Python itself, for a reason that `sitecustomize` records
 *   w  written
 *   l  listed
 *   t  a folder that the system itself searches for files
 *   d  an access that cannot be observed: its description in place of the path
 *
 * In processes other than Python, and in those started by a Python process, it does nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#if !defined(__linux__) || __SIZEOF_POINTER__ != 8
#error "recording of opened files needs Linux on a 64-bit processor"
#endif

#define KNOWN 65536 /* paths that are recorded only once */
#define CHANGES (O_WRONLY | O_TRUNC | O_APPEND)

typedef long (*call)(long, long, long, long, long, long);

static char log_file[PATH_MAX];
static const void *python; /* address of the library or program that contains Python */
static _Atomic uint64_t known[KNOWN];

static void append(const char *record, size_t length) {
  long file = syscall(SYS_openat, AT_FDCWD, log_file, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
  if (file < 0 || syscall(SYS_write, file, record, length) != (long)length) abort();
  syscall(SYS_close, file);
}

/* Return whether a record is new; always true once the table is full. */
static int is_new(const char *record, size_t length) {
  uint64_t sum = 14695981039346656037u;
  for (size_t i = 0; i < length; i++) sum = (sum ^ (unsigned char)record[i]) * 1099511628211u;
  sum |= 1;
  for (size_t step = 0; step < 64; step++) {
    uint64_t nothing = 0;
    _Atomic uint64_t *place = &known[(sum + step) % KNOWN];
    if (atomic_load(place) == sum) return 0;
    if (atomic_compare_exchange_strong(place, &nothing, sum)) return 1;
    if (nothing == sum) return 0;
  }
  return 1;
}

/* The folder of a relative path; empty if unknown. */
static void folder_of(long descriptor, char *folder, size_t size) {
  char link[40];
  long length;
  if ((int)descriptor == AT_FDCWD) {
    length = syscall(SYS_getcwd, folder, size) > 0 ? (long)strlen(folder) : 0;
  } else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", (int)descriptor);
    length = syscall(SYS_readlinkat, AT_FDCWD, link, folder, size - 1);
  }
  folder[length > 0 ? length : 0] = 0;
}

static void note(char kind, long descriptor, const char *path) {
  char record[2 * PATH_MAX + 4], folder[PATH_MAX];
  if (!*log_file || !path || !*path) return;
  int saved = errno;
  folder[0] = 0;
  if (*path != '/' && kind != 'd') folder_of(descriptor, folder, sizeof folder);
  int length = snprintf(record, sizeof record, "%c%s%s%s", kind, folder, *folder ? "/" : "", path);
  if (length > 0 && (size_t)length < sizeof record && is_new(record, (size_t)length))
    append(record, (size_t)length + 1);
  errno = saved;
}

/* Return whether Python itself is the caller, whose accesses have audit events. */
static int is_python(const void *caller) {
  Dl_info found;
  return dladdr(caller, &found) && found.dli_fbase == python;
}

static void note_open(const void *caller, long folder, long path, long flags) {
  note('o', folder, (const char *)path);
  if (!*log_file || !path || is_python(caller)) return;
  int creates = flags & O_CREAT && syscall(SYS_faccessat, folder, path, F_OK);
  if (flags & CHANGES || creates) note('w', folder, (const char *)path);
  if (flags & O_DIRECTORY) note('l', folder, (const char *)path);
}

static void note_stream(const void *caller, long path, long mode) {
  int writes = mode && *(const char *)mode != 'r';
  note_open(caller, AT_FDCWD, path, writes ? O_WRONLY : 0);
}

static void note_look(const void *caller, long folder, long path) {
  if (*log_file) note(is_python(caller) ? 'k' : 'o', folder, (const char *)path);
}

static void note_list(const void *caller, long path) {
  if (*log_file && !is_python(caller)) note('l', AT_FDCWD, (const char *)path);
}

static void note_change(const void *caller, long folder, long path) {
  if (*log_file && !is_python(caller)) note('w', folder, (const char *)path);
}

static call next_of(const char *name) {
  call found = (call)dlsym(RTLD_NEXT, name);
  if (!found) errno = ENOSYS;
  return found;
}

/* A system function: its arguments and its result are machine words. */
#define WATCH(name, noted)                                                                     \
  long watched_##name(long, long, long, long, long, long) __asm__(#name);                      \
  long watched_##name(long a, long b, long c, long d, long e, long f) {                        \
    static call real;                                                                          \
    const void *from = __builtin_return_address(0);                                            \
    noted;                                                                                     \
    if (!real) real = next_of(#name);                                                          \
    (void)from;                                                                                \
    return real ? real(a, b, c, d, e, f) : -1;                                                 \
  }

WATCH(open, note_open(from, AT_FDCWD, a, b))
WATCH(open64, note_open(from, AT_FDCWD, a, b))
WATCH(__open_2, note_open(from, AT_FDCWD, a, b))
WATCH(__open64_2, note_open(from, AT_FDCWD, a, b))
WATCH(openat, note_open(from, a, b, c))
WATCH(openat64, note_open(from, a, b, c))
WATCH(__openat_2, note_open(from, a, b, c))
WATCH(__openat64_2, note_open(from, a, b, c))
WATCH(creat, note_open(from, AT_FDCWD, a, O_WRONLY))
WATCH(creat64, note_open(from, AT_FDCWD, a, O_WRONLY))
WATCH(fopen, note_stream(from, a, b))
WATCH(fopen64, note_stream(from, a, b))
WATCH(freopen, note_stream(from, a, b))
WATCH(freopen64, note_stream(from, a, b))
WATCH(opendir, note_list(from, a))
WATCH(scandir, note_list(from, a))
WATCH(scandir64, note_list(from, a))
WATCH(stat, note_look(from, AT_FDCWD, a))
WATCH(stat64, note_look(from, AT_FDCWD, a))
WATCH(lstat, note_look(from, AT_FDCWD, a))
WATCH(lstat64, note_look(from, AT_FDCWD, a))
WATCH(fstatat, note_look(from, a, b))
WATCH(fstatat64, note_look(from, a, b))
WATCH(statx, note_look(from, a, b))
WATCH(__xstat, note_look(from, AT_FDCWD, b))
WATCH(__xstat64, note_look(from, AT_FDCWD, b))
WATCH(__lxstat, note_look(from, AT_FDCWD, b))
WATCH(__lxstat64, note_look(from, AT_FDCWD, b))
WATCH(__fxstatat, note_look(from, b, c))
WATCH(__fxstatat64, note_look(from, b, c))
WATCH(statfs, note_look(from, AT_FDCWD, a))
WATCH(statfs64, note_look(from, AT_FDCWD, a))
WATCH(statvfs, note_look(from, AT_FDCWD, a))
WATCH(statvfs64, note_look(from, AT_FDCWD, a))
WATCH(access, note_look(from, AT_FDCWD, a))
WATCH(euidaccess, note_look(from, AT_FDCWD, a))
WATCH(eaccess, note_look(from, AT_FDCWD, a))
WATCH(faccessat, note_look(from, a, b))
WATCH(readlink, note_look(from, AT_FDCWD, a))
WATCH(__readlink_chk, note_look(from, AT_FDCWD, a))
WATCH(readlinkat, note_look(from, a, b))
WATCH(__readlinkat_chk, note_look(from, a, b))
WATCH(realpath, note_look(from, AT_FDCWD, a))
WATCH(__realpath_chk, note_look(from, AT_FDCWD, a))
WATCH(canonicalize_file_name, note_look(from, AT_FDCWD, a))
WATCH(chdir, note_look(from, AT_FDCWD, a))
WATCH(rename, (note_change(from, AT_FDCWD, a), note_change(from, AT_FDCWD, b)))
WATCH(renameat, (note_change(from, a, b), note_change(from, c, d)))
WATCH(renameat2, (note_change(from, a, b), note_change(from, c, d)))
WATCH(link, (note_look(from, AT_FDCWD, a), note_change(from, AT_FDCWD, b)))
WATCH(linkat, (note_look(from, a, b), note_change(from, c, d)))
WATCH(symlink, note_change(from, AT_FDCWD, b))
WATCH(symlinkat, note_change(from, b, c))
WATCH(remove, note_change(from, AT_FDCWD, a))
WATCH(unlink, note_change(from, AT_FDCWD, a))
WATCH(unlinkat, note_change(from, a, b))
WATCH(rmdir, note_change(from, AT_FDCWD, a))
WATCH(mkdir, note_change(from, AT_FDCWD, a))
WATCH(mkdirat, note_change(from, a, b))
WATCH(mkfifo, note_change(from, AT_FDCWD, a))
WATCH(truncate, note_change(from, AT_FDCWD, a))
WATCH(truncate64, note_change(from, AT_FDCWD, a))
WATCH(chmod, note_change(from, AT_FDCWD, a))
WATCH(fchmodat, note_change(from, a, b))
WATCH(chown, note_change(from, AT_FDCWD, a))
WATCH(lchown, note_change(from, AT_FDCWD, a))
WATCH(mkstemp, note_change(from, AT_FDCWD, a))
WATCH(mkstemp64, note_change(from, AT_FDCWD, a))
WATCH(mkostemp, note_change(from, AT_FDCWD, a))
WATCH(mkostemp64, note_change(from, AT_FDCWD, a))
WATCH(mkdtemp, note_change(from, AT_FDCWD, a))
WATCH(utime, note_change(from, AT_FDCWD, a))
WATCH(utimes, note_change(from, AT_FDCWD, a))
WATCH(utimensat, note_change(from, a, b))
WATCH(bindtextdomain, note('t', AT_FDCWD, (const char *)b))

/* Direct system calls, for instance of libraries in Rust. */
long watched_syscall(long, long, long, long, long, long, long) __asm__("syscall");
long watched_syscall(long number, long a, long b, long c, long d, long e, long f) {
  static long (*real)(long, ...);
  const void *from = __builtin_return_address(0);
  if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  switch (number) {
#ifdef SYS_open
    case SYS_open: note_open(from, AT_FDCWD, a, b); break;
    case SYS_stat:
    case SYS_lstat:
    case SYS_access:
    case SYS_readlink: note_look(from, AT_FDCWD, a); break;
#endif
    case SYS_openat: note_open(from, a, b, c); break;
    case SYS_newfstatat:
    case SYS_faccessat:
    case SYS_readlinkat: note_look(from, a, b); break;
#ifdef SYS_openat2
    case SYS_openat2: note_open(from, a, b, *(const long *)c); break;
#endif
#ifdef SYS_faccessat2
    case SYS_faccessat2: note_look(from, a, b); break;
#endif
#ifdef SYS_statx
    case SYS_statx: note_look(from, a, b); break;
#endif
#ifdef SYS_io_uring_setup
    case SYS_io_uring_setup:
#endif
    case SYS_open_by_handle_at: note('d', 0, "opens files by handle"); break;
    case SYS_execve:
    case SYS_execveat: note('d', 0, "starts another program"); break;
    default: break;
  }
  return real ? real(number, a, b, c, d, e, f) : -1;
}

__attribute__((constructor)) static void load(void) {
  const char *file = getenv("STEADY_WATCH"), *others = getenv("STEADY_WATCH_OTHERS");
  void *own = dlsym(RTLD_DEFAULT, "Py_BytesMain");
  Dl_info found;
  if (!own || !file || strlen(file) >= sizeof log_file || !dladdr(own, &found)) return;
  if (others && *others)
    setenv("LD_PRELOAD", others, 1);
  else
    unsetenv("LD_PRELOAD");
  unsetenv("STEADY_WATCH");
  unsetenv("STEADY_WATCH_OTHERS");
  python = found.dli_fbase;
  strcpy(log_file, file);
  append("b", 2);
}
