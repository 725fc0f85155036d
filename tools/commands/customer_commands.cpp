#include <iostream>

#include "eventstore/platform/json.h"
#include "tools/cli/table.h"
#include "tools/commands/commands.h"
#include "tools/operations/customer_eraser.h"

namespace pixledger::tools {
namespace {

struct EraseOptions {
  std::string id;
  std::string reason;
  std::uint32_t wait_seconds = 120;
};

void print_json(const ErasureReport& report) {
  std::cout << eventstore::Json()
                   .begin_object()
                   .field("customerId", report.customer.text())
                   .field("erasedAt", domain::to_iso8601(report.erased_at))
                   .field("position", report.position.value())
                   .field("events", report.records)
                   .field("transactions", report.charges)
                   .field("emailsRemoved", report.emails_removed)
                   .field("otherEnvironmentCustomerId", report.other_customer)
                   .end_object()
                   .take_line();
}

std::string_view where(domain::Environment environment) {
  return environment == domain::Environment::kLive ? "the live environment" : "the sandbox";
}

void print_report(const ErasureReport& report) {
  print_facts(std::cout, {{"customer", report.customer.text()},
                          {"erased at", domain::to_iso8601(report.erased_at)},
                          {"position", std::to_string(report.position.value())},
                          {"events without personal data", std::to_string(report.records)},
                          {"charges", std::to_string(report.charges)},
                          {"e-mails removed", std::to_string(report.emails_removed)}});
  std::cout
      << "\nNothing below the data directory names the customer any more; every proof still holds.\n"
         "Backups made before do: they have to be made anew, or erased as well when they are restored.\n";
  if (report.other_customer)
    std::cout << "\nWho has the same document is a customer in " << where(report.other_environment)
              << " too, who is not erased:\n  pixledger customer erase --id " << report.other_customer->text()
              << " --reason …\n";
}

int erase(CommandContext& context, const EraseOptions& options) {
  const auto id = parse_option<domain::CustomerId>("--id", options.id);
  const auto reason = parse_option<domain::Label>("--reason", options.reason);
  auto ledger = context.open();
  CustomerEraser eraser(context, ledger, std::chrono::seconds(options.wait_seconds));
  const auto report = eraser.erase(id, reason);
  if (!report) return kExitNo;
  if (context.json) {
    print_json(*report);
  } else {
    print_report(*report);
  }
  return kExitDone;
}

}  // namespace

void add_customer_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "customer", "Customers' personal data");
  const auto options = std::make_shared<EraseOptions>();
  CommandLine command =
      add_command(group, context, "erase", "Remove a customer's personal data for good; proofs still hold",
                  [&context, options] { return erase(context, *options); });
  command.add_option("--id", options->id, "The customer's id").required();
  command.add_option("--reason", options->reason, "Kept with the event: must not name the customer")
      .required();
  command
      .add_option("--wait", options->wait_seconds,
                  "Seconds to wait for the server's part, and for whoever still reads the old data")
      .show_default();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
