#include <iostream>

#include "stores/databases/worker_databases.h"
#include "stores/exports/export_rows.h"
#include "tools/accounting/export_rows.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/option_values.h"
#include "tools/cli/table_output.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

struct ExportOptions {
  std::string format;
  std::string language = "pt";
  std::string by = "recorded";
  std::string what = "charges";
  std::string project;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::string timezone;
  ChargeFilterOptions charges;
};

// Without a reader no worker has started, and there are no deliveries.
void export_stored_deliveries(const CommandContext& context, const eventstore::Log& log,
                              const ExportQuery& query, const RowHandler& handle) {
  if (const auto reader = stores::WorkerDatabases::of(context.common.data).delivery_reader())
    export_deliveries(log, *reader, query, handle);
}

void fill_table(std::optional<TableOutput>& output, stores::TableFormat format, const CommandContext& context,
                const eventstore::Log& log, const ExportOptions& options, const ExportQuery& query) {
  const auto begin = [&](const stores::Table& table) {
    output.emplace(std::cout, format, table, stores::parse_language(options.language).value(),
                   context.clock.now());
  };
  const RowHandler handle = [&output](const stores::Cells& row) { output->add(row); };
  if (options.what == "charges") {
    begin(stores::charge_table().table);
    export_charges(log, query, handle);
  } else if (options.what == "payments") {
    begin(stores::payment_table().table);
    export_payments(log, query, handle);
  } else if (options.what == "refunds") {
    begin(stores::refund_table().table);
    export_refunds(log, query, handle);
  } else if (options.what == "sessions") {
    begin(stores::session_table());
    export_sessions(log, query, handle);
  } else {
    begin(stores::delivery_table());
    export_stored_deliveries(context, log, query, handle);
  }
}

int run_export(const CommandContext& context, const ExportOptions& options) {
  const auto by = options.by == "paid" ? stores::ExportBy::kPaid : stores::ExportBy::kRecorded;
  if (by == stores::ExportBy::kPaid && options.what != "charges" && options.what != "payments")
    throw UsageError("--by paid: only charges and payments have a day of payment");
  const auto asked_zone = parse_zone(options.timezone);
  const auto given = parse_period(options.from, options.to, context.clock.now());
  const ChargeFilter charges(options.charges);
  std::optional<domain::ProjectId> id;
  if (!options.project.empty()) id = parse_project(options.project);
  const auto log = context.open_log();
  const auto project = id ? find_project(*log, *id) : std::nullopt;
  if (id && !project) return say_no(domain::Rejection::kProjectNotFound);
  const ExportQuery query{id, Period(given, zone_of(asked_zone, project)), charges, by};
  const auto format = stores::parse_table_format(options.format).value();
  std::optional<TableOutput> output;
  const auto make = [&] { fill_table(output, format, context, *log, options, query); };
  if (format == stores::TableFormat::kWorkbook)
    make_without_erased(*log, make);
  else
    make();
  output->end();
  return kExitDone;
}

}  // namespace

void add_export_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ExportOptions>();
  CommandLine command = add_command(program, context, "export", "Tables for a spreadsheet, or as JSON lines",
                                    [&context, options] { return run_export(context, *options); });
  command
      .add_option(
          "--format", options->format,
          "xlsx: a workbook for people; csv-br: for spreadsheets set to Brazil; csv, jsonl: for programs")
      .required()
      .one_of({"csv", "csv-br", "xlsx", "jsonl"}, InHelp::kShown);
  command
      .add_option("--language", options->language,
                  "Of the headings in xlsx and csv-br, and in Portuguese of the states, too")
      .show_default()
      .one_of({"pt", "en"}, InHelp::kShown);
  command.add_option("--what", options->what, "charges, payments, refunds, deliveries or sessions")
      .show_default()
      .one_of({"charges", "payments", "refunds", "deliveries", "sessions"}, InHelp::kShown);
  command.add_option("--project", options->project, "Only this project");
  command.add_option("--from", options->from,
                     "First day (2026-01-31) or moment of the charge, payment, …; 2h for so long ago");
  command.add_option("--to", options->to, "Last day or moment");
  command
      .add_option(
          "--by", options->by,
          "Whose day that is: recorded, of the ledger's record; paid, of the payment itself (of charges and "
          "payments)")
      .show_default()
      .one_of({"recorded", "paid"}, InHelp::kShown);
  command.add_option("--timezone", options->timezone, std::string(kZoneHelp));
  options->charges.add_to(command);
}

}  // namespace pixledger::tools
