// For LD_PRELOAD: gives a program the time and the randomness that scripts/lib/pictures.mjs decides, so that each run of it
// makes the same ledger. Only for invented data: the keys that a program makes with it are known.
//
// PICTURES_CLOCK names a file of eight bytes with the time in milliseconds since 1970, little-endian, which the script
// changes while programs run. PICTURES_SEED is a number of its own for each program that the script starts.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *clock_ms;
static const int64_t boot_ms = 1767225600000; // 2026-01-01: when this machine was booted, as far as the program knows
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static uint64_t seed;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("PICTURES_CLOCK");
  const char *number = getenv("PICTURES_SEED");
  const int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  void *map = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *clock_ms, PROT_READ, MAP_SHARED, file, 0);
  if (map == MAP_FAILED || !number) abort();
  close(file);
  clock_ms = map;
  // `pixledger up` starts several programs with the same number.
  seed = strtoull(number, NULL, 10);
  for (const char *each = program_invocation_short_name; *each; ++each) seed = seed * 1099511628211u + (unsigned char)*each;
  real_timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
  if (!real_timedwait) real_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!clock_ms || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE && clock != CLOCK_BOOTTIME))
    return (int)syscall(SYS_clock_gettime, clock, time);
  const int64_t ms = *clock_ms - (clock == CLOCK_BOOTTIME ? boot_ms : 0);
  time->tv_sec = ms / 1000;
  time->tv_nsec = ms % 1000 * 1000000;
  return 0;
}

int gettimeofday(struct timeval *time, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *where) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (where) *where = now.tv_sec;
  return now.tv_sec;
}

// The kernel waits by its own clock. A small time is of a monotonic clock, which is the kernel's.
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
  struct timespec shown, real, moved = *until;
  if (until->tv_sec > 1000000000) {
    clock_gettime(CLOCK_REALTIME, &shown);
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
    moved.tv_sec += real.tv_sec - shown.tv_sec;
  }
  return real_timedwait(condition, mutex, &moved);
}

static uint64_t mixed(uint64_t value) { // SplitMix64
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

// Begins anew with each time of the clock: what a program did before, in however many threads, makes no difference.
ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static int64_t of_ms;
  static uint64_t drawn;
  if (!clock_ms) return syscall(SYS_getrandom, bytes, count, flags); // another library's constructor
  pthread_mutex_lock(&mutex);
  if (of_ms != *clock_ms) {
    of_ms = *clock_ms;
    drawn = 0;
  }
  for (size_t at = 0; at < count; at += sizeof(uint64_t)) {
    const uint64_t next = mixed(mixed(seed ^ mixed((uint64_t)of_ms)) + drawn++);
    memcpy((char *)bytes + at, &next, count - at < sizeof next ? count - at : sizeof next);
  }
  pthread_mutex_unlock(&mutex);
  return (ssize_t)count;
}

// What is made here is thrown away.
int fsync(int file) {
  (void)file;
  return 0;
}

int fdatasync(int file) {
  (void)file;
  return 0;
}

int msync(void *address, size_t length, int flags) {
  (void)address, (void)length, (void)flags;
  return 0;
}
