#include <iostream>

#include "base/process/option_rules.h"
#include "stores/accounting/reconciliation.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/files.h"
#include "tools/cli/option_values.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

using stores::Match;
using stores::ReconcileOutcome;
using stores::Reconciliation;
using stores::ReturnMatch;

constexpr std::size_t kStatementBytesMax = 256U << 20U;

struct ReconcileOptions {
  std::string project;
  std::string statement;
  std::string format;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> timezone;
  bool accepts_probable = false;
};

std::string shown(const std::optional<domain::Cents>& amount) {
  return amount ? domain::to_decimal(*amount) : "-";
}
template <class Named>
std::string shown_text(const std::optional<Named>& named) {
  return named ? named->text() : "-";
}

// The compared days, and their source.
std::string period_of(const Reconciliation& result, const TimeZone& zone) {
  const auto& [from, until, is_the_statements] = result.period;
  std::string text;
  if (from) text += "from " + zone.text_of(*from) + " ";
  if (until) text += "to " + zone.text_of(until->plus_millis(-1)) + " ";
  switch (result.period_by) {
    case stores::PeriodBy::kGiven:
      return text + "(as it was asked for)";
    case stores::PeriodBy::kStatement:
      return text + "(as the statement says)";
    case stores::PeriodBy::kLines:
      return text + "(from its first line to its last)";
    case stores::PeriodBy::kLedger:
      break;
  }
  return "all that the ledger has: the statement does not say which days it is of; give --from and --to";
}

void print_facts_of(const Reconciliation& result, const TimeZone& zone) {
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const std::string& name, std::size_t count, bool always) {
    if (always || count > 0) facts.emplace_back(name, std::to_string(count));
  };
  for (const auto match : {Match::kMatched, Match::kProbable, Match::kMissingInLedger,
                           Match::kMissingInStatement, Match::kAmountDiffers, Match::kLate, Match::kDoubled,
                           Match::kUnmatched, Match::kUnidentified, Match::kNotCompared})
    add(std::string(to_string(match)), result.count(match),
        match != Match::kUnidentified && match != Match::kNotCompared);
  const bool is_out = result.why_not == stores::NotComparable::kOutOfPeriod;
  if (is_out) {
    facts.emplace_back("returns", "not compared");
  } else if (result.returns_compared) {
    for (const auto match :
         {ReturnMatch::kMatched, ReturnMatch::kProbable, ReturnMatch::kPending, ReturnMatch::kMissingInLedger,
          ReturnMatch::kMissingInStatement, ReturnMatch::kAmountDiffers, ReturnMatch::kUnidentified})
      add("returns " + std::string(to_string(match)), result.count(match), match == ReturnMatch::kMatched);
  } else {
    facts.emplace_back("returns", "not compared: the statement has none, the ledger " +
                                      std::to_string(result.returns_of_ledger));
  }
  add("ignored, being no Pix received", result.ignored, false);
  facts.emplace_back("period", period_of(result, zone));
  for (const auto& gap : result.gaps)
    facts.emplace_back("gap", "the statement has nothing of " + zone.text_of(gap.from) + " to " +
                                  zone.text_of(gap.until.plus_millis(-1)) + ": fetch these days, too");
  print_facts(std::cout, facts);
}

void print_items(const Reconciliation& result, const TimeZone& zone) {
  std::vector<Row> rows;
  for (const auto& item : result.items) {
    if (item.match == Match::kMatched) continue;
    const auto paid_at = item.statement_paid_at ? item.statement_paid_at : item.ledger_paid_at;
    rows.push_back({std::string(to_string(item.match)), item.line ? std::to_string(*item.line) : "-",
                    shown_text(item.end_to_end_id), shown(item.statement_amount), shown(item.ledger_amount),
                    shown(item.charge_amount), zone.text_of(*paid_at), shown_text(item.charge)});
  }
  if (!rows.empty()) {
    std::cout << '\n';
    print_table(std::cout, {"OPEN", "LINE", "PAYMENT", "STATEMENT", "LEDGER", "CHARGED", "PAID AT", "CHARGE"},
                rows);
  }
  rows.clear();
  for (const auto& item : result.returns) {
    if (item.match == ReturnMatch::kMatched) continue;
    const auto at = item.statement_at ? item.statement_at : item.ledger_at;
    rows.push_back({std::string(to_string(item.match)), item.line ? std::to_string(*item.line) : "-",
                    shown_text(item.end_to_end_id), shown(item.statement_amount), shown(item.ledger_amount),
                    at ? zone.text_of(*at) : "-", item.id.empty() ? "-" : item.id, shown_text(item.charge)});
  }
  if (rows.empty()) return;
  std::cout << '\n';
  print_table(std::cout,
              {"RETURN", "LINE", "PAYMENT", "STATEMENT", "LEDGER", "RETURNED AT", "REFUND", "CHARGE"}, rows);
}

std::string read_file(const std::string& path) {
  auto file = open_named_file(path);
  auto bytes = read_at_most(file, kStatementBytesMax);
  if (!bytes)
    throw UsageError("the statement is larger than " + std::to_string(kStatementBytesMax >> 20U) + " MiB");
  return *std::move(bytes);
}

stores::Statement read_statement(const ReconcileOptions& options, const std::string& bytes,
                                 const TimeZone& zone) {
  const auto format = options.format.empty() ? stores::guess_statement_format(bytes)
                                             : stores::parse_statement_format(options.format).value();
  try {
    return stores::read_statement(bytes, format, zone);
  } catch (const stores::StatementRefused& refused) {
    throw UsageError(refused.what());
  }
}

stores::ReconcilePeriod period_of(const ReconcileOptions& options, const TimeZone& zone, Timestamp now) {
  stores::ReconcilePeriod period;
  const auto given = parse_period(options.from, options.to, now);
  if (given.from) period.from = zone.first_of(*given.from);
  if (given.to) period.until = zone.last_of(*given.to).plus_millis(1);
  if (period.from && period.until && *period.from >= *period.until)
    throw UsageError("--from must not be after --to");
  return period;
}

int exit_code_of(const Reconciliation& result, bool accepts_probable) {
  switch (result.outcome) {
    case ReconcileOutcome::kAgrees:
      return kExitDone;
    case ReconcileOutcome::kProbablyAgrees:
      return accepts_probable ? kExitDone : kExitNo;
    case ReconcileOutcome::kDiffers:
      return kExitNo;
    case ReconcileOutcome::kCannotCompare:
      break;
  }
  return kExitUsage;
}

void tell_outcome(const Reconciliation& result, bool accepts_probable) {
  for (const auto& warning : result.warnings) std::cerr << "warning: " << warning << '\n';
  if (result.outcome == ReconcileOutcome::kCannotCompare) {
    std::cerr << "cannot compare: " << reason_of(result) << '\n';
  } else if (result.probable() > 0 && !accepts_probable) {
    std::cerr << result.probable()
              << " were found by their amount and day alone: look at those that are marked probable; with "
                 "--accept-probable they count as found\n";
  }
}

int run_reconcile(const CommandContext& context, const ReconcileOptions& options) {
  const auto project = parse_project(options.project);
  auto zone = parse_option<TimeZone>("--timezone", options.timezone.value_or("UTC"));
  // Before the ledger is opened, so that command-line errors are reported first.
  const auto bytes = read_file(options.statement);
  static_cast<void>(period_of(options, zone, context.clock.now()));
  const auto log = context.open_log();
  const auto found = find_project(*log, project);
  if (!found) return say_no(domain::Rejection::kProjectNotFound);
  if (!options.timezone) zone = zone_of(*found);
  auto statement = read_statement(options, bytes, zone);
  const auto as_of = log->head().position;
  stores::LoggedProjectEvents events(*log, project, as_of);
  stores::Reconciler reconciler(*log, events,
                                {.project = project,
                                 .as_of = as_of,
                                 .period = period_of(options, zone, context.clock.now()),
                                 .zone = zone},
                                std::move(statement));
  while (reconciler.look()) continue;
  const auto result = reconciler.take();
  if (context.json) {
    Json json;
    json.begin_object().field("projectId", project);
    write_reconciliation(json, result);
    std::cout << json.end_object().take_line();
  } else {
    print_facts_of(result, zone);
    print_items(result, zone);
  }
  tell_outcome(result, options.accepts_probable);
  return exit_code_of(result, options.accepts_probable);
}

}  // namespace

void add_reconcile_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ReconcileOptions>();
  CommandLine command =
      add_command(program, context, "reconcile",
                  "Compare an acquirer's or bank's statement with the payments and returns of the ledger",
                  [&context, options] { return run_reconcile(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--statement", options->statement, "The statement's file")
      .required()
      .check(must_not_be_a_directory);
  command
      .add_option("--format", options->format,
                  "By what the file holds unless given. csv: a table, one line of which names columns such "
                  "as endToEndId, "
                  "amountCents (or valor) and paidAt (or data). ofx: a bank's. pix-json: what the API Pix "
                  "answers to GET "
                  "/pix, all pages of all windows one after the other")
      .one_of({"csv", "ofx", "pix-json"}, InHelp::kShown);
  command.add_option(
      "--from", options->from,
      "First day or moment of the statement: earlier payments are not missed. Unless given, an OFX's "
      "(DTSTART) or an answer's (inicio), else all of the ledger's are");
  command.add_option(
      "--to", options->to,
      "Last day or moment of the statement; unless given, an OFX's (DTEND) or an answer's (fim)");
  command.add_option("--timezone", options->timezone,
                     "Whose days they are, and times that name no zone; the project's unless given");
  command.add_flag("--accept-probable", options->accepts_probable,
                   "Payments that were found by amount and day alone count as found");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
