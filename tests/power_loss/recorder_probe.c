// Usage: recorder_probe CALL DIRECTORY
// Changes files of a directory by one of the calls that the recorder records, or refuses to.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char text[] = "written";
static const struct iovec kParts[] = {{text, 3}, {text + 3, 4}};

static int new_file(const char* name) { return open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600); }

static int wrote(ssize_t bytes) { return bytes == (ssize_t)strlen(text); }

static int call(const char* name) {
  const int file = new_file("file");
  if (write(file, "some contents", 13) != 13) return 0;
#define CASE(given) if (strcmp(name, given) == 0)
  CASE("pwrite") return wrote(pwrite(file, text, strlen(text), 8));
  CASE("pwritev") return wrote(pwritev(file, kParts, 2, 4));
  CASE("pwritev2") return wrote(pwritev2(file, kParts, 2, 4, RWF_DSYNC));
  CASE("pwritev2 at the position") return wrote(pwritev2(file, kParts, 2, -1, 0));
  CASE("truncate") return truncate("file", 3) == 0;
  CASE("O_TRUNC") return open("file", O_WRONLY | O_TRUNC | O_CLOEXEC) >= 0;
  CASE("creat") return creat("file", 0600) >= 0 && creat("other", 0600) >= 0;
  CASE("fallocate") return fallocate(file, 0, 0, 9000) == 0;
  CASE("fallocate that keeps the size") return fallocate(file, FALLOC_FL_KEEP_SIZE, 0, 9000) == 0;
  CASE("a hole") return fallocate(file, FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE, 2, 9000) == 0;
  CASE("renameat2") return renameat2(AT_FDCWD, "file", AT_FDCWD, "name", RENAME_NOREPLACE) == 0;
  CASE("linkat") return linkat(AT_FDCWD, "file", AT_FDCWD, "name", 0) == 0;
  CASE("copy_file_range") return copy_file_range(file, NULL, new_file("copy"), NULL, 3, 0) == -1;
  CASE("a mapped file of locks")
  return mmap(NULL, 13, PROT_WRITE, MAP_SHARED, new_file("lock.mdb"), 0) != MAP_FAILED;
  // These end the process.
  CASE("pwritev2 that appends") return pwritev2(file, kParts, 2, 0, RWF_APPEND) < 0;
  CASE("a collapsed range") return fallocate(file, FALLOC_FL_COLLAPSE_RANGE, 0, 4096) != 0;
  CASE("an exchange") return renameat2(AT_FDCWD, "file", AT_FDCWD, "file", RENAME_EXCHANGE) != 0;
  CASE("a way out") return rename("file", "../outside") != 0;
  CASE("a file without a name") return open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) < 0;
  CASE("a temporary file") {
    char temporary[] = "./XXXXXX";
    return mkstemp(temporary) < 0;
  }
  CASE("a symbolic link") return symlink("file", "link") != 0;
  CASE("a mapped file") return mmap(NULL, 13, PROT_WRITE, MAP_SHARED, file, 0) == MAP_FAILED;
  CASE("io_uring") return syscall(SYS_io_uring_setup, 1, NULL) < 0;
  // What the recorder misses.
  CASE("fwrite") {
    FILE* const stream = fopen("streamed", "w");
    return stream && fwrite(text, 1, 7, stream) == 7 && fclose(stream) == 0;
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 3 || chdir(argv[2]) != 0) return 2;
  if (call(argv[1])) return 0;
  perror(argv[1]);
  return 1;
}
