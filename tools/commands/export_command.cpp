#include <iostream>

#include "projections/exports/export_rows.h"
#include "projections/stores/worker_stores.h"
#include "tools/accounting/export_rows.h"
#include "tools/accounting/export_table.h"
#include "tools/cli/aggregates.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

struct ExportOptions {
  std::string format;
  std::string what = "charges";
  std::string project;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::string timezone = "UTC";
  ChargeFilterOptions charges;
};

// Without a reader no worker has started yet, and there are no deliveries.
void export_stored_deliveries(const CommandContext& context, const eventstore::Log& log,
                              const ExportQuery& query, const RowHandler& handle) {
  if (const auto reader = projections::WorkerStores::of(context.common.data).delivery_reader())
    export_deliveries(log, *reader, query, handle);
}

int run_export(const CommandContext& context, const ExportOptions& options) {
  const auto zone = parse_option<eventstore::TimeZone>("--timezone", options.timezone);
  ExportQuery query{
      {}, Period(options.from, options.to, zone, context.clock.now()), ChargeFilter(options.charges)};
  if (!options.project.empty()) query.project = parse_project(options.project);
  const auto log = context.open_log();
  if (query.project && !find_project(*log, *query.project))
    return say_no(domain::Rejection::kProjectNotFound);

  const auto writer_of = [&options](const projections::Columns& columns) {
    return options.format == "csv" ? csv_writer(std::cout, columns) : json_lines_writer(std::cout, columns);
  };
  std::unique_ptr<TableWriter> writer;
  const RowHandler handle = [&writer](const projections::Cells& row) { writer->write(row); };
  if (options.what == "charges") {
    writer = writer_of(projections::charge_table().columns);
    export_charges(*log, query, handle);
  } else if (options.what == "payments") {
    writer = writer_of(projections::payment_table().columns);
    export_payments(*log, query, handle);
  } else if (options.what == "refunds") {
    writer = writer_of(projections::refund_table().columns);
    export_refunds(*log, query, handle);
  } else if (options.what == "sessions") {
    writer = writer_of(projections::session_columns());
    export_sessions(*log, query, handle);
  } else {
    writer = writer_of(projections::delivery_columns());
    export_stored_deliveries(context, *log, query, handle);
  }
  return kExitDone;
}

}  // namespace

void add_export_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ExportOptions>();
  CommandLine command = add_command(program, context, "export", "Tables for a spreadsheet, or as JSON lines",
                                    [&context, options] { return run_export(context, *options); });
  command.add_option("--format", options->format, "csv or jsonl")
      .required()
      .one_of({"csv", "jsonl"}, eventstore::InHelp::kShown);
  command.add_option("--what", options->what, "charges, payments, refunds, deliveries or sessions")
      .show_default()
      .one_of({"charges", "payments", "refunds", "deliveries", "sessions"}, eventstore::InHelp::kShown);
  command.add_option("--project", options->project, "Only this project");
  command.add_option("--from", options->from,
                     "First day (2026-01-31) or moment of the charge, payment, …; 2h for so long ago");
  command.add_option("--to", options->to, "Last day or moment");
  command.add_option("--timezone", options->timezone, "Whose days and hours they are").show_default();
  options->charges.add_to(command);
}

}  // namespace pixledger::tools
