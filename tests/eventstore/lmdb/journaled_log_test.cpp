#include <catch2/catch.hpp>
#include <fstream>
#include <thread>

#include "base/platform/durable_files.h"
#include "eventstore/lmdb/checkpoint_file.h"
#include "eventstore/lmdb/lmdb_stats.h"
#include "tests/eventstore/lmdb/forked_child.h"
#include "tests/support/memory_log.h"

// A ledger with a journal and checkpoints, among processes that end in any way. What a loss of power leaves
// is tests/power_loss.
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

struct Ledger : EmptyLedger {
  fs::path data() const { return path() / "data.mdb"; }
  fs::path segment() const { return path() / "journal" / "00000001"; }
  fs::path checkpoint() const { return path() / "checkpoint"; }
};

// Runs `work` on the ledger in a child that is then killed.
void in_killed_child(const Ledger& ledger, const std::function<void(LmdbLog&)>& work) {
  Child child([&](const auto& say_ready) {
    LmdbLog log(ledger.path(), with_journal());
    work(log);
    say_ready();
    while (true) ::pause();
    return false;
  });
  REQUIRE(child.wait_until_ready());
  child.kill();
}

void append_many(LmdbLog& log, int count) {
  for (int i = 0; i < count; ++i) append_one(log);
}

// Brings back data file and checkpoint as of a moment in which both were synced, as a loss of power does that
// keeps nothing of what was written since, except to the journal.
class Kept {
 public:
  explicit Kept(const Ledger& ledger)
      : ledger_(ledger),
        data_(read_if_there(ledger.data()).value()),
        checkpoint_(read_if_there(ledger.checkpoint()).value()) {}
  void bring_back() const {
    std::ofstream(ledger_.data(), std::ios::binary) << data_;
    std::ofstream(ledger_.checkpoint(), std::ios::binary) << checkpoint_;
  }

 private:
  const Ledger& ledger_;
  const std::string data_;
  const std::string checkpoint_;
};

// Appends in a child that is then killed, and leaves the checkpoint that was before it.
void in_killed_after_checkpoint(const Ledger& ledger, int count) {
  { const LmdbLog adopts(ledger.path(), with_journal()); }
  const Kept kept(ledger);
  in_killed_child(ledger, [count](LmdbLog& log) { append_many(log, count); });
  kept.bring_back();
}

void check_whole(const LmdbLog& log, std::uint64_t events) {
  CHECK(log.head().position == Position(events));
  CHECK(log.version_of(shared_stream()) == events);
  CHECK(log.snapshot()->problem_of_meta() == std::nullopt);
  CHECK(log.problem_of_files() == std::nullopt);
  MemoryLog reference(log.identity());
  for (std::uint64_t position = 1; position <= events; ++position) append_one(reference);
  CHECK(log.tree_record(Position(events)) == reference.tree_record(Position(events)));
}

void overwrite(const fs::path& path, std::uint64_t at, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file << bytes;
}

}  // namespace

TEST_CASE("a ledger of before has a journal from its first opening on") {
  const Ledger ledger;
  {
    LmdbLog log(ledger.path(), with_journal());
    CHECK(log.stored_format() == kJournalFormat);
    append_many(log, 3);
  }
  CHECK(fs::exists(ledger.segment()));
  LmdbLog log(ledger.path(), one_gigabyte());  // whatever the options say
  CHECK(log.recovered().empty());
  append_one(log);
  check_whole(log, 4);
}

TEST_CASE("a ledger whose last process was killed has all that it acknowledged") {
  const Ledger ledger;
  in_killed_after_checkpoint(ledger, 20);
  {
    LmdbLog log(ledger.path(), with_journal());
    CHECK(log.recovered() == "took in 20 batches from the journal");
    check_whole(log, 20);
  }
  const LmdbLog log(ledger.path(), with_journal());
  CHECK(log.recovered().empty());
  check_whole(log, 20);
}

TEST_CASE("a ledger whose data file lost all since its checkpoint takes it in from the journal") {
  const Ledger ledger;
  in_killed_after_checkpoint(ledger, 300);
  LmdbLog log(ledger.path(), with_journal());
  check_whole(log, 300);
}

TEST_CASE("a recovery that is killed again and again ends like one that is not") {
  const Ledger ledger;
  in_killed_child(ledger, [](LmdbLog& log) { append_many(log, 50); });
  const auto checkpoint = read_if_there(ledger.checkpoint()).value();
  for (int i = 0; i < 5; ++i) {
    in_killed_child(ledger, [](LmdbLog&) {});
    // As if it had not come to its checkpoint.
    std::ofstream(ledger.checkpoint(), std::ios::binary) << checkpoint;
  }
  const LmdbLog log(ledger.path(), with_journal());
  check_whole(log, 50);
}

TEST_CASE("a torn last record is removed and reported") {
  const Ledger ledger;
  in_killed_child(ledger, [](LmdbLog& log) { append_many(log, 3); });
  { const LmdbLog recovers(ledger.path(), with_journal()); }
  overwrite(ledger.segment(), CheckpointFile::newest_in(ledger.path()).place.offset, "PXLJ and not more");
  {
    const LmdbLog log(ledger.path(), with_journal());
    CHECK_THAT(log.recovered(), Catch::Contains("not whole") && Catch::Contains("batch 4"));
    check_whole(log, 3);
  }
  CHECK(LmdbLog(ledger.path(), with_journal()).recovered().empty());
}

TEST_CASE("a ledger whose journal or checkpoint is missing, cut, foreign or has a hole is not opened") {
  const Ledger ledger;
  in_killed_after_checkpoint(ledger, 3);
  std::string named = "00000001";
  SECTION("journal missing") { fs::remove_all(ledger.path() / "journal"); }
  SECTION("segment cut") { fs::resize_file(ledger.segment(), 4096); }
  SECTION("segment emptied") { fs::resize_file(ledger.segment(), 0); }
  SECTION("hole") {
    const auto place = CheckpointFile::newest_in(ledger.path()).place;
    overwrite(ledger.segment(), place.offset + kRecordHeadBytes, "X");
    named = "batch 1)";
  }
  SECTION("checkpoint missing") {
    fs::remove(ledger.checkpoint());
    named = "checkpoint";
  }
  SECTION("checkpoint cut") {
    fs::resize_file(ledger.checkpoint(), 100);
    named = "checkpoint";
  }
  SECTION("data file of before") {
    SeededEntropy entropy(1);
    fs::remove(ledger.data());
    LmdbLog::create(ledger.path(), entropy, one_gigabyte());
    named = "data.mdb";
  }
  CHECK_THROWS_WITH(LmdbLog(ledger.path(), with_journal()),
                    Catch::Contains(named) && Catch::Contains("estore a backup"));
  CHECK_THROWS_AS(LmdbLog(ledger.path(), with_journal()), LogCorrupt);
}

TEST_CASE("a ledger is not set back by the checkpoint of another one, nor by another one's files") {
  const Ledger ledger;
  in_killed_after_checkpoint(ledger, 20);
  const Ledger other;
  fs::remove(other.data());
  SeededEntropy entropy(2);
  LmdbLog::create(other.path(), entropy, one_gigabyte());
  const auto commits_of_other = GENERATE(0, 1, 20, 30);
  {
    LmdbLog log(other.path(), with_journal());
    append_many(log, commits_of_other);
  }
  const auto data = read_if_there(ledger.data()).value();
  const auto checkpoint = read_if_there(ledger.checkpoint()).value();
  SECTION("its checkpoint") {
    fs::copy(other.checkpoint(), ledger.checkpoint(), fs::copy_options::overwrite_existing);
    // The meta pages may be alike.
    CHECK_THROWS_WITH(LmdbLog(ledger.path(), with_journal()),
                      Catch::Contains("do not belong together") || Catch::Contains("is of another ledger"));
    CHECK((read_if_there(ledger.data()) == data));
  }
  SECTION("its data file") {
    fs::copy(other.data(), ledger.data(), fs::copy_options::overwrite_existing);
    // The meta pages may be alike.
    CHECK_THROWS_WITH(LmdbLog(ledger.path(), with_journal()),
                      Catch::Contains("do not belong together") || Catch::Contains("is of another ledger"));
    CHECK((read_if_there(ledger.data()) == read_if_there(other.data())));
  }
  std::ofstream(ledger.data(), std::ios::binary) << data;
  std::ofstream(ledger.checkpoint(), std::ios::binary) << checkpoint;
  check_whole(LmdbLog(ledger.path(), with_journal()), 20);
}

TEST_CASE("a ledger whose checkpoint has decayed is left as it is") {
  const Ledger ledger;
  in_killed_after_checkpoint(ledger, 20);
  const auto data = read_if_there(ledger.data()).value();
  const auto checkpoint = read_if_there(ledger.checkpoint()).value();
  overwrite(ledger.checkpoint(), (CheckpointFile::newest_in(ledger.path()).sequence + 1) % 2 * 4096, "X");
  CHECK_THROWS_WITH(LmdbLog(ledger.path(), with_journal()), Catch::Contains("no whole checkpoint"));
  CHECK((read_if_there(ledger.data()) == data));
  std::ofstream(ledger.checkpoint(), std::ios::binary) << checkpoint;
  check_whole(LmdbLog(ledger.path(), with_journal()), 20);
}

TEST_CASE("what is no batch is on the disk when the call returns") {
  const Ledger ledger;
  { LmdbLog log(ledger.path(), with_journal()); }
  in_killed_child(ledger, [&](LmdbLog& log) {
    append_one(log);
    log.accept_clock({"boot", 7});
    // Only what the checkpoint has counts.
    Kept(ledger).bring_back();
  });
  const LmdbLog log(ledger.path(), with_journal());
  CHECK(log.clock_acceptance().count == 1);
  check_whole(log, 1);
}

TEST_CASE("a process that does not keep the checkpoints waits for the one that does, and follows it") {
  const Ledger ledger;
  Child keeper([&](const auto& say_ready) {
    LmdbLog log(ledger.path(), with_journal());
    append_one(log);
    say_ready();
    while (true) ::pause();
    return false;
  });
  REQUIRE(keeper.wait_until_ready());
  {
    LmdbLog log(ledger.path(), with_journal());
    CHECK(log.recovered().empty());
    log.accept_clock({"boot", 7});
    append_one(log);
    keeper.kill();
    // Takes the office over before it changes anything.
    const auto before = CheckpointFile::newest_in(ledger.path());
    append_one(log);
    CHECK(CheckpointFile::newest_in(ledger.path()).sequence > before.sequence);
    log.accept_clock({"boot", 8});
    CHECK(log.clock_acceptance().count == 2);
    check_whole(log, 3);
  }
  check_whole(LmdbLog(ledger.path(), with_journal()), 3);
}

TEST_CASE("writers that are killed in a storm lose nothing that they acknowledged") {
  const Ledger ledger;
  std::uint64_t acknowledged = 0;
  for (int round = 0; round < 12; ++round) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const auto write_until_killed = [&](const auto& say_ready) {
      LmdbLog log(ledger.path(), with_journal());
      say_ready();
      while (true) {
        append_one(log);
        [[maybe_unused]] const auto told = ::write(ends[1], "a", 1);
      }
      return false;
    };
    {
      Child first(write_until_killed);
      Child second(write_until_killed);
      REQUIRE(first.wait_until_ready());
      REQUIRE(second.wait_until_ready());
      char byte = 0;
      for (int i = 0; i < 20 + 7 * round; ++i) REQUIRE(::read(ends[0], &byte, 1) == 1);
      acknowledged += 20 + 7 * static_cast<std::uint64_t>(round);
      (round % 2 == 0 ? first : second).kill();
      for (int i = 0; i < 20; ++i) REQUIRE(::read(ends[0], &byte, 1) == 1);
      acknowledged += 20;
    }
    ::close(ends[1]);
    char bytes[4096];
    for (auto count = ::read(ends[0], bytes, sizeof bytes); count > 0;
         count = ::read(ends[0], bytes, sizeof bytes))
      acknowledged += static_cast<std::uint64_t>(count);
    ::close(ends[0]);
    const LmdbLog log(ledger.path(), with_journal());
    const auto events = log.head().position.value();
    INFO("round " << round);
    CHECK(events >= acknowledged);
    CHECK(events <= acknowledged + 2);  // of each, one that was not answered
    check_whole(log, events);
    acknowledged = events;
  }
}

TEST_CASE("a ledger that was not closed is not read without a right to recover it") {
  const Ledger ledger;
  in_killed_after_checkpoint(ledger, 3);
  auto read_only = with_journal();
  read_only.read_only = true;
  CHECK_THROWS_WITH(LmdbLog(ledger.path(), read_only), Catch::Contains("was not closed"));
  { const LmdbLog recovered(ledger.path(), with_journal()); }
  check_whole(LmdbLog(ledger.path(), read_only), 3);
}

TEST_CASE("a recovery waits until no program has the ledger open that knows no checkpoints") {
  const Ledger ledger;
  in_killed_after_checkpoint(ledger, 3);
  Child stranger([&](const auto& say_ready) {
    const LmdbEnvironment environment(ledger.path(), one_gigabyte());
    say_ready();
    while (true) ::pause();
    return false;
  });
  REQUIRE(stranger.wait_until_ready());
  // It ends once the other program waits, which holds its mark meanwhile.
  std::thread end([&] {
    const Descriptor marks(ledger.checkpoint(), O_RDONLY);
    auto other = lock_of(F_WRLCK);
    while (::fcntl(marks.number(), F_OFD_GETLK, &other) == 0 && other.l_type == F_UNLCK) {
      std::this_thread::yield();
      other = lock_of(F_WRLCK);
    }
    stranger.kill();
  });
  const LmdbLog log(ledger.path(), with_journal());
  end.join();
  CHECK(log.recovered() == "took in 3 batches from the journal");
  check_whole(log, 3);
}

TEST_CASE("an erasure leaves nothing of the person in journal and checkpoint") {
  const Ledger ledger;
  LmdbLog log(ledger.path(), with_journal());
  for (int i = 0; i < 5; ++i) {
    const auto write = log.begin_write();
    auto batch = next_of_stream(*write);
    batch.records.front().personal = "PERSON" + std::string(90'000, 'x');
    write->append(batch);
    write->commit();
  }
  log.remove_personal({Position(1), Position(2), Position(3), Position(4), Position(5)});
  for (const auto& entry : fs::recursive_directory_iterator(ledger.path() / "journal"))
    CHECK(read_if_there(entry.path()).value().find("PERSON") == std::string::npos);
  CHECK(read_if_there(ledger.checkpoint()).value().find("PERSON") == std::string::npos);
  log.scrub_buffers();
  log.scrub(std::chrono::seconds(10));
  CHECK(read_if_there(ledger.data()).value().find("PERSON") == std::string::npos);
}

TEST_CASE("a ledger with a journal becomes a copy and a ledger again") {
  const Ledger ledger;
  {
    LmdbLog log(ledger.path(), with_journal());
    append_many(log, 2);
    log.become_copy([] { return 1; });
    CHECK(log.stored_format() == format_of_copy(kJournalFormat));
    CHECK_THROWS_AS(append_one(log), LogUnavailable);
    const auto write = log.begin_copy_write();
    write->append(next_of_stream(*write));
    write->commit();
  }
  {
    LmdbLog log(ledger.path(), one_gigabyte());
    CHECK(log.is_copy());
    CHECK(log.copied().batch == 2);
    log.be_no_copy([] {});
    append_one(log);
    check_whole(log, 4);
  }
  in_killed_child(ledger, [](LmdbLog& log) { append_one(log); });
  check_whole(LmdbLog(ledger.path(), with_journal()), 5);
}

TEST_CASE("the keeper's snapshot does not keep a ledger from growing beyond its map") {
  const Ledger ledger;
  auto small = with_journal();
  small.map_bytes = std::size_t{1} << 20;
  { const LmdbLog adopts(ledger.path(), small); }
  LmdbLog log(ledger.path(), small);
  append_one(log);
  Child child([&](const auto&) {
    LmdbLog larger(ledger.path(), with_journal());
    for (int i = 0; i < 100; ++i) {
      const auto write = larger.begin_write();
      auto batch = next_of_stream(*write);
      batch.records.front().bytes += std::string(100'000, 'x');
      write->append(batch);
      write->commit();
    }
    return true;
  });
  CHECK(child.status() == 0);
  append_one(log);
  CHECK(log.head().position == Position(102));
}

TEST_CASE("a copy of a shared ledger keeps what its checkpoint lacks, and the journal nothing") {
  const Ledger ledger;
  in_killed_child(ledger, [](LmdbLog& log) {
    append_many(log, 3);
    log.become_copy([] { return std::uint64_t{3}; });
    const auto write = log.begin_copy_write();
    write->append(
        {.time = write->head().time, .id_counter = write->id_counter(), .records = {}, .idempotency = {}});
    write->commit();
  });
  CHECK(read_if_there(ledger.segment()).value().find(shared_stream().text()) == std::string::npos);
  for (int opening = 0; opening < 2; ++opening) {
    const LmdbLog log(ledger.path(), with_journal());
    CHECK(log.is_copy());
    CHECK(log.copied().batch == 4);
    CHECK(log.copied().last == Position(3));
  }
}
