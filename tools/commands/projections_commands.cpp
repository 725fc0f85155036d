#include <iostream>

#include "base/platform/json.h"
#include "projections/generations/generation.h"
#include "stores/status/view_status.h"
#include "tools/cli/table.h"
#include "tools/commands/commands.h"
#include "tools/commands/rebuild_command.h"
#include "tools/commands/verify_views_command.h"

namespace pixledger::tools {
namespace {

using stores::GenerationStatus;
using stores::WorkerStatus;

struct Statuses {
  Head head;
  std::vector<GenerationStatus> generations;
  std::vector<WorkerStatus> workers;
};

// How many events it is behind; nullopt when nobody can say. The head was read first, so one that goes on
// meanwhile may be ahead of it.
std::optional<std::uint64_t> lag_of(const Head& head, const std::optional<Position>& at, bool of_this_log) {
  if (!at || !of_this_log) return std::nullopt;
  return *at >= head.position ? 0 : head.position.value() - at->value();
}

std::optional<std::uint64_t> number_of(const std::optional<Position>& position) {
  return position ? std::optional(position->value()) : std::nullopt;
}

void write_json(const Statuses& found, const eventstore::LogIdentity& identity) {
  Json json;
  json.begin_object().key("ledger").begin_object();
  json.field("ledgerId", identity.ledger_id)
      .field("epoch", identity.epoch)
      .field("position", found.head.position.value())
      .field("time", to_iso8601(found.head.time))
      .end_object();
  json.field("setVersion", projections::kViewSetVersion);
  json.key("generations").begin_array();
  for (const auto& one : found.generations) {
    json.begin_object()
        .field("name", one.name)
        .field("setVersion", one.set_version)
        .field("complete", one.complete)
        .field("ofThisLedger", one.of_this_log)
        .field("position", number_of(one.position))
        .field("lag", lag_of(found.head, one.position, one.of_this_log))
        .end_object();
  }
  json.end_array().key("workers").begin_array();
  for (const auto& one : found.workers) {
    json.begin_object()
        .field("name", one.name)
        .field("ofThisLedger", one.of_this_log)
        .field("position", number_of(one.position))
        .field("lag", lag_of(found.head, one.position, one.of_this_log))
        .field("problem", one.problem.empty() ? std::nullopt : std::optional(one.problem))
        .end_object();
  }
  std::cout << json.end_array().end_object().take_line();
}

std::string shown(const std::optional<std::uint64_t>& number) {
  return number ? std::to_string(*number) : "-";
}

std::string state_of(const GenerationStatus& one) {
  if (!one.complete) return "being built";
  if (one.set_version != projections::kViewSetVersion) return "of another release";
  return one.of_this_log ? "complete" : "to be built again";
}

std::string state_of(const WorkerStatus& one) {
  if (!one.problem.empty()) return "cannot be read: " + one.problem;
  if (!one.position) return "no state";
  return one.of_this_log ? "known" : "of another ledger or epoch";
}

void print_text(const Statuses& found, const eventstore::LogIdentity& identity) {
  print_facts(std::cout, {{"ledger", identity.ledger_id},
                          {"epoch", std::to_string(identity.epoch)},
                          {"position", std::to_string(found.head.position.value())},
                          {"set version of this release", std::to_string(projections::kViewSetVersion)}});
  std::vector<Row> rows;
  for (const auto& one : found.generations)
    rows.push_back({"views " + one.name, state_of(one), shown(number_of(one.position)),
                    shown(lag_of(found.head, one.position, one.of_this_log))});
  for (const auto& one : found.workers)
    rows.push_back({"worker " + one.name, state_of(one), shown(number_of(one.position)),
                    shown(lag_of(found.head, one.position, one.of_this_log))});
  std::cout << '\n';
  print_table(std::cout, {"WHAT", "STATE", "POSITION", "LAG"}, rows);
}

int status(const CommandContext& context) {
  const auto log = context.open_log();
  const auto& data = context.common.data;
  const Statuses found{log->head(), stores::generation_statuses(data.views(), *log, context.common.lmdb()),
                       stores::worker_statuses(stores::WorkerStores::of(data), *log, context.common.lmdb())};
  if (context.json) {
    write_json(found, log->identity());
  } else {
    print_text(found, log->identity());
  }
  return kExitDone;
}

}  // namespace

void add_projections_commands(CommandLine& program, CommandContext& context) {
  CommandLine group =
      add_group(program, "projections", "The read models, and how far they and the workers are");
  CommandLine command = add_command(group, context, "status", "Versions, cursors and lag",
                                    [&context] { return status(context); });
  add_json_option(command, context);
  CommandLine rebuild =
      add_command(group, context, "rebuild", "Build them again from the ledger, next to a running server",
                  [&context] { return rebuild_projections(context); });
  add_json_option(rebuild, context);
  CommandLine verify = add_command(group, context, "verify",
                                   "Compare them with a fresh fold of the ledger, next to a running server",
                                   [&context] { return verify_projections(context); });
  add_json_option(verify, context);
}

}  // namespace pixledger::tools
