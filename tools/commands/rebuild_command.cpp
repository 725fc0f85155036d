#include "tools/commands/rebuild_command.h"

#include <iostream>

#include "base/platform/json.h"
#include "base/platform/lower_priority.h"
#include "base/platform/owner_lock.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/cli/table.h"
#include "tools/operations/rebuild.h"

namespace pixledger::tools {
namespace {

using projections::GenerationDifferences;

std::uint64_t events_per_second(const Rebuilt& rebuilt) {
  const auto millis = std::max<std::int64_t>(1, rebuilt.building.count());
  return rebuilt.position.value() * 1000 / static_cast<std::uint64_t>(millis);
}

void write_differences(Json& json, const GenerationDifferences& found) {
  json.begin_object()
      .field("position", found.as_of.value())
      .field("rows", found.rows)
      .field("equal", found.none());
  json.key("differences").begin_array();
  for (const auto& [table, differ] : found.by_table)
    json.begin_object().field("table", table).field("rows", differ.rows).end_object();
  json.end_array().key("charges").begin_array();
  for (const auto& charge : found.charges) json.value(charge);
  json.end_array().field("lists", found.lists).field("fault", found.fault).end_object();
}

void write_json(const Rebuilt& rebuilt) {
  Json json;
  json.begin_object()
      .field("generation", rebuilt.generation)
      .field("position", rebuilt.position.value())
      .field("seconds", rebuilt.building.count() / 1000)
      .field("eventsPerSecond", events_per_second(rebuilt))
      .field("replaces", rebuilt.replaces);
  json.key("comparison");
  if (rebuilt.differences) {
    write_differences(json, *rebuilt.differences);
  } else {
    json.null();
  }
  json.field("adopted", rebuilt.adopted)
      .field("kept", rebuilt.kept ? std::optional(rebuilt.kept->string()) : std::nullopt);
  std::cout << json.end_object().take_line();
}

void print_differences(const GenerationDifferences& found) {
  if (found.none()) {
    std::cout << "Both are equal at position " << found.as_of.value() << ": rows and lists (" << found.rows
              << " rows compared).\n";
    return;
  }
  std::cout << "They differ, at position " << found.as_of.value()
            << "; what was rebuilt is what the ledger says.\n";
  for (const auto& [table, differ] : found.by_table)
    std::cout << "  " << differ.rows << (differ.rows == 1 ? " row of " : " rows of ") << table << "\n";
  for (const auto& charge : found.charges) std::cout << "  charge " << charge << "\n";
  if (found.lists) std::cout << "  " << *found.lists << "\n";
  if (found.fault) std::cout << "  " << *found.fault << "\n";
}

void print_text(const Rebuilt& rebuilt) {
  std::cout << "The read models " << rebuilt.generation << " are built.\n\n";
  print_facts(std::cout, {{"position", std::to_string(rebuilt.position.value())},
                          {"events a second", std::to_string(events_per_second(rebuilt))},
                          {"in use before", rebuilt.replaces.value_or("none that could be opened")}});
  std::cout << '\n';
  if (rebuilt.differences) print_differences(*rebuilt.differences);
  if (rebuilt.kept)
    std::cout << "Those in use before are kept, since they may be right, and the ledger rewritten: "
              << rebuilt.kept->string()
              << "\nCompare the ledger with a checkpoint that was kept elsewhere (pixledger verify --against "
                 "CHECKPOINT), then remove them.\n";
  if (!rebuilt.adopted) {
    std::cout << "The next server opens them.\n";
  } else {
    std::cout << (*rebuilt.adopted ? "The server uses them.\n"
                                   : "The server has not taken to them; its log says why.\n");
  }
}

int rebuild_here(const CommandContext& context, projections::UnfinishedGeneration& unfinished,
                 const RebuildOptions& options) {
  const auto log = context.open_log();
  const auto rebuilt = rebuild_views(*log, unfinished, options);
  if (context.json) {
    write_json(rebuilt);
  } else {
    print_text(rebuilt);
  }
  return rebuilt.is_well() ? kExitDone : kExitNo;
}

}  // namespace

int rebuild_projections(const CommandContext& context) {
  eventstore::Ledger::refuse_missing(context.common.data);
  RebuildOptions options;
  options.views = context.common.data.views();
  options.lmdb = context.common.lmdb();
  const auto lock_file = options.views / projections::kRebuildLock;
  const auto only = OwnerLock::try_take(lock_file);
  if (!only)
    return say_no("another rebuild, or a customer's erasure, is under way (" +
                  OwnerLock::holder_of(lock_file) + ")");
  lower_priority(Priority::kIdle);
  projections::remove_unfinished(options.views);
  projections::UnfinishedGeneration unfinished(options.views);
  // LMDB trusts its pages, so damaged read models may crash whoever compares them.
  const auto code = run_in_subprocess([&] { return rebuild_here(context, unfinished, options); });
  if (code) return *code;
  options.compare = false;
  options.not_compared = "the read models in use cannot be read (reading them crashed)";
  const auto without = run_in_subprocess([&] { return rebuild_here(context, unfinished, options); });
  if (!without)
    throw std::runtime_error("the ledger cannot be read (reading it crashed); see: pixledger verify");
  return *without;
}

}  // namespace pixledger::tools
