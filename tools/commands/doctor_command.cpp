#include <algorithm>
#include <iostream>
#include <unistd.h>

#include "base/platform/json.h"
#include "base/process/configuration.h"
#include "base/text/enum_names.h"
#include "eventstore/backup/restored_directory.h"
#include "eventstore/ledger_copies.h"
#include "eventstore/postgres/share_mark.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/commands/commands.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

constexpr EnumNames<Severity::kOk, Severity::kProblem> kSeverityNames{"ok", "warning", "problem"};

std::string_view to_string(Severity severity) { return kSeverityNames.of(severity); }

// If a ledger existed before, a new one could be mistaken for it.
Diagnosis missing_ledger(const DataDirectory& data) {
  const auto root = data.root.string();
  if (eventstore::is_unfinished_restore(data.root))
    return {"restore", Severity::kProblem, "one into " + root + " was interrupted: what it left is no ledger",
            "restore again, into it or into another empty directory: pixledger restore FROM --data " + root};
  if (eventstore::node_of(data))
    return {"ledger", Severity::kProblem, "this node has no copy of the shared one yet",
            "start its programs: the first of them fetches it"};
  const auto traces = eventstore::Ledger::traces(data);
  if (traces == std::vector{data.keys()})
    return {"ledger", Severity::kProblem, "there are only keys in " + root,
            "are they a shared ledger's: start the programs with --ledger and --node, and the first of them "
            "fetches the copy; if a ledger of this machine alone was there, mount it or move it back, or "
            "restore the last backup into another directory"};
  if (!traces.empty())
    return {"ledger", Severity::kProblem,
            "no ledger in " + root + ", but there has been one: see " + traces.front().string(),
            "mount it, or restore the last backup into another directory"};
  return {"ledger", Severity::kProblem, "no ledger in " + root,
          "make it: pixledger init; or restore a backup"};
}

// Why nothing can be opened as the directory's or the requested node.
std::optional<eventstore::NodeRefused> refused_node(const eventstore::LedgerOptions& options) {
  if (options.node_refused) return options.node_refused;
  try {
    eventstore::node_of(options.data);
    return std::nullopt;
  } catch (const eventstore::NodeRefused& refused) {
    return refused;
  }
}

Diagnoses examine(const CommandContext& context) {
  const auto& data = context.common.data;
  Diagnoses found;
  examine_configuration(context.common, found);
  // The data directory is unknown if the file does not parse.
  if (!context.common.config.empty() && !is_toml(context.common.config)) return found;
  if (!std::filesystem::is_directory(data.root)) {
    found.push_back({"data directory", Severity::kProblem, "does not exist: " + data.root.string(),
                     "name it with --data, or make it: pixledger init"});
    return found;
  }
  if (::access(data.root.c_str(), R_OK | X_OK) != 0) {
    found.push_back({"data directory", Severity::kProblem, "this user may not read " + data.root.string(),
                     "run this as the directory's owner"});
    return found;
  }
  examine_machine(data, found);
  if (const auto refused = refused_node(context.common)) {
    found.push_back({"node", Severity::kProblem, refused->problem(), refused->advice()});
    return found;
  }
  examine_kept_copies(data, found);
  if (!eventstore::Ledger::exists(data)) {
    found.push_back(missing_ledger(data));
    return found;
  }
  if (const auto share = eventstore::find_unfinished_share(data))
    found.push_back({"shared ledger", Severity::kProblem, share->problem, share->advice});
  else if (const auto mark = eventstore::mark_on_copy(data))
    found.push_back({"copy", Severity::kWarning, "this node's copy cannot be used: " + *mark,
                     "start the node's programs: the first of them fetches the copy anew"});
  examine_keys(context.common, found);
  examine_erasures(data, found);
  if (!examine_ledger(context.common, context.clock, found)) return found;
  examine_cluster(context.common, context.clock, found);
  examine_connections(context.common, context.clock, found);
  examine_views(context.common, found);
  examine_money(context.common, found);
  examine_workers(context.common, context.clock, found);
  examine_accounts(context.common, context.clock, found);
  examine_banks(context.common, context.clock, found);
  examine_operations(data, context.clock, found);
  examine_targets(context.common, context.clock, found);
  return found;
}

void write_json(const Diagnoses& found, bool is_well) {
  Json json;
  json.begin_object().field("well", is_well).key("findings").begin_array();
  for (const auto& one : found) {
    json.begin_object()
        .field("check", one.check)
        .field("severity", to_string(one.severity))
        .field("found", one.found)
        .field("advice", one.advice.empty() ? std::nullopt : std::optional(one.advice))
        .end_object();
  }
  std::cout << json.end_array().end_object().take_line();
}

void print_text(const Diagnoses& found) {
  for (const auto& one : found) {
    std::cout << to_string(one.severity) << std::string(9 - to_string(one.severity).size(), ' ') << one.check
              << ": " << one.found << "\n";
    if (!one.advice.empty()) std::cout << "         → " << one.advice << "\n";
  }
}

int doctor(const CommandContext& context) {
  const auto found = examine(context);
  const bool is_well = std::none_of(found.begin(), found.end(),
                                    [](const Diagnosis& one) { return one.severity == Severity::kProblem; });
  if (context.json) {
    write_json(found, is_well);
  } else {
    print_text(found);
  }
  if (!context.common.configuration_problems.empty()) return kExitUsage;
  return is_well ? kExitDone : kExitNo;
}

// LMDB trusts its pages, so a damaged one may crash the process that reads it.
int doctor_apart(const CommandContext& context) {
  if (const auto code = run_in_subprocess([&] { return doctor(context); })) return *code;
  const Diagnoses found{{"ledger", Severity::kProblem, "its files cannot be read (reading them crashed)",
                         "run: pixledger verify; then " + remedy_of_damage(context.common.data)}};
  if (context.json) {
    write_json(found, false);
  } else {
    print_text(found);
  }
  return kExitNo;
}

}  // namespace

void add_doctor_command(CommandLine& program, CommandContext& context) {
  CommandLine command = add_command(program, context, "doctor", "What is wrong here, and what to do about it",
                                    [&context] { return doctor_apart(context); });
  add_json_option(command, context);
  context.common.explains_configuration = "doctor";
}

}  // namespace pixledger::tools
