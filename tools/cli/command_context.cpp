#include "tools/cli/command_context.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <pwd.h>
#include <unistd.h>
#include <utility>

#include "eventstore/platform/signals.h"

namespace pixledger::tools {
namespace {

using domain::Rejection;

std::string reason_of(Rejection rejection) {
  switch (rejection) {
    case Rejection::kApiKeyUnusable:
      return "the API key is revoked or has expired";
    case Rejection::kTransactionNotFound:
      return "there is no such charge";
    case Rejection::kTransactionStatus:
      return "the charge's status does not allow it";
    case Rejection::kTransactionOfAnotherProject:
      return "the charge belongs to another project";
    case Rejection::kAmountAboveMaximum:
      return "the amount is above the store's maximum";
    case Rejection::kRefundNotAllowed:
      return "more than the paid amount, or more than 90 days after the payment";
    case Rejection::kNotSandbox:
      return "not a sandbox charge";
    case Rejection::kNoPixKey:
      return "the project has no Pix key; set one: pixledger project set --project P --pix-key K";
    case Rejection::kCustomerNotFound:
      return "there is no such customer";
    case Rejection::kCustomerBlocked:
      return "the customer is blocked";
    case Rejection::kBlocklisted:
      return "the payer is on the blocklist";
    case Rejection::kUnknownConnection:
      return "the project has no such connection";
    case Rejection::kConnectionAliasTaken:
      return "the project has a connection with this alias in this environment already";
    case Rejection::kConnectionLimit:
      return "the project has " + std::to_string(domain::kConnectionsPerProjectMax) +
             " connections, which is the most there can be";
    case Rejection::kInvalidDocumentCheckDigits:
      return "the document's check digits do not match";
    case Rejection::kEndToEndIdTaken:
      return "this end-to-end id belongs to another charge or was reported with another amount";
    case Rejection::kPaymentNotFound:
      return "there is no unapplied payment with this end-to-end id";
    case Rejection::kChannelLimit:
      return "the project has 10 notification channels, which is the most there can be";
    case Rejection::kChannelNotFound:
      return "there is no such notification channel";
    case Rejection::kChannelInactive:
      return "the notification channel is not active";
    case Rejection::kDeliveryNotFound:
      return "there is no such delivery";
    case Rejection::kWebhookTargetRefused:
      return "webhooks may not go to this URL";
    case Rejection::kBlocklistEntryNotFound:
      return "there is no such blocklist entry";
    case Rejection::kProjectNotFound:
      return "there is no such project (see: pixledger project list)";
    case Rejection::kApiKeyNotFound:
      return "there is no such API key (see: pixledger key list --project P)";
    case Rejection::kBlocklistLimit:
      return "the blocklist is full";
    case Rejection::kBlockExpiryInPast:
      return "the block would end in the past";
    case Rejection::kPaymentInFuture:
      return "the payment's time is more than five minutes ahead of the ledger's";
  }
  return "refused";
}

bool is_plain(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' ||
           c == '_' || c == '-';
  });
}

struct CompletedOf {
  eventstore::Completed operator()(eventstore::Completed completed) const { return completed; }
  eventstore::Completed operator()(const eventstore::KeyReused&) const {
    throw std::logic_error("a command of an operator has no idempotency key");
  }
  eventstore::Completed operator()(const eventstore::KeyInFlight&) const {
    throw std::logic_error("a command of an operator has no idempotency key");
  }
  eventstore::Completed operator()(const eventstore::Unavailable& unavailable) const {
    throw std::runtime_error("nothing was written: " + unavailable.reason);
  }
};

}  // namespace

// Opening a ledger may write to it; see HeldSignals.
std::unique_ptr<eventstore::LedgerLog> CommandContext::open_log() const {
  const eventstore::HeldSignals held;
  return eventstore::Ledger::open_log_to_read(common.data, common.lmdb());
}

eventstore::Ledger CommandContext::open_to_read() const {
  const eventstore::HeldSignals held;
  return eventstore::Ledger::open_to_read(common.data, common.lmdb());
}

std::unique_ptr<eventstore::LedgerLog> CommandContext::open_log_to_write() const {
  const eventstore::HeldSignals held;
  return eventstore::Ledger::open_log(common.data, common.lmdb());
}

eventstore::Ledger CommandContext::open() const {
  const eventstore::HeldSignals held;
  return eventstore::Ledger::open(common.data, common.lmdb());
}

bool CommandContext::create() {
  const eventstore::HeldSignals held;
  return eventstore::Ledger::create(common.data, entropy, clock, common.lmdb());
}

eventstore::Ledger CommandContext::open_or_create() {
  create();
  return open();
}

std::string operator_name() {
  const char* caller = ::getuid() == 0 ? std::getenv("SUDO_USER") : nullptr;
  if (caller != nullptr && is_plain(caller)) return std::string("operator-") + caller;
  const passwd* user = ::getpwuid(::getuid());
  if (user != nullptr && is_plain(user->pw_name)) return std::string("operator-") + user->pw_name;
  return "operator-" + std::to_string(::getuid());
}

CommandLine add_command(CommandLine& parent, CommandContext& context, const std::string& name,
                        const std::string& help, std::function<int()> run) {
  return parent.add_command(
      name, help, [&context, run = std::move(run)] { context.chosen = run; },
      "Options of every command: pixledger --help");
}

CommandLine add_group(CommandLine& parent, const std::string& name, const std::string& help) {
  CommandLine group = parent.add_command(name, help);
  group.require_command();
  return group;
}

void add_json_option(CommandLine& command, CommandContext& context) {
  command.add_flag("--json", context.json, "One JSON value instead of text for people");
}

std::optional<eventstore::Completed> execute(CommandContext& context, eventstore::Ledger& ledger,
                                             domain::Command command) {
  const eventstore::HeldSignals held;
  eventstore::Executor executor(*ledger.log, context.clock, context.entropy);
  auto result = executor.execute({std::move(command), context.actor, {}, {}, {}});
  auto completed = std::visit(CompletedOf{}, std::move(result));
  if (!completed.outcome.rejection) return completed;
  say_no(*completed.outcome.rejection);
  return std::nullopt;
}

int say_no(const std::string& reason) {
  std::cerr << "pixledger: " << reason << "\n";
  return kExitNo;
}

int say_no(domain::Rejection reason) { return say_no(reason_of(reason)); }

}  // namespace pixledger::tools
