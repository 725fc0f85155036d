#include "workers/providers/txid_search.h"

#include <algorithm>
#include <chrono>

#include "domain/pix/charge_txid.h"
#include "eventstore/reading/state_reader.h"
#include "workers/providers/api_pix/bank_client.h"

namespace pixledger::workers {
namespace {

// Of the connection's open charges so many of the newest are looked at here, and of those with the payment's
// amount so many are asked for at the bank.
constexpr std::size_t kChargesMax = 500;
constexpr std::size_t kAskedMax = 20;
constexpr std::chrono::milliseconds kTurn{5'000};
// With their pauses some 17 minutes.
constexpr unsigned kTriesMax = 10;
constexpr std::int64_t kFirstPauseMs = 2'000;
constexpr std::size_t kKnownMax = 10'000;
// So many payments in a row without a txid, and none with one, are the bank's way, not their payers'.
constexpr unsigned kWithoutTxidMax = 5;
constexpr const char* kNoTxid = "no_txid";
// After so many payments in a row that named nothing by themselves no more are asked for by their ids: payers
// who pay by hand alone are to cost no request each. What its open charges say is asked for still.
constexpr unsigned kInVainMax = 50;
// A charge is not paid before it is there, as far as clocks agree.
constexpr std::int64_t kClocksMs = 24 * 3'600'000LL;

// Whether the bank has said all that it has to say.
template <class Done>
bool is_answered(const BankResult<Done>& result) {
  return std::holds_alternative<Done>(result) || std::holds_alternative<NotFound>(result) ||
         std::holds_alternative<Refused>(result);
}

}  // namespace

void TxidSearch::note_shown(const BankAtHand& bank, const BankPayment& payment) const {
  if (!payment.txid || !payment.is_listed) return;
  {
    const std::lock_guard lock(mutex_);
    if (!listing_txids_.insert(bank.connection.id.text()).second) return;
  }
  parts_.database.end_misfit(bank.connection.id, kNoTxid);
}

bool TxidSearch::lists_txids(const BankAtHand& bank) const {
  const std::lock_guard lock(mutex_);
  return listing_txids_.contains(bank.connection.id.text());
}

void TxidSearch::note_none(const BankAtHand& bank) const {
  const auto& id = bank.connection.id.text();
  unsigned payments = 0;
  {
    const std::lock_guard lock(mutex_);
    payments = ++without_txid_[id];
    ++in_vain_[id];
  }
  if (payments < kWithoutTxidMax) return;
  parts_.database.note_misfit({.connection = id,
                               .kind = kNoTxid,
                               .payments = payments == kWithoutTxidMax ? payments : 1,
                               .at = parts_.clock.now()});
  if (parts_.meters.on_misfit(bank.connection.id, kNoTxid, "account"))
    parts_.logger.error("no payment of an account names its charge",
                        {{"connection", id}, {"payments", payments}});
}

void TxidSearch::note_found(const BankAtHand& bank, const BankPayment& payment) const {
  const auto& id = bank.connection.id;
  {
    const std::lock_guard lock(mutex_);
    in_vain_.erase(id.text());
  }
  parts_.database.note_misfit(
      {.connection = id.text(), .kind = kNoTxid, .payments = 1, .found = 1, .at = parts_.clock.now()});
  if (parts_.meters.on_misfit(id, kNoTxid, "found"))
    parts_.logger.warning("a bank lists payments without their txid, which is asked for one by one",
                          {{"connection", id.text()}, {"endToEndId", payment.end_to_end_id.text()}});
}

TxidSearch::Result TxidSearch::find(const BankAtHand& bank, const BankPayment& payment) const {
  const auto& id = payment.end_to_end_id.text();
  {
    const std::lock_guard lock(mutex_);
    const auto known = tries_.find(id);
    if (known != tries_.end() && parts_.clock.now() < known->second.again_at) return NotYet();
  }
  auto result = ask(bank, payment);
  if (std::holds_alternative<domain::Txid>(result)) note_found(bank, payment);
  const std::lock_guard lock(mutex_);
  if (!std::holds_alternative<NotYet>(result)) {
    tries_.erase(id);
    return result;
  }
  if (tries_.size() == kKnownMax) tries_.clear();
  auto& known = tries_[id];
  if (++known.tries == kTriesMax) {
    tries_.erase(id);
    return None();
  }
  known.again_at = parts_.clock.now().plus_millis(kFirstPauseMs << (known.tries - 1));
  return result;
}

bool TxidSearch::is_in_vain(const BankAtHand& bank) const {
  const std::lock_guard lock(mutex_);
  const auto found = in_vain_.find(bank.connection.id.text());
  return found != in_vain_.end() && found->second >= kInVainMax;
}

TxidSearch::Result TxidSearch::ask(const BankAtHand& bank, const BankPayment& payment) const {
  const BankTurn turn{BankPriority::kSweep, boot_time(parts_.clock) + kTurn};
  bool is_all_answered = true;
  if (!is_in_vain(bank)) {
    const auto shown = bank.client->get_pix(payment.end_to_end_id, turn);
    if (const auto* itself = std::get_if<BankPayment>(&shown); itself && itself->txid) return *itself->txid;
    is_all_answered = is_answered(shown);
  }
  std::size_t asked = 0;
  for (const auto& id : parts_.database.waiting_charges(bank.connection.id, kChargesMax)) {
    if (asked == kAskedMax) break;
    const auto charge = eventstore::fold_as<domain::Charge>(parts_.log, domain::charge_stream(id));
    const bool may_be_it = charge && charge->code_kind == domain::CodeKind::kDynamic &&
                           charge->amount == payment.amount &&
                           charge->created_at <= payment.paid_at.plus_millis(kClocksMs);
    if (!may_be_it) continue;
    ++asked;
    const auto held = bank.client->get_cob(domain::cob_txid(id), turn);
    is_all_answered = is_all_answered && is_answered(held);
    const auto* cob = std::get_if<BankCob>(&held);
    if (!cob) continue;
    const auto& received = cob->received.payments;
    const auto is_it = [&](const BankPayment& each) { return each.end_to_end_id == payment.end_to_end_id; };
    if (std::any_of(received.begin(), received.end(), is_it)) return cob->txid;
  }
  if (is_all_answered) return None();
  return NotYet();
}

}  // namespace pixledger::workers
