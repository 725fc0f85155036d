#include <iostream>

#include "base/process/option_rules.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_copies.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/reading/projects.h"
#include "eventstore/tree/merkle.h"
#include "stores/databases/account_database.h"
#include "tools/audit/signed_file.h"
#include "tools/audit/verdict.h"
#include "tools/audit/verifier.h"
#include "tools/audit/view_verification.h"
#include "tools/cli/files.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/customer_eraser.h"
#include "tools/operations/operations_note.h"

namespace pixledger::tools {
namespace {

constexpr const char* kReadingCrashed = "the files cannot be read (reading them crashed)";
// Exit code of the reading process if everything readable is sound, but PostgreSQL was unavailable.
constexpr int kDoneWithoutShared = 100;

struct VerifyFlags {
  bool structure_only = false;
  std::string against;     // a file
  std::string since;       // likewise, instead of `against`: reads only what came after it
  std::string public_key;  // that signed the file; empty: the one in the data directory

  const std::string& kept() const { return since.empty() ? against : since; }
};

// Reports damage of whole files, which has no position.
int say_damaged(const CommandContext& context, const std::string& problem) {
  return say_found(context, {Position(), problem, Part::kLedger});
}

// A note without a known signature proves nothing about the ledger, neither soundness nor a rewrite.
[[noreturn]] void refuse_unsigned(const VerifyFlags& flags, const std::string& note) {
  const auto signers = eventstore::named_signers(note);
  if (signers.empty()) throw UsageError(flags.kept() + " is no checkpoint: it has no signature");
  const auto key = flags.public_key.empty() ? "the ledger's key" : "the key that --public-key gives";
  throw UsageError(
      flags.kept() + " is not signed by " + key +
      ", so it says nothing about this ledger. It names the key " + signers.front() +
      ". Either it is a checkpoint of another ledger, or it was forged or changed, or it was signed with "
      "another key: compare with the beginning of what pixledger checkpoint --public-key prints, "
      "and give the key that you kept with --public-key");
}

// The checkpoint in the file that was kept.
eventstore::Checkpoint open_kept(const CommandContext& context, const VerifyFlags& flags,
                                 const std::string& note) {
  const auto open =
      flags.public_key.empty() ? opener_with_keys(context) : opener_with(flags.public_key, Epochs::kAll);
  auto checkpoint = open(note);
  if (!checkpoint) refuse_unsigned(flags, note);
  return *std::move(checkpoint);
}

// Only their owner may read the accounts, so the verifying user may lack access.
std::optional<Finding> look_at_accounts(const CommandContext& context, const eventstore::Log& log) {
  try {
    const auto& data = context.common.data;
    auto damage = stores::damage_of_accounts(data);
    // A missing file needs no verification.
    if (!damage && std::filesystem::exists(data.accounts() / stores::kAccountsFile))
      damage = stores::loss_of_accounts(data, [&log] { return eventstore::has_members(log); });
    return damage ? std::optional(Finding{Position(), *damage, Part::kAccounts}) : std::nullopt;
  } catch (const std::exception& error) {
    std::cerr << "pixledger: the accounts of people who sign in are not verified: " << error.what() << "\n";
    return std::nullopt;
  }
}

// Compares the copy after a position, found sound by then, with PostgreSQL; this comes last.
SharedRows look_at_shared_rows(const CommandContext& context, const eventstore::LedgerLog& log,
                               Position after, std::optional<Finding>& finding) {
  if (!eventstore::node_of(context.common.data)) return SharedRows::kNone;
  const auto not_compared = [](const std::string& why) {
    std::cerr << "pixledger: this node's copy is not compared with what PostgreSQL has: " << why << "\n";
    return SharedRows::kNotCompared;
  };
  const auto* const cluster = eventstore::Ledger::cluster_of(log);
  if (!cluster) return not_compared("who may not write in the node's directory has no session there");
  try {
    ProgressBar bar("compare", "events");
    finding = compare_shared_rows(log, *cluster, after,
                                  [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); });
    return SharedRows::kEqual;
  } catch (const eventstore::LogUnavailable& away) {
    return not_compared(away.what());
  }
}

// Another epoch is the same ledger before a restore from a backup.
bool is_of(const eventstore::Checkpoint& checkpoint, const eventstore::LogIdentity& identity) {
  const auto signer = eventstore::identity_of_origin(checkpoint.origin);
  return signer && signer->ledger_id == identity.ledger_id;
}

// Input of a verification beside the ledger.
struct Given {
  std::optional<eventstore::Checkpoint> kept{};  // the checkpoint that was kept
  std::string note{};                            // its signed form
  std::filesystem::path kept_in{};               // its directory
  std::string scratch;                           // a directory
  bool without_read_models = false;              // reading everything has crashed
};

// The note that the ledger signs today for the kept note's number of events; without keys, the same note
// unsigned.
std::string note_of_today(const CommandContext& context, const eventstore::Log& log,
                          const eventstore::Checkpoint& kept) {
  eventstore::Checkpoint today{.origin = eventstore::origin_of(log.identity()),
                               .size = kept.size,
                               .root = eventstore::tree_root(kept.size, eventstore::TreeOfLog(log)),
                               .states_streams = true,
                               .stream = {}};
  try {
    return eventstore::sign_checkpoint(today,
                                       eventstore::Keyring::open(context.common.data.keys()).signing_key());
  } catch (const std::exception&) {
    return eventstore::checkpoint_text(today);
  }
}

// The ledger is sound and the note belongs to its epoch, so a different tree of that size means another
// history.
int say_two_histories(const CommandContext& context, const eventstore::Log& log, const Given& given,
                      const Finding& finding) {
  const auto saved = save_evidence({.ledger_id = log.identity().ledger_id,
                                    .older = given.note,
                                    .newer = note_of_today(context, log, *given.kept)},
                                   {given.kept_in, "."});
  const int code = say_found(context, finding, std::nullopt, saved);
  if (!context.json) std::cout << words_on_two_histories(saved, false);
  return code;
}

bool proves_two_histories(const Given& given, const eventstore::Log& log, const Finding& finding) {
  return finding.part == Part::kCheckpoint && given.kept &&
         given.kept->origin == eventstore::origin_of(log.identity()) &&
         given.kept->size <= log.head().position.value() &&
         given.kept->root != eventstore::tree_root(given.kept->size, eventstore::TreeOfLog(log));
}

int verify_here(const CommandContext& context, const VerifyFlags& flags, const Given& given) {
  // If the copy is damaged, opening the log would fetch another one.
  eventstore::try_copy(context.common.data, context.common.lmdb());
  const auto log = context.open_log();
  VerifyOptions options;
  options.depth = flags.structure_only ? VerificationDepth::kStructure : VerificationDepth::kMeaning;
  const bool is_of_another = given.kept && !is_of(*given.kept, log->identity());
  if (!is_of_another) options.against = given.kept;
  options.only_newer = !flags.since.empty() && options.against;
  const bool reads_meaning = options.depth == VerificationDepth::kMeaning;
  options.erasing_lock = context.common.data.erasing_lock();
  Verification result;
  {
    ProgressBar bar("verify", "events");
    options.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
    result = verify_log(eventstore::log_on_disk(*log), options);
  }
  if (is_of_another)
    keep_first(result.finding, {Position(),
                                "it was signed for " + given.kept->origin + ", and this is " +
                                    eventstore::origin_of(log->identity()),
                                Part::kCheckpoint});
  // Only the erasure's mark shows which bytes it should have removed, and where.
  for (const auto& customer : find_abandoned_erasures(context.common.data))
    keep_first(result.finding,
               {Position(), "that of customer " + customer + " was begun and stopped", Part::kErasure});
  auto shared = SharedRows::kNone;
  if (!result.finding && reads_meaning)
    shared = look_at_shared_rows(context, *log, Position(result.trusted), result.finding);
  bool has_read_models = false;
  if (!result.finding && reads_meaning && !options.only_newer) {
    if (given.without_read_models) {
      if (find_read_models(context, *log))
        result.finding = Finding{Position(), kReadingCrashed, Part::kReadModels};
    } else if (const auto compared = compare_read_models(context, *log, given.scratch)) {
      has_read_models = true;
      result.finding = compared->finding();
    }
  }
  if (!result.finding && reads_meaning) result.finding = look_at_accounts(context, *log);
  // Set meanwhile by another program of the node; it has no position.
  const auto mark = eventstore::mark_on_copy(context.common.data);
  if (mark && (!result.finding || result.finding->part != Part::kLedger))
    result.finding = Finding{Position(), *mark, Part::kLedger};
  if (result.finding && proves_two_histories(given, *log, *result.finding))
    return say_two_histories(context, *log, given, *result.finding);
  if (result.finding)
    return say_found(context, *result.finding,
                     options.against ? std::optional(options.against->size) : std::nullopt);
  tell_verified(context, {result, options, has_read_models, shared});
  return shared == SharedRows::kNotCompared ? kDoneWithoutShared : kExitDone;
}

int verify_or_say_damaged(const CommandContext& context, const VerifyFlags& flags, const Given& given) {
  try {
    return verify_here(context, flags, given);
  } catch (const eventstore::LmdbDamaged& error) {
    return say_damaged(context, error.what());
  } catch (const eventstore::LmdbFileDamaged& error) {
    return say_damaged(context, error.what());
  } catch (const eventstore::LogCorrupt& error) {
    return say_damaged(context, error.what());
  }
}

// LMDB trusts its pages, so a damaged one may crash the process that reads it.
int verify(const CommandContext& context, const VerifyFlags& flags) {
  const TemporaryDirectory scratch;
  Given given{.scratch = scratch.path()};
  const auto& kept = flags.kept();
  if (!flags.since.empty() && !flags.against.empty())
    throw UsageError("--since and --against exclude each other: give one of them");
  if (kept.empty() && !flags.public_key.empty())
    throw UsageError("--public-key is the key of the checkpoint that --against or --since names");
  if (!kept.empty()) {
    given.note = note_in(read_signed_file(kept), kept);
    given.kept = open_kept(context, flags, given.note);
    given.kept_in = std::filesystem::absolute(kept).parent_path();
  }
  // A node would replace its damaged copy, and the new one would be found sound.
  const auto say_if_marked = [&]() -> std::optional<int> {
    const auto mark = eventstore::mark_on_copy(context.common.data);
    return mark ? std::optional(say_damaged(context, *mark)) : std::nullopt;
  };
  if (const auto marked = say_if_marked()) return *marked;
  const auto run = [&]() -> std::optional<int> {
    const auto code = run_in_subprocess([&] { return verify_or_say_damaged(context, flags, given); });
    if (code == kExitDone || code == kExitNo || code == kDoneWithoutShared) return code;
    const auto marked = say_if_marked();
    return marked ? marked : code;
  };
  if (const auto code = run()) return *code;
  given.without_read_models = true;
  if (const auto code = run()) return *code;
  return say_damaged(context, kReadingCrashed);
}

int verify_and_note(const CommandContext& context, const VerifyFlags& flags) {
  const int code = verify(context, flags);
  tell_of_kept(context);
  if (code == kDoneWithoutShared) return kExitDone;
  // A check of a part, or without PostgreSQL, does not prove that everything is sound.
  const bool is_of_part = flags.structure_only || !flags.since.empty();
  if (code == kExitNo || (code == kExitDone && !is_of_part))
    note_verification(context.common.data, context.clock.now(), code == kExitDone);
  return code;
}

}  // namespace

void add_verify_command(CommandLine& program, CommandContext& context) {
  const auto flags = std::make_shared<VerifyFlags>();
  CommandLine command =
      add_command(program, context, "verify", "Read the whole ledger and check every invariant",
                  [&context, flags] { return verify_and_note(context, *flags); });
  command.add_flag("--structure-only", flags->structure_only,
                   "Hashes and positions only, without what the events mean");
  command
      .add_option("--against", flags->against,
                  "A checkpoint or receipt that was kept: check that history continues it")
      .check(must_not_be_empty)
      .check(must_not_be_a_directory);
  command
      .add_option("--since", flags->since,
                  "A checkpoint or receipt that was kept: read only what came after it and the streams that "
                  "it changed; other events and the read models are not checked")
      .check(must_not_be_empty)
      .check(must_not_be_a_directory);
  command
      .add_option("--public-key", flags->public_key,
                  "The key of that checkpoint, as checkpoint --public-key printed it, or a file with it; the "
                  "one in the data directory unless given")
      .check(must_not_be_empty);
  add_json_option(command, context);
}

}  // namespace pixledger::tools
