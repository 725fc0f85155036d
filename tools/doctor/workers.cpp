#include <Poco/Exception.h>
#include <functional>

#include "eventstore/process/owner_lock.h"
#include "eventstore/store_facts.h"
#include "projections/worker_state.h"
#include "tools/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

using projections::WorkerState;

constexpr std::uint64_t kLagWarningEvents = 10'000;
constexpr std::int64_t kOverdueWarningS = 60;
constexpr std::int64_t kEmailWarningS = 60 * 60;

std::int64_t age_s(const std::optional<domain::Timestamp>& since, domain::Timestamp now) {
  return since ? (now.millis() - since->millis()) / 1000 : 0;
}

// What cannot be read is said, and does not keep the rest from being looked at.
void attempt(const std::string& check, Diagnoses& found, const std::function<void()>& look) {
  const auto cannot = [&](const std::string& why) {
    found.push_back(
        {check, Severity::kWarning, "cannot be read: " + why, "run this as the directory's owner"});
  };
  try {
    look();
  } catch (const Poco::Exception& error) {
    cannot(error.displayText());
  } catch (const std::exception& error) {
    cannot(error.what());
  }
}

void examine_worker(const eventstore::CommonOptions& options, const WorkerState& worker, Diagnoses& found) {
  const auto check = "worker " + worker.name;
  const auto facts = eventstore::look_at_ledger(options.data.ledger(), options.map_bytes);
  const auto start = "start pixledger-" + worker.name;
  const auto runs =
      worker.running
          ? "runs (" + eventstore::OwnerLock::holder_of(options.data.worker(worker.name.c_str()) / "lock") +
                ")"
          : std::string("does not run");
  if (!worker.cursor) {
    found.push_back({check, worker.running ? Severity::kOk : Severity::kWarning, runs + ", has no cursor yet",
                     worker.running ? "" : start});
    return;
  }
  const auto& cursor = *worker.cursor;
  const bool is_elsewhere = !(cursor.log == facts.identity) || cursor.position > facts.head.position ||
                            (cursor.position != domain::Position() &&
                             eventstore::leaf_hash_in(options.data.ledger(), options.map_bytes,
                                                      cursor.position) != cursor.leaf_hash);
  if (is_elsewhere) {
    found.push_back({check, Severity::kProblem, runs + "; its cursor is of another ledger, epoch or history",
                     "put the worker's directory away and start it with --resume-from"});
    return;
  }
  const auto lag = facts.head.position.value() - cursor.position.value();
  const bool is_behind = lag > kLagWarningEvents || (!worker.running && lag > 0);
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

}  // namespace

void examine_workers(const eventstore::CommonOptions& options, const eventstore::Clock& clock,
                     Diagnoses& found) {
  const auto workers = options.data.root / "workers";
  const auto now = clock.now();
  for (const std::string name : projections::kWorkerNames) {
    attempt("worker " + name, found, [&] {
      const auto worker = projections::find_worker(workers, name, options.lmdb());
      if (worker) {
        examine_worker(options, *worker, found);
      } else {
        found.push_back({"worker " + name, Severity::kOk, "has never run here", ""});
      }
    });
  }
  attempt("deliveries", found, [&] {
    const auto backlog = projections::delivery_backlog(workers);
    examine_backlog("deliveries", "pending", backlog.pending, age_s(backlog.due_since, now), kOverdueWarningS,
                    "they are due and not attempted: see that pixledger-webhooks runs and keeps up", found);
  });
  attempt("e-mails", found, [&] {
    const auto backlog = projections::email_backlog(workers);
    examine_backlog("e-mails", "unsent", backlog.unsent, age_s(backlog.oldest, now), kEmailWarningS,
                    "see that pixledger-emails runs and what the mail server says in its log", found);
  });
  attempt("expiries", found, [&] {
    const auto backlog = projections::expiry_backlog(workers, now, options.lmdb());
    examine_backlog("expiries", "charges past their expiry wait to be recorded", backlog.waiting,
                    age_s(backlog.oldest, now), kOverdueWarningS, "see that pixledger-expiry runs", found);
  });
}

}  // namespace pixledger::tools
