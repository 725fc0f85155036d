// What an erasure beside a backup does to it. Other backups are looked at in tests/tools.
#include "eventstore/backup/log_backup.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "eventstore/codec/codec.h"
#include "tests/eventstore/codec/golden_events.h"
#include "tests/eventstore/log/log_fixtures.h"

namespace pixledger::tests {
namespace {

NewRecord customer_erased() {
  const auto all = golden_events();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [](const auto& golden) { return golden.file == "CustomerErased-least"; });
  SeededEntropy salt(2);
  const auto encoded = encode(found->event, salt);
  return {found->event.stream, found->event.version, encoded.bytes, encoded.personal, {}};
}

}  // namespace

TEST_CASE("a backup goes on to an erasure that takes personal data away while it copies") {
  OnDisk made;
  auto& log = dynamic_cast<LmdbLog&>(made.get());
  // More than one read of the log, so that the last event is not read before the erasure.
  constexpr unsigned kEvents = 1001;
  std::vector<NewRecord> records;
  for (unsigned i = 1; i <= kEvents; ++i)
    records.push_back(record(std::to_string(i), 1, "envelope", i == kEvents ? "personal" : ""));
  commit(log, batch(std::move(records)));

  const TemporaryDirectory directory;
  auto manifest = manifest_of_nothing(log, Position(1));
  ++manifest.run;
  std::filesystem::create_directory(directory.path() / kEventsInBackup);
  std::filesystem::create_directory(directory.path() / manifest.state_directory());
  bool is_erased = false;
  std::uint64_t done = 0;
  std::uint64_t total = 0;
  LogBackupOptions options;
  options.progress = [&](std::uint64_t now_done, std::uint64_t now_total) {
    done = now_done;
    total = now_total;
    if (std::exchange(is_erased, true)) return;
    commit(log, batch({customer_erased()}));
    log.remove_personal({Position(kEvents)});
  };
  const auto result = back_up_log(log, directory.path(), manifest, options);
  CHECK(manifest.last == Position(kEvents + 1));
  CHECK(result.events == kEvents + 1);
  CHECK(done == total);

  // What was erased before explains itself.
  commit(log, batch({record("after", 1)}));
  CHECK(back_up_log(log, directory.path(), manifest, {}).events == 1);
}

}  // namespace pixledger::tests
