#include <cstddef>
#include <iostream>
#include <unordered_set>
#include <variant>
#include <vector>

#include "base/platform/json.h"
#include "base/process/output.h"
#include "base/text/ascii.h"
#include "base/text/text.h"
#include "base/values/internet_address.h"
#include "domain/aggregates/customer.h"
#include "domain/values/document.h"
#include "eventstore/ledger.h"
#include "eventstore/postgres/node_file.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_reader.h"
#include "stores/status/follow_status.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/customer_eraser.h"

namespace pixledger::tools {
namespace {

using domain::Customer;

constexpr std::size_t kFoundCustomersMax = 1'000;

const domain::CustomerDetails* details_in(const domain::RecordedEvent& event) {
  const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
  if (!change) return nullptr;
  const std::optional<domain::CustomerDetails>* details = nullptr;
  if (const auto* registered = std::get_if<domain::CustomerRegistered>(change))
    details = &registered->details;
  if (const auto* updated = std::get_if<domain::CustomerUpdated>(change)) details = &updated->details;
  return details && *details ? &**details : nullptr;
}

bool has(const domain::CustomerDetails& details, const EmailAddress& email) {
  return equal_without_case(details.email.text(), email.text());
}

std::optional<Customer> customer_in(const eventstore::Log& log, const domain::StreamName& stream) {
  auto customer = eventstore::fold_as<Customer>(log, stream);
  return customer && customer->details ? customer : std::nullopt;
}

// A project's current customers of both environments with that document; erased ones are not found. The
// document names the stream, so no search is needed.
std::vector<Customer> customers_with(const eventstore::Ledger& ledger, const domain::ProjectId& project,
                                     const domain::Document& document) {
  const auto token = ledger.keyring.token_of(project, document);
  std::vector<Customer> found;
  for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox}) {
    const auto stream = domain::customer_stream(project, environment, token);
    if (auto customer = customer_in(*ledger.log, stream)) found.push_back(*std::move(customer));
  }
  return found;
}

// The same by e-mail address. Reads the whole ledger, which has no index by address. At most
// kFoundCustomersMax, earliest registration first.
std::vector<Customer> customers_with(const eventstore::Ledger& ledger, const domain::ProjectId& project,
                                     const EmailAddress& email) {
  const auto& log = *ledger.log;
  std::vector<Customer> found;
  std::unordered_set<domain::StreamName> seen;
  eventstore::for_each_event(log, Position(), log.head().position, [&](const domain::RecordedEvent& event) {
    if (event.project != project || found.size() == kFoundCustomersMax) return;
    const auto* details = details_in(event);
    if (!details || !has(*details, email) || !seen.insert(event.stream).second) return;
    // The customer may have changed it since.
    auto customer = customer_in(log, event.stream);
    if (customer && has(*customer->details, email)) found.push_back(*std::move(customer));
  });
  return found;
}

struct EraseOptions {
  std::string id;
  std::string reason;
  std::uint32_t wait_seconds = 120;
};

void write_leftovers(Json& json, const ErasureLeftovers& left) {
  json.begin_object().key("blocklist").begin_array();
  for (const auto& entry : left.blocklist)
    json.begin_object()
        .field("id", entry.id.text())
        .field("type", entry.type)
        .field("removed", entry.is_removed)
        .end_object();
  json.end_array().key("texts").begin_array();
  for (const auto& text : left.texts)
    json.begin_object()
        .field("position", text.position.value())
        .field("field", text.field)
        .field("names", text.names)
        .end_object();
  json.end_array().field("textsFound", left.texts_found).key("account");
  // null: unknown.
  if (left.accounts_unread.empty())
    json.value(left.has_account);
  else
    json.null();
  json.end_object();
}

// The names of the targets that the follower has yet to rewrite.
std::vector<std::string> followed_targets(const DataDirectory& data) {
  std::vector<std::string> names;
  if (const auto status = stores::read_follow_status(data.workers()))
    for (const auto& target : status->targets) names.push_back(target.name);
  return names;
}

void print_json(const ErasureReport& report, const std::optional<ErasureLeftovers>& left,
                const std::vector<std::string>& targets) {
  Json json;
  json.begin_object()
      .field("customerId", report.customer.text())
      .field("erasedAt", to_iso8601(report.erased_at))
      .field("position", report.position.value())
      .field("events", report.records)
      .field("transactions", report.charges)
      .field("emailsRemoved", report.emails_removed)
      .field("otherEnvironmentCustomerId", report.other_customer)
      .key("left");
  if (left)
    write_leftovers(json, *left);
  else
    json.null();
  json.key("targets").begin_array();
  for (const auto& name : targets)
    json.begin_object().field("name", name).field("state", "pending").end_object();
  std::cout << json.end_array().end_object().take_line();
}

void print_leftovers(std::ostream& out, const ErasureLeftovers& left) {
  for (const auto& entry : left.blocklist)
    out << "  blocklist entry " << entry.id.text() << " (" << entry.type << "): "
        << (entry.is_removed ? "was removed, and stays in the ledger for good\n"
                             : "the merchant may remove it, which leaves it in the ledger\n");
  for (const auto& text : left.texts)
    out << "  " << text.field << " of the event at position " << text.position.value() << ": has their "
        << text.names << ", for good\n";
  if (left.texts_found > left.texts.size())
    out << "  and " << left.texts_found - left.texts.size() << " more of these\n";
  if (left.has_account)
    out << "  accounts: somebody signs in with their e-mail address, and goes on doing so; to remove that "
           "as well: pixledger user remove\n";
  if (!left.accounts_unread.empty())
    out << "  accounts: cannot be looked through (" << left.accounts_unread
        << "); see whether somebody signs in with their e-mail address: pixledger user list\n";
}

bool is_anything_left(const ErasureLeftovers& left) {
  return !left.blocklist.empty() || left.texts_found > 0 || left.has_account || !left.accounts_unread.empty();
}

constexpr std::string_view kLeftHead =
    "\nEvery proof still holds. What the customer is still named in, since it is the merchant's:\n";

std::string_view where(domain::Environment environment) {
  return environment == domain::Environment::kLive ? "the live environment" : "the sandbox";
}

void print_report(const ErasureReport& report, const std::optional<ErasureLeftovers>& left,
                  const std::vector<std::string>& targets) {
  print_facts(std::cout, {{"customer", report.customer.text()},
                          {"erased at", to_iso8601(report.erased_at)},
                          {"position", std::to_string(report.position.value())},
                          {"events without personal data", std::to_string(report.records)},
                          {"charges", std::to_string(report.charges)},
                          {"e-mails removed", std::to_string(report.emails_removed)}});
  if (!left) {
    std::cout << "\nEvery proof still holds. The customer's names and addresses were gone before this run, "
                 "so it cannot\n"
                 "look for what else has them: the run that removed them listed that.\n";
  } else if (is_anything_left(*left)) {
    std::cout << kLeftHead;
    print_leftovers(std::cout, *left);
  } else {
    std::cout
        << "\nEvery proof still holds. The customer's names, documents, addresses and numbers, present and "
           "former,\n"
           "were found neither in the merchant's blocklists nor in the texts of their own charges. Texts of\n"
           "other customers' charges were not looked through.\n";
  }
  std::cout << "Backups made before name them: make new ones, or erase again when one is restored.\n";
  for (const auto& name : targets)
    std::cout << "The target " << name << " names them until pixledger-follow has written it anew.\n";
  if (report.other_customer)
    std::cout << "\nWho has the same document is a customer in " << where(report.other_environment)
              << " too, who is not erased:\n  pixledger customer erase --id " << report.other_customer->text()
              << " --reason …\n";
}

// Prints what was found even if the rest fails.
std::optional<ErasureReport> erase_with(CustomerEraser& eraser, const domain::CustomerId& id,
                                        const domain::Label& reason) {
  try {
    return eraser.erase(id, reason);
  } catch (...) {
    if (const auto& left = eraser.left(); left && is_anything_left(*left)) {
      std::cerr << "What the customer is still named in, since it is the merchant's (the next run lists it "
                   "again):\n";
      print_leftovers(std::cerr, *left);
    }
    throw;
  }
}

int erase(CommandContext& context, const EraseOptions& options) {
  const auto id = parse_option<domain::CustomerId>("--id", options.id);
  const auto reason = parse_option<domain::Label>("--reason", options.reason);
  auto ledger = context.open();
  CustomerEraser eraser(context, ledger, std::chrono::seconds(options.wait_seconds));
  const auto report = erase_with(eraser, id, reason);
  if (!report) return kExitNo;
  const auto targets = followed_targets(context.common.data);
  if (context.json) {
    print_json(*report, eraser.left(), targets);
  } else {
    print_report(*report, eraser.left(), targets);
    if (eventstore::node_of(ledger.directory))
      std::cout << "\nPostgreSQL's files name them until they are written anew: see\n"
                   "docs/how-to/operate/erase-in-postgresql.md.\n";
  }
  // Only a printed report finishes the erasure: later runs cannot list the remaining mentions.
  flush_output();
  eraser.finish();
  return kExitDone;
}

struct FindOptions {
  std::string project;
  std::string document;
  std::string email;
};

std::vector<domain::Customer> search(const CommandContext& context, const FindOptions& options) {
  const auto project = parse_project(options.project);
  if (options.document.empty() == options.email.empty())
    throw UsageError("give either --document or --email");
  if (!options.document.empty()) {
    const auto document = parse_option<domain::TypedDocument>("--document", options.document).document;
    return customers_with(context.open_to_read(), project, document);
  }
  const auto email = parse_option<EmailAddress>("--email", std::string(bare_address(options.email)));
  return customers_with(context.open_to_read(), project, email);
}

int find(const CommandContext& context, const FindOptions& options) {
  if (!find_project(*context.open_log(), parse_project(options.project)))
    return say_no(domain::Rejection::kProjectNotFound);
  const auto found = search(context, options);
  if (context.json) {
    Json json;
    json.begin_array();
    for (const auto& customer : found)
      json.begin_object()
          .field("customerId", customer.id.text())
          .field("environment", domain::to_string(customer.environment))
          .field("createdAt", to_iso8601(customer.created_at))
          .end_object();
    std::cout << json.end_array().take_line();
  } else if (!found.empty()) {
    std::vector<Row> rows;
    for (const auto& customer : found)
      rows.push_back({customer.id.text(), std::string(domain::to_string(customer.environment)),
                      to_iso8601(customer.created_at)});
    print_table(std::cout, {"CUSTOMER", "ENVIRONMENT", "CREATED"}, rows);
  }
  return found.empty() ? say_no("there is no such customer") : kExitDone;
}

}  // namespace

void add_customer_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "customer", "Customers and their personal data");
  const auto options = std::make_shared<EraseOptions>();
  CommandLine command =
      add_command(group, context, "erase", "Remove a customer's personal data for good; proofs still hold",
                  [&context, options] { return erase(context, *options); });
  command.add_option("--id", options->id, "The customer's id").required();
  command.add_option("--reason", options->reason, "Kept with the event: must not name the customer")
      .required();
  command
      .add_option("--wait", options->wait_seconds,
                  "Seconds to wait for the server's part, and for readers of the old data")
      .show_default();
  add_json_option(command, context);

  const auto wanted = std::make_shared<FindOptions>();
  command = add_command(group, context, "find", "A project's customers of a document or an e-mail address",
                        [&context, wanted] { return find(context, *wanted); });
  command.add_option("--project", wanted->project, "The project's id").required();
  command.add_option("--document", wanted->document, "CPF or CNPJ, without punctuation");
  command.add_option("--email", wanted->email,
                     "The whole address, as it is now; case does not count. Reads the whole ledger");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
