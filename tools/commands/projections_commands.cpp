#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/platform/faults.h"
#include "base/platform/json.h"
#include "base/platform/owner_lock.h"
#include "base/platform/process_limits.h"
#include "projections/generations/generation.h"
#include "projections/generations/generation_comparison.h"
#include "stores/status/view_status.h"
#include "tools/audit/view_verification.h"
#include "tools/cli/command_context.h"
#include "tools/cli/early_writer.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

struct Rebuilt {
  std::string generation;                // "3-2"
  Position position;                     // built up to here
  std::chrono::milliseconds building{};  // without the comparison
  std::optional<std::string> replaces;   // the generation in use; nullopt: none could be opened
  std::optional<projections::GenerationDifferences> differences;  // differences from that one
  std::optional<bool> adopted;  // by the server; nullopt: no server uses that one
  // Where the previous generation is kept because it disagreed with the ledger. Nullopt if it agreed, is
  // still in use, or enough are kept already (projections::kKeptGenerationsMax).
  std::optional<std::filesystem::path> kept{};

  bool is_well() const { return (!differences || differences->none()) && adopted.value_or(true); }
};

struct RebuildOptions {
  std::filesystem::path views;
  eventstore::LmdbOptions lmdb{};
  // Whether to compare with the generation in use; if not, `not_compared` is the reason.
  bool compare = true;
  std::string not_compared;
  std::chrono::milliseconds adoption_max{60'000};
};

using projections::Generation;
using projections::GenerationComparison;
namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

// Most events that a completed generation may be behind the ledger.
constexpr std::uint64_t kNearEvents = 20'000;
// If the replay is slower than new events arrive, the server does the rest.
constexpr int kRoundsMax = 5;
constexpr std::uint64_t kEarlyWriteEvents = 100'000;
constexpr std::chrono::milliseconds kServersLookEvery{20};
constexpr const char* kScratch = "comparison";

class Rebuild {
 public:
  Rebuild(const eventstore::Log& log, projections::UnfinishedGeneration& unfinished,
          const RebuildOptions& options)
      : log_(log), unfinished_(unfinished), options_(options) {}

  Rebuilt run() {
    result_.generation = unfinished_.path().filename().string();
    const auto in_use = projections::find_trusted_generation(options_.views, log_.identity());
    if (in_use) result_.replaces = in_use->filename().string();
    const auto begin = SteadyClock::now();
    generation_ = Generation::open_unfinished(unfinished_.path(), log_, options_.lmdb);
    if (in_use && options_.compare) {
      compare_with(*in_use);
    } else if (in_use) {
      result_.differences.emplace().fault = options_.not_compared;
    }
    for (int round = 0; round < kRoundsMax && behind(log_.head().position) > kNearEvents; ++round)
      build_to(log_.head().position);
    build_to(log_.head().position);
    result_.position = generation_->database().cursor().position;
    generation_->close();
    generation_.reset();
    result_.building =
        std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - begin - comparing_);
    // Before the server can adopt the new one and discard this one.
    const auto why = in_use ? disagreement_of(*in_use) : std::nullopt;
    if (why) projections::mark_disagreement(*in_use, *why);
    unfinished_.complete();
    if (in_use) wait_for_adoption(*in_use);
    if (why) keep(*in_use);
    return std::move(result_);
  }

 private:
  std::uint64_t behind(Position position) const {
    const auto here = generation_->database().cursor().position;
    return position > here ? position.value() - here.value() : 0;
  }

  void build_to(Position end) {
    if (behind(end) == 0) return;
    const auto begin = SteadyClock::now();
    EarlyWriter file(unfinished_.path() / "data.mdb");
    ProgressBar bar("rebuild", "events");
    std::uint64_t written = 0;
    projections::catch_up(
        generation_->database(), log_,
        [&](std::uint64_t done, std::uint64_t total) {
          bar.show(done, total);
          if (done - written < kEarlyWriteEvents) return;
          written = done;
          file.begin();
        },
        end);
    file.finish();
    building_ += SteadyClock::now() - begin;
  }

  void compare_with(const fs::path& in_use) {
    const auto begin = SteadyClock::now() - building_;
    try {
      const GenerationComparison comparison(in_use, options_.lmdb, log_);
      const auto scratch = unfinished_.path() / kScratch;
      fs::create_directory(scratch);
      std::optional<ProgressBar> bar;
      result_.differences = comparison.compare(
          generation_->database(), [this](Position end) { build_to(end); }, scratch,
          [&bar](std::uint64_t done, std::uint64_t total) {
            if (!bar) bar.emplace("compare", "rows");
            bar->show(done, total);
          });
      fs::remove_all(scratch);
    } catch (const DataDamaged& fault) {
      result_.differences.emplace().fault =
          std::string("the read models in use cannot be opened: ") + fault.what();
    }
    comparing_ = SteadyClock::now() - begin - building_;
  }

  // Nullopt for a damaged generation without a difference before the damage.
  std::optional<std::string> disagreement_of(const fs::path& in_use) const {
    if (!options_.compare) return std::nullopt;
    if (auto why = projections::find_disagreement(in_use, log_, options_.lmdb)) return why;
    const auto& found = *result_.differences;
    if (found.by_table.empty() && !found.lists) return std::nullopt;
    return "at position " + std::to_string(found.as_of.value()) + " " + found.text();
  }

  // A running server does it after adopting the new one.
  void keep(const fs::path& in_use) {
    if (const auto owner = OwnerLock::try_take(options_.views / "lock"))
      projections::discard_generation(in_use);
    const auto kept = projections::kept_path(in_use);
    if (fs::exists(kept)) result_.kept = kept;
  }

  // The server discards the old generation after its last reader.
  void wait_for_adoption(const fs::path& in_use) {
    if (!is_locked(options_.views / "lock")) return;
    const auto deadline = SteadyClock::now() + options_.adoption_max;
    while (fs::exists(in_use) && SteadyClock::now() < deadline)
      std::this_thread::sleep_for(kServersLookEvery);
    result_.adopted = !fs::exists(in_use);
  }

  const eventstore::Log& log_;
  projections::UnfinishedGeneration& unfinished_;
  const RebuildOptions& options_;
  std::unique_ptr<Generation> generation_;
  Rebuilt result_;
  SteadyClock::duration building_{};
  SteadyClock::duration comparing_{};
};

// Replays the log into an unfinished generation from its current position. Compares it with the one in use at
// one position, completes it, and waits until a running server adopts it. Keeps a generation in use that
// disagrees with the ledger. Has no side effects: workers have their own cursors. Shows its progress on a
// terminal.
Rebuilt rebuild_views(const eventstore::Log& log, projections::UnfinishedGeneration& unfinished,
                      const RebuildOptions& options) {
  return Rebuild(log, unfinished, options).run();
}

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

// `pixledger projections rebuild`; returns the exit code.
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
  // LMDB trusts its pages, so damaged read models may crash the process that compares them.
  const auto code = run_in_subprocess([&] { return rebuild_here(context, unfinished, options); });
  if (code) return *code;
  options.compare = false;
  options.not_compared = "the read models in use cannot be read (reading them crashed)";
  const auto without = run_in_subprocess([&] { return rebuild_here(context, unfinished, options); });
  if (!without)
    throw std::runtime_error("the ledger cannot be read (reading it crashed); see: pixledger verify");
  return *without;
}

using stores::GenerationStatus;
using stores::WorkerStatus;

struct Statuses {
  Head head;
  std::vector<GenerationStatus> generations;
  std::vector<WorkerStatus> workers;
};

// The number of events that it is behind; nullopt if unknown. The head was read first, so a running owner may
// be ahead of it.
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
  const Statuses found{
      log->head(), stores::generation_statuses(data.views(), *log, context.common.lmdb()),
      stores::worker_statuses(stores::WorkerDatabases::of(data), *log, context.common.lmdb())};
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
