#include <filesystem>
#include <iostream>

#include "eventstore/ledger.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/platform/json.h"
#include "eventstore/process/option_rules.h"
#include "projections/generations/generation_directory.h"
#include "projections/stores/account_store.h"
#include "tools/audit/signed_file.h"
#include "tools/audit/verdict.h"
#include "tools/audit/verifier.h"
#include "tools/cli/progress_bar.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/cli/table.h"
#include "tools/cli/temporary_directory.h"
#include "tools/commands/commands.h"
#include "tools/commands/verify_views_command.h"
#include "tools/operations/operations_note.h"
#include "tools/operations/unfinished_erasure.h"

namespace pixledger::tools {
namespace {

constexpr const char* kReadingCrashed = "the files cannot be read (reading them crashed)";

struct VerifyFlags {
  bool structure_only = false;
  std::string against;     // a file
  std::string public_key;  // of `against`; empty: the one in the data directory
};

// Read models that were not what the ledger said when they were replaced: what is consistent now may have
// been rewritten then.
std::vector<projections::KeptGeneration> kept_read_models(const CommandContext& context) {
  return projections::find_kept_generations(context.common.data.views());
}

void write_verification(eventstore::Json& json, const Verification& result, const VerifyOptions& options,
                        bool has_read_models,
                        const std::vector<projections::KeptGeneration>& kept_read_models) {
  json.begin_object().field("consistent", true).field("events", result.events);
  if (options.depth == VerificationDepth::kMeaning)
    json.field("streams", result.streams)
        .field("claims", result.claims)
        .field("readModels", has_read_models ? std::optional<std::string>("equal") : std::nullopt);
  json.field("personal", result.personal)
      .field("erased", result.erased)
      .field("rootHash", eventstore::to_hex(result.root))
      .field("proves", options.against ? "consistency and continuity" : "consistency");
  if (options.against) json.field("continues", options.against->size);
  json.key("keptReadModels").begin_array();
  for (const auto& kept : kept_read_models) json.value(kept.path.string());
  json.end_array().end_object();
}

void print_what_it_proves(const VerifyOptions& options) {
  std::cout << "\nThis proves consistency: nothing in the ledger contradicts anything else in it"
            << (options.depth == VerificationDepth::kStructure ? ", as far as events need not be understood"
                                                               : "")
            << ".\n";
  if (options.against) {
    std::cout << "It continues the checkpoint: the first " << options.against->size
              << " events are those for which it was signed.\n";
  } else {
    std::cout << "It does not prove authenticity: to know that this is the same ledger as before, compare it "
                 "with\na checkpoint that was kept elsewhere (--against).\n";
  }
}

void print_verification(const Verification& result, const VerifyOptions& options, bool has_read_models) {
  std::vector<std::pair<std::string, std::string>> facts{{"events", std::to_string(result.events)}};
  if (options.depth == VerificationDepth::kMeaning) {
    facts.emplace_back("streams", std::to_string(result.streams));
    facts.emplace_back("unique names", std::to_string(result.claims));
    facts.emplace_back("read models", has_read_models ? "equal" : "not compared: none to go by");
  }
  facts.emplace_back("with personal data", std::to_string(result.personal));
  facts.emplace_back("erased", std::to_string(result.erased));
  facts.emplace_back("root hash", eventstore::to_hex(result.root));
  std::cout << "The ledger is consistent.\n\n";
  print_facts(std::cout, facts);
  print_what_it_proves(options);
}

void tell_of_kept(const CommandContext& context) {
  for (const auto& kept : kept_read_models(context))
    std::cerr << "pixledger: read models that disagreed with the ledger are kept in " << kept.path.string()
              << ": " << kept.why << "\n";
}

// What is wrong with the files as a whole, so that no position can be named.
int say_damaged(const CommandContext& context, const std::string& problem) {
  return say_found(context, {domain::Position(), problem, Part::kLedger});
}

// What no key at hand has signed says nothing about the ledger, neither that it is right nor that it was
// rewritten.
[[noreturn]] void refuse_unsigned(const VerifyFlags& flags, const std::string& note) {
  const auto signers = eventstore::named_signers(note);
  if (signers.empty()) throw UsageError(flags.against + " is no checkpoint: it has no signature");
  const auto key = flags.public_key.empty() ? "the ledger's key" : "the key that --public-key gives";
  throw UsageError(
      flags.against + " is not signed by " + key +
      ", so it says nothing about this ledger. It names the key " + signers.front() +
      ". Either it is a checkpoint of another ledger, or it was forged or changed, or it was signed with "
      "another key: compare with the beginning of what pixledger checkpoint --public-key prints, "
      "and give the key that you kept with --public-key");
}

// The state that the file in `against` was signed for.
eventstore::Checkpoint open_kept(const CommandContext& context, const VerifyFlags& flags) {
  const auto note = note_in(read_signed_file(flags.against), flags.against);
  const auto open =
      flags.public_key.empty() ? opener_with_keys(context) : opener_with(flags.public_key, Epochs::kAll);
  auto checkpoint = open(note);
  if (!checkpoint) refuse_unsigned(flags, note);
  return *std::move(checkpoint);
}

// They are their owner's alone, so whoever verifies may not be let in.
std::optional<Finding> look_at_accounts(const CommandContext& context) {
  try {
    const auto damage = projections::damage_of_accounts(context.common.data);
    return damage ? std::optional(Finding{domain::Position(), *damage, Part::kAccounts}) : std::nullopt;
  } catch (const std::exception& error) {
    std::cerr << "pixledger: the accounts of people who sign in are not verified: " << error.what() << "\n";
    return std::nullopt;
  }
}

// Another epoch is this ledger before it was restored from a backup.
bool is_of(const eventstore::Checkpoint& checkpoint, const eventstore::LogIdentity& identity) {
  const auto signer = eventstore::identity_of_origin(checkpoint.origin);
  return signer && signer->ledger_id == identity.ledger_id;
}

// What a verification is given besides the ledger.
struct Given {
  std::optional<eventstore::Checkpoint> kept{};  // what `against` holds
  std::string scratch;                           // a directory
  bool without_read_models = false;              // reading all has crashed
};

int verify_here(const CommandContext& context, const VerifyFlags& flags, const Given& given) {
  // Where it is damaged, to open the log would fetch another.
  eventstore::Ledger::try_copy(context.common.data, context.common.lmdb());
  const auto log = context.open_log();
  VerifyOptions options;
  options.depth = flags.structure_only ? VerificationDepth::kStructure : VerificationDepth::kMeaning;
  const bool is_of_another = given.kept && !is_of(*given.kept, log->identity());
  if (!is_of_another) options.against = given.kept;
  options.erasing_lock = context.common.data.erasing_lock();
  Verification result;
  {
    ProgressBar bar("verify", "events");
    options.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show(done, total); };
    result = verify_log(eventstore::Ledger::as_it_lies(*log), options);
  }
  if (is_of_another)
    keep_first(result.finding, {domain::Position(),
                                "it was signed for " + given.kept->origin + ", and this is " +
                                    eventstore::origin_of(log->identity()),
                                Part::kCheckpoint});
  // What bytes it should have taken away, and where, only its mark tells.
  for (const auto& customer : find_abandoned_erasures(context.common.data))
    keep_first(result.finding, {domain::Position(), "that of customer " + customer + " was begun and stopped",
                                Part::kErasure});
  bool has_read_models = false;
  if (!result.finding && options.depth == VerificationDepth::kMeaning) {
    if (given.without_read_models) {
      if (find_read_models(context, *log))
        result.finding = Finding{domain::Position(), kReadingCrashed, Part::kReadModels};
    } else if (const auto compared = compare_read_models(context, *log, given.scratch)) {
      has_read_models = true;
      result.finding = compared->finding();
    }
  }
  if (!result.finding && options.depth == VerificationDepth::kMeaning)
    result.finding = look_at_accounts(context);
  // By another program of the node meanwhile, which names no position.
  const auto mark = eventstore::Ledger::mark_on_copy(context.common.data);
  if (mark && (!result.finding || result.finding->part != Part::kLedger))
    result.finding = Finding{domain::Position(), *mark, Part::kLedger};
  if (result.finding)
    return say_found(context, *result.finding,
                     options.against ? std::optional(options.against->size) : std::nullopt);
  if (context.json) {
    eventstore::Json json;
    write_verification(json, result, options, has_read_models, kept_read_models(context));
    std::cout << json.take_line();
  } else {
    print_verification(result, options, has_read_models);
  }
  return kExitDone;
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

// LMDB trusts its pages, so a damaged one may crash whoever reads it.
int verify(const CommandContext& context, const VerifyFlags& flags) {
  const TemporaryDirectory scratch;
  Given given{.scratch = scratch.path()};
  if (flags.against.empty() && !flags.public_key.empty())
    throw UsageError("--public-key is the key of the checkpoint that --against names");
  if (!flags.against.empty()) given.kept = open_kept(context, flags);
  // Of a node's copy another would be fetched, and found sound.
  const auto say_if_marked = [&]() -> std::optional<int> {
    const auto mark = eventstore::Ledger::mark_on_copy(context.common.data);
    return mark ? std::optional(say_damaged(context, *mark)) : std::nullopt;
  };
  if (const auto marked = say_if_marked()) return *marked;
  const auto run = [&]() -> std::optional<int> {
    const auto code = run_in_subprocess([&] { return verify_or_say_damaged(context, flags, given); });
    if (code == kExitDone || code == kExitNo) return code;
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
  // Who looks at the structure alone has not found the whole sound.
  if (code == kExitNo || (code == kExitDone && !flags.structure_only))
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
      .check(eventstore::must_not_be_empty)
      .check(eventstore::must_not_be_a_directory);
  command
      .add_option("--public-key", flags->public_key,
                  "The key of that checkpoint, as checkpoint --public-key printed it, or a file with it; the "
                  "one in the data directory unless given")
      .check(eventstore::must_not_be_empty);
  add_json_option(command, context);
}

}  // namespace pixledger::tools
