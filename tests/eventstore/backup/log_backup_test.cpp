// Backups with a concurrent erasure. Other backups are tested in tests/tools.
#include "eventstore/backup/log_backup.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "eventstore/backup/log_restore.h"
#include "eventstore/codec/codec.h"
#include "tests/eventstore/codec/golden_events.h"
#include "tests/eventstore/log/log_fixtures.h"
#include "tests/support/ledgers/stored_random_ledger.h"

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

// An empty directory, and the manifest of a new backup in it.
struct BackupDirectory {
  explicit BackupDirectory(const Log& log) : manifest(manifest_of_nothing(log, Position(1))) {
    ++manifest.run;
    std::filesystem::create_directory(directory.path() / kEventsInBackup);
    std::filesystem::create_directory(directory.path() / manifest.state_directory());
  }

  TemporaryDirectory directory;
  BackupManifest manifest;
};

std::vector<std::string> without_idempotency(std::vector<std::string> content) {
  std::erase_if(content, [](const auto& line) { return line.rfind("idempotency ", 0) == 0; });
  return content;
}

void restore(BackupDirectory& backup, LogImport& import, const LogRestoreOptions& options = {}) {
  SeededEntropy entropy(3);
  std::vector<BackupPiece> pieces{{backup.directory.path(), backup.manifest}};
  restore_log(pieces, import, entropy, options);
}

std::vector<EndedEpoch> ended_epochs(const LedgerLog& log) { return log.snapshot()->end().ended_epochs; }

}  // namespace

TEST_CASE("a log of one kind is backed up and restored into one of the other, and back") {
  const StoredRandomLedger ledger(1, 300);
  const auto content = content_of(ledger.log());

  BackupDirectory first(ledger.log());
  back_up_log(ledger.log(), first.directory.path(), first.manifest, {});
  ImportInMemory in_memory;
  restore(first, in_memory.import());
  const auto& memory = in_memory.log();
  CHECK(memory.identity().ledger_id == ledger.log().identity().ledger_id);
  CHECK(memory.identity().epoch > ledger.log().identity().epoch);
  // A backup has the idempotency records of the last 48 hours only.
  const auto restored = content_of(memory);
  CHECK(without_idempotency(restored) == without_idempotency(content));
  CHECK(restored.size() > without_idempotency(restored).size());

  BackupDirectory second(memory);
  back_up_log(memory, second.directory.path(), second.manifest, {});
  ImportOnDisk on_disk;
  restore(second, on_disk.import());
  CHECK(on_disk.log().identity().epoch > memory.identity().epoch);
  CHECK(content_of(on_disk.log()) == restored);
  CHECK_FALSE(on_disk.log().snapshot()->problem_of_meta());
}

TEST_CASE("a restored log knows its ended epochs, and how far it shares the history of each") {
  const StoredRandomLedger ledger(1, 300);
  const auto head = ledger.log().head().position;
  CHECK(ended_epochs(ledger.log()).empty());

  BackupDirectory first(ledger.log());
  back_up_log(ledger.log(), first.directory.path(), first.manifest, {});
  CHECK(parse_manifest(manifest_text(first.manifest)).value().ended_epochs.empty());
  ImportOnDisk on_disk;
  restore(first, on_disk.import());
  const auto epoch = on_disk.log().identity().epoch;
  CHECK(ended_epochs(on_disk.log()) == std::vector<EndedEpoch>{{1, head}});

  BackupDirectory second(on_disk.log());
  back_up_log(on_disk.log(), second.directory.path(), second.manifest, {});
  const auto text = manifest_text(second.manifest);
  CHECK(parse_manifest(text).value().ended_epochs == ended_epochs(on_disk.log()));
  ImportInMemory whole;
  restore(second, whole.import());
  CHECK(ended_epochs(whole.log()) == std::vector<EndedEpoch>{{1, head}, {epoch, head}});
  // Both epochs went further than this restored part.
  ImportOnDisk part;
  restore(second, part.import(), {.until = Position(7)});
  CHECK(ended_epochs(part.log()) == std::vector<EndedEpoch>{{1, Position(7)}, {epoch, Position(7)}});
  CHECK_FALSE(part.log().snapshot()->problem_of_meta());
}

TEST_CASE("a backup continues up to an erasure that removes personal data while it copies") {
  OnDisk made;
  auto& log = made.get();
  // More than one read of the log, so that the last event is not read before the erasure.
  constexpr unsigned kEvents = 1001;
  std::vector<NewRecord> records;
  for (unsigned i = 1; i <= kEvents; ++i)
    records.push_back(record(std::to_string(i), 1, "envelope", i == kEvents ? "personal" : ""));
  commit(log, batch(std::move(records)));

  BackupDirectory backup(log);
  auto& [directory, manifest] = backup;
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

  // Earlier erasures are in the backup themselves.
  commit(log, batch({record("after", 1)}));
  CHECK(back_up_log(log, directory.path(), manifest, {}).events == 1);
}

}  // namespace pixledger::tests
