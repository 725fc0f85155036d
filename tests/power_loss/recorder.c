// Loaded before libc (LD_PRELOAD): records, in one order over all processes, each change of a data directory
// with its contents, each sync, and what is sent through sockets. PIXLEDGER_RECORDING names the file that
// takes the records, PIXLEDGER_RECORDED the data directory, which need not exist yet.
//
// It stands between the programs and libc, not between the kernel and a disk as a FUSE file system would. So
// it needs no mount and no privilege, works in containers, and can be left out or replaced for a single
// program. What it cannot record of the data directory ends the process and the recording: writing through
// mapped memory (but LMDB's lock.mdb, SQLite's -shm and `wake` are made anew after a power loss), io_uring,
// and calls that no program here uses. What libc writes without its own public functions, as fwrite() does,
// shows when the test compares the recorded files with the real ones.
//
// The lock is held during each recorded call, so the order of the records is that of the changes. Syncs run
// without it, as they do without a recorder. A process that is killed may leave out its last change, so none
// is killed while it is recorded.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/power_loss/record_format.h"

static struct RecordingHead* head;  // null: nothing is recorded
static char root[PATH_MAX];
static size_t root_length;

// ISO C has no conversion from the object pointer that dlsym returns.
static void resolve(void* function, const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  memcpy(function, &found, sizeof found);
}

// Other libraries' constructors may call before this library's own.
#define REAL(result, name, ...)       \
  static result (*real)(__VA_ARGS__); \
  if (!real) resolve(&real, name)

static void trap_rings(void);

__attribute__((constructor)) static void begin(void) {
  const char* file = getenv("PIXLEDGER_RECORDING");
  const char* directory = getenv("PIXLEDGER_RECORDED");
  if (!file || !directory) return;
  root_length = strlen(directory);
  memcpy(root, directory, root_length + 1);
  struct stat info;
  const int opened = open(file, O_RDWR | O_CLOEXEC);
  if (opened < 0 || fstat(opened, &info) != 0) abort();
  void* mapped = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  close(opened);
  if (mapped == MAP_FAILED) abort();
  head = mapped;
  trap_rings();
}

static void lock(void) {
  if (pthread_mutex_lock(&head->mutex) == EOWNERDEAD) pthread_mutex_consistent(&head->mutex);
}

static void unlock(void) {
  const int saved = errno;
  pthread_mutex_unlock(&head->mutex);
  errno = saved;
}

// With the lock held.
static void append(struct RecordHead record, const char* path, const struct iovec* parts, size_t count) {
  char* const begin = (char*)head;
  const uint64_t size = (sizeof record + record.path_bytes + record.data_bytes + 7) & ~(uint64_t)7;
  if (head->end + size > head->bytes_max) {
    fputs("the recording is too small\n", stderr);
    abort();
  }
  char* to = begin + head->end;
  memcpy(to, &record, sizeof record);
  to += sizeof record;
  if (record.path_bytes) memcpy(to, path, record.path_bytes);
  to += record.path_bytes;
  uint64_t left = record.data_bytes;
  for (size_t i = 0; i < count && left > 0; i++) {
    const uint64_t some = parts[i].iov_len < left ? parts[i].iov_len : left;
    if (some) memcpy(to, parts[i].iov_base, some);
    to += some;
    left -= some;
  }
  head->end += size;
}

static void append_path(int kind, const char* path, size_t bytes, uint64_t inode) {
  const struct RecordHead record = {.kind = (uint32_t)kind,
                                    .path_bytes = (uint32_t)bytes,
                                    .data_bytes = 0,
                                    .inode = inode,
                                    .offset = 0,
                                    .length = 0};
  append(record, path, NULL, 0);
}

static void append_range(int kind, uint64_t inode, uint64_t offset, uint64_t length) {
  const struct RecordHead record = {.kind = (uint32_t)kind,
                                    .path_bytes = 0,
                                    .data_bytes = 0,
                                    .inode = inode,
                                    .offset = offset,
                                    .length = length};
  append(record, NULL, NULL, 0);
}

// Ends the process and, with that, the recording: images of it would promise too much.
_Noreturn static void refuse(const char* what) {
  const struct iovec text = {(void*)what, strlen(what)};
  const struct RecordHead record = {.kind = kRecordUnseen,
                                    .path_bytes = 0,
                                    .data_bytes = text.iov_len,
                                    .inode = 0,
                                    .offset = 0,
                                    .length = (uint64_t)getpid()};
  lock();
  append(record, NULL, &text, 1);
  unlock();
  fprintf(stderr, "the recorder cannot record %s\n", what);
  abort();
}

static void on_ring(int signal) {
  (void)signal;
  refuse("io_uring or io_submit()");
}

// Their callers need not pass through libc, so the kernel turns these calls into a signal.
static void trap_rings(void) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_submit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  signal(SIGSYS, on_ring);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    abort();
}

static int is_recorded(const char* path) {
  return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == '\0');
}

// The canonical path of a name whose directory exists. Returns whether it is in the data directory.
static int find_path(int directory, const char* path, char* found) {
  if (!head) return 0;
  const int saved = errno;
  char text[PATH_MAX];
  const int length = path[0] == '/' || directory == AT_FDCWD
                         ? snprintf(text, sizeof text, "%s%s", path[0] == '/' ? "" : "./", path)
                         : snprintf(text, sizeof text, "/proc/self/fd/%d/%s", directory, path);
  int is_found = 0;
  if (length > 0 && (size_t)length < sizeof text) {
    while (text[1] && text[strlen(text) - 1] == '/') text[strlen(text) - 1] = '\0';
    char* const slash = strrchr(text, '/');
    char name[NAME_MAX + 1];
    snprintf(name, sizeof name, "%s", slash + 1);
    *slash = '\0';
    if (realpath(slash == text ? "/" : text, found) && strlen(found) + strlen(name) + 2 < PATH_MAX) {
      strcat(strcat(found, "/"), name);
      is_found = is_recorded(found);
    }
  }
  errno = saved;
  return is_found;
}

// Whether an open file is in the data directory.
static int find_file(int descriptor, struct stat* info) {
  const int saved = errno;
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  int is_found = 0;
  if (head && fstat(descriptor, info) == 0 && (S_ISREG(info->st_mode) || S_ISDIR(info->st_mode))) {
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
      path[length] = '\0';
      is_found = is_recorded(path);
    }
  }
  errno = saved;
  return is_found;
}

// --- names ---

// With the lock held, after the call.
static void note_opened(int directory, const char* path, int existed, int flags) {
  const int saved = errno;
  char found[PATH_MAX];
  struct stat info;
  if (find_path(directory, path, found) && stat(found, &info) == 0 && S_ISREG(info.st_mode)) {
    if (!existed)
      append_path(kRecordFile, found, strlen(found), info.st_ino);
    else if (flags & O_TRUNC)
      append_range(kRecordTruncate, info.st_ino, 0, 0);
  }
  errno = saved;
}

static int opened_at(int (*call)(int, const char*, int, ...), int directory, const char* path, int flags,
                     mode_t mode) {
  char found[PATH_MAX];
  const int is_nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if (!(is_nameless || (flags & (O_CREAT | O_TRUNC))) || !find_path(directory, path, found))
    return call(directory, path, flags, mode);
  if (is_nameless) refuse("a file without a name");
  lock();
  const int existed = access(found, F_OK) == 0;
  const int descriptor = call(directory, path, flags, mode);
  if (descriptor >= 0) note_opened(directory, path, existed, flags);
  unlock();
  return descriptor;
}

#define OPENED(directory, path, flags)             \
  mode_t mode = 0;                                 \
  if ((flags) & (O_CREAT | O_TMPFILE)) {           \
    va_list more;                                  \
    va_start(more, flags);                         \
    mode = va_arg(more, mode_t);                   \
    va_end(more);                                  \
  }                                                \
  REAL(int, "openat", int, const char*, int, ...); \
  return opened_at(real, directory, path, flags, mode)

int open(const char* path, int flags, ...) { OPENED(AT_FDCWD, path, flags); }
int open64(const char* path, int flags, ...) { OPENED(AT_FDCWD, path, flags); }
int openat(int directory, const char* path, int flags, ...) { OPENED(directory, path, flags); }
int openat64(int directory, const char* path, int flags, ...) { OPENED(directory, path, flags); }
int creat(const char* path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat64(const char* path, mode_t mode) { return creat(path, mode); }

// They open by themselves.
#define REFUSED_NAME(directory, path, what)              \
  do {                                                   \
    char found[PATH_MAX];                                \
    if (find_path(directory, path, found)) refuse(what); \
  } while (0)

int mkostemps(char* path, int suffix_bytes, int flags) {
  REAL(int, "mkostemps", char*, int, int);
  REFUSED_NAME(AT_FDCWD, path, "mkstemp()");
  return real(path, suffix_bytes, flags);
}
int mkstemp(char* path) { return mkostemps(path, 0, 0); }
int mkstemp64(char* path) { return mkostemps(path, 0, 0); }
int mkostemp(char* path, int flags) { return mkostemps(path, 0, flags); }
int mkostemp64(char* path, int flags) { return mkostemps(path, 0, flags); }

FILE* freopen(const char* path, const char* mode, FILE* stream) {
  REAL(FILE*, "freopen", const char*, const char*, FILE*);
  if (path) REFUSED_NAME(AT_FDCWD, path, "freopen()");
  return real(path, mode, stream);
}
FILE* freopen64(const char* path, const char* mode, FILE* stream) { return freopen(path, mode, stream); }

int symlinkat(const char* target, int directory, const char* path) {
  REAL(int, "symlinkat", const char*, int, const char*);
  REFUSED_NAME(directory, path, "a symbolic link");
  return real(target, directory, path);
}
int symlink(const char* target, const char* path) { return symlinkat(target, AT_FDCWD, path); }

static FILE* opened_stream(FILE* (*call)(const char*, const char*), const char* path, const char* mode) {
  char found[PATH_MAX];
  if (mode[0] == 'r' || !find_path(AT_FDCWD, path, found)) return call(path, mode);
  lock();
  const int existed = access(found, F_OK) == 0;
  FILE* const stream = call(path, mode);
  if (stream) note_opened(AT_FDCWD, path, existed, mode[0] == 'w' ? O_TRUNC : 0);
  unlock();
  return stream;
}

// libstdc++'s streams open files so, and write by write() and writev().
FILE* fopen(const char* path, const char* mode) {
  REAL(FILE*, "fopen", const char*, const char*);
  return opened_stream(real, path, mode);
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }

int mkdirat(int directory, const char* path, mode_t mode) {
  REAL(int, "mkdirat", int, const char*, mode_t);
  char found[PATH_MAX];
  if (!find_path(directory, path, found)) return real(directory, path, mode);
  lock();
  const int result = real(directory, path, mode);
  struct stat info;
  if (result == 0 && stat(found, &info) == 0)
    append_path(kRecordDirectory, found, strlen(found), info.st_ino);
  unlock();
  return result;
}
int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int directory, const char* path, int flags) {
  REAL(int, "unlinkat", int, const char*, int);
  char found[PATH_MAX];
  if (!find_path(directory, path, found)) return real(directory, path, flags);
  lock();
  const int result = real(directory, path, flags);
  if (result == 0) append_path(kRecordRemove, found, strlen(found), 0);
  unlock();
  return result;
}
int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) {
  const int result = unlink(path);
  return result != 0 && errno == EISDIR ? rmdir(path) : result;
}

// Returns whether both names are in the data directory.
static int find_both(int from_directory, const char* from, char* found, int to_directory, const char* to,
                     char* found_to) {
  const int is_from = find_path(from_directory, from, found);
  const int is_to = find_path(to_directory, to, found_to);
  if (is_from != is_to) refuse("a file's way into or out of the data directory");
  return is_from;
}

static int named_twice(int kind, int result, const char* from, const char* to) {
  char both[2 * PATH_MAX];
  const size_t first = strlen(from) + 1;
  memcpy(both, from, first);
  memcpy(both + first, to, strlen(to));
  if (result == 0) append_path(kind, both, first + strlen(to), 0);
  unlock();
  return result;
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) {
  REAL(int, "renameat2", int, const char*, int, const char*, unsigned);
  char found[PATH_MAX];
  char found_to[PATH_MAX];
  if (!find_both(from_directory, from, found, to_directory, to, found_to))
    return real(from_directory, from, to_directory, to, flags);
  if (flags & ~(unsigned)RENAME_NOREPLACE) refuse("an exchange of names");
  lock();
  return named_twice(kRecordRename, real(from_directory, from, to_directory, to, flags), found, found_to);
}
int renameat(int from_directory, const char* from, int to_directory, const char* to) {
  return renameat2(from_directory, from, to_directory, to, 0);
}
int rename(const char* from, const char* to) { return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0); }

int linkat(int from_directory, const char* from, int to_directory, const char* to, int flags) {
  REAL(int, "linkat", int, const char*, int, const char*, int);
  char found[PATH_MAX];
  char found_to[PATH_MAX];
  if (!find_both(from_directory, from, found, to_directory, to, found_to))
    return real(from_directory, from, to_directory, to, flags);
  lock();
  return named_twice(kRecordLink, real(from_directory, from, to_directory, to, flags), found, found_to);
}
int link(const char* from, const char* to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

// --- contents ---

// What is sent is recorded before the call: the receiver may act on the first byte.
static void note_told(int descriptor, const struct iovec* parts, size_t count) {
  const int saved = errno;
  struct stat info;
  if (head && fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode)) {
    struct RecordHead record = {.kind = kRecordTold,
                                .path_bytes = 0,
                                .data_bytes = 0,
                                .inode = 0,
                                .offset = 0,
                                .length = (uint64_t)getpid()};
    for (size_t i = 0; i < count; i++) record.data_bytes += parts[i].iov_len;
    lock();
    append(record, NULL, parts, count);
    unlock();
  }
  errno = saved;
}

// With the lock held, after the call.
static void note_written(int descriptor, const struct stat* file, const struct iovec* parts, size_t count,
                         uint64_t offset, ssize_t written, int flags) {
  if (written <= 0) return;
  const int saved = errno;
  // O_SYNC contains this bit.
  const int is_synced = (fcntl(descriptor, F_GETFL) & O_DSYNC) || (flags & (RWF_DSYNC | RWF_SYNC));
  const struct RecordHead record = {.kind = is_synced ? kRecordSyncedWrite : kRecordWrite,
                                    .path_bytes = 0,
                                    .data_bytes = (uint64_t)written,
                                    .inode = file->st_ino,
                                    .offset = offset,
                                    .length = 0};
  append(record, NULL, parts, count);
  errno = saved;
}

#define AT_OFFSET(descriptor, parts, count, at, flags, call)                   \
  struct stat file;                                                            \
  if (!find_file(descriptor, &file)) return call;                              \
  if (((flags)&RWF_APPEND) || (fcntl(descriptor, F_GETFL) & O_APPEND))         \
    refuse("a write at an offset that appends");                               \
  lock();                                                                      \
  const ssize_t written = call;                                                \
  note_written(descriptor, &file, parts, count, (uint64_t)at, written, flags); \
  unlock();                                                                    \
  return written

// Where write() has begun is known afterwards, also with O_APPEND.
#define AT_POSITION(descriptor, parts, count, call)                                                     \
  struct stat file;                                                                                     \
  if (!find_file(descriptor, &file)) {                                                                  \
    note_told(descriptor, parts, count);                                                                \
    return call;                                                                                        \
  }                                                                                                     \
  lock();                                                                                               \
  const ssize_t written = call;                                                                         \
  if (written > 0)                                                                                      \
    note_written(descriptor, &file, parts, count, (uint64_t)(lseek(descriptor, 0, SEEK_CUR) - written), \
                 written, 0);                                                                           \
  unlock();                                                                                             \
  return written

ssize_t write(int descriptor, const void* bytes, size_t length) {
  REAL(ssize_t, "write", int, const void*, size_t);
  const struct iovec part = {(void*)bytes, length};
  AT_POSITION(descriptor, &part, 1, real(descriptor, bytes, length));
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec*, int);
  AT_POSITION(descriptor, parts, (size_t)count, real(descriptor, parts, count));
}

ssize_t pwrite(int descriptor, const void* bytes, size_t length, off_t offset) {
  REAL(ssize_t, "pwrite", int, const void*, size_t, off_t);
  const struct iovec part = {(void*)bytes, length};
  AT_OFFSET(descriptor, &part, 1, offset, 0, real(descriptor, bytes, length, offset));
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t length, off64_t offset) {
  return pwrite(descriptor, bytes, length, offset);
}

ssize_t pwritev(int descriptor, const struct iovec* parts, int count, off_t offset) {
  REAL(ssize_t, "pwritev", int, const struct iovec*, int, off_t);
  AT_OFFSET(descriptor, parts, (size_t)count, offset, 0, real(descriptor, parts, count, offset));
}
ssize_t pwritev64(int descriptor, const struct iovec* parts, int count, off64_t offset) {
  return pwritev(descriptor, parts, count, offset);
}

ssize_t pwritev2(int descriptor, const struct iovec* parts, int count, off_t offset, int flags) {
  REAL(ssize_t, "pwritev2", int, const struct iovec*, int, off_t, int);
  if (offset == -1) {
    if (flags) refuse("pwritev2() at the position with flags");
    return writev(descriptor, parts, count);
  }
  AT_OFFSET(descriptor, parts, (size_t)count, offset, flags, real(descriptor, parts, count, offset, flags));
}
ssize_t pwritev64v2(int descriptor, const struct iovec* parts, int count, off64_t offset, int flags) {
  return pwritev2(descriptor, parts, count, offset, flags);
}

ssize_t send(int descriptor, const void* bytes, size_t length, int flags) {
  REAL(ssize_t, "send", int, const void*, size_t, int);
  const struct iovec part = {(void*)bytes, length};
  note_told(descriptor, &part, 1);
  return real(descriptor, bytes, length, flags);
}

ssize_t sendmsg(int descriptor, const struct msghdr* message, int flags) {
  REAL(ssize_t, "sendmsg", int, const struct msghdr*, int);
  note_told(descriptor, message->msg_iov, message->msg_iovlen);
  return real(descriptor, message, flags);
}

int ftruncate(int descriptor, off_t length) {
  REAL(int, "ftruncate", int, off_t);
  struct stat file;
  if (!find_file(descriptor, &file)) return real(descriptor, length);
  lock();
  const int result = real(descriptor, length);
  if (result == 0) append_range(kRecordTruncate, file.st_ino, 0, (uint64_t)length);
  unlock();
  return result;
}
int ftruncate64(int descriptor, off64_t length) { return ftruncate(descriptor, length); }
int truncate(const char* path, off_t length) {
  const int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return -1;
  const int result = ftruncate(descriptor, length);
  const int saved = errno;
  close(descriptor);
  errno = saved;
  return result;
}
int truncate64(const char* path, off64_t length) { return truncate(path, length); }

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
  REAL(int, "fallocate", int, int, off_t, off_t);
  struct stat file;
  if (!find_file(descriptor, &file)) return real(descriptor, mode, offset, length);
  if (mode & ~(FALLOC_FL_ZERO_RANGE | FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE))
    refuse("fallocate() that moves or unshares contents");
  lock();
  const int result = fstat(descriptor, &file) == 0 ? real(descriptor, mode, offset, length) : -1;
  off_t zeros = length;
  if ((mode & FALLOC_FL_KEEP_SIZE) && offset + length > file.st_size) zeros = file.st_size - offset;
  if (result == 0 && zeros > 0 && (mode & (FALLOC_FL_ZERO_RANGE | FALLOC_FL_PUNCH_HOLE)))
    append_range(kRecordZeros, file.st_ino, (uint64_t)offset, (uint64_t)zeros);
  if (result == 0 && !(mode & FALLOC_FL_KEEP_SIZE))
    append_range(kRecordExtend, file.st_ino, 0, (uint64_t)(offset + length));
  unlock();
  return result;
}
int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
  return fallocate(descriptor, mode, offset, length);
}
int posix_fallocate(int descriptor, off_t offset, off_t length) {
  return fallocate(descriptor, 0, offset, length) == 0 ? 0 : errno;
}
int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
  return posix_fallocate(descriptor, offset, length);
}

// Copies within the kernel are not recorded; callers then read and write.
ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t length,
                        unsigned flags) {
  REAL(ssize_t, "copy_file_range", int, off64_t*, int, off64_t*, size_t, unsigned);
  if (!head) return real(from, from_offset, to, to_offset, length, flags);
  errno = ENOSYS;
  return -1;
}
ssize_t sendfile(int to, int from, off_t* offset, size_t length) {
  REAL(ssize_t, "sendfile", int, int, off_t*, size_t);
  if (!head) return real(to, from, offset, length);
  errno = ENOSYS;
  return -1;
}
ssize_t sendfile64(int to, int from, off64_t* offset, size_t length) {
  return sendfile(to, from, offset, length);
}

ssize_t splice(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t length, unsigned flags) {
  REAL(ssize_t, "splice", int, off64_t*, int, off64_t*, size_t, unsigned);
  struct stat file;
  if (find_file(to, &file)) refuse("splice()");
  return real(from, from_offset, to, to_offset, length, flags);
}

// Whether a mapped file is made anew after a power loss.
static int is_made_anew(int descriptor) {
  static const char* const names[] = {"/lock.mdb", "-shm", "/wake"};
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const ssize_t bytes = (ssize_t)strlen(names[i]);
    if (length >= bytes && memcmp(path + length - bytes, names[i], (size_t)bytes) == 0) return 1;
  }
  return 0;
}

void* mmap(void* address, size_t length, int protection, int flags, int descriptor, off_t offset) {
  REAL(void*, "mmap", void*, size_t, int, int, int, off_t);
  struct stat file;
  if ((protection & PROT_WRITE) && (flags & MAP_SHARED) && !(flags & MAP_ANONYMOUS) &&
      find_file(descriptor, &file) && !is_made_anew(descriptor))
    refuse("writing through mapped memory");
  return real(address, length, protection, flags, descriptor, offset);
}
void* mmap64(void* address, size_t length, int protection, int flags, int descriptor, off64_t offset) {
  return mmap(address, length, protection, flags, descriptor, offset);
}

// --- syncs ---

// What was written before the call is durable after it.
static int synced(int (*call)(int), int descriptor) {
  struct stat file;
  if (!find_file(descriptor, &file)) return call(descriptor);
  if (head->ignored & (S_ISDIR(file.st_mode) ? kIgnoreDirectorySyncs : kIgnoreFileSyncs)) return 0;
  lock();
  const uint64_t since = head->end;
  unlock();
  const int result = call(descriptor);
  if (result != 0) return result;
  lock();
  append_range(kRecordSync, file.st_ino, since, 0);
  unlock();
  return result;
}

int fsync(int descriptor) {
  REAL(int, "fsync", int);
  return synced(real, descriptor);
}

int fdatasync(int descriptor) {
  REAL(int, "fdatasync", int);
  return synced(real, descriptor);
}
