#include <iostream>
#include <utility>
#include <vector>

#include "base/platform/json.h"
#include "base/platform/signals.h"
#include "base/process/option_rules.h"
#include "eventstore/proof/checkpoint.h"
#include "eventstore/proof/receipt.h"
#include "tools/audit/signed_file.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

// Creates the signing key of a ledger from a release that signed nothing.
eventstore::Ledger open_to_sign(CommandContext& context) {
  {
    const auto log = context.open_log();  // reports a missing ledger
    const HeldSignals held;
    eventstore::Keyring::ensure_signing_key(context.common.data.keys(), context.entropy, context.clock.now());
  }
  return context.open_to_read();
}

int print_checkpoint(CommandContext& context) {
  const auto ledger = open_to_sign(context);
  const auto checkpoint = eventstore::checkpoint_of(*ledger.log);
  const auto note = eventstore::sign_checkpoint(checkpoint, ledger.keyring.signing_key());
  if (!context.json) {
    std::cout << note;
    return kExitDone;
  }
  Json json;
  eventstore::write_checkpoint(json, checkpoint, note);
  std::cout << json.take_line();
  return kExitDone;
}

int print_public_key(CommandContext& context) {
  const auto ledger = open_to_sign(context);
  const eventstore::NoteVerifier verifier(eventstore::origin_of(ledger.log->identity()),
                                          ledger.keyring.signing_key().public_key());
  if (context.json) {
    std::cout << Json().begin_object().field("publicKey", verifier.line()).end_object().take_line();
  } else {
    std::cout << verifier.line() << "\n";
  }
  return kExitDone;
}

int prove(CommandContext& context, const std::string& id) {
  const auto charge = parse_option<domain::ChargeId>("--id", id);
  const auto ledger = open_to_sign(context);
  const auto receipt = eventstore::make_receipt(*ledger.log, ledger.keyring.signing_key(), charge);
  if (!receipt) return say_no(domain::Rejection::kTransactionNotFound);
  Json json;
  eventstore::write_receipt(json, *receipt);
  std::cout << json.take_line();
  return kExitDone;
}

struct CheckProofOptions {
  std::string file;
  std::string public_key;
  std::string after;        // a file
  std::string consistency;  // likewise
};

// The checked file, and the older state that it continues.
struct CheckedProof {
  CheckedFile file;
  std::optional<CheckedFile> older;
  // Where the two files that prove two histories are kept.
  std::optional<std::filesystem::path> evidence{};
  bool consistency_may_be_wrong = false;
};

void write_receipt_facts(Json& json, const CheckedFile& file) {
  std::optional<std::uint32_t> stream_length;
  if (const auto& stated = file.checkpoint.stream) stream_length = stated->events;
  json.field("transactionId", file.charge->id.text())
      .field("status", domain::to_string(file.charge->status))
      .field("events", file.leaves.size())
      .field("streamLength", stream_length)
      .field("withoutPersonalData", file.without_personal);
}

void print_json(const CheckedProof& checked) {
  const auto& file = checked.file;
  Json json;
  json.begin_object().field("valid", !file.problem);
  if (file.problem) {
    json.field("problem", *file.problem).field("twoHistories", checked.evidence.has_value());
    if (checked.evidence) json.field("evidence", checked.evidence->string());
  } else {
    if (file.charge) write_receipt_facts(json, file);
    json.field("origin", file.checkpoint.origin)
        .field("size", file.checkpoint.size)
        .field("rootHash", to_hex(file.checkpoint.root));
    if (checked.older) json.field("continues", checked.older->checkpoint.size);
  }
  std::cout << json.end_object().take_line();
}

void print_what_a_receipt_proves(const CheckedFile& file) {
  if (file.without_personal > 0)
    std::cout << "\nThe personal data of " << file.without_personal
              << " of the events is not in it: it was erased, "
              << "or left out. What is null there may\nhave been a text.\n";
  std::cout << "\nThe ledger that signed this root holds these events of the charge, from its first on "
               "without a gap.\n";
  if (file.checkpoint.stream) {
    std::cout
        << "It signed that there were no others as of that root. A receipt cannot tell of later ones.\n";
  } else {
    std::cout << "The receipt does not state how many there were, as those of 0.1.0 do not: events such as a "
                 "refund may\nhave been cut off its end. Ask for a new one.\n";
  }
}

void print_text(const CheckedProof& checked) {
  const auto& file = checked.file;
  if (file.problem) {
    std::cout << "The proof does not hold: " << *file.problem << ".\n";
    if (checked.evidence)
      std::cout << "\n" << words_on_two_histories(*checked.evidence, checked.consistency_may_be_wrong);
    return;
  }
  std::cout << "The proof holds.\n\n";
  std::vector<std::pair<std::string, std::string>> facts;
  if (file.charge)
    facts = {{"charge", file.charge->id.text()},
             {"status", std::string(domain::to_string(file.charge->status))},
             {"events", std::to_string(file.leaves.size())}};
  facts.insert(facts.end(), {{"ledger", file.checkpoint.origin},
                             {"signed positions", std::to_string(file.checkpoint.size)},
                             {"root hash", to_hex(file.checkpoint.root)}});
  print_facts(std::cout, facts);
  if (file.charge) print_what_a_receipt_proves(file);
  if (checked.older)
    std::cout << "\nIt continues the older one: the first " << checked.older->checkpoint.size
              << " events of the ledger are still those for which that was signed.\n";
}

CheckpointOpener opener_of(const CommandContext& context, const CheckProofOptions& options, Epochs epochs) {
  return options.public_key.empty() ? opener_with_keys(context) : opener_with(options.public_key, epochs);
}

// A line of the ledger's key names one epoch. Files signed in another epoch are of another log, though by the
// same key.
CheckedFile check_file(const CommandContext& context, const CheckProofOptions& options) {
  const auto text = read_signed_file(options.file);
  auto checked = check_signed_file(text, opener_of(context, options, Epochs::kThatOne));
  if (!checked.problem) return checked;
  const auto of_any = check_signed_file(text, opener_of(context, options, Epochs::kAll));
  if (!of_any.problem)
    checked.problem = "that key signed it as " + of_any.checkpoint.origin +
                      ", and --public-key names another epoch of this ledger: each restore begins one. Give "
                      "the key's line of the epoch that it is from";
  return checked;
}

// In the file's directory, otherwise in another one.
void keep_evidence(CheckedProof& checked, const CheckProofOptions& options,
                   const std::optional<std::string>& consistency) {
  const auto identity = eventstore::identity_of_origin(checked.file.checkpoint.origin);
  checked.evidence = save_evidence({.ledger_id = identity ? identity->ledger_id : "",
                                    .older = read_signed_file(options.after),
                                    .newer = read_signed_file(options.file),
                                    .consistency = consistency},
                                   {std::filesystem::absolute(options.file).parent_path(), "."});
}

CheckedProof check(const CommandContext& context, const CheckProofOptions& options) {
  CheckedProof checked{check_file(context, options), {}};
  auto& problem = checked.file.problem;
  if (options.after.empty() || problem) return checked;
  std::optional<std::string> consistency;
  if (!options.consistency.empty()) consistency = read_signed_file(options.consistency);
  checked.older =
      check_signed_file(read_signed_file(options.after), opener_of(context, options, Epochs::kAll));
  if (checked.older->problem) {
    problem = options.after + ": " + *checked.older->problem;
  } else {
    using Shows = Discontinuity::Proves;
    const auto found = problem_of_continuation(*checked.older, checked.file, consistency);
    if (!found) return checked;
    problem = found->problem;
    checked.consistency_may_be_wrong = found->proves == Shows::kTwoHistoriesOrWrongConsistency;
    if (found->proves != Shows::kNothing) keep_evidence(checked, options, consistency);
  }
  return checked;
}

int check_proof(const CommandContext& context, const CheckProofOptions& options) {
  if (options.after.empty() && !options.consistency.empty())
    throw UsageError("--consistency relates FILE to an older one: --after is missing");
  const auto checked = check(context, options);
  if (context.json) {
    print_json(checked);
  } else {
    print_text(checked);
  }
  return checked.file.problem ? kExitNo : kExitDone;
}

}  // namespace

void add_proof_commands(CommandLine& program, CommandContext& context) {
  const auto public_key = std::make_shared<bool>(false);
  CommandLine checkpoint = add_command(
      program, context, "checkpoint", "Sign the ledger's present state",
      [&context, public_key] { return *public_key ? print_public_key(context) : print_checkpoint(context); });
  checkpoint.add_flag("--public-key", *public_key, "Print the key that checks what this ledger signs");
  add_json_option(checkpoint, context);

  const auto id = std::make_shared<std::string>();
  CommandLine proving =
      add_command(program, context, "prove", "A charge's events, with proof that the ledger holds them",
                  [&context, id] { return prove(context, *id); });
  proving.add_option("--id", *id, "The transaction").required();
  add_json_option(proving, context);  // accepted, although it always prints JSON

  const auto options = std::make_shared<CheckProofOptions>();
  CommandLine checking =
      add_command(program, context, "check-proof", "Check a receipt, proof or checkpoint, without a ledger",
                  [&context, options] { return check_proof(context, *options); });
  checking.add_option("FILE", options->file, "What prove or checkpoint printed, or an answer of the API")
      .required()
      .check(must_not_be_a_directory);
  checking
      .add_option("--public-key", options->public_key,
                  "What checkpoint --public-key printed, or a file with it")
      .check(must_not_be_empty);
  checking
      .add_option("--after", options->after,
                  "An older receipt or checkpoint: check that FILE continues the same history")
      .check(must_not_be_empty)
      .check(must_not_be_a_directory);
  checking
      .add_option("--consistency", options->consistency,
                  "What GET /api/v1/ledger/consistency answered for the sizes of the two")
      .check(must_not_be_empty)
      .check(must_not_be_a_directory);
  add_json_option(checking, context);
}

}  // namespace pixledger::tools
