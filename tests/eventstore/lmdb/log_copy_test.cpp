#include <catch2/catch.hpp>

#include "eventstore/log/copy_write.h"
#include "tests/eventstore/log/log_fixtures.h"

// A node's copy and the commits of other nodes.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

constexpr std::int64_t kHourMs = 3'600'000;

class Copy {
 public:
  Copy() {
    SeededEntropy entropy(1);
    LmdbLog::create(directory_.path(), entropy, one_gigabyte());
    log_ = std::make_unique<LmdbLog>(directory_.path(), one_gigabyte());
    log_->become_copy([] { return 0; });
  }

  // A commit with this record only, which claims to replace no other.
  void take_in(const std::string& key, const std::string& bytes, Timestamp time) {
    const auto write = log_->begin_copy_write();
    write->take_in({.number = write->batch() + 1,
                    .time = time,
                    .id_counter = 0,
                    .root = write->root(),
                    .events = {},
                    .idempotency = {{time, {sha256(key), bytes}}}});
    write->commit();
  }

  std::vector<std::string> records() const {
    std::vector<std::string> found;
    const auto snapshot = log_->snapshot();
    const auto entries = snapshot->idempotency(Timestamp());
    for (bool more = entries->seek({}); more; more = entries->next())
      found.emplace_back(entries->entry().record);
    return found;
  }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<LmdbLog> log_;
};

}  // namespace

TEST_CASE(
    "a key that was decided again at a node without its old record is applied at a node that still has it") {
  Copy copy;
  copy.take_in("other", "another", kStart);
  copy.take_in("key", "first", kStart.plus_millis(1));
  copy.take_in("key", "second", kStart.plus_millis(49 * kHourMs));
  CHECK(copy.records() == std::vector<std::string>{"second"});
  // The record's time is that of the second decision, so it is still kept.
  copy.take_in("third", "third", kStart.plus_millis(96 * kHourMs));
  CHECK(copy.records() == std::vector<std::string>{"second", "third"});
  copy.take_in("fourth", "fourth", kStart.plus_millis(98 * kHourMs));
  CHECK(copy.records() == std::vector<std::string>{"third", "fourth"});
}

TEST_CASE("a copy with a valid record for a key that was decided again is astray") {
  Copy copy;
  copy.take_in("key", "first", kStart);
  CHECK_THROWS_AS(copy.take_in("key", "second", kStart.plus_millis(47 * kHourMs)), CopyAstray);
  CHECK(copy.records() == std::vector<std::string>{"first"});
}
