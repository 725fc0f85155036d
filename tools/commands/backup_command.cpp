#include <chrono>
#include <iostream>

#include "base/platform/json.h"
#include "base/platform/process_limits.h"
#include "base/process/option_rules.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/ledger_copies.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/backup_directory.h"
#include "tools/operations/operations_note.h"

namespace pixledger::tools {
namespace {

using eventstore::BackupRefused;

constexpr double kBytesPerMegabyte = 1e6;
constexpr const char* kTakeAnother =
    "; take the copy of another node, or what the last backup has: see \"When the database is lost\" in "
    "docs/how-to/operate/database-failover.md";

struct BackupFlags {
  std::string directory;
  std::uint64_t first = 0;  // 0: not given
  double rate = 0;          // MB/s; 0: not given
  bool with_keys = false;
  bool copy_alone = false;
};

struct FinishedBackup {
  const Backup& backup;
  std::filesystem::path directory;
  double seconds;
  bool copy_alone;
  std::optional<std::string> found_bad;  // a fault recorded on the copy, if only the copy was read

  bool is_piece() const { return backup.manifest.first != Position(1); }
};

void write_json(const FinishedBackup& finished) {
  const auto& backup = finished.backup;
  const auto& manifest = backup.manifest;
  Json json;
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
  json.end_array().field("accounts", backup.has_accounts);
  if (finished.copy_alone)
    json.field("copyAlone", true)
        .field("headTime", to_iso8601(manifest.head_time))
        .field("foundBad", finished.found_bad);
  json.field("keys", backup.has_keys)
      .field("rootHash", to_hex(manifest.root))
      .field("verified", true)
      .field("milliseconds", static_cast<std::int64_t>(finished.seconds * 1000))
      .end_object();
  std::cout << json.take_line();
}

// Data that may be missing, which cannot be checked here.
void print_limits_of_copy(const FinishedBackup& finished) {
  const auto& backup = finished.backup;
  const auto& manifest = backup.manifest;
  std::cout
      << "\nThis is what this node's copy had followed: position " << manifest.last.value() << ", of "
      << to_iso8601(manifest.head_time)
      << ".\nWhat was acknowledged after that is not in it. Compare with the copies of all other nodes, and "
         "restore\nthe one that goes farthest.\n";
  if (backup.workers.empty() && !backup.has_accounts)
    std::cout
        << "Not in it, since they were in PostgreSQL: what webhooks and e-mails had been sent, and who may "
           "sign in.\nA directory with a backup of before has them: a run with --copy-alone that continues "
           "it keeps them.\n";
  else
    std::cout << "The workers' state and the accounts were in PostgreSQL: those in it are as the backup had "
                 "them that\nthis run continues.\n";
  if (finished.found_bad)
    std::cout << "\nTake another node's copy if there is one. Of this one it was noted: "
              << *finished.found_bad
              << ".\nNothing in what was read contradicts itself, but it may have events that the ledger had "
                 "not.\n";
}

void print_text(const FinishedBackup& finished) {
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
  facts.emplace_back("keys", backup.has_keys ? "in it: its holder can read sealed secrets"
                                             : "not in it: keep a copy of them elsewhere");
  facts.emplace_back("root hash", to_hex(manifest.root));
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
  if (finished.copy_alone) print_limits_of_copy(finished);
}

std::unique_ptr<eventstore::LedgerLog> open_log(const CommandContext& context, const BackupFlags& flags) {
  if (!flags.copy_alone) return context.open_log();
  const auto& data = context.common.data;
  if (auto copy = eventstore::open_copy_alone(data, context.common.lmdb())) return copy;
  throw BackupRefused(
      "there is no copy of a shared ledger in " + data.ledger().string() +
      ", and --copy-alone is for one: a ledger of this machine alone is backed up without it");
}

int back_up_and_tell(const CommandContext& context, const BackupFlags& flags) {
  const auto log = open_log(context, flags);
  BackupRequest request;
  request.directory = flags.directory;
  if (flags.first > 0) request.first = Position(flags.first);
  if (flags.rate > 0) request.copying.bytes_per_second = flags.rate * kBytesPerMegabyte;
  request.with_keys = flags.with_keys;
  request.keeps_state = flags.copy_alone;
  request.now = context.clock.now();
  const auto started = std::chrono::steady_clock::now();
  Backup backup;
  {
    ProgressBar bar("backup", "events");
    request.copying.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
    backup = back_up(context.common.data, *log, request);
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  FinishedBackup finished{backup, flags.directory, took.count(), flags.copy_alone, {}};
  if (flags.copy_alone) finished.found_bad = eventstore::mark_on_copy(context.common.data);
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
  }
}

int say_damaged_backup(const std::string& problem) {
  return say_no("the copy is damaged: " + problem + kTakeAnother);
}

int back_up_copy_or_refuse(const CommandContext& context, const BackupFlags& flags) {
  try {
    return back_up_and_tell(context, flags);
  } catch (const BackupRefused& refused) {
    return say_no(refused.what());
  } catch (const eventstore::KeyringError& error) {
    return say_no(error.what());
  } catch (const eventstore::LogCorrupt& corrupt) {
    return say_damaged_backup(corrupt.what());
  } catch (const eventstore::LmdbDamaged& error) {
    return say_damaged_backup(error.what());
  } catch (const eventstore::LmdbFileDamaged& error) {
    return say_damaged_backup(error.what());
  }
}

// A copy is not synced, so it may be damaged after a power failure, and reading damaged pages may crash. It
// is not a complete backup, so none is recorded.
int run_backup_of_copy(const CommandContext& context, const BackupFlags& flags) {
  const auto code = run_in_subprocess([&] { return back_up_copy_or_refuse(context, flags); });
  return code ? *code : say_damaged_backup("reading it crashed");
}

int run_backup(const CommandContext& context, const BackupFlags& flags) {
  if (flags.directory.empty()) throw UsageError("directory is required");
  lower_priority(Priority::kAfterServer);
  if (flags.copy_alone) return run_backup_of_copy(context, flags);
  eventstore::Ledger::refuse_missing(context.common.data);
  const auto note = [&context](bool succeeded) {
    note_backup(context.common.data, context.clock.now(), succeeded);
  };
  try {
    const int code = back_up_or_refuse(context, flags);
    note(code == kExitDone);
    return code;
  } catch (const BackupRefused& refused) {
    // The request is invalid: no backup has failed.
    return say_no(refused.what());
  } catch (const eventstore::LogUnavailable& away) {
    note(false);
    if (!eventstore::node_of(context.common.data)) throw;
    throw std::runtime_error(std::string(away.what()) +
                             "; where PostgreSQL is lost for good, this node's copy can be backed up with "
                             "--copy-alone");
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
  command.add_option("directory", flags->directory,
                     "Where to; a backup that is there is continued; ./verify for a directory of that name");
  command.add_option("--from-position", flags->first, "Begin a piece with this event, in an empty directory")
      .check(must_be_a_positive_integer);
  command.add_option("--rate", flags->rate, "At most so many MB a second, written and then read again")
      .check(must_be_a_positive_number);
  command.add_flag("--with-keys", flags->with_keys,
                   "Copy the keys too: the backup is then as secret as they are");
  command.add_flag("--copy-alone", flags->copy_alone,
                   "Of a node of a shared ledger: its copy as it lies there, without asking PostgreSQL, for "
                   "when that is lost");
  add_json_option(command, context);
  add_backup_verify_command(command, context);
}

}  // namespace pixledger::tools
