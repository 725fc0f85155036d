#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/platform/json.h"
#include "base/text/enum_names.h"
#include "eventstore/ledger_copies.h"
#include "eventstore/postgres/client_start.h"
#include "tools/accounting/kept_history.h"
#include "tools/cli/run_in_subprocess.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

namespace fs = std::filesystem;

// The state of a kept copy's history in PostgreSQL.
enum class LossState { kOpen, kAccepted, kNone, kUnknown };

constexpr EnumNames<LossState::kOpen, LossState::kUnknown> kLossStateNames{"open", "accepted", "nothing lost",
                                                                           "unknown"};

std::string_view to_string(LossState state) { return kLossStateNames.of(state); }

eventstore::SharedNode shared_node(const CommandContext& context) {
  const auto node = eventstore::node_of(context.common.data);
  if (!node)
    throw UsageError("the ledger in " + context.common.data.root.string() +
                     " is of this machine alone, which keeps no copies");
  return {.uri = node->uri,
          .name = node->name.text,
          .directory = fs::weakly_canonical(fs::absolute(context.common.data.root))};
}

// A directory, or the name of one in the data directory.
fs::path find_kept(const CommandContext& context, const std::string& named) {
  for (const auto& path : {fs::path(named), context.common.data.root / named})
    if (eventstore::KeptCopy::is_in(path)) return path;
  throw std::runtime_error("there is no copy of a ledger in " + named +
                           ": name one that pixledger kept list shows, or where it was moved to");
}

eventstore::KeptCopy open_kept(const CommandContext& context, const fs::path& path) {
  return {path, context.common.lmdb()};
}

// The losses that PostgreSQL has recorded; nullopt if PostgreSQL is unavailable.
std::optional<std::vector<eventstore::ReportedLoss>> ask_for_losses(const eventstore::SharedNode& node) {
  try {
    DeadlineWatch watch;
    eventstore::PgClient client(node.uri, node.times, watch);
    return eventstore::reported_losses(client);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

LossState state_of(const KeptHistory& kept,
                   const std::optional<std::vector<eventstore::ReportedLoss>>& losses) {
  if (kept.fork.events == 0) return LossState::kNone;
  if (!losses) return LossState::kUnknown;
  for (const auto& loss : *losses)
    if (loss.history == kept.history) return loss.is_open ? LossState::kOpen : LossState::kAccepted;
  return LossState::kUnknown;
}

template <class Of>
std::string count_and_sum(const KeptHistory& kept, Of of) {
  std::size_t count = 0;
  domain::Cents sum{0};
  for (const auto& [id, project] : kept.projects) {
    count += of(project).size();
    sum = sum + sum_of_amounts(of(project));
  }
  return std::to_string(count) + " (" + domain::to_decimal(sum) + ")";
}

const auto kCharges = [](const KeptProject& project) -> const auto& { return project.charges; };
const auto kPayments = [](const KeptProject& project) -> const auto& { return project.payments; };
const auto kRefunds = [](const KeptProject& project) -> const auto& { return project.refunds; };

void write_summary(Json& json, const fs::path& path, const KeptHistory& kept, LossState state) {
  json.field("directory", path.string())
      .field("state", to_string(state))
      .field("upTo", to_iso8601(kept.last_time))
      .field("position", kept.last.value())
      .field("commonPosition", kept.fork.common.value())
      .field("eventsOnlyHere", kept.fork.events);
}

template <class Entries>
void write_sum(Json& json, std::string_view name, const Entries& entries) {
  json.key(name)
      .begin_object()
      .field("count", entries.size())
      .field("amountCents", sum_of_amounts(entries).value())
      .end_object();
}

void write_entries(Json& json, const KeptProject& project) {
  json.key("charges").begin_array();
  for (const auto& charge : project.charges)
    json.begin_object()
        .field("transactionId", charge.id.text())
        .field("externalId", charge.external_id ? std::optional(charge.external_id->text()) : std::nullopt)
        .field("environment", domain::to_string(charge.environment))
        .field("amountCents", charge.amount.value())
        .field("status", domain::to_string(charge.status))
        .field("createdAt", to_iso8601(charge.created_at))
        .end_object();
  json.end_array().key("payments").begin_array();
  for (const auto& payment : project.payments)
    json.begin_object()
        .field("endToEndId", payment.id.text())
        .field("environment", domain::to_string(payment.environment))
        .field("amountCents", payment.amount.value())
        .field("paidAt", to_iso8601(payment.paid_at))
        .field("transactionId", payment.charge ? std::optional(payment.charge->text()) : std::nullopt)
        .field("applied", payment.was_applied)
        .field("inLedger", payment.is_in_ledger)
        .end_object();
  json.end_array().key("refunds").begin_array();
  for (const auto& refund : project.refunds)
    json.begin_object()
        .field("transactionId", refund.charge.text())
        .field("environment", domain::to_string(refund.environment))
        .field("amountCents", refund.amount.value())
        .field("recordedAt", to_iso8601(refund.recorded_at))
        .end_object();
  json.end_array().key("otherEvents").begin_object();
  for (const auto& [kind, count] : project.other_events) json.field(kind, count);
  json.end_object();
}

void write_projects(Json& json, const KeptHistory& kept, bool whole) {
  json.key("projects").begin_array();
  for (const auto& [id, project] : kept.projects) {
    json.begin_object().field("projectId", id.text()).field("name", project.name);
    if (whole) {
      write_entries(json, project);
    } else {
      write_sum(json, "charges", project.charges);
      write_sum(json, "payments", project.payments);
      write_sum(json, "refunds", project.refunds);
    }
    json.end_object();
  }
  json.end_array();
}

std::string problem_of_reading(const std::exception& error) {
  return std::string("it cannot be read: ") + error.what();
}

int list_kept(const CommandContext& context) {
  const auto node = shared_node(context);
  const auto ledger = context.open_log();
  const auto losses = ask_for_losses(node);
  Json json;
  json.begin_array();
  std::vector<Row> rows;
  for (const auto& path : eventstore::kept_copies(context.common.data)) {
    const auto name = path.filename().string();
    json.begin_object();
    try {
      const auto kept = read_kept_history(open_kept(context, path), *ledger);
      const auto state = state_of(kept, losses);
      write_summary(json, path, kept, state);
      write_projects(json, kept, false);
      rows.push_back({name, to_iso8601(kept.last_time), std::to_string(kept.fork.events),
                      count_and_sum(kept, kCharges), count_and_sum(kept, kPayments),
                      count_and_sum(kept, kRefunds), std::string(to_string(state))});
    } catch (const std::exception& error) {
      json.field("directory", path.string()).field("problem", problem_of_reading(error));
      rows.push_back({name, "-", "-", "-", "-", "-", problem_of_reading(error)});
    }
    json.end_object();
  }
  if (context.json) {
    std::cout << json.end_array().take_line();
  } else if (rows.empty()) {
    std::cout << "No copies are kept here.\n";
  } else {
    print_table(std::cout, {"KEPT", "UP TO", "EVENTS ONLY THERE", "CHARGES", "PAYMENTS", "REFUNDS", "LOSS"},
                rows);
  }
  return kExitDone;
}

void print_project(const domain::ProjectId& id, const KeptProject& project) {
  std::cout << "\n" << (project.name.empty() ? "project" : project.name) << " (" << id.text() << ")\n";
  std::vector<Row> rows;
  for (const auto& charge : project.charges)
    rows.push_back({"charge", to_iso8601(charge.created_at),
                    std::string(domain::to_string(charge.environment)), domain::to_decimal(charge.amount),
                    charge.id.text() + (charge.external_id ? " (" + charge.external_id->text() + ")" : ""),
                    std::string(domain::to_string(charge.status))});
  for (const auto& payment : project.payments)
    rows.push_back({"payment", to_iso8601(payment.paid_at),
                    std::string(domain::to_string(payment.environment)), domain::to_decimal(payment.amount),
                    payment.id.text() + (payment.charge ? " for " + payment.charge->text() : ""),
                    payment.is_in_ledger ? "in the ledger as well" : "in the kept copy alone"});
  for (const auto& refund : project.refunds)
    rows.push_back({"refund", to_iso8601(refund.recorded_at),
                    std::string(domain::to_string(refund.environment)), domain::to_decimal(refund.amount),
                    "of " + refund.charge.text(), "in the kept copy alone"});
  for (const auto& [kind, count] : project.other_events)
    rows.push_back({kind, "", "", "", std::to_string(count) + (count == 1 ? " event" : " events"), ""});
  print_table(std::cout, {"WHAT", "TIME", "ENVIRONMENT", "AMOUNT", "WHICH", ""}, rows);
}

int show_kept(const CommandContext& context, const std::string& named) {
  const auto node = shared_node(context);
  // Opening the ledger may put the copy aside.
  const auto ledger = context.open_log();
  const auto copies = eventstore::kept_copies(context.common.data);
  if (named.empty() && copies.empty()) return say_no("no copies are kept here");
  const auto path = named.empty() ? copies.back() : find_kept(context, named);
  const auto kept = read_kept_history(open_kept(context, path), *ledger);
  const auto state = state_of(kept, ask_for_losses(node));
  if (context.json) {
    Json json;
    json.begin_object();
    write_summary(json, path, kept, state);
    write_projects(json, kept, true);
    std::cout << json.end_object().take_line();
    return kExitDone;
  }
  print_facts(std::cout,
              {{"kept copy", path.string()},
               {"goes up to", to_iso8601(kept.last_time) + ", position " + std::to_string(kept.last.value())},
               {"as the ledger up to", "position " + std::to_string(kept.fork.common.value())},
               {"only in the copy", std::to_string(kept.fork.events) + " events"},
               {"charges", count_and_sum(kept, kCharges)},
               {"payments", count_and_sum(kept, kPayments)},
               {"refunds", count_and_sum(kept, kRefunds)},
               {"loss", std::string(to_string(state))}});
  for (const auto& [id, project] : kept.projects) print_project(id, project);
  return kExitDone;
}

int say_accepted(const CommandContext& context, const fs::path& path, std::size_t accepted,
                 std::size_t open) {
  if (context.json) {
    std::cout << Json()
                     .begin_object()
                     .field("kept", path.string())
                     .field("accepted", accepted)
                     .field("open", open)
                     .end_object()
                     .take_line();
    return kExitDone;
  }
  std::cout << "The loss of what only " << path.string() << " has is accepted. Keep it as long as it may be "
            << "needed.\n";
  if (open > 0)
    std::cout << "Writes are refused still: " << open << (open == 1 ? " loss is" : " losses are")
              << " not accepted. See pixledger doctor.\n";
  else
    std::cout << "Writes go on at all nodes.\n";
  return kExitDone;
}

// An unreadable copy is identified by the node that has reported it.
std::size_t accept(const CommandContext& context, const eventstore::SharedNode& node, const fs::path& path,
                   eventstore::PgClient& client) {
  try {
    return open_kept(context, path).accept(client);
  } catch (const eventstore::LogUnavailable&) {
    throw;
  } catch (const std::exception& error) {
    const auto copies = eventstore::kept_copies(context.common.data);
    std::error_code missing;
    const bool is_own = std::any_of(copies.begin(), copies.end(), [&](const fs::path& copy) {
      return fs::equivalent(copy, path, missing);
    });
    if (!is_own) throw;
    std::cerr << "pixledger: " << problem_of_reading(error) << "; what this node has reported is accepted\n";
    return eventstore::accept_losses_of(client, node.name);
  }
}

int accept_loss(const CommandContext& context, const std::string& named) {
  const auto node = shared_node(context);
  const auto path = find_kept(context, named);
  const auto ledger = context.open_log_to_write();
  DeadlineWatch watch;
  const auto client = eventstore::start_database_client(node, watch);
  const auto accepted = accept(context, node, path, *client);
  const auto losses = eventstore::reported_losses(*client);
  const auto open = static_cast<std::size_t>(
      std::count_if(losses.begin(), losses.end(), [](const auto& loss) { return loss.is_open; }));
  if (accepted > 0) return say_accepted(context, path, accepted, open);
  const auto history = open_kept(context, path).history();
  if (std::any_of(losses.begin(), losses.end(), [&](const auto& loss) { return loss.history == history; })) {
    std::cout << "The loss was accepted before.\n";
    return kExitDone;
  }
  return say_no("no loss that is reported is of the history in " + path.string());
}

// LMDB trusts its pages, so a damaged one may crash the process that reads it.
int apart(const CommandContext& context, const std::function<int()>& body) {
  shared_node(context);
  if (const auto code = run_in_subprocess(body)) return *code;
  throw std::runtime_error("a kept copy is damaged: reading it has crashed");
}

}  // namespace

void add_kept_commands(CommandLine& program, CommandContext& context) {
  CommandLine kept = add_group(program, "kept", "Copies of a shared ledger that PostgreSQL contradicts");
  CommandLine listing =
      add_command(kept, context, "list", "Kept copies, and what only they have",
                  [&context] { return apart(context, [&context] { return list_kept(context); }); });
  add_json_option(listing, context);
  const auto named = std::make_shared<std::string>();
  CommandLine showing = add_command(
      kept, context, "show", "Charges, payments and refunds that only a kept copy has, by project",
      [&context, named] { return apart(context, [&context, named] { return show_kept(context, *named); }); });
  showing.add_option("DIR", *named, "The kept copy; the newest unless given");
  add_json_option(showing, context);

  CommandLine ledger = add_group(program, "ledger", "Decide about a shared ledger");
  const auto accepted = std::make_shared<std::string>();
  CommandLine accepting = add_command(
      ledger, context, "accept-loss", "Write on without what only a kept copy has", [&context, accepted] {
        return apart(context, [&context, accepted] { return accept_loss(context, *accepted); });
      });
  accepting.add_option("--kept", *accepted, "The kept copy").required();
  add_json_option(accepting, context);
}

}  // namespace pixledger::tools
