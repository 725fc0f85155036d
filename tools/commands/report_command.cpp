#include <iostream>

#include "eventstore/platform/json.h"
#include "eventstore/process/option_rules.h"
#include "tools/accounting/report.h"
#include "tools/cli/aggregates.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

struct ReportOptions {
  std::string project;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> as_of;
  std::string timezone = "UTC";
  std::string by = "created";
};

void write_sums(eventstore::Json& json, const Report::Kind& kind, const ReportSums& sums) {
  json.field("environment", domain::to_string(kind.first))
      .field("status", domain::to_string(kind.second))
      .field("count", sums.count)
      .field("amountCents", sums.amount.value())
      .field("paidCents", sums.paid.value())
      .field("refundedCents", sums.refunded.value())
      .field("feeCents", sums.fees.value());
}

void write_report(eventstore::Json& json, const Report& report, const AsOf& as_of) {
  std::optional<std::string> time;
  if (as_of.time) time = domain::to_iso8601(*as_of.time);
  json.begin_object().key("asOf").begin_object();
  json.field("position", as_of.position.value()).field("time", time).end_object();
  json.key("rows").begin_array();
  for (const auto& [key, sums] : report.rows) {
    json.begin_object().field("day", eventstore::date_text(key.first));
    write_sums(json, key.second, sums);
    json.end_object();
  }
  json.end_array().key("totals").begin_array();
  for (const auto& [kind, sums] : report.totals) {
    json.begin_object();
    write_sums(json, kind, sums);
    json.end_object();
  }
  json.end_array().key("unmatched").begin_array();
  for (const auto& [environment, sums] : report.unmatched)
    json.begin_object()
        .field("environment", domain::to_string(environment))
        .field("count", sums.count)
        .field("amountCents", sums.amount.value())
        .end_object();
  json.end_array().end_object();
}

int report(const CommandContext& context, const ReportOptions& options) {
  const auto zone = parse_option<eventstore::TimeZone>("--timezone", options.timezone);
  const auto now = context.clock.now();
  const Period period(options.from, options.to, zone, now);
  std::optional<domain::ProjectId> project;
  if (!options.project.empty()) project = parse_project(options.project);
  const auto log = context.open_log();
  if (project && !find_project(*log, *project)) return say_no(domain::Rejection::kProjectNotFound);
  const auto as_of = find_as_of(*log, options.as_of, zone, now);
  if (!as_of)
    return say_no("--as-of: the ledger has no position " + *options.as_of + "; its newest is " +
                  std::to_string(log->head().position.value()));
  eventstore::Json json;
  const auto by = parse_report_by(options.by).value();
  write_report(json, make_report(*log, project, period, as_of->position, by), *as_of);
  std::cout << json.take_line();
  return kExitDone;
}

}  // namespace

void add_report_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<ReportOptions>();
  CommandLine command =
      add_command(program, context, "report",
                  "Charges and money by day, environment and status, from events alone (JSON)",
                  [&context, options] { return report(context, *options); });
  command.add_option("--project", options->project, "Only this project");
  command.add_option("--by", options->by, "Whose days they are: of charges' creation, payment or refunds")
      .show_default()
      .one_of({"created", "paid", "refunded"}, eventstore::InHelp::kShown);
  command.add_option("--from", options->from, "First day (2026-01-31) or moment of that; 2h for so long ago");
  command.add_option("--to", options->to, "Last day or moment of that");
  command.add_option("--as-of", options->as_of,
                     "As the ledger was after this position, or at this time or the end of this day");
  command.add_option("--timezone", options->timezone, "Whose days they are, such as America/Sao_Paulo")
      .show_default();
  add_json_option(command, context);
}

}  // namespace pixledger::tools
