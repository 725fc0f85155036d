#include <Poco/Exception.h>
#include <chrono>
#include <iostream>

#include "eventstore/backup/backup_error.h"
#include "eventstore/platform/json.h"
#include "eventstore/platform/lower_priority.h"
#include "eventstore/process/option_rules.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/table.h"
#include "tools/commands/commands.h"
#include "tools/operations/backup_directory.h"
#include "tools/operations/operations_note.h"

namespace pixledger::tools {
namespace {

constexpr double kBytesPerMegabyte = 1e6;

struct BackupFlags {
  std::string directory;
  std::uint64_t first = 0;  // 0: not given
  double rate = 0;          // MB/s; 0: not given
  bool with_keys = false;
};

struct Finished {
  const Backup& backup;
  std::filesystem::path directory;
  double seconds;

  bool is_piece() const { return backup.manifest.first != domain::Position(1); }
};

void write_json(const Finished& finished) {
  const auto& backup = finished.backup;
  const auto& manifest = backup.manifest;
  eventstore::Json json;
  json.begin_object()
      .field("directory", finished.directory.string())
      .field("ledgerId", manifest.ledger.ledger_id)
      .field("epoch", manifest.ledger.epoch)
      .field("incremental", backup.continued_from.has_value())
      .field("firstPosition", manifest.first.value())
      .field("lastPosition", manifest.last.value())
      .field("nextPosition", manifest.last.next().value())
      .field("newEvents", backup.copied.events)
      .field("newBytes", backup.copied.bytes)
      .field("idempotencyRecords", backup.copied.idempotency_records);
  json.key("workers").begin_array();
  for (const auto& worker : backup.workers) {
    json.begin_object().field("name", worker.name);
    json.field("handledUpTo",
               worker.handled_up_to ? std::optional(worker.handled_up_to->value()) : std::nullopt);
    json.end_object();
  }
  json.end_array()
      .field("keys", backup.has_keys)
      .field("rootHash", eventstore::to_hex(manifest.root))
      .field("verified", true)
      .field("milliseconds", static_cast<std::int64_t>(finished.seconds * 1000))
      .end_object();
  std::cout << json.take_line();
}

void print_text(const Finished& finished) {
  const auto& backup = finished.backup;
  const auto& manifest = backup.manifest;
  const auto last = std::to_string(manifest.last.value());
  if (backup.continued_from) {
    std::cout << "The backup in " << finished.directory.string() << ", which went up to position "
              << backup.continued_from->value() << ", now goes up to " << last << ".\n\n";
  } else {
    std::cout << (finished.is_piece() ? "A piece of a backup" : "A backup") << " is in "
              << finished.directory.string() << ".\n\n";
  }
  std::vector<std::pair<std::string, std::string>> facts{
      {"positions", std::to_string(manifest.first.value()) + " to " + last},
      {"new events", std::to_string(backup.copied.events)},
      {"idempotency records", std::to_string(backup.copied.idempotency_records)}};
  for (const auto& worker : backup.workers)
    facts.emplace_back(worker.name, worker.handled_up_to
                                        ? "handled up to " + std::to_string(worker.handled_up_to->value())
                                        : "not started");
  facts.emplace_back("keys", backup.has_keys ? "in it: whoever has it can read sealed secrets"
                                             : "not in it: keep a copy of them elsewhere");
  facts.emplace_back("root hash", eventstore::to_hex(manifest.root));
  print_facts(std::cout, facts);
  const auto agrees = " was read again and agrees with the ledger's tree.\n";
  if (backup.continued_from)
    std::cout << "\nEvery new event" << agrees << "Those up to position " << backup.continued_from->value()
              << " were read when they were backed up; a restore reads all of them.\n";
  else
    std::cout << "\nEvery event" << agrees;
  if (finished.is_piece())
    std::cout << "To restore, the pieces up to position " << manifest.first.value() - 1
              << " are needed too.\n";
}

int back_up_and_tell(const CommandContext& context, const BackupFlags& flags) {
  const auto log = context.open_log();
  BackupRequest request;
  request.directory = flags.directory;
  if (flags.first > 0) request.first = domain::Position(flags.first);
  if (flags.rate > 0) request.copying.bytes_per_second = flags.rate * kBytesPerMegabyte;
  request.with_keys = flags.with_keys;
  request.now = context.clock.now();
  const auto started = std::chrono::steady_clock::now();
  Backup backup;
  {
    ProgressBar bar("backup", "events");
    request.copying.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
    backup = back_up(context.common.data, *log, request);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  const Finished finished{backup, flags.directory, took.count()};
  if (context.json) {
    write_json(finished);
  } else {
    print_text(finished);
  }
  return kExitDone;
}

int back_up_or_refuse(const CommandContext& context, const BackupFlags& flags) {
  try {
    return back_up_and_tell(context, flags);
  } catch (const eventstore::LogCorrupt& corrupt) {
    return say_no(std::string("the ledger is damaged: ") + corrupt.what());
  } catch (const eventstore::KeyringError& error) {
    return say_no(error.what());
  } catch (const Poco::Exception& error) {
    // what() of POCO's exceptions names their kind only.
    throw std::runtime_error("a worker's state cannot be copied: " + error.displayText());
  }
}

int run_backup(const CommandContext& context, const BackupFlags& flags) {
  eventstore::lower_priority(eventstore::Priority::kAfterServer);
  eventstore::Ledger::refuse_missing(context.common.data);
  const auto note = [&context](bool succeeded) {
    note_backup(context.common.data, context.clock.now(), succeeded);
  };
  try {
    const int code = back_up_or_refuse(context, flags);
    note(code == kExitDone);
    return code;
  } catch (const eventstore::BackupRefused& refused) {
    // What was asked for cannot be: no backup has failed.
    return say_no(refused.what());
  } catch (const std::exception&) {
    note(false);
    throw;
  }
}

}  // namespace

void add_backup_command(CommandLine& program, CommandContext& context) {
  const auto flags = std::make_shared<BackupFlags>();
  CommandLine command =
      add_command(program, context, "backup", "Copy ledger and worker state while everything runs",
                  [&context, flags] { return run_backup(context, *flags); });
  command.add_option("directory", flags->directory, "Where to; a backup that is there is continued")
      .required();
  command.add_option("--from-position", flags->first, "Begin a piece with this event, in an empty directory")
      .check(eventstore::must_be_a_positive_integer);
  command.add_option("--rate", flags->rate, "At most so many MB a second, written and then read again")
      .check(eventstore::must_be_a_positive_number);
  command.add_flag("--with-keys", flags->with_keys,
                   "Copy the keys too: the backup is then as secret as they are");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
