#include <array>
#include <iostream>
#include <map>

#include "eventstore/platform/json.h"
#include "eventstore/process/option_rules.h"
#include "tools/accounting/reconciliation.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/cli/table.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

constexpr std::array kMatches = {
    Match::kMatched, Match::kMissingInLedger, Match::kMissingInStatement, Match::kAmountDiffers,
    Match::kLate,    Match::kDoubled,         Match::kUnmatched};

struct ReconcileOptions {
  std::string project;
  std::string statement;
  std::string format = "csv";
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::string timezone = "UTC";
};

using Counts = std::map<Match, std::size_t>;

Counts count(const Reconciliation& result) {
  Counts counts;
  for (const auto match : kMatches) counts[match] = 0;
  for (const auto& item : result.items) ++counts[item.match];
  return counts;
}

std::size_t open_items(const Counts& counts, const Reconciliation& result) {
  return result.items.size() - counts.at(Match::kMatched);
}

std::optional<std::string> text_of(const std::optional<domain::Timestamp>& moment) {
  return moment ? std::optional(domain::to_iso8601(*moment)) : std::nullopt;
}
std::optional<std::int64_t> number_of(const std::optional<domain::Cents>& amount) {
  return amount ? std::optional(amount->value()) : std::nullopt;
}

void write_item(eventstore::Json& json, const Reconciled& item) {
  std::optional<std::string> charge;
  if (item.charge) charge = item.charge->text();
  std::optional<std::string_view> flag;
  if (item.flag) flag = domain::to_string(*item.flag);
  json.begin_object()
      .field("endToEndId", item.end_to_end_id.text())
      .field("transactionId", charge)
      .field("flag", flag)
      .field("line", item.line)
      .field("statementAmountCents", number_of(item.statement_amount))
      .field("statementPaidAt", text_of(item.statement_paid_at))
      .field("ledgerAmountCents", number_of(item.ledger_amount))
      .field("ledgerPaidAt", text_of(item.ledger_paid_at))
      .field("chargeAmountCents", number_of(item.charge_amount))
      .end_object();
}

void print_json(const domain::ProjectId& project, const Reconciliation& result, const Counts& counts,
                std::size_t ignored) {
  eventstore::Json json;
  json.begin_object()
      .field("projectId", project.text())
      .field("environment", domain::to_string(result.environment))
      .field("asOfPosition", result.as_of.value())
      .field("open", open_items(counts, result))
      .field("ignored", ignored);
  json.key("counts").begin_object();
  for (const auto& [match, number] : counts) json.field(to_string(match), number);
  json.end_object();
  for (const auto match : kMatches) {
    json.key(to_string(match)).begin_array();
    for (const auto& item : result.items) {
      if (item.match == match) write_item(json, item);
    }
    json.end_array();
  }
  std::cout << json.end_object().take_line();
}

std::string shown(const std::optional<domain::Cents>& amount) {
  return amount ? domain::to_decimal(*amount) : "-";
}

void print_text(const Reconciliation& result, const Counts& counts, std::size_t ignored,
                const eventstore::TimeZone& zone) {
  std::vector<std::pair<std::string, std::string>> facts;
  for (const auto& [match, number] : counts)
    facts.emplace_back(std::string(to_string(match)), std::to_string(number));
  if (ignored > 0) facts.emplace_back("ignored, being no Pix received", std::to_string(ignored));
  print_facts(std::cout, facts);
  std::vector<Row> rows;
  for (const auto& item : result.items) {
    if (item.match == Match::kMatched) continue;
    const auto paid_at = item.statement_paid_at ? item.statement_paid_at : item.ledger_paid_at;
    rows.push_back({std::string(to_string(item.match)), item.line ? std::to_string(*item.line) : "-",
                    item.end_to_end_id.text(), shown(item.statement_amount), shown(item.ledger_amount),
                    shown(item.charge_amount), zone.text_of(*paid_at),
                    item.charge ? item.charge->text() : "-"});
  }
  if (rows.empty()) return;
  std::cout << '\n';
  print_table(std::cout, {"OPEN", "LINE", "PAYMENT", "STATEMENT", "LEDGER", "CHARGED", "PAID AT", "CHARGE"},
              rows);
}

Statement read_file(const ReconcileOptions& options, const eventstore::TimeZone& zone) {
  auto file = open_named_file(options.statement);
  return read_statement(file, parse_statement_format(options.format).value(), zone);
}

int run_reconcile(const CommandContext& context, const ReconcileOptions& options) {
  const auto zone = parse_option<eventstore::TimeZone>("--timezone", options.timezone);
  const Period period(options.from, options.to, zone, context.clock.now());
  const auto project = parse_project(options.project);
  const auto statement = read_file(options, zone);
  const auto log = context.open_log();
  if (!find_project(*log, project)) return say_no(domain::Rejection::kProjectNotFound);
  const auto result = reconcile(*log, project, statement.lines, period);
  const auto counts = count(result);
  if (context.json) {
    print_json(project, result, counts, statement.ignored);
  } else {
    print_text(result, counts, statement.ignored, zone);
  }
  return open_items(counts, result) == 0 ? kExitDone : kExitNo;
}

}  // namespace

void add_reconcile_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ReconcileOptions>();
  CommandLine command = add_command(program, context, "reconcile",
                                    "Compare an acquirer's statement with the payments of the ledger",
                                    [&context, options] { return run_reconcile(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--statement", options->statement, "The statement's file")
      .required()
      .check(eventstore::must_not_be_a_directory);
  command
      .add_option(
          "--format", options->format,
          "csv: begins with the line endToEndId,amountCents,paidAt[,txid], separated by , or ;. ofx: a "
          "bank's, with the end-to-end id in FITID, REFNUM or MEMO. pix-json: what the API Pix answers to "
          "GET /pix, all pages one after the other")
      .show_default()
      .one_of({"csv", "ofx", "pix-json"}, eventstore::InHelp::kShown);
  command.add_option("--from", options->from,
                     "First day or moment of the statement: earlier payments are not missed");
  command.add_option("--to", options->to, "Last day or moment of the statement");
  command.add_option("--timezone", options->timezone, "Whose days they are, and times that name no zone")
      .show_default();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
