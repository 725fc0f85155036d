#include <iostream>
#include <map>

#include "base/platform/json.h"
#include "stores/exports/export_rows.h"
#include "stores/exports/table.h"
#include "tools/accounting/report_rows.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/cli/table_output.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

constexpr const char* kByDefault = "created";

struct ReportOptions {
  std::string project;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> as_of;
  std::string timezone;
  std::string by;
  std::string statement;
  std::string environment;
  std::string format = "json";
  std::string language = "pt";
};

void write_sums(Json& json, const Report::Kind& kind, const ReportSums& sums) {
  json.field("environment", kind.first)
      .field("status", kind.second)
      .field("count", sums.count)
      .field("amountCents", sums.amount)
      .field("paidCents", sums.paid.value())
      .field("refundedCents", sums.refunded.value())
      .field("feeCents", sums.fees.value());
}

void write_as_of(Json& json, const AsOf& as_of) {
  json.key("asOf").begin_object();
  json.field("position", as_of.position.value()).field("time", as_of.time).end_object();
}

void add(ReportSums& sums, const ReportSums& more) {
  sums.count += more.count;
  sums.amount = sums.amount + more.amount;
  sums.paid = sums.paid + more.paid;
  sums.fees = sums.fees + more.fees;
  sums.refunded = sums.refunded + more.refunded;
}

// Summed over connections.
void write_rows(Json& json, const Report& report) {
  std::map<std::pair<std::int64_t, Report::Kind>, ReportSums> rows;
  for (const auto& [key, sums] : report.rows) add(rows[{key.first, key.second.kind}], sums);
  std::map<Report::Kind, ReportSums> totals;
  for (const auto& [part, sums] : report.totals) add(totals[part.kind], sums);
  json.key("rows").begin_array();
  for (const auto& [key, sums] : rows) {
    json.begin_object().field("day", date_text(key.first));
    write_sums(json, key.second, sums);
    json.end_object();
  }
  json.end_array().key("totals").begin_array();
  for (const auto& [kind, sums] : totals) {
    json.begin_object();
    write_sums(json, kind, sums);
    json.end_object();
  }
  json.end_array();
}

void write_connection(Json& json, const domain::ConnectionId& connection, const ConnectionNames& names) {
  const auto name = names.find(connection);
  json.field("connectionId", connection);
  json.field("connection", name == names.end() ? std::nullopt : std::optional(name->second));
}

void write_connections(Json& json, const Report& report, const ConnectionNames& names) {
  json.key("connections").begin_array();
  for (const auto& [part, sums] : report.totals) {
    json.begin_object();
    write_connection(json, part.connection, names);
    write_sums(json, part.kind, sums);
    json.end_object();
  }
  json.end_array();
}

// Over all days, by environment and connection.
void write_aside(Json& json, const Report& report, Report::Aside aside, const ConnectionNames& names) {
  std::map<std::pair<domain::Environment, domain::ConnectionId>, Report::AsideSums> places;
  std::map<domain::Environment, Report::AsideSums> environments;
  for (const auto& [of, sums] : report.aside) {
    if (of.aside != aside) continue;
    for (auto* place : {&places[{of.environment, of.connection}], &environments[of.environment]}) {
      place->count += sums.count;
      place->amount = place->amount + sums.amount;
    }
  }
  json.key(to_string(aside)).begin_array();
  for (const auto& [environment, sums] : environments) {
    json.begin_object().field("environment", environment);
    json.field("count", sums.count).field("amountCents", sums.amount).key("connections").begin_array();
    for (const auto& [place, of_place] : places) {
      if (place.first != environment) continue;
      json.begin_object();
      write_connection(json, place.second, names);
      json.field("count", of_place.count).field("amountCents", of_place.amount).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

constexpr std::string_view kAll = "all";

// The selected environment; absent: both. Sandbox amounts are not real money, so accounts and tables for
// people exclude them unless requested.
std::optional<domain::Environment> environment_of(const ReportOptions& options) {
  if (options.environment == kAll) return std::nullopt;
  if (!options.environment.empty()) return domain::parse_environment(options.environment);
  const bool is_of_both = options.statement.empty() && options.format == "json";
  return is_of_both ? std::nullopt : std::optional(domain::Environment::kLive);
}
std::string_view name_of(const std::optional<domain::Environment>& environment) {
  return environment ? domain::to_string(*environment) : kAll;
}

void keep_only(domain::Environment environment, Report& report) {
  std::erase_if(report.rows, [&](const auto& row) { return row.first.second.kind.first != environment; });
  std::erase_if(report.totals, [&](const auto& total) { return total.first.kind.first != environment; });
  std::erase_if(report.aside, [&](const auto& aside) { return aside.first.environment != environment; });
}
void keep_only(domain::Environment environment, MoneyStatement& statement) {
  std::erase_if(statement.accounts,
                [&](const auto& account) { return account.first.environment != environment; });
}

void print_json(const Report& report, const ReportOptions& options, const AsOf& as_of, const TimeZone& zone,
                const ConnectionNames& names) {
  Json json;
  json.begin_object();
  write_as_of(json, as_of);
  json.field("timezone", zone.name()).field("environment", name_of(environment_of(options)));
  write_rows(json, report);
  write_connections(json, report, names);
  for (const auto aside : {Report::Aside::kUnapplied, Report::Aside::kUnmatched})
    write_aside(json, report, aside, names);
  std::cout << json.end_object().take_line();
}

void print_json(const MoneyStatement& statement, const ReportOptions& options, const AsOf& as_of,
                const TimeZone& zone, const ConnectionNames& names) {
  const auto& columns = stores::statement_table().columns;
  const stores::Columns without_day(columns.begin() + 1, columns.end());
  Json json;
  json.begin_object();
  write_as_of(json, as_of);
  json.field("month", options.statement)
      .field("timezone", zone.name())
      .field("environment", name_of(environment_of(options)));
  json.key("rows").begin_array();
  each_row(statement, Month::parse(options.statement).value(), names, [&](const stores::Cells& row) {
    json.begin_object();
    stores::write_members(json, columns, row);
    json.end_object();
  });
  json.end_array().key("totals").begin_array();
  each_total(statement, names, [&](const stores::Cells& row) {
    json.begin_object();
    stores::write_members(json, without_day, {row.begin() + 1, row.end()});
    json.end_object();
  });
  std::cout << json.end_array().end_object().take_line();
}

// Nullopt unless a table is requested.
std::optional<TableOutput> table_output(const CommandContext& context, const ReportOptions& options,
                                        const stores::Table& table) {
  const auto format = stores::parse_table_format(options.format);
  if (!format) return std::nullopt;
  return std::optional<TableOutput>(std::in_place, std::cout, *format, table,
                                    stores::parse_language(options.language).value(), context.clock.now());
}

void refuse_contradictions(const ReportOptions& options, bool by_is_given) {
  if (options.statement.empty()) return;
  if (options.from || options.to || by_is_given)
    throw UsageError("--statement is of a whole month: it takes no --from, --to or --by");
}

int report(const CommandContext& context, const ReportOptions& options) {
  refuse_contradictions(options, !options.by.empty());
  std::optional<Month> month;
  if (!options.statement.empty()) month = parse_option<Month>("--statement", options.statement);
  const auto asked_zone = parse_zone(options.timezone);
  const auto now = context.clock.now();
  const auto given = parse_period(options.from, options.to, now);
  std::optional<domain::ProjectId> id;
  if (!options.project.empty()) id = parse_project(options.project);
  const auto log = context.open_log();
  const auto project = id ? find_project(*log, *id) : std::nullopt;
  if (id && !project) return say_no(domain::Rejection::kProjectNotFound);
  const auto zone = zone_of(asked_zone, project);
  const Period period(given, zone);
  const auto as_of = find_as_of(*log, options.as_of, zone, now);
  if (!as_of)
    return say_no("--as-of: the ledger has no position " + *options.as_of + "; its newest is " +
                  std::to_string(log->head().position.value()));
  const auto names = connection_names(project ? std::vector{*project} : all_projects(*log));
  auto output = table_output(context, options, month ? stores::statement_table() : stores::report_table());
  const auto environment = environment_of(options);
  const AddRow add_row = [&output](const stores::Cells& row) { output->add(row); };
  if (month) {
    if (now < zone.begin_of(month->first_day()))
      std::cerr << "pixledger: " << options.statement
                << " has not begun: this statement only carries the balances on\n";
    auto statement = make_statement(*log, id, *month, zone, as_of->position);
    if (environment) keep_only(*environment, statement);
    output ? each_row(statement, *month, names, add_row)
           : print_json(statement, options, *as_of, zone, names);
  } else {
    const auto by = parse_report_by(options.by.empty() ? kByDefault : options.by).value();
    auto counted = make_report(*log, id, period, as_of->position, by);
    if (environment) keep_only(*environment, counted);
    output ? each_row(counted, names, add_row) : print_json(counted, options, *as_of, zone, names);
  }
  if (output) output->end();
  return kExitDone;
}

}  // namespace

void add_report_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ReportOptions>();
  CommandLine command =
      add_command(program, context, "report",
                  "Charges and money by day, environment, status and connection, from events alone",
                  [&context, options] { return report(context, *options); });
  command.add_option("--project", options->project, "Only this project");
  command
      .add_option("--by", options->by,
                  "Whose days they are: of charges' creation (unless given), payment or refunds")
      .one_of({"created", "paid", "refunded"}, InHelp::kShown);
  command.add_option("--from", options->from, "First day (2026-01-31) or moment of that; 2h for so long ago");
  command.add_option("--to", options->to, "Last day or moment of that");
  command.add_option("--as-of", options->as_of,
                     "As the ledger was after this position, or at this time or the end of this day");
  command.add_option("--timezone", options->timezone, std::string(kZoneHelp));
  command.add_option(
      "--statement", options->statement,
      "Instead, the money of a month (2026-10) by connection and day: opening, in, fees, refunds, "
      "returned, closing");
  command
      .add_option("--environment", options->environment,
                  "live, sandbox or all. Unless given: live in tables and with --statement, else all, with "
                  "each row's")
      .one_of({"live", "sandbox", "all"}, InHelp::kShown);
  command
      .add_option(
          "--format", options->format,
          "xlsx: a workbook for people; csv-br: for spreadsheets set to Brazil; json, csv: for programs")
      .show_default()
      .one_of({"json", "csv", "csv-br", "xlsx"}, InHelp::kShown);
  command
      .add_option("--language", options->language,
                  "Of the headings in xlsx and csv-br, and in Portuguese of the states, too")
      .show_default()
      .one_of({"pt", "en"}, InHelp::kShown);
  add_json_option(command, context);
}

}  // namespace pixledger::tools
