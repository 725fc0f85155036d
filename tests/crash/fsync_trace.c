// Loaded before libc (LD_PRELOAD): records when writes and syncs of the ledger and sends to sockets begin and
// return. PIXLEDGER_TRACE names the file that takes the records, PIXLEDGER_TRACE_LEDGER the ledger's
// data.mdb, beside which the journal is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/crash/trace_record.h"

static struct TraceHeader* header;
static struct TraceRecord* records;
static dev_t ledger_device;
static ino_t ledger_inode;
static char journal[PATH_MAX];  // its directory, with a slash

enum { kMetaPagesBytes = 2 * 4096, kNoOffset = -1 };

static ssize_t (*real_write)(int, const void*, size_t);
static ssize_t (*real_writev)(int, const struct iovec*, int);
static ssize_t (*real_pwrite)(int, const void*, size_t, off_t);
static ssize_t (*real_pwritev)(int, const struct iovec*, int, off_t);
static ssize_t (*real_send)(int, const void*, size_t, int);
static ssize_t (*real_sendto)(int, const void*, size_t, int, const struct sockaddr*, socklen_t);
static ssize_t (*real_sendmsg)(int, const struct msghdr*, int);
static int (*real_fdatasync)(int);
static int (*real_fsync)(int);
static int (*real_statvfs)(const char*, struct statvfs*);

// ISO C has no conversion from the object pointer that dlsym returns.
static void resolve(void* function, const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  memcpy(function, &found, sizeof found);
}

// Runs before the program's own constructors; those of other libraries may write earlier.
__attribute__((constructor)) static void prepare(void) {
  if (real_write) return;
  resolve(&real_writev, "writev");
  resolve(&real_pwrite, "pwrite");
  resolve(&real_pwritev, "pwritev");
  resolve(&real_send, "send");
  resolve(&real_sendto, "sendto");
  resolve(&real_sendmsg, "sendmsg");
  resolve(&real_fdatasync, "fdatasync");
  resolve(&real_fsync, "fsync");
  resolve(&real_statvfs, "statvfs");
  resolve(&real_write, "write");

  const char* trace = getenv("PIXLEDGER_TRACE");
  const char* ledger = getenv("PIXLEDGER_TRACE_LEDGER");
  struct stat info;
  if (!trace || !ledger || stat(ledger, &info) != 0) return;
  ledger_device = info.st_dev;
  ledger_inode = info.st_ino;
  // As the kernel names open files.
  char name[PATH_MAX];
  if (!realpath(ledger, name)) abort();
  *strrchr(name, '/') = '\0';
  if (snprintf(journal, sizeof journal, "%s/journal/", name) >= (int)sizeof journal) abort();
  const int file = open(trace, O_RDWR | O_CLOEXEC);
  if (file < 0 || fstat(file, &info) != 0) abort();
  void* mapped = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (mapped == MAP_FAILED) abort();
  records = (struct TraceRecord*)((struct TraceHeader*)mapped + 1);
  header = mapped;
}

static int is_in_journal(int descriptor) {
  char link[64];
  char path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path);
  const size_t prefix = strlen(journal);
  return length > (ssize_t)prefix && memcmp(path, journal, prefix) == 0;
}

// The kind of a write to this descriptor; 0 for files that are not traced.
static int kind_of(int descriptor, off_t offset) {
  struct stat info;
  const int saved = errno;
  const int known = header && fstat(descriptor, &info) == 0;
  errno = saved;
  if (!known) return 0;
  if (S_ISSOCK(info.st_mode)) return kTraceSend;
  if (info.st_dev != ledger_device) return 0;
  if (info.st_ino == ledger_inode)
    return offset != kNoOffset && offset < kMetaPagesBytes ? kTraceMetaWrite : kTracePageWrite;
  const int is_journal = S_ISREG(info.st_mode) && is_in_journal(descriptor);
  errno = saved;
  return is_journal ? kTraceJournalWrite : 0;
}

static uint64_t sequence(void) { return __atomic_add_fetch(&header->next_sequence, 1, __ATOMIC_SEQ_CST); }

static void record(int kind, int result, uint64_t begin, uint64_t end, const char* id) {
  const uint64_t index = __atomic_fetch_add(&header->next_record, 1, __ATOMIC_SEQ_CST);
  if (index >= header->records_max) return;
  struct TraceRecord* to = &records[index];
  to->begin = begin;
  to->kind = kind;
  to->result = result;
  if (id) memcpy(to->id, id, kTraceIdLength);
  __atomic_store_n(&to->end, end, __ATOMIC_RELEASE);
}

static int is_id_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// Calls with every "c" + 24 characters of [0-9a-z] that stands alone.
static void record_ids(int kind, int result, uint64_t begin, uint64_t end, const char* bytes, size_t length) {
  size_t start = 0;
  while (start < length) {
    size_t stop = start;
    while (stop < length && is_id_character(bytes[stop])) stop++;
    if (stop - start == kTraceIdLength && bytes[start] == 'c')
      record(kind, result, begin, end, bytes + start);
    start = stop + 1;
  }
}

static int reply_status(const struct iovec* parts) {
  const char* text = parts->iov_base;
  if (parts->iov_len < 12 || memcmp(text, "HTTP/1.1 ", 9) != 0) return 0;
  return (text[9] - '0') * 100 + (text[10] - '0') * 10 + (text[11] - '0');
}

static void record_write(int kind, uint64_t begin, const struct iovec* parts, size_t count, ssize_t written) {
  if (kind == 0 || count == 0) return;
  const int saved = errno;
  const uint64_t end = sequence();
  size_t asked = 0;
  for (size_t i = 0; i < count; i++) asked += parts[i].iov_len;
  int result = kind == kTraceSend ? reply_status(parts) : 0;
  if (kind != kTraceSend && written != (ssize_t)asked) result = written < 0 ? saved : EIO;
  record(kind, result, begin, end, NULL);
  for (size_t i = 0; i < count; i++)
    record_ids(kind, result, begin, end, parts[i].iov_base, parts[i].iov_len);
  errno = saved;
}

// Whether a call must fail; then sets errno.
static int injected(const int32_t* failure) {
  const int error = __atomic_load_n(failure, __ATOMIC_SEQ_CST);
  if (error != 0) errno = error;
  return error != 0;
}

static int write_fails(int kind) {
  if (kind == kTracePageWrite) return injected(&header->fail_pages_with);
  if (kind == kTraceJournalWrite) return injected(&header->fail_journal_with);
  return kind == kTraceMetaWrite && injected(&header->fail_metas_with);
}

static int disk_is_full(void) {
  return header && __atomic_load_n(&header->fail_pages_with, __ATOMIC_SEQ_CST) == kTraceShortWrite;
}

// The result of a failing write: on a full disk half of the requested bytes, since LMDB writes whole pages.
static ssize_t failed_write(const struct iovec* parts) {
  return errno == kTraceShortWrite ? (ssize_t)(parts->iov_len / 2) : -1;
}

#define TRACED_WRITE(descriptor, parts, count, offset, call)                \
  prepare();                                                                \
  const int kind = kind_of(descriptor, offset);                             \
  const uint64_t begin = kind ? sequence() : 0;                             \
  const ssize_t written = write_fails(kind) ? failed_write(parts) : (call); \
  record_write(kind, begin, parts, count, written);                         \
  return written

ssize_t write(int descriptor, const void* bytes, size_t length) {
  const struct iovec part = {(void*)bytes, length};
  TRACED_WRITE(descriptor, &part, 1, kNoOffset, real_write(descriptor, bytes, length));
}

ssize_t pwrite(int descriptor, const void* bytes, size_t length, off_t offset) {
  const struct iovec part = {(void*)bytes, length};
  TRACED_WRITE(descriptor, &part, 1, offset, real_pwrite(descriptor, bytes, length, offset));
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t length, off64_t offset) {
  return pwrite(descriptor, bytes, length, offset);
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  TRACED_WRITE(descriptor, parts, (size_t)count, kNoOffset, real_writev(descriptor, parts, count));
}

ssize_t pwritev(int descriptor, const struct iovec* parts, int count, off_t offset) {
  TRACED_WRITE(descriptor, parts, (size_t)count, offset, real_pwritev(descriptor, parts, count, offset));
}

ssize_t pwritev64(int descriptor, const struct iovec* parts, int count, off64_t offset) {
  return pwritev(descriptor, parts, count, offset);
}

ssize_t send(int descriptor, const void* bytes, size_t length, int flags) {
  const struct iovec part = {(void*)bytes, length};
  TRACED_WRITE(descriptor, &part, 1, kNoOffset, real_send(descriptor, bytes, length, flags));
}

ssize_t sendto(int descriptor, const void* bytes, size_t length, int flags, const struct sockaddr* to,
               socklen_t to_length) {
  const struct iovec part = {(void*)bytes, length};
  TRACED_WRITE(descriptor, &part, 1, kNoOffset, real_sendto(descriptor, bytes, length, flags, to, to_length));
}

ssize_t sendmsg(int descriptor, const struct msghdr* message, int flags) {
  TRACED_WRITE(descriptor, message->msg_iov, message->msg_iovlen, kNoOffset,
               real_sendmsg(descriptor, message, flags));
}

static int traced_sync(int descriptor, int (*call)(int)) {
  const int kind = kind_of(descriptor, kNoOffset);
  if (kind != kTracePageWrite && kind != kTraceJournalWrite) return call(descriptor);
  const uint64_t begin = sequence();
  const int result = injected(&header->fail_syncs_with) ? -1 : call(descriptor);
  const int saved = errno;
  record(kind == kTraceJournalWrite ? kTraceSync : kTraceIndexSync, result == 0 ? 0 : saved, begin,
         sequence(), NULL);
  errno = saved;
  return result;
}

int statvfs(const char* path, struct statvfs* info) {
  prepare();
  const int result = real_statvfs(path, info);
  if (result == 0 && disk_is_full()) info->f_bfree = info->f_bavail = 0;
  return result;
}

int statvfs64(const char* path, struct statvfs64* info) { return statvfs(path, (struct statvfs*)info); }

int fdatasync(int descriptor) {
  prepare();
  return traced_sync(descriptor, real_fdatasync);
}

int fsync(int descriptor) {
  prepare();
  return traced_sync(descriptor, real_fsync);
}
