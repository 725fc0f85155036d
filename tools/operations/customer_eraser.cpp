#include "tools/operations/customer_eraser.h"

#include <algorithm>
#include <filesystem>
#include <thread>

#include "domain/aggregates/customer_mention.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/platform/owner_lock.h"
#include "eventstore/reading/state_reader.h"
#include "projections/generations/erasure_request.h"
#include "projections/generations/generation_directory.h"
#include "projections/stores/worker_stores.h"
#include "tools/operations/unfinished_erasure.h"
#include "workers/emails/email_composer.h"
#include "workers/emails/email_message.h"
#include "workers/emails/email_outbox.h"

namespace pixledger::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kLookEvery{20};

[[noreturn]] void give_up(const std::string& why, const std::string& what_to_do) {
  throw std::runtime_error("the customer counts as erased, but not everything is removed yet: " + why + ". " +
                           what_to_do + ", then run the same command again");
}

// Until `done` is true; false when it takes too long.
template <class Done>
bool wait_until(std::chrono::milliseconds patience, Done done) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

// Of which this program knows nothing but that they may have anything.
std::optional<fs::path> find_newer_generation(const fs::path& views) {
  const auto all = projections::find_generations(views);
  if (all.empty() || all.front().set_version <= projections::kViewSetVersion) return std::nullopt;
  return all.front().path;
}

template <class Choose>
void remove_generations(const fs::path& views, Choose choose) {
  for (const auto& entry : fs::directory_iterator(views)) {
    if (entry.is_directory() && choose(entry.path())) fs::remove_all(entry.path());
  }
}

// It is kept for good. Otherwise what is wrong has been said on stderr.
bool may_stand(const domain::Label& reason, const std::optional<domain::Customer>& customer) {
  if (!customer || !customer->details) return true;
  const auto part = domain::mentioned_in(reason.text(), *customer->details);
  if (!part) return true;
  say_no("the reason gives away the customer's " + std::string(*part) +
         ", and it is kept for good: say why without it");
  return false;
}

}  // namespace

std::optional<ErasureReport> CustomerEraser::erase(const domain::CustomerId& id,
                                                   const domain::Label& reason) {
  const auto turn = eventstore::OwnerLock::take_within(ledger_.directory.erasing_lock(), patience_);
  const auto stream = ledger_.log->claim_holder(domain::customer_claim(id));
  if (!stream) {
    say_no(domain::Rejection::kCustomerNotFound);
    return std::nullopt;
  }
  const auto customer = eventstore::find_customer(*ledger_.log, id, ledger_.log->head().position);
  if (!may_stand(reason, customer)) return std::nullopt;
  UnfinishedErasure mark(ledger_.directory.root, id);
  const auto erasure = record(*stream, id, reason);
  if (!erasure) return std::nullopt;
  mark.keep();
  try {
    auto report = remove_data(*erasure, customer);
    mark.finish();
    return report;
  } catch (const eventstore::LogUnavailable& full) {
    give_up(full.what(), "Give all programs a larger --map-size");
  }
}

ErasureReport CustomerEraser::remove_data(const eventstore::Erasure& erasure,
                                          const std::optional<domain::Customer>& customer) {
  auto& log = *ledger_.log;
  const auto records = eventstore::records_erased_by(log, {erasure});
  log.remove_personal(records.positions);
  erase_answers(records.charges);
  auto emails = remove_emails(records.charges);
  clear_views(erasure.erased);
  scrub_ledger();
  // A worker that had one in hand when the customer was erased may have written it meanwhile.
  emails += remove_emails(records.charges);
  const auto other = erasure.stream.in_other_environment();
  const auto namesake = eventstore::fold_as<domain::Customer>(log, other);
  std::optional<domain::CustomerId> other_customer;
  if (namesake && !namesake->erased_at) other_customer = namesake->id;
  ErasureReport report{.customer = erasure.customer,
                       .erased_at = erasure.erased_at,
                       .position = erasure.erased,
                       .records = records.positions.size(),
                       .charges = records.charges.size(),
                       .emails_removed = emails,
                       .other_customer = std::move(other_customer),
                       .other_environment = *other.environment()};
  if (customer && customer->details)
    report.left = find_leftovers(log, erasure.stream, *customer, records.charges);
  return report;
}

std::optional<eventstore::Erasure> CustomerEraser::record(const domain::StreamName& stream,
                                                          const domain::CustomerId& id,
                                                          const domain::Label& reason) {
  if (!execute(context_, ledger_, domain::EraseCustomer{stream, id, reason})) return std::nullopt;
  auto erasure = eventstore::find_erasure(*ledger_.log, id);
  if (!erasure) throw eventstore::LogCorrupt("the erasure that was just recorded is not in the ledger");
  return erasure;
}

std::uint64_t CustomerEraser::remove_emails(const std::vector<domain::ChargeId>& charges) const {
  const auto outbox = ledger_.directory.outbox();
  if (!fs::is_directory(outbox)) return 0;
  std::uint64_t removed = 0;
  for (const auto& charge : charges) {
    for (const auto& stored : eventstore::StreamEvents(*ledger_.log, domain::charge_stream(charge))) {
      const auto email = workers::email_of(eventstore::decode(stored), *ledger_.log);
      if (email &&
          workers::remove_from_outbox(outbox, workers::email_name(email->position, email->recorded_at)))
        ++removed;
    }
  }
  return removed;
}

void CustomerEraser::erase_answers(const std::vector<domain::ChargeId>& charges) const {
  const auto database = projections::WorkerStores::of(ledger_.directory).deliveries_to_change();
  if (!database) return;
  database->erase_answers(charges);
  if (!wait_until(patience_, [&database] { return database->empty_write_ahead_log(); }))
    give_up("somebody has been reading the deliveries all the time", "End what reads them");
}

void CustomerEraser::clear_views(domain::Position erased) const {
  const auto views = ledger_.directory.views();
  if (!fs::is_directory(views)) return;
  // What is being built may have read them before they were removed, and no server looks at it yet.
  const auto rebuilds = views / projections::kRebuildLock;
  std::unique_ptr<eventstore::OwnerLock> no_rebuild;
  if (!wait_until(patience_,
                  [&] { return (no_rebuild = eventstore::OwnerLock::try_take(rebuilds)) != nullptr; }))
    give_up("the read models are being rebuilt (" + eventstore::OwnerLock::holder_of(rebuilds) + ")",
            "Wait until that is done");
  const auto request = projections::request_erasure(views, erased);
  const auto is_clear = [&] {
    if (const auto owner = eventstore::OwnerLock::try_take(views / "lock")) {
      // Read models come back from the ledger, which has nothing of the customer any more.
      remove_generations(views, [](const fs::path& path) { return !projections::is_kept_generation(path); });
      return true;
    }
    // One that was exchanged lies there until its last reader has gone.
    const auto all = projections::find_own_generations(views);
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const auto& one) {
      return projections::is_erasure_done(one.path, request);
    });
  };
  const bool is_done = wait_until(patience_, is_clear);
  if (const auto newer = find_newer_generation(views))
    give_up(
        newer->string() + " is of a newer release, and may name them",
        "Remove that directory, which is made again when it is needed; or, while a server of that release "
        "runs, use its own pixledger");
  if (!is_done)
    give_up("the server (" + eventstore::OwnerLock::holder_of(views / "lock") +
                ") has not removed it from its read models",
            "See what its log says, or stop it");
  // Those of an older release, which nobody opens any more.
  for (const auto& one : projections::find_generations(views))
    if (one.set_version < projections::kViewSetVersion) fs::remove_all(one.path);
  if (const auto kept = projections::find_kept_generations(views); !kept.empty())
    give_up(kept.front().path.string() + " is kept because it disagreed with the ledger, and may name them",
            "Find out which of the two is right, and remove that directory");
}

void CustomerEraser::scrub_ledger() {
  try {
    ledger_.log->scrub(patience_);
  } catch (const eventstore::SnapshotInUse& in_use) {
    give_up(in_use.what(), "End that process");
  }
}

}  // namespace pixledger::tools
