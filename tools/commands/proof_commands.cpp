#include <fstream>
#include <iostream>
#include <iterator>

#include "eventstore/platform/json.h"
#include "eventstore/platform/signals.h"
#include "eventstore/process/option_rules.h"
#include "eventstore/proof/checkpoint.h"
#include "eventstore/proof/receipt_json.h"
#include "tools/audit/proof_options.h"
#include "tools/audit/receipt_file.h"
#include "tools/cli/table.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

// Above any receipt: a charge has few events.
constexpr std::size_t kReceiptBytesMax = 64U << 20U;

// A ledger whose keys are of a release that signed nothing gets its key here.
eventstore::Ledger open_to_sign(CommandContext& context) {
  {
    const auto log = context.open_log();  // says what is missing where there is no ledger
    const eventstore::HeldSignals held;
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
  eventstore::Json json;
  json.begin_object()
      .field("origin", checkpoint.origin)
      .field("size", checkpoint.size)
      .field("rootHash", eventstore::to_hex(checkpoint.root))
      .field("checkpoint", note)
      .end_object();
  std::cout << json.take_line();
  return kExitDone;
}

int print_public_key(CommandContext& context) {
  const auto ledger = open_to_sign(context);
  const eventstore::NoteVerifier verifier(eventstore::origin_of(ledger.log->identity()),
                                          ledger.keyring.signing_key().public_key());
  if (context.json) {
    std::cout
        << eventstore::Json().begin_object().field("publicKey", verifier.line()).end_object().take_line();
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
  eventstore::Json json;
  eventstore::write_receipt(json, *receipt);
  std::cout << json.take_line();
  return kExitDone;
}

void print_json(const CheckedFile& checked) {
  eventstore::Json json;
  json.begin_object().field("valid", !checked.problem);
  if (checked.problem) {
    json.field("problem", *checked.problem);
  } else {
    json.field("transactionId", checked.charge->id.text())
        .field("status", domain::to_string(checked.charge->status))
        .field("events", checked.events)
        .field("withoutPersonalData", checked.without_personal)
        .field("origin", checked.checkpoint.origin)
        .field("size", checked.checkpoint.size)
        .field("rootHash", eventstore::to_hex(checked.checkpoint.root));
  }
  std::cout << json.end_object().take_line();
}

void print_text(const CheckedFile& checked) {
  if (checked.problem) {
    std::cout << "The proof does not hold: " << *checked.problem << ".\n";
    return;
  }
  std::cout << "The proof holds.\n\n";
  print_facts(std::cout, {{"charge", checked.charge->id.text()},
                          {"status", std::string(domain::to_string(checked.charge->status))},
                          {"events", std::to_string(checked.events)},
                          {"ledger", checked.checkpoint.origin},
                          {"signed positions", std::to_string(checked.checkpoint.size)},
                          {"root hash", eventstore::to_hex(checked.checkpoint.root)}});
  if (checked.without_personal > 0)
    std::cout << "\nThe personal data of " << checked.without_personal
              << " of the events is not in it: it was erased, "
              << "or left out. What is null there may\nhave been a text.\n";
  std::cout << "\nThe ledger that signed this root holds these events of the charge, from its first on "
               "without a gap.\n"
               "A receipt cannot tell whether the charge has had later events, before that root was signed "
               "or since.\n";
}

std::string read_receipt(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UsageError("cannot read " + file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.size() > kReceiptBytesMax) throw UsageError("FILE is too long for a receipt");
  return text;
}

int check_proof(const CommandContext& context, const std::string& file, const std::string& public_key) {
  const auto text = read_receipt(file);
  const auto open = public_key.empty() ? opener_with_keys(context) : opener_with(public_key);
  const auto checked = check_receipt_file(text, open);
  if (context.json) {
    print_json(checked);
  } else {
    print_text(checked);
  }
  return checked.problem ? kExitNo : kExitDone;
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

  const auto file = std::make_shared<std::string>();
  const auto key = std::make_shared<std::string>();
  CommandLine checking =
      add_command(program, context, "check-proof", "Check a proof or a receipt, without a ledger",
                  [&context, file, key] { return check_proof(context, *file, *key); });
  checking.add_option("FILE", *file, "What prove printed, or an answer of the API")
      .required()
      .check(eventstore::must_not_be_a_directory);
  checking.add_option("--public-key", *key, "What checkpoint --public-key printed, or a file with it")
      .check(eventstore::must_not_be_empty);
  add_json_option(checking, context);
}

}  // namespace pixledger::tools
