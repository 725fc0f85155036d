#include <fstream>
#include <iostream>
#include <iterator>

#include "base/platform/json.h"
#include "base/process/option_rules.h"
#include "base/targets/open_target.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/backup/target_backup.h"
#include "eventstore/codec/codec.h"
#include "eventstore/proof/checkpoint.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using eventstore::TargetBackup;

struct VerifyTargetFlags {
  std::string target;
  std::string against;
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

void read_all(const TargetBackup& backup, const std::optional<eventstore::Checkpoint>& kept,
              VerifiedTarget& verified) {
  const auto& manifest = backup.manifest();
  ProgressBar bar("verify", "events");
  eventstore::Frontier tree;
  for (const auto& segment : manifest.segments) {
    backup.read(segment, tree, [&](const eventstore::SegmentEvent& event) {
      decode(eventstore::to_stored_event(event.position, event.leaf, event.personal));
      if (kept && kept->size == event.position.value()) verified.root_of_kept = tree.root();
    });
    ++verified.files;
    verified.bytes += segment.facts.bytes;
    bar.show(segment.last.value(), manifest.last.value());
  }
  if (tree.root() != manifest.root)
    throw eventstore::damaged(backup.target().uri(), "its events are not those of the tree that it names");
  for (const auto& state : manifest.states) {
    for (const auto& file : state.files) {
      backup.check(file);
      ++verified.files;
      verified.bytes += file.facts.bytes;
    }
  }
}

// How the target's history stands to the kept checkpoint.
std::string compare(const eventstore::BackupManifest& manifest, const eventstore::Checkpoint& kept,
                    const VerifiedTarget& verified) {
  const auto of = eventstore::identity_of_origin(kept.origin);
  if (!of || of->ledger_id != manifest.ledger.ledger_id) return "contradicts";
  if (kept.size > manifest.last.value()) return "shorter";
  const auto root = kept.size == 0 ? eventstore::empty_root() : verified.root_of_kept;
  return root == kept.root ? "consistent" : "contradicts";
}

int verify_target(const CommandContext& context, const VerifyTargetFlags& flags) {
  std::optional<eventstore::Checkpoint> kept;
  if (!flags.against.empty()) kept = read_checkpoint(flags.against);
  const std::shared_ptr<const Target> target = find_target(flags.target);
  if (!target) throw UsageError("there is no target of pixledger follow at " + flags.target);
  const TargetBackup backup(target);
  const auto& manifest = backup.manifest();
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
  if (kept && is_sound) against = compare(manifest, *kept, verified);
  if (context.json) {
    Json json;
    json.begin_object()
        .field("target", target->uri())
        .field("ledgerId", manifest.ledger.ledger_id)
        .field("epoch", manifest.ledger.epoch)
        .field("lastPosition", manifest.last.value())
        .field("rootHash", to_hex(manifest.root))
        .field("files", verified.files)
        .field("bytes", verified.bytes)
        .field("encrypted", false)
        .field("contentsRead", true)
        .field("sound", is_sound)
        .field("against", against)
        .end_object();
    std::cout << json.take_line();
  } else if (is_sound) {
    std::cout << "The backup at " << target->uri() << " is sound, up to position " << manifest.last.value()
              << ".\n\n";
    print_facts(std::cout, {{"ledger", manifest.ledger.ledger_id},
                            {"epoch", std::to_string(manifest.ledger.epoch)},
                            {"files", std::to_string(verified.files)},
                            {"bytes", std::to_string(verified.bytes)},
                            {"root hash", to_hex(manifest.root)},
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
  CommandLine command =
      add_command(backup, context, "verify", "Read and prove all of a target of pixledger follow",
                  [&context, flags] { return verify_or_refuse(context, *flags); });
  command.add_option("target", flags->target, "/DIR or file:///DIR").required();
  command.add_option("--against", flags->against, "A checkpoint that was kept: the backup must continue it")
      .check(must_not_be_a_directory);
  add_json_option(command, context);
}

}  // namespace pixledger::tools
