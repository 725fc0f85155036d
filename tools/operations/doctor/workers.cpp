#include <Poco/Exception.h>
#include <algorithm>
#include <functional>

#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/database_facts.h"
#include "stores/status/worker_state.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

using stores::WorkerDatabases;
using stores::WorkerState;

constexpr std::uint64_t kLagWarningEvents = 10'000;
constexpr std::int64_t kOverdueWarningS = 60;
constexpr std::int64_t kEmailWarningS = 60 * 60;
constexpr std::int64_t kGivenUpWarningS = 7 * 24 * 60 * 60;
constexpr std::int64_t kFailingWarningS = 60 * 60;

std::int64_t age_s(const std::optional<Timestamp>& since, Timestamp now) {
  return since ? (now.millis() - since->millis()) / 1000 : 0;
}

std::string text_of(const std::exception& error) {
  // what() of POCO's exceptions gives only their kind.
  const auto* by_poco = dynamic_cast<const Poco::Exception*>(&error);
  return by_poco ? by_poco->displayText() : error.what();
}

// Reports a read error, with the remedy for damage, and lets the other checks continue. Returns whether
// reading succeeded.
bool attempt(const std::string& check, const std::string& advice, Diagnoses& found,
             const std::function<void()>& look) {
  try {
    look();
    return true;
  } catch (const std::exception& error) {
    const auto refused = advice_when_refused(error);
    found.push_back({check, refused ? Severity::kWarning : Severity::kProblem,
                     (refused ? "may not be read: " : "cannot be read: ") + text_of(error),
                     refused.value_or(advice)});
    return false;
  }
}

// True if the worker's data is rebuilt from the ledger, so a missing file needs no decision.
bool keeps_derived(const std::string& name) {
  return std::none_of(stores::kWorkerDatabases.begin(), stores::kWorkerDatabases.end(),
                      [&](const auto& database) { return name == database.worker; });
}

std::string make_again(const std::filesystem::path& workers, const std::string& name) {
  return "stop pixledger-" + name + " and delete " + (workers / name).string() +
         ": it is made again from the ledger";
}

// On a shared ledger the active worker may be another node's.
std::string whose(const WorkerDatabases& databases, const std::string& name) {
  if (databases.are_shared() && !keeps_derived(name)) return "";
  return " (" + OwnerLock::holder_of(databases.workers() / name / "lock") + ")";
}

void examine_worker(const eventstore::LedgerOptions& options, const WorkerDatabases& databases,
                    const WorkerState& worker, Diagnoses& found) {
  const auto check = "worker " + worker.name;
  const auto facts = eventstore::inspect_ledger(options.data.ledger(), options.map_bytes);
  const auto start = "start pixledger-" + worker.name;
  const auto runs = worker.running ? "runs" + whose(databases, worker.name) : std::string("does not run");
  if (!worker.cursor) {
    found.push_back({check, worker.running ? Severity::kOk : Severity::kWarning, runs + ", has no cursor yet",
                     worker.running ? ""
                     : keeps_derived(worker.name)
                         ? start
                         : start + "; if it says that its state was lost, once with --resume-from (after a "
                                   "restore: restored)"});
    return;
  }
  const auto& cursor = *worker.cursor;
  // Another node's worker may have read events that this node's copy does not have yet.
  const bool is_ahead =
      databases.are_shared() && cursor.log == facts.identity && cursor.position > facts.head.position;
  if (!is_ahead &&
      (!(cursor.log == facts.identity) || !has_event_of(options, cursor.position, cursor.leaf_hash))) {
    found.push_back({check, Severity::kProblem, runs + "; its cursor is of another ledger, epoch or history",
                     keeps_derived(worker.name)
                         ? make_again(options.data.workers(), worker.name)
                         : "start it once with --resume-from (after a restore: restored keeps what was still "
                           "to be sent); only where the directory is another ledger's, put it away first"});
    return;
  }
  const auto lag = is_ahead ? 0 : facts.head.position.value() - cursor.position.value();
  // A standby for another node's worker reads nothing.
  const bool may_stand_by = databases.are_shared() && keeps_derived(worker.name);
  const bool is_behind = (lag > kLagWarningEvents && !may_stand_by) || (!worker.running && lag > 0);
  const auto severity = is_behind || !worker.running ? Severity::kWarning : Severity::kOk;
  const auto advice = !worker.running ? start : is_behind ? "see its log for what holds it up" : "";
  found.push_back({check, severity, runs + ", " + std::to_string(lag) + " events behind", advice});
}

void examine_backlog(const std::string& check, const std::string& what, std::uint64_t count,
                     std::int64_t oldest_s, std::int64_t warning_s, const std::string& advice,
                     Diagnoses& found) {
  const bool is_late = count > 0 && oldest_s > warning_s;
  auto text = std::to_string(count) + " " + what;
  if (is_late) text += ", for up to " + std::to_string(oldest_s) + " seconds";
  found.push_back({check, is_late ? Severity::kWarning : Severity::kOk, text, is_late ? advice : ""});
}

std::optional<std::string> damage_of(const std::filesystem::path& file) {
  try {
    return stores::find_damage(file);
  } catch (const Poco::Exception& error) {
    if (advice_when_refused(error)) throw;
    return error.displayText();
  }
}

// Checks the database of a worker that sends messages. Returns whether it is readable.
bool examine_database(const stores::WorkerDatabase& database, const WorkerDatabases& databases,
                      Diagnoses& found) {
  if (databases.are_shared())
    return attempt("worker " + std::string(database.worker), "see that PostgreSQL answers", found,
                   [&] { databases.cursor(database); });
  const auto& workers = databases.workers();
  const auto directory = workers / database.worker;
  const auto advice = "stop pixledger-" + std::string(database.worker) + ", put " + directory.string() +
                      " away, and start it with --resume-from, which says where to go on";
  return attempt("worker " + std::string(database.worker), advice, found, [&] {
    const auto file = database.in(workers);
    auto damage = damage_of(file);
    // A worker that starts writing while its file is read without a log makes it look damaged. There is a log
    // then, which the second read uses.
    if (damage) damage = damage_of(file);
    if (damage) throw std::runtime_error(file.string() + " is damaged: " + *damage);
  });
}

void examine_webhooks(const WorkerDatabases& databases, Timestamp now, Diagnoses& found) {
  const auto backlog = stores::delivery_backlog(databases);
  examine_backlog("deliveries", "pending", backlog.pending, age_s(backlog.due_since, now), kOverdueWarningS,
                  "they are due and not attempted: see that pixledger-webhooks runs and keeps up", found);
}

// Merchants whose receivers accept nothing.
void examine_channels(const WorkerDatabases& databases, Timestamp now, Diagnoses& found) {
  constexpr std::size_t kNamed = 3;
  auto failing = stores::failing_channels(databases);
  std::erase_if(failing, [now](const auto& channel) { return age_s(channel.since, now) < kFailingWarningS; });
  if (failing.empty()) {
    found.push_back({"channels", Severity::kOk, "none has failed for an hour", ""});
    return;
  }
  std::string text = std::to_string(failing.size()) + " with nothing but failures";
  for (std::size_t i = 0; i < std::min(failing.size(), kNamed); ++i)
    text += (i == 0 ? ": " : ", ") + failing[i].id + " since " + to_iso8601(failing[i].since);
  found.push_back({"channels", Severity::kWarning, text,
                   "see pixledger deliveries list --channel C, and tell the merchant"});
}

void examine_emails(const WorkerDatabases& databases, Timestamp now, Diagnoses& found) {
  const auto backlog = stores::email_backlog(databases);
  examine_backlog("e-mails", "unsent", backlog.unsent, age_s(backlog.oldest, now), kEmailWarningS,
                  "see that pixledger-emails runs and what the mail server says in its log", found);
  if (backlog.given_up > 0) {
    const bool is_news = age_s(backlog.last_given_up, now) < kGivenUpWarningS;
    found.push_back(
        {"e-mails", is_news ? Severity::kWarning : Severity::kOk,
         std::to_string(backlog.given_up) + " given up",
         is_news ? "see why: pixledger emails list; then send them: pixledger emails resend --all" : ""});
  }
  if (backlog.capped > 0)
    found.push_back({"e-mails", Severity::kOk,
                     std::to_string(backlog.capped) +
                         " of the sandbox not sent, beyond what it may send a day (pixledger emails list)",
                     ""});
}

void examine_expiry(const eventstore::LedgerOptions& options, const std::filesystem::path& workers,
                    Timestamp now, Diagnoses& found) {
  const auto backlog = stores::expiry_backlog(workers, now, options.lmdb());
  examine_backlog("expiries", "charges past their expiry wait to be recorded", backlog.waiting,
                  age_s(backlog.oldest, now), kOverdueWarningS, "see that pixledger-expiry runs", found);
}

void examine_one(const eventstore::LedgerOptions& options, const WorkerDatabases& databases,
                 const std::string& name, Diagnoses& found) {
  const auto worker = stores::find_worker(databases, name, options.lmdb());
  if (worker) {
    examine_worker(options, databases, *worker, found);
  } else {
    found.push_back({"worker " + name, Severity::kOk, "has never run here", ""});
  }
}

}  // namespace

void examine_workers(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found) {
  const auto workers = options.data.workers();
  const auto databases = WorkerDatabases::of(options.data);
  const auto now = clock.now();
  const auto webhooks = [&] {
    examine_one(options, databases, "webhooks", found);
    examine_webhooks(databases, now, found);
    examine_channels(databases, now, found);
  };
  const auto emails = [&] {
    examine_one(options, databases, "emails", found);
    examine_emails(databases, now, found);
  };
  const auto expiry = [&] {
    examine_one(options, databases, "expiry", found);
    examine_expiry(options, workers, now, found);
  };
  const auto advice = "start it: it makes the tables that are missing, or says what is wrong";
  if (examine_database(stores::kWebhookDatabase, databases, found))
    attempt("worker webhooks", advice, found, webhooks);
  if (examine_database(stores::kEmailDatabase, databases, found))
    attempt("worker emails", advice, found, emails);
  attempt("worker expiry", make_again(workers, "expiry"), found, expiry);
  attempt("worker providers", make_again(workers, "providers"), found,
          [&] { examine_one(options, databases, "providers", found); });
}

}  // namespace pixledger::tools
