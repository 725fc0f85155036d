#include "tools/operations/customer_eraser.h"

#include <algorithm>
#include <filesystem>

#include "base/platform/owner_lock.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/cluster.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/postgres/kept_copy.h"
#include "eventstore/reading/state_reader.h"
#include "projections/generations/erased_views.h"
#include "projections/generations/erasure_follower.h"
#include "stores/databases/account_store.h"
#include "stores/databases/worker_stores.h"
#include "workers/emails/email_composer.h"
#include "workers/emails/email_message.h"
#include "workers/emails/email_outbox.h"

namespace pixledger::tools {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void give_up(const std::string& why, const std::string& what_to_do) {
  throw std::runtime_error("the customer counts as erased, but not everything is removed yet: " + why + ". " +
                           what_to_do + ", then run the same command again");
}

// Kept copies are read-only, and may be the only record of commits that PostgreSQL has lost.
void refuse_kept_copies(const fs::path& directory) {
  const auto kept = eventstore::kept_copies(directory);
  if (!kept.empty())
    give_up(kept.front().string() + " is a copy of the ledger that was kept, and may name them",
            "Find out what only it has, and take it elsewhere or remove it");
}

// It is kept for good. Otherwise what is wrong has been said on stderr.
bool may_stand(const domain::Label& reason, const KnownDetails& known) {
  const auto part = mentioned_in(reason.text(), known);
  if (!part) return true;
  say_no("the reason gives away the customer's " + std::string(*part) +
         ", present or former, and it is kept for good: say why without it");
  return false;
}

}  // namespace

std::optional<ErasureReport> CustomerEraser::erase(const domain::CustomerId& id,
                                                   const domain::Label& reason) {
  turn_ = OwnerLock::take_within(ledger_.directory.erasing_lock(), patience_);
  const auto stream = ledger_.log->claim_holder(domain::customer_claim(id));
  if (!stream) {
    say_no(domain::Rejection::kCustomerNotFound);
    return std::nullopt;
  }
  const auto customer = eventstore::find_customer(*ledger_.log, id, ledger_.log->head().position);
  if (!customer)
    throw eventstore::LogCorrupt("the stream " + stream->text() + " does not register the customer " +
                                 id.text());
  const auto known = details_of(*ledger_.log, *stream, id);
  if (!may_stand(reason, known)) return std::nullopt;
  mark_.emplace(ledger_.directory.root, id);
  const auto erasure = record(*stream, id, reason);
  if (!erasure) return std::nullopt;
  mark_->keep();
  try {
    return remove_data(*erasure, customer->project, known);
  } catch (const projections::ErasureHeldUp& held_up) {
    give_up(held_up.what(), held_up.what_to_do());
  } catch (const eventstore::LogUnavailable& full) {
    give_up(full.what(),
            ledger_.cluster() ? "See that PostgreSQL answers" : "Give all programs a larger --map-size");
  }
}

ErasureReport CustomerEraser::remove_data(const eventstore::Erasure& erasure,
                                          const domain::ProjectId& project, const KnownDetails& known) {
  auto& log = *ledger_.log;
  const auto records = eventstore::records_erased_by(log, {erasure});
  left_ = mark_->noted();
  if (!left_ && !known.empty()) {
    left_ = find_leftovers(log, erasure.stream, project, known, records);
    look_through_accounts(known, *left_);
    mark_->note(*left_);
  }
  const auto pending = find_pending(erasure);
  log.remove_personal(records.positions);
  if (!pending.erasures.empty())
    log.remove_personal(eventstore::records_erased_by(log, pending.erasures).positions);
  erase_answers(records.charges);
  auto emails = remove_emails(records.charges);
  projections::erase_from_views(ledger_.directory.views(), std::max(erasure.erased, pending.up_to),
                                patience_);
  scrub_ledger();
  wait_for_nodes(pending.up_to, erasure.erased);
  // A worker that had one in hand when the customer was erased may have written it meanwhile.
  emails += remove_emails(records.charges);
  refuse_kept_copies(ledger_.directory.root);
  const auto other = erasure.stream.in_other_environment();
  const auto namesake = eventstore::fold_as<domain::Customer>(log, other);
  std::optional<domain::CustomerId> other_customer;
  if (namesake && !namesake->erased_at) other_customer = namesake->id;
  return ErasureReport{.customer = erasure.customer,
                       .erased_at = erasure.erased_at,
                       .position = erasure.erased,
                       .records = records.positions.size(),
                       .charges = records.charges.size(),
                       .emails_removed = emails,
                       .other_customer = std::move(other_customer),
                       .other_environment = *other.environment()};
}

// A person who signs in may be a customer as well; the account belongs to their role in the store.
void CustomerEraser::look_through_accounts(const KnownDetails& known, ErasureLeftovers& left) const {
  try {
    if (!stores::look_at_accounts(ledger_.directory)) return;
    const auto accounts = stores::open_accounts(ledger_.directory);
    left.has_account = std::any_of(known.begin(), known.end(), [&accounts](const auto& details) {
      return accounts->find_user(details.email).has_value();
    });
  } catch (const std::exception& error) {
    left.accounts_unread = error.what();
  }
}

// Of a shared ledger: what else was asked for and this node has not done, which is then done by the way.
projections::PendingErasures CustomerEraser::find_pending(const eventstore::Erasure& but) const {
  const auto* const cluster = ledger_.cluster();
  if (!cluster) return {};
  auto pending = projections::pending_erasures(*ledger_.log, *cluster);
  std::erase_if(pending.erasures, [&](const auto& one) { return one.erased == but.erased; });
  return pending;
}

void CustomerEraser::wait_for_nodes(Position done_up_to, Position erased) const {
  auto* const cluster = ledger_.cluster();
  if (!cluster) return;
  cluster->note_erased(done_up_to);
  std::string late;
  const auto all_have_done_it = [&] {
    late.clear();
    bool is_one_at_it = false;
    for (const auto& node : cluster->nodes()) {
      if (node.erased >= erased) continue;
      late += (late.empty() ? "" : ", ") + node.name + (node.is_live ? "" : " (away)");
      is_one_at_it = is_one_at_it || node.is_live;
    }
    return !is_one_at_it;
  };
  projections::wait_until(patience_, all_have_done_it);
  if (!late.empty())
    give_up("these nodes have not done their part: " + late,
            "Start their servers, which do it by themselves, or remove those that are gone for good from the "
            "table node");
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
  const auto database = stores::WorkerStores::of(ledger_.directory).deliveries_to_change();
  if (!database) return;
  database->erase_answers(charges);
  if (!projections::wait_until(patience_, [&database] { return database->empty_write_ahead_log(); }))
    give_up("somebody has been reading the deliveries all the time", "End what reads them");
}

void CustomerEraser::scrub_ledger() {
  try {
    ledger_.log->scrub(patience_);
  } catch (const eventstore::SnapshotInUse& in_use) {
    give_up(in_use.what(), "End that process");
  }
}

}  // namespace pixledger::tools
