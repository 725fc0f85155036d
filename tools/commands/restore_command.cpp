#include <algorithm>
#include <chrono>
#include <iostream>

#include "base/platform/json.h"
#include "base/process/option_rules.h"
#include "base/targets/open_target.h"
#include "base/text/ascii.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/ledger_sharing.h"
#include "eventstore/postgres/share_mark.h"
#include "tools/cli/target_access.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/backup_directory.h"
#include "tools/operations/share_ledger.h"

namespace pixledger::tools {
namespace {

struct RestoreFlags {
  std::vector<std::string> pieces;
  std::string keys;
  std::uint64_t until = 0;  // 0: not given
  std::string at;
  std::uint32_t epoch = 0;  // 0: not given
  std::string ledger_owner;
  TargetAccess access;
};

struct FinishedRestore {
  const Restore& restore;
  const DataDirectory& data;
  double seconds;
  std::string target;  // empty: of a backup's directories

  bool is_cut() const { return restore.log.left_out > 0; }
  // The first event that some worker has not handled.
  Position resume_from() const {
    auto first = restore.log.last.next();
    for (const auto& worker : restore.workers) first = std::min(first, worker.handled_up_to.next());
    return first;
  }
};

void write_what_keys_open(Json& json, const FinishedRestore& finished) {
  json.key("unusableWithoutKeys");
  if (finished.restore.has_keys) {
    json.null();
    return;
  }
  json.begin_object()
      .field("channelSecrets", finished.restore.log.channels)
      .field("namesOfDocuments", true)
      .field("signingKey", true)
      .end_object();
}

void write_json(const FinishedRestore& finished) {
  const auto& log = finished.restore.log;
  const auto& verification = finished.restore.verification;
  Json json;
  json.begin_object().field("directory", finished.data.root.string());
  if (!finished.target.empty()) json.field("target", finished.target);
  json.field("ledgerId", log.identity.ledger_id)
      .field("epoch", log.identity.epoch)
      .field("backupMadeAt", to_iso8601(finished.restore.made_at))
      .field("lastPosition", log.last.value())
      .field("leftOutEvents", log.left_out)
      .field("streams", verification.streams)
      .field("personal", verification.personal)
      .field("erased", verification.erased)
      .field("idempotencyRecords", log.idempotency_records)
      .field("leftOutIdempotencyRecords", log.idempotency_left_out)
      .field("rootHash", to_hex(log.root))
      .field("verified", true)
      .field("keys", finished.restore.has_keys);
  write_what_keys_open(json, finished);
  json.field("accounts", finished.restore.has_accounts).key("workers").begin_array();
  for (const auto& worker : finished.restore.workers)
    json.begin_object()
        .field("name", worker.name)
        .field("handledUpTo", worker.handled_up_to.value())
        .field("resumeFrom", worker.handled_up_to.next().value())
        .end_object();
  json.end_array()
      .field("resumeFrom", finished.resume_from().value())
      .field("milliseconds", static_cast<std::int64_t>(finished.seconds * 1000))
      .end_object();
  std::cout << json.take_line();
}

void print_what_was_cut(const FinishedRestore& finished) {
  const auto& log = finished.restore.log;
  std::cout
      << "\nLeft out: " << log.left_out << " events after position " << log.last.value() << " and "
      << log.idempotency_left_out
      << " idempotency records. Charges, payments and everything else that they\n"
         "record did happen, and people have been told of them, but this ledger does not know. A repeat of "
         "one of those\nrequests is carried out as a new one, and payments that come for those charges find "
         "none.\n";
}

void print_what_is_missing(const FinishedRestore& finished) {
  std::cout << "\nThe keys are not there. Until " << finished.data.keys().string()
            << " holds those of this ledger, neither server nor\nworkers start, since these cannot be used:\n"
            << "  the sealed webhook secrets of " << finished.restore.log.channels << " channels\n"
            << "  the names of documents, by which customers are found again\n"
            << "  the key that signs checkpoints\n";
}

// Quotes a word for a shell.
std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return is_ascii_alnum(c) || std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

void print_how_to_go_on(const FinishedRestore& finished) {
  const auto up = "  pixledger up --data " + quoted(finished.data.root.string());
  std::cout << "\nTo look at it, without a webhook or an e-mail being sent:\n\n" << up << " --only server\n";
  if (finished.restore.workers.empty()) {
    std::cout << "\nTo go on in earnest:\n\n" << up << "\n";
    if (finished.restore.log.last > Position())
      std::cout
          << "\nThe backup has no worker's state. Those that may have told somebody something ask where to "
             "go on:\n--resume-from head (only what comes), or the first position to handle.\n";
    return;
  }
  std::cout
      << "\nTo go on in earnest: workers ask where, since what they sent after the backup is not in it. What "
         "was still\nto be sent then is sent, some of it for the second time. With the events that they had "
         "not handled yet, or\nwithout them:\n\n"
      << up << " --resume-from restored  # webhooks and e-mails each where their state ends\n"
      << up << " --resume-from head      # only what comes\n\n"
      << "The first event that not all of them have handled is that of position "
      << finished.resume_from().value() << ".\n";
}

void print_text(const FinishedRestore& finished) {
  const auto& log = finished.restore.log;
  const auto& verification = finished.restore.verification;
  std::cout << "The ledger is restored to " << finished.data.root.string() << ", and verified.\n\n";
  std::vector<std::pair<std::string, std::string>> facts{
      {"ledger", log.identity.ledger_id},
      {"epoch", std::to_string(log.identity.epoch) +
                    ": no other restore's and another than before, so cursors of before do not count"},
      {"backup made at", to_iso8601(finished.restore.made_at)},
      {"events", std::to_string(log.last.value())},
      {"with personal data", std::to_string(verification.personal)},
      {"erased", std::to_string(verification.erased)},
      {"idempotency records", std::to_string(log.idempotency_records)}};
  for (const auto& worker : finished.restore.workers)
    facts.emplace_back(worker.name, "handled up to " + std::to_string(worker.handled_up_to.value()));
  facts.emplace_back("root hash", to_hex(log.root));
  print_facts(std::cout, facts);
  if (finished.is_cut()) print_what_was_cut(finished);
  if (!finished.restore.has_keys) print_what_is_missing(finished);
  print_how_to_go_on(finished);
}

// The directory exists and is complete by then.
void share_restored(const CommandContext& context, const ShareTarget& target) {
  try {
    share_ledger(context.common.data, context.common.lmdb(), target);
  } catch (const std::exception& error) {
    throw std::runtime_error(
        "the ledger is restored to " + context.common.data.root.string() +
        ", but is no shared one yet, which pixledger migrate makes of it: " + error.what());
  }
}

int restore_and_tell(CommandContext& context, const RestoreFlags& flags) {
  RestoreRequest request;
  if (auto target = find_target(flags.pieces.front(), flags.access.s3_credentials)) {
    if (flags.pieces.size() > 1) throw UsageError("a target is restored alone, without other pieces");
    request.target = std::move(target);
    if (flags.epoch > 0) request.epoch = flags.epoch;
    request.identities = flags.access.keys();
  } else {
    if (flags.epoch > 0) throw UsageError("--epoch is for a target of pixledger follow");
    request.pieces.assign(flags.pieces.begin(), flags.pieces.end());
  }
  if (!flags.at.empty() && flags.until > 0) throw UsageError("--at and --until-position do not go together");
  if (!flags.at.empty()) {
    request.log.at = parse_iso8601(flags.at);
    if (!request.log.at)
      throw UsageError("--at must be a time with its offset, such as 2026-01-31T12:00:00Z");
  }
  if (!flags.keys.empty()) request.keys = flags.keys;
  if (flags.until > 0) request.log.until = Position(flags.until);
  request.lmdb = context.common.lmdb();
  eventstore::refuse_unfinished_share(context.common.data);
  std::optional<ShareTarget> target;
  if (!context.common.ledger.empty()) {
    target = share_target(context.common, flags.ledger_owner);
    eventstore::refuse_to_share(target->owner, target->node.uri);
    request.to_share = target->node;
  }
  const auto started = std::chrono::steady_clock::now();
  Restore restored;
  {
    ProgressBar restoring("restore", "events", ProgressBar::WithoutTerminal::kLines);
    ProgressBar verifying("verify", "events", ProgressBar::WithoutTerminal::kLines);
    request.log.progress = [&](std::uint64_t done, std::uint64_t total) { restoring.show(done, total); };
    request.verify_progress = [&](std::uint64_t done, std::uint64_t total) { verifying.show(done, total); };
    restored = restore(context.common.data, request, context.entropy);
  }
  if (target) share_restored(context, *target);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  const FinishedRestore finished{restored, context.common.data, took.count(),
                                 request.target ? request.target->uri() : std::string()};
  if (context.json) {
    write_json(finished);
  } else {
    print_text(finished);
  }
  return kExitDone;
}

int run_restore(CommandContext& context, const RestoreFlags& flags) {
  try {
    return restore_and_tell(context, flags);
  } catch (const eventstore::BackupRefused& refused) {
    return say_no(std::string("nothing was restored: ") + refused.what());
  } catch (const eventstore::LogCorrupt& corrupt) {
    return say_no(std::string("nothing was restored: ") + corrupt.what());
  } catch (const eventstore::WrittenByNewerRelease& newer) {
    return say_no(std::string("nothing was restored: ") + newer.what());
  } catch (const eventstore::KeyringError& error) {
    return say_no(std::string("nothing was restored: ") + error.what());
  }
}

}  // namespace

void add_restore_command(CommandLine& program, CommandContext& context) {
  const auto flags = std::make_shared<RestoreFlags>();
  CommandLine command =
      add_command(program, context, "restore", "Make a data directory of a backup, and verify it",
                  [&context, flags] { return run_restore(context, *flags); });
  command
      .add_option("from", flags->pieces,
                  "The backup's directory, of one in pieces all of them; or a target of pixledger follow")
      .required();
  command.add_option("--keys", flags->keys,
                     "Directory with the ledger's keys; else those in the backup, if any");
  command.add_option("--ledger-owner", flags->ledger_owner,
                     "With --ledger: URI of another role, which may make a schema in that database");
  context.common.share_ledgers.emplace_back("restore");
  command.add_option("--until-position", flags->until, "Leave out what came after this event")
      .check(must_be_a_positive_integer);
  command.add_option("--at", flags->at,
                     "Leave out what was recorded after this time, such as 2026-01-31T12:00:00Z");
  add_target_access(command, flags->access);
  command.add_option("--epoch", flags->epoch, "Of a target that several epochs have written: which one");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
