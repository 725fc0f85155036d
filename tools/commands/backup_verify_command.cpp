#include <fstream>
#include <iostream>
#include <iterator>

#include "base/platform/durable_files.h"
#include "base/platform/json.h"
#include "base/process/option_rules.h"
#include "base/targets/open_target.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/backup/log_restore.h"
#include "eventstore/codec/codec.h"
#include "eventstore/proof/checkpoint.h"
#include "tools/cli/target_access.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using eventstore::BackupPiece;

struct VerifyTargetFlags {
  std::string target;
  std::string against;
  TargetAccess access;
};

struct VerifiedTarget {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::optional<Digest> root_of_kept;  // of the tree at the kept checkpoint's size
  std::string problem;                 // empty: sound
};

// Its signature is not checked: `check-proof` does that.
eventstore::Checkpoint read_checkpoint(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string note{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw std::runtime_error("cannot read " + file);
  const auto checkpoint = eventstore::parse_checkpoint_text(note.substr(0, note.find("\n\n") + 1));
  if (!checkpoint) throw UsageError("--against: " + file + " is no checkpoint");
  return *checkpoint;
}

bool is_readable(const BackupPiece& backup) { return !backup.target || backup.target->is_readable(); }

void check_states(const BackupPiece& backup, VerifiedTarget& verified) {
  const auto count = [&verified](const std::vector<eventstore::StateFile>& files) {
    verified.files += files.size();
    for (const auto& file : files) verified.bytes += file.facts.bytes;
  };
  if (!backup.target) {
    check_state_files(backup.directory, backup.manifest);
    return count(backup.manifest.files);
  }
  for (const auto& state : backup.manifest.states) {
    for (const auto& file : state.files) backup.target->check(file);
    count(state.files);
  }
}

// Without an identity the bytes of encrypted files are compared with the manifest, and no more.
void read_all(const BackupPiece& backup, const std::optional<eventstore::Checkpoint>& kept,
              VerifiedTarget& verified) {
  const auto& manifest = backup.manifest;
  ProgressBar bar("verify", "events", ProgressBar::WithoutTerminal::kLines);
  eventstore::Frontier tree;
  for (const auto& segment : manifest.segments) {
    if (is_readable(backup))
      read_events(backup, segment, tree, [&](const eventstore::SegmentEvent& event) {
        decode(eventstore::to_stored_event(event.position, event.leaf, event.personal));
        if (kept && kept->size == event.position.value()) verified.root_of_kept = tree.root();
      });
    else
      backup.target->check({segment.file, segment.facts});
    if (kept && kept->size == segment.last.value()) verified.root_of_kept = segment.root;
    ++verified.files;
    verified.bytes += segment.facts.bytes;
    bar.show(segment.last.value(), manifest.last.value());
  }
  if (is_readable(backup) && tree.root() != manifest.root)
    throw eventstore::damaged(backup.directory, "its events are not those of the tree that it names");
  check_states(backup, verified);
}

// How the target's history stands to the kept checkpoint.
std::string compare(const BackupPiece& backup, const eventstore::Checkpoint& kept,
                    const VerifiedTarget& verified) {
  const auto& manifest = backup.manifest;
  const auto of = eventstore::identity_of_origin(kept.origin);
  if (!of || of->ledger_id != manifest.ledger.ledger_id) return "contradicts";
  if (kept.size > manifest.last.value()) return "shorter";
  if (kept.size > 0 && !verified.root_of_kept)
    throw std::runtime_error("the checkpoint cannot be compared with encrypted files: give --identity");
  const auto root = kept.size == 0 ? eventstore::empty_root() : verified.root_of_kept;
  return root == kept.root ? "consistent" : "contradicts";
}

// A run that adds to a backup deletes what it replaces. Null unless it is a directory.
std::unique_ptr<DirectoryLock> lock_directory(const std::string& text) {
  if (!std::filesystem::is_directory(text)) return nullptr;
  auto lock = DirectoryLock::try_share(text);
  if (!lock) throw std::runtime_error("a backup into " + text + " is under way");
  return lock;
}

BackupPiece find_backup(const VerifyTargetFlags& flags) {
  const auto keys = flags.access.keys();
  if (const std::shared_ptr<const Target> target = find_target(flags.target, flags.access.s3_credentials)) {
    auto backup = std::make_shared<const eventstore::TargetBackup>(target, std::nullopt, keys);
    auto manifest = backup->manifest();
    return {target->uri(), std::move(manifest), std::move(backup)};
  }
  auto manifest = eventstore::find_manifest(flags.target);
  if (!manifest) throw TargetError(TargetFault::kForeign, "there is no backup at " + flags.target);
  if (manifest->first != Position(1))
    throw UsageError(flags.target + " is a piece of a backup, which only restore can prove, with the others");
  return {flags.target, *std::move(manifest)};
}

int verify_target(const CommandContext& context, const VerifyTargetFlags& flags) {
  std::optional<eventstore::Checkpoint> kept;
  if (!flags.against.empty()) kept = read_checkpoint(flags.against);
  const auto lock = lock_directory(flags.target);
  const auto backup = find_backup(flags);
  const auto& manifest = backup.manifest;
  VerifiedTarget verified;
  try {
    read_all(backup, kept, verified);
  } catch (const eventstore::BackupRefused& refused) {
    verified.problem = refused.what();
  } catch (const eventstore::LogCorrupt& corrupt) {
    verified.problem = corrupt.what();
  }
  const bool is_sound = verified.problem.empty();
  std::optional<std::string> against;
  if (kept && is_sound) against = compare(backup, *kept, verified);
  if (context.json) {
    Json json;
    json.begin_object()
        .field("target", backup.directory.string())
        .field("ledgerId", manifest.ledger.ledger_id)
        .field("epoch", manifest.ledger.epoch)
        .field("lastPosition", manifest.last.value())
        .field("rootHash", to_hex(manifest.root))
        .field("files", verified.files)
        .field("bytes", verified.bytes)
        .field("encrypted", backup.target && backup.target->is_encrypted())
        .field("contentsRead", is_readable(backup))
        .field("sound", is_sound)
        .field("against", against)
        .end_object();
    std::cout << json.take_line();
  } else if (is_sound) {
    std::cout << "The backup at " << backup.directory.string() << " is sound, up to position "
              << manifest.last.value() << ".\n\n";
    print_facts(std::cout, {{"ledger", manifest.ledger.ledger_id},
                            {"epoch", std::to_string(manifest.ledger.epoch)},
                            {"files", std::to_string(verified.files)},
                            {"bytes", std::to_string(verified.bytes)},
                            {"root hash", to_hex(manifest.root)},
                            {"contents", is_readable(backup) ? "read" : "not read: they are encrypted"},
                            {"the kept checkpoint", against.value_or("not given")}});
  }
  if (!is_sound) return say_no("the backup is not sound: " + verified.problem);
  return against.value_or("consistent") == "consistent" ? kExitDone : kExitNo;
}

int verify_or_refuse(const CommandContext& context, const VerifyTargetFlags& flags) {
  try {
    return verify_target(context, flags);
  } catch (const eventstore::BackupRefused& refused) {
    return say_no(std::string("the backup is not sound: ") + refused.what());
  }
}

}  // namespace

void add_backup_verify_command(CommandLine& backup, CommandContext& context) {
  const auto flags = std::make_shared<VerifyTargetFlags>();
  CommandLine command = add_command(backup, context, "verify",
                                    "Read and prove all of a backup, or of a target of pixledger follow",
                                    [&context, flags] { return verify_or_refuse(context, *flags); });
  command.add_option("target", flags->target, "The backup's directory, or a target of pixledger follow")
      .required();
  command.add_option("--against", flags->against, "A checkpoint that was kept: the backup must continue it")
      .check(must_not_be_a_directory);
  add_target_access(command, flags->access);
  add_json_option(command, context);
}

}  // namespace pixledger::tools
