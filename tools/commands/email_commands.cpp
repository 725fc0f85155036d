#include <Poco/Exception.h>
#include <iostream>

#include "base/platform/json.h"
#include "stores/databases/worker_databases.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using stores::Email;

constexpr std::size_t kListedEmailsMax = 1'000;

struct EmailOptions {
  std::string status;
  std::size_t limit = 100;
  std::string id;
  bool all = false;
};

// Throws if there is no ledger.
stores::WorkerDatabases find_databases(const CommandContext& context) {
  context.open_log();
  return stores::WorkerDatabases::of(context.common.data);
}

// what() of POCO's exceptions gives only their kind.
template <class Body>
auto with_reason(const Body& body) {
  try {
    return body();
  } catch (const Poco::Exception& error) {
    throw std::runtime_error("the e-mails' database cannot be used: " + error.displayText());
  }
}

std::vector<Email> read_given_up(const CommandContext& context, const EmailOptions& options) {
  const auto databases = find_databases(context);
  return with_reason([&]() -> std::vector<Email> {
    const auto emails = databases.emails_to_read();
    if (!emails) return {};
    return emails->given_up(options.limit, stores::parse_email_status(options.status));
  });
}

void write_email(Json& json, const Email& email) {
  json.begin_object()
      .field("transactionId", email.charge.text())
      .field("environment", domain::to_string(email.environment))
      .field("status", stores::to_string(email.status))
      .field("attempts", email.attempts)
      .field("error", email.error.empty() ? std::nullopt : std::optional(email.error))
      .field("position", email.position.value())
      .field("recordedAt", to_iso8601(email.recorded_at))
      .end_object();
}

Row row_of(const Email& email) {
  return {email.charge.text(),
          std::string(domain::to_string(email.environment)),
          std::string(stores::to_string(email.status)),
          std::to_string(email.attempts),
          email.error.empty() ? "-" : email.error,
          to_iso8601(email.recorded_at)};
}

int list_emails(const CommandContext& context, const EmailOptions& options) {
  const auto given_up = read_given_up(context, options);
  if (context.json) {
    Json json;
    json.begin_array();
    for (const auto& email : given_up) write_email(json, email);
    std::cout << json.end_array().take_line();
    return kExitDone;
  }
  if (given_up.empty()) {
    std::cout << "No e-mail was given up.\n";
    return kExitDone;
  }
  std::vector<Row> rows;
  for (const auto& email : given_up) rows.push_back(row_of(email));
  print_table(std::cout, {"TRANSACTION", "ENVIRONMENT", "STATUS", "ATTEMPTS", "WHY", "RECORDED"}, rows);
  return kExitDone;
}

int resend(const CommandContext& context, const EmailOptions& options) {
  if (options.all != options.id.empty()) throw UsageError("give either --id or --all");
  std::optional<domain::ChargeId> charge;
  if (!options.all) charge = parse_option<domain::ChargeId>("--id", options.id);
  const auto databases = find_databases(context);
  const auto count = with_reason([&] {
    const auto emails = databases.emails_to_change();
    return emails ? emails->resend(charge, context.clock.now()) : 0;
  });
  if (count == 0) return say_no("there is no such e-mail that was given up");
  if (context.json)
    std::cout << Json().begin_object().field("queued", count).end_object().take_line();
  else
    std::cout << "The e-mail worker sends what was given up: " << count << " e-mails.\n";
  return kExitDone;
}

}  // namespace

void add_email_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "emails", "E-mails to customers that were given up");
  const auto options = std::make_shared<EmailOptions>();

  CommandLine command = add_command(group, context, "list", "What was given up and why, newest first",
                                    [&context, options] { return list_emails(context, *options); });
  command.add_option("--status", options->status, "refused, exhausted, capped or withdrawn; all unless given")
      .one_of({"refused", "exhausted", "capped", "withdrawn"});
  command.add_option("--limit", options->limit, "At most so many")
      .show_default()
      .range(std::size_t{1}, kListedEmailsMax, InHelp::kHidden);
  add_json_option(command, context);

  command = add_command(group, context, "resend",
                        "Send what was given up, once the mail server takes it, but for what was withdrawn",
                        [&context, options] { return resend(context, *options); });
  command.add_option("--id", options->id, "The e-mail of this transaction");
  command.add_flag("--all", options->all, "Every one");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
