#include <catch2/catch.hpp>
#include <fstream>
#include <iostream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include "base/platform/durable_files.h"
#include "eventstore/lmdb/checkpoint_file.h"
#include "tests/eventstore/lmdb/forked_child.h"
#include "tests/support/full_disk.h"

// A ledger with a journal where the system has no room for a while.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

LmdbOptions with_journal() {
  auto options = one_gigabyte();
  options.journal = true;
  return options;
}

void append_large(LmdbLog& log) {
  const auto write = log.begin_write();
  auto batch = next_of_stream(*write);
  batch.records.front().bytes += std::string(5000, 'x');
  write->append(batch);
  write->commit();
}

// Returns why the log took no more.
std::string append_until_refused(LmdbLog& log) {
  try {
    for (int i = 0; i < 10'000; ++i) append_large(log);
  } catch (const LogUnavailable& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string problem_of(const LmdbLog& log, Position head) {
  if (log.head().position != head) return "another head";
  if (log.version_of(shared_stream()) != head.value()) return "another version";
  if (log.snapshot()->problem_of_meta()) return "meta";
  return log.problem_of_files().value_or("");
}

// Appends until it is refused, goes on after `make_room`, is killed without room, and recovers with room.
bool keeps_all(const fs::path& ledger, const std::function<void()>& take_room,
               const std::function<void()>& make_room, const std::string& cause) {
  const auto is = [](const std::string& what, const std::string& wanted) {
    if (what.find(wanted) == std::string::npos) std::cerr << what << ", not " << wanted << std::endl;
    return what.find(wanted) != std::string::npos;
  };
  Position head;
  {
    LmdbLog log(ledger, with_journal());
    for (int round = 0; round < 3; ++round) {
      append_large(log);
      take_room();
      if (!is(append_until_refused(log), cause)) return false;
      head = log.head().position;
      if (!is(append_until_refused(log), cause) || log.head().position < head) return false;
      head = log.head().position;
      make_room();
      append_large(log);
      head = Position(head.value() + 1);
      if (!is(problem_of(log, head), "")) return false;
    }
  }
  int ends[2];
  if (::pipe(ends) != 0) return false;
  Child child([&](const auto& say_ready) {
    LmdbLog log(ledger, with_journal());
    take_room();
    append_until_refused(log);
    const auto last = log.head().position.value();
    if (::write(ends[1], &last, sizeof last) != sizeof last) return false;
    say_ready();
    while (true) ::pause();
  });
  std::uint64_t last = 0;
  if (!child.wait_until_ready() || ::read(ends[0], &last, sizeof last) != sizeof last) return false;
  child.kill();
  make_room();
  LmdbLog log(ledger, with_journal());
  if (!is(problem_of(log, Position(last)), "")) return false;
  append_large(log);
  return problem_of(log, Position(last + 1)).empty();
}

}  // namespace

TEST_CASE("a ledger at the limit of the size of files refuses batches, keeps all and goes on") {
  for (std::uint64_t room = 0; room < 600'000; room += 77'003) {
    INFO(room << " bytes");
    const EmptyLedger ledger;
    std::optional<FullDisk> full;
    CHECK(keeps_all(
        ledger.path(), [&] { full.emplace(fs::file_size(ledger.path() / "data.mdb") + room); },
        [&] { full.reset(); }, "file"));
  }
}

TEST_CASE("a ledger on a full disk refuses batches, keeps all and goes on") {
  const TemporaryDirectory directory;
  for (std::uint64_t room = 0; room < 600'000; room += 77'003) {
    INFO(room << " bytes");
    // Mounts where nobody else sees it.
    Child child([&](const auto& say_ready) {
      if ((::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
          ::mount("tmpfs", directory.path().c_str(), "tmpfs", 0, "size=16m") != 0) {
        say_ready();
        return false;
      }
      SeededEntropy entropy(1);
      const auto ledger = directory.path() / "ledger";
      LmdbLog::create(ledger, entropy, one_gigabyte());
      const auto filler = directory.path() / "filler";
      const auto fill = [&] {
        struct statvfs disk {};
        ::statvfs(directory.path().c_str(), &disk);
        const auto free = disk.f_bavail * disk.f_bsize;
        std::ofstream(filler) << std::string(free > room ? free - room : 0, 'f');
      };
      return keeps_all(
          ledger, fill, [&] { fs::remove(filler); }, "no space left");
    });
    if (child.wait_until_ready()) {
      WARN("not tried: no file system may be mounted here");
      return;
    }
    CHECK(child.status() == 0);
  }
}
