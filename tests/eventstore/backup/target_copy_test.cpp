#include "eventstore/backup/target_copy.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "base/targets/directory_target.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/backup/log_restore.h"
#include "eventstore/codec/codec.h"
#include "eventstore/reading/erasure.h"
#include "tests/eventstore/log/log_fixtures.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/ledgers/stored_random_ledger.h"

namespace pixledger::tests {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// A log that gets the events of another one, some at a time. Erased events keep their personal data at first.
class GrowingLog {
 public:
  explicit GrowingLog(std::uint64_t seed = 1, unsigned commands = 300,
                      const LogIdentity& identity = kIdentity)
      : source_(seed, commands, StoredRandomLedger::Erasures::kLeftUnfinished), log_(identity) {}

  static inline const LogIdentity kIdentity{"000102030405060708090a0b0c0d0e0f", 7};

  MemoryLog& log() { return log_; }
  Position head() const { return log_.head().position; }
  bool is_whole() const { return head() == source_.log().head().position; }
  void grow(std::size_t events) {
    for (const auto& event : source_.log().read_after(head(), events)) {
      auto recorded = decode(event);
      const auto place = stream_place_of(event.position, event.bytes);
      Batch batch{
          recorded.recorded_at, 1, {{place.stream, place.version, event.bytes, event.personal, {}}}, {}};
      batch.records.front().claims = domain::claims_of(
          {std::move(recorded.stream), std::move(recorded.project), std::move(recorded.event)});
      commit(log_, batch);
    }
  }
  void grow_wholly() {
    while (!is_whole()) grow(1000);
  }

 private:
  StoredRandomLedger source_;
  MemoryLog log_;
};

// A directory's target. `fail_at` counts writes and removals; that one fails, before or after it is done.
class FailingTarget final : public Target {
 public:
  explicit FailingTarget(const std::filesystem::path& directory) : target_(directory) {}

  const std::string& uri() const override { return target_.uri(); }
  std::vector<TargetObject> list(const std::string& prefix) const override { return target_.list(prefix); }
  std::optional<std::string> read(const std::string& name, std::uint64_t offset,
                                  std::size_t max) const override {
    return target_.read(name, offset, max);
  }
  void write(const std::string& name, const ObjectSource& source) override {
    change([&] { target_.write(name, source); });
  }
  void remove(const std::string& name) override {
    change([&] { target_.remove(name); });
  }

  std::optional<std::size_t> fail_at;
  bool fail_after = false;  // it is done all the same

 private:
  template <class Change>
  void change(const Change& change) {
    const bool fails = fail_at && (*fail_at)-- == 0;
    if (!fails || fail_after) change();
    if (!fails) return;
    fail_at.reset();
    throw TargetError(TargetFault::kUnreachable, "the target is away");
  }

  DirectoryTarget target_;
};

struct World {
  explicit World(unsigned commands = 300) : growing(1, commands) {}

  TemporaryDirectory directory;
  FixedClock clock{Timestamp(1'790'000'000'000)};
  GrowingLog growing;
  FailingTarget target{directory.path()};
  TargetCopyOptions options{.host = "here", .keep_states = hours(24 * 90)};

  TargetCopy open() { return {growing.log(), target, clock, options}; }
  std::size_t files(const std::string& prefix) const { return target.list(prefix).size(); }
  std::shared_ptr<const TargetBackup> backup(std::optional<std::uint32_t> epoch = {},
                                             std::vector<AgeIdentity> identities = {}) const {
    return std::make_shared<TargetBackup>(std::make_shared<DirectoryTarget>(directory.path()), epoch,
                                          std::move(identities));
  }
};

std::vector<StoredEvent> all_events(const Log& log) { return log.read_after(Position(), 1'000'000); }

RestoredLog restore(const std::shared_ptr<const TargetBackup>& backup, LogImport& import,
                    const LogRestoreOptions& options = {}) {
  const TemporaryDirectory spool;
  std::vector<BackupPiece> pieces{{spool.path(), backup->manifest(), backup}};
  SeededEntropy entropy(3);
  return restore_log(pieces, import, entropy, options);
}

// Restores, and compares with the log up to there. Returns where it ends.
Position check_prefix(const World& world, const MemoryLog& log) {
  ImportInMemory import;
  restore(world.backup(), import.import());
  const auto restored = all_events(import.log());
  const auto original = all_events(log);
  REQUIRE(restored.size() <= original.size());
  for (std::size_t i = 0; i < restored.size(); ++i) {
    REQUIRE(restored[i].bytes == original[i].bytes);
    REQUIRE(restored[i].personal_digest == original[i].personal_digest);
  }
  return import.log().head().position;
}

TargetFault fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const TargetError& error) {
    INFO(error.what());
    return error.fault();
  }
  FAIL("it did not fail");
  return TargetFault::kOther;
}

// A state of one file.
KeptState state_at(World& world, Position position) {
  const TemporaryDirectory directory;
  BackupFileWriter writer(directory.path() / "webhooks.sqlite");
  writer.write("state of " + std::to_string(position.value()));
  KeptState state{{}, position, world.clock.now(), {{"webhooks.sqlite", writer.finish()}}};
  TargetCopy::write_state(world.target, world.options.encryption, state_name(7, position, state.made_at),
                          directory.path(), state);
  return state;
}

}  // namespace

TEST_CASE("what a target has after each copy restores, before a manifest names it, too") {
  World world;
  auto copy = world.open();
  copy.finish(true);
  CHECK(check_prefix(world, world.growing.log()) == Position());
  for (std::size_t events = 1; !world.growing.is_whole(); events = events % 7 + 1) {
    world.growing.grow(events);
    copy.copy();
    copy.finish(false);  // the clock stands still: no manifest is due
    CHECK(copy.last() == world.growing.head());
    CHECK(check_prefix(world, world.growing.log()) == world.growing.head());
  }
  world.clock.advance_millis(10'000);
  copy.finish(false);
  CHECK(find_manifest(world.target, 7)->last == world.growing.head());
  CHECK(check_prefix(world, world.growing.log()) == world.growing.head());
}

TEST_CASE("a target's files stay few however often it is copied to, and none is left that nothing names") {
  World world(1'500);
  auto copy = world.open();
  std::size_t most = 0;
  while (!world.growing.is_whole()) {
    world.growing.grow(1);
    copy.copy();
    copy.finish(false);
    most = std::max(most, world.files(kEventsOfTarget));
  }
  REQUIRE(world.growing.head().value() > 1'000);
  // The kilobytes of this ledger are less than one file of full size.
  CHECK(most == TargetCopy::kNewestFiles + TargetCopy::kSmallFilesMax);
  world.clock.advance_millis(10'000);
  copy.finish(false);
  CHECK(world.files(kEventsOfTarget) == find_manifest(world.target, 7)->segments.size());
  CHECK(check_prefix(world, world.growing.log()) == world.growing.head());
}

TEST_CASE("a follower that fails or is killed at any moment goes on, and what is there is always a prefix") {
  const auto seed = GENERATE(1U, 2U, 3U);
  World world(200);
  std::mt19937 random(seed);
  std::optional<TargetCopy> copy;
  Position restored;
  while (!world.growing.is_whole()) {
    world.growing.grow(random() % 4 + 1);
    world.clock.advance_millis(random() % 4'000);
    if (random() % 3 == 0) world.target.fail_at = random() % 4;
    world.target.fail_after = random() % 2 == 0;
    try {
      if (!copy) copy.emplace(world.growing.log(), world.target, world.clock, world.options);
      copy->copy();
      copy->finish(random() % 5 == 0);
    } catch (const TargetError&) {
      // Half of them go on as they are, half begin anew.
      if (random() % 2 == 0) copy.reset();
    }
    if (random() % 4 > 0 || !find_manifest(world.target, 7) || !find_mark(world.target)) continue;
    const auto now = check_prefix(world, world.growing.log());
    REQUIRE(now >= restored);
    restored = now;
  }
  world.target.fail_at.reset();
  copy.emplace(world.growing.log(), world.target, world.clock, world.options);
  copy->copy();
  copy->finish(true);
  CHECK(check_prefix(world, world.growing.log()) == world.growing.head());
  CHECK(world.files(kEventsOfTarget) == find_manifest(world.target, 7)->segments.size());
}

TEST_CASE("a restore ends at a position or at a time") {
  World world;
  world.growing.grow_wholly();
  auto copy = world.open();
  copy.copy();
  copy.finish(true);
  const auto events = all_events(world.growing.log());
  const auto time_of = [&](std::size_t at) { return decode(events[at]).recorded_at; };
  ImportInMemory until;
  CHECK(restore(world.backup(), until.import(), {.until = Position(11)}).last == Position(11));

  // A restore must not undo an erasure.
  std::size_t last = events.size() - 1;
  while (!header_of(events[last - 1].position, events[last - 1].bytes).erases) --last;
  const auto time = time_of(last);
  while (last + 1 < events.size() && time_of(last + 1) == time) ++last;
  REQUIRE(last + 1 < events.size());
  ImportInMemory at;
  CHECK(restore(world.backup(), at.import(), {.at = time}).last == events[last].position);
  ImportInMemory before;
  CHECK_THROWS_AS(restore(world.backup(), before.import(), {.at = time_of(0).plus_millis(-1)}),
                  BackupRefused);
}

TEST_CASE("what is not this ledger's backup is left alone") {
  World world;
  world.growing.grow(20);
  SECTION("something else") {
    write_text(world.target, "holiday.jpg", "a picture");
    CHECK(fault_of([&] { world.open(); }) == TargetFault::kForeign);
    CHECK(world.files("") == 1);
    CHECK(fault_of([&] { world.backup(); }) == TargetFault::kForeign);
  }
  SECTION("a file LEDGER of something else") {
    write_text(world.target, kMarkFile, "{\"format\": \"accounts\"}");
    CHECK(fault_of([&] { world.open(); }) == TargetFault::kForeign);
  }
  SECTION("another ledger's") {
    GrowingLog other(2, 50, {"f00102030405060708090a0b0c0d0e0f", 7});
    other.grow(5);
    TargetCopy(other.log(), world.target, world.clock, world.options).copy();
    CHECK(fault_of([&] { world.open(); }) == TargetFault::kForeign);
  }
  SECTION("a newer release's") {
    write_text(world.target, kMarkFile, "{\"format\":4}");
    CHECK(fault_of([&] { world.open(); }) == TargetFault::kNewer);
    CHECK(fault_of([&] { world.backup(); }) == TargetFault::kNewer);
  }
  SECTION("that of a state of this ledger which was later than its files are now") {
    auto copy = world.open();
    const bool has_manifest = GENERATE(true, false);
    copy.copy();
    if (has_manifest) copy.finish(true);
    GrowingLog earlier;
    earlier.grow(10);
    CHECK(fault_of([&] { TargetCopy(earlier.log(), world.target, world.clock, world.options); }) ==
          TargetFault::kForeign);
  }
  SECTION("nothing, where there was one: its disk is not mounted") {
    world.options.had_backup = true;
    CHECK(fault_of([&] { world.open(); }) == TargetFault::kUnreachable);
    CHECK(world.files("") == 0);
    world.options.take_over = true;
    world.open().copy();
    CHECK(check_prefix(world, world.growing.log()) == Position(20));
  }
}

TEST_CASE("a follower killed before it has claimed its target claims it the next time") {
  World world;
  world.growing.grow(20);
  // The manifest comes first.
  world.target.fail_at = 1;
  CHECK(fault_of([&] { world.open(); }) == TargetFault::kUnreachable);
  REQUIRE_FALSE(find_mark(world.target));
  auto copy = world.open();
  copy.copy();
  CHECK(check_prefix(world, world.growing.log()) == Position(20));
  GrowingLog other(2, 300, {"ffffffffffffffffffffffffffffffff", 7});
  world.target.remove(kMarkFile);
  CHECK(fault_of([&] { TargetCopy(other.log(), world.target, world.clock, world.options); }) ==
        TargetFault::kForeign);
}

TEST_CASE("another epoch takes a target over, continues its files, and fences the one before") {
  World world(400);
  world.growing.grow(150);
  auto first = world.open();
  first.copy();
  first.finish(true);
  world.growing.grow(30);
  first.copy();
  first.finish(true);
  // Restored as of position 150, it goes another way.
  GrowingLog second(1, 400, {GrowingLog::kIdentity.ledger_id, 9});
  second.grow(150);
  const auto record = all_events(world.growing.log()).back();
  commit(second.log(), {Timestamp(1'990'000'000'000), 1, {{stream("other"), 1, record.bytes, "", {}}}, {}});
  CHECK(fault_of([&] { TargetCopy(second.log(), world.target, world.clock, world.options); }) ==
        TargetFault::kFenced);

  auto options = world.options;
  options.take_over = true;
  TargetCopy taken(second.log(), world.target, world.clock, options);
  CHECK(taken.last() == Position(150));
  CHECK(find_mark(world.target)->ledger.epoch == 9);
  taken.copy();
  taken.finish(true);
  CHECK(taken.last() == Position(151));
  CHECK(world.backup()->manifest().segments.front().file == "events/1-150-7");
  CHECK(world.backup()->manifest().last == Position(151));
  // What the first epoch copied is still there.
  CHECK(world.backup(7)->manifest().last == Position(180));
  CHECK(fault_of([&] { first.copy(); }) == TargetFault::kFenced);
  CHECK(fault_of([&] { world.open(); }) == TargetFault::kFenced);
  // It goes on after a restart.
  TargetCopy again(second.log(), world.target, world.clock, world.options);
  CHECK(again.last() == Position(151));
}

TEST_CASE("a state counts once its events are there, and a restore takes the newest before its end") {
  World world;
  auto copy = world.open();
  const auto state_of = [&](Position until) {
    const TemporaryDirectory spool;
    const auto backup = world.backup();
    auto manifest = backup->manifest();
    backup->fetch_state(until, spool.path(), manifest);
    if (manifest.files.empty()) return std::string("none");
    return read_if_there(spool.path() / manifest.files.front().file).value();
  };
  world.growing.grow(10);
  copy.copy();
  copy.add_state(state_at(world, Position(10)));
  world.growing.grow(10);
  copy.add_state(state_at(world, Position(20)));
  copy.finish(true);
  CHECK(state_of(Position(9)) == "none");
  CHECK(state_of(Position(10)) == "state of 10");
  CHECK(state_of(Position(20)) == "state of 10");
  copy.copy();
  copy.finish(true);
  CHECK(state_of(Position(20)) == "state of 20");
  world.clock.advance_millis(1);
  copy.add_state(state_at(world, Position(20)));
  world.growing.grow(1);
  copy.copy();
  copy.finish(true);
  CHECK(find_manifest(world.target, 7)->states.size() == 3);

  // Those that nothing names are removed: by retention, and what a killed run left.
  write_text(world.target, "state/7-21/webhooks.sqlite", "half");
  write_text(world.target, "events/1-3-7", "half");
  auto again = world.open();
  world.clock.advance_millis(milliseconds(hours(24 * 100)).count());
  again.add_state(state_at(world, Position(21)));
  again.copy();
  again.finish(true);
  CHECK(find_manifest(world.target, 7)->states.size() == 1);
  CHECK(world.files(kStatesOfTarget) == 1);
  CHECK(world.files(kEventsOfTarget) == find_manifest(world.target, 7)->segments.size());
}

TEST_CASE("what an ended epoch copied stays until it is too old, however much is merged meanwhile") {
  World world(400);
  auto first = world.open();
  for (int i = 0; i < 80; ++i) {
    world.growing.grow(1);
    first.copy();
  }
  first.finish(true);
  GrowingLog second(1, 400, {GrowingLog::kIdentity.ledger_id, 9});
  second.grow(80);
  auto options = world.options;
  options.take_over = true;
  TargetCopy taken(second.log(), world.target, world.clock, options);
  for (int i = 0; i < 40; ++i) {
    second.grow(1);
    taken.copy();
    taken.finish(true);
  }
  const auto restored_of = [&](std::uint32_t epoch) {
    ImportInMemory import;
    return restore(world.backup(epoch), import.import()).last;
  };
  CHECK(restored_of(7) == Position(80));
  CHECK(restored_of(9) == Position(120));

  world.clock.advance_millis(milliseconds(hours(24 * 91)).count());
  taken.finish(true);
  CHECK_FALSE(find_manifest(world.target, 7));
  CHECK(restored_of(9) == Position(120));
  CHECK(world.files(kEventsOfTarget) == find_manifest(world.target, 9)->segments.size());
}

TEST_CASE("of an encrypted target only its mark and manifest are plain, and a follower needs no secret") {
  // The keys of two identities, as age-keygen writes them.
  const auto right =
      parse_age_identities("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX");
  SeededEntropy entropy(5);
  World world;
  const auto is_age = [&](const std::string& name) {
    return read_whole(world.target, name).value().starts_with("age-encryption.org/v1\n");
  };
  const auto plain_files = [&] {
    std::size_t count = 0;
    for (const auto& object : world.target.list(""))
      if (object.name != kMarkFile && object.name != "MANIFEST-7" && !is_age(object.name)) ++count;
    return count;
  };
  world.growing.grow(20);
  SECTION("from the beginning") {}
  SECTION("after it was plain") {
    auto plain = world.open();
    plain.copy();
    plain.add_state(state_at(world, Position(20)));
    plain.finish(true);
    CHECK(plain_files() == 2);
  }
  world.options.encryption = {{right.front().recipient}, entropy};
  {
    auto copy = world.open();
    copy.copy();
    world.clock.advance_millis(1);
    copy.add_state(state_at(world, Position(20)));
    copy.finish(true);
  }
  auto copy = world.open();
  world.growing.grow(20);
  copy.copy();
  copy.finish(true);
  // It continues the manifest.
  world.growing.grow(5);
  copy.copy();
  CHECK(plain_files() == 0);
  CHECK(world.files(kStatesOfTarget) == 1);

  const auto backup = world.backup({}, right);
  CHECK(backup->is_encrypted());
  CHECK(backup->manifest().last == Position(45));
  ImportInMemory import;
  const TemporaryDirectory spool;
  std::vector<BackupPiece> pieces{{spool.path(), backup->manifest(), backup}};
  restore_log(pieces, import.import(), entropy, {});
  CHECK(all_events(import.log()).back().bytes == all_events(world.growing.log()).back().bytes);
  CHECK(read_if_there(spool.path() / pieces.front().manifest.files.front().file) == "state of 20");

  const auto without = world.backup();
  CHECK_FALSE(without->is_readable());
  CHECK(without->manifest().last == Position(40));
  for (const auto& segment : without->manifest().segments) without->check({segment.file, segment.facts});
  for (const auto& state : without->manifest().states)
    for (const auto& file : state.files) without->check(file);
  ImportInMemory refused;
  CHECK(fault_of([&] { restore(without, refused.import()); }) == TargetFault::kOther);
}

TEST_CASE("of states all of an hour stay, hourly ones of a day, daily ones as long as asked for") {
  const Timestamp now(1'790'000'000'000);
  std::vector<Timestamp> made_at;
  constexpr std::int64_t kMinute = 60'000;
  for (auto age = 30 * 24 * 60 * kMinute; age >= 0; age -= 10 * kMinute)
    made_at.push_back(now.plus_millis(-age));
  const auto stays = states_to_keep(made_at, now, hours(24 * 7));
  const auto kept = [&](std::int64_t from_minutes, std::int64_t to_minutes) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < made_at.size(); ++i) {
      const auto age = (now.millis() - made_at[i].millis()) / kMinute;
      if (stays[i] && age >= from_minutes && age < to_minutes) ++count;
    }
    return count;
  };
  CHECK(kept(0, 61) == 7);
  CHECK(kept(61, 24 * 60 + 1) >= 23);
  CHECK(kept(61, 24 * 60 + 1) <= 24);
  CHECK(kept(24 * 60 + 1, 7 * 24 * 60 + 1) >= 6);
  CHECK(kept(24 * 60 + 1, 7 * 24 * 60 + 1) <= 7);
  CHECK(kept(7 * 24 * 60 + 1, 40 * 24 * 60) == 0);
  // The newest stays at any age.
  CHECK(states_to_keep({Timestamp(1), Timestamp(2)}, now, hours(24)) == std::vector<bool>{false, true});
}

TEST_CASE("what an erasure removed leaves every file of a target") {
  World world;
  world.growing.grow_wholly();
  auto& log = world.growing.log();
  auto copy = world.open();
  copy.copy();
  copy.add_state(state_at(world, world.growing.head()));
  copy.finish(true);
  const auto pending = copy.erasures_pending();
  REQUIRE(pending > 0);
  std::vector<std::string> persons;
  std::vector<Erasure> erasures;
  for (const auto& event : all_events(log))
    if (header_of(event.position, event.bytes).erases) erasures.push_back(erasure_at(log, event.position));
  const auto removed = records_erased_by(log, erasures).positions;
  for (const auto position : removed) {
    const auto event = log.read_after(Position(position.value() - 1), 1).front();
    if (!event.personal.empty()) persons.push_back(event.personal);
  }
  REQUIRE_FALSE(persons.empty());
  const auto holds_person = [&] {
    for (const auto& object : world.target.list("")) {
      const auto bytes = read_whole(world.target, object.name).value();
      for (const auto& person : persons)
        if (bytes.find(person) != std::string::npos) return true;
    }
    return false;
  };
  REQUIRE(holds_person());

  // Not before the ledger has removed it, nor while an erasure is under way.
  copy.erase(true);
  CHECK_FALSE(copy.wants_state());
  log.remove_personal(removed);
  copy.erase(false);
  CHECK_FALSE(copy.wants_state());
  copy.erase(true);
  CHECK(copy.wants_state());
  copy.finish(true);
  CHECK_FALSE(holds_person());
  // The state of before may hold the person, too.
  CHECK(copy.erasures_pending() == pending);
  world.clock.advance_millis(1);
  copy.add_state(state_at(world, world.growing.head()));
  copy.finish(true);
  CHECK(copy.erasures_pending() == 0);
  CHECK_FALSE(copy.wants_state());
  CHECK(world.files(kStatesOfTarget) == 1);
  copy.finish(true);
  CHECK(world.open().erasures_pending() == 0);
  CHECK(world.files(kEventsOfTarget) == find_manifest(world.target, 7)->segments.size());
  CHECK(check_prefix(world, log) == world.growing.head());
}

}  // namespace pixledger::tests
