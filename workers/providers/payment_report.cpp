#include "workers/providers/payment_report.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "domain/decisions/decide_charge.h"
#include "domain/decisions/rejection_table.h"
#include "domain/pix/charge_txid.h"
#include "domain/text/ascii.h"
#include "eventstore/reading/state_reader.h"
#include "workers/providers/api_pix/bank_requests.h"

namespace pixledger::workers {
namespace {

using domain::UnmatchedReason;

// Older payments on a connection's key are no business of a connection that was not there then. Clocks
// differ, and who adds a connection may have had its codes before.
constexpr std::int64_t kBeforeConnectionMsMax = 3'600'000;
// For so long a payment is left to another project's connection that may have the same account.
constexpr std::int64_t kOthersTurnMs = 3'600'000;
// What is forgotten of codes that were taken away is taken away again, which the bank has then.
constexpr std::size_t kCodesTakenAwayMax = 10'000;
// So many payments in a row without a txid, and none with one, are the bank's way, not their payers'.
constexpr unsigned kWithoutTxidMax = 5;
constexpr const char* kTakenOver = "it is for a charge of another project on the same account";

// What the ledger has of a payment.
struct Recorded {
  domain::Cents amount;
  domain::Timestamp paid_at;
};
std::optional<Recorded> recorded_in(const domain::Charge& charge, const domain::EndToEndId& id) {
  if (charge.payment && charge.payment->end_to_end_id == id)
    return Recorded{charge.payment->amount, charge.payment->paid_at};
  for (const auto* list : {&charge.unapplied, &charge.returned})
    for (const auto& payment : *list)
      if (payment.end_to_end_id == id) return Recorded{payment.amount, payment.paid_at};
  return std::nullopt;
}

bool is_to_static_code(const BankPayment& payment) {
  return payment.txid && payment.txid->text().size() == domain::kMintedIdSize;
}

// Whether the charge that it names, if any, is none of those whose money the project may claim.
bool is_anybodys(UnmatchedReason reason) {
  return reason == UnmatchedReason::kNoTxid || reason == UnmatchedReason::kUnknownCharge ||
         reason == UnmatchedReason::kOtherProject;
}

bool have_same_credentials(const domain::BankConfiguration& one, const domain::BankConfiguration& other) {
  return one.base_url == other.base_url && one.client_id == other.client_id;
}

}  // namespace

Told PaymentReport::report(const BankAtHand& bank, const domain::ProjectId& project,
                           const BankPayment& payment) const {
  note_txid(bank, payment);
  if (const auto holder = parts_.log.claim_holder(domain::end_to_end_claim(payment.end_to_end_id)))
    return report_known(bank, project, *holder, payment);
  const auto stream = domain::payment_stream(payment.end_to_end_id);
  const auto unmatched = eventstore::fold_as<domain::UnmatchedPayment>(parts_.log, stream);
  if (unmatched && unmatched->project == project) return returns_.report(bank, *unmatched, payment);
  const auto found = match(bank, project, payment);
  if (const auto* charge = std::get_if<domain::Charge>(&found)) {
    // What was made before its charge is none of it: it stays where it is.
    const auto first_at = charge->created_at.plus_millis(-domain::kPaymentBeforeChargeMsMax);
    if (unmatched && payment.paid_at < first_at) return Told::kYes;
    const auto kept_there = unmatched ? take_over(bank, *unmatched, payment) : std::nullopt;
    if (kept_there) return *kept_there;
    return report_paid(bank, *charge, payment);
  }
  if (unmatched) return Told::kYes;
  if (std::holds_alternative<WaitForOther>(found)) return Told::kLater;
  const auto* reason = std::get_if<UnmatchedReason>(&found);
  if (!reason) return Told::kYes;
  if (is_anybodys(*reason) && is_others_turn(payment) && is_for_older_connection(bank, payment))
    return Told::kLater;
  return report_unmatched(bank, project, payment, *reason);
}

Told PaymentReport::report_known(const BankAtHand& bank, const domain::ProjectId& project,
                                 const domain::StreamName& holder, const BankPayment& payment) const {
  const auto charge = eventstore::fold_as<domain::Charge>(parts_.log, holder);
  if (!charge || charge->project != project) return Told::kYes;
  compare(bank, *charge, payment);
  return follow_up(bank, *charge, payment);
}

void PaymentReport::note_txid(const BankAtHand& bank, const BankPayment& payment) const {
  if (!payment.txid) return;
  const std::lock_guard lock(mutex_);
  naming_charges_.insert(bank.connection.id.text());
}

void PaymentReport::note_no_txid(const BankAtHand& bank) const {
  const auto& id = bank.connection.id.text();
  {
    const std::lock_guard lock(mutex_);
    if (naming_charges_.contains(id) || ++without_txid_[id] != kWithoutTxidMax) return;
  }
  if (parts_.meters.on_misfit(bank.connection.id, "no_txid", "account"))
    parts_.logger.error("no payment of an account names its charge",
                        {{"connection", id}, {"payments", kWithoutTxidMax}});
}

// --- whose it is ---

PaymentReport::Match PaymentReport::match(const BankAtHand& bank, const domain::ProjectId& project,
                                          const BankPayment& payment) const {
  const auto& connection = bank.connection;
  const bool is_to_our_key = !payment.key || keys_.has(project, connection.id, *payment.key);
  const auto unmatched = [&](UnmatchedReason reason) {
    return is_to_our_key ? Match(reason) : Match(NotOurs());
  };
  if (!payment.txid) {
    if (is_to_our_key) note_no_txid(bank);
    return unmatched(UnmatchedReason::kNoTxid);
  }
  const auto id = domain::charge_named_by(*payment.txid);
  auto charge = id ? eventstore::fold_as<domain::Charge>(parts_.log, domain::charge_stream(*id))
                   : std::optional<domain::Charge>();
  if (!charge) return unmatched(UnmatchedReason::kUnknownCharge);
  if (charge->project != project)
    return is_to_our_key ? match_of_other(bank, *charge, payment) : Match(NotOurs());
  // Whoever plays at a bank's test has paid nothing that is live.
  if (charge->environment != connection.environment) return unmatched(UnmatchedReason::kOtherEnvironment);
  if (!charge->through_bank) return unmatched(UnmatchedReason::kNotThroughBank);
  if (is_to_our_key) return *std::move(charge);
  // Banks may write keys in ways of their own. What is none as the directory writes them is believed to be
  // the connection's where its own charge is named.
  if (charge->connection == connection.id && !domain::PixKey::parse(*payment.key)) return *std::move(charge);
  if (charge->connection == connection.id && is_news(bank, "other_key", payment))
    parts_.logger.error("a payment names a charge of the connection, and came to another key",
                        {{"connection", connection.id.text()},
                         {"transaction", charge->id.text()},
                         {"endToEndId", payment.end_to_end_id.text()}});
  return NotOurs();
}

PaymentReport::Match PaymentReport::match_of_other(const BankAtHand& bank, const domain::Charge& charge,
                                                   const BankPayment& payment) const {
  switch (compare_accounts(bank, charge, payment)) {
    case SameAccount::kSurely:
      return NotOurs();
    case SameAccount::kPerhaps:
      if (is_others_turn(payment)) return WaitForOther();
      break;
    case SameAccount::kNo:
      break;
  }
  return UnmatchedReason::kOtherProject;
}

PaymentReport::SameAccount PaymentReport::compare_accounts(const BankAtHand& bank,
                                                           const domain::Charge& charge,
                                                           const BankPayment& payment) const {
  const auto& connection = bank.connection;
  const auto others_keys = keys_.all(charge.project, charge.connection);
  if (others_keys.empty() || charge.environment != connection.environment) return SameAccount::kNo;
  if (payment.key)
    return keys_.has(charge.project, charge.connection, *payment.key) ? SameAccount::kSurely
                                                                      : SameAccount::kNo;
  const auto own_keys = keys_.all(bank.project, connection.id);
  const bool share_key = std::find_first_of(own_keys.begin(), own_keys.end(), others_keys.begin(),
                                            others_keys.end()) != own_keys.end();
  if (share_key) return SameAccount::kSurely;
  const auto configuration_of = [&](const domain::ConnectionId& id) {
    return eventstore::fold_as<domain::BankConnection>(parts_.log, domain::connection_stream(id));
  };
  const auto own = configuration_of(connection.id);
  const auto other = configuration_of(charge.connection);
  if (!own || !other) return SameAccount::kNo;
  if (have_same_credentials(own->configuration, other->configuration)) return SameAccount::kSurely;
  return own->configuration.base_url == other->configuration.base_url ? SameAccount::kPerhaps
                                                                      : SameAccount::kNo;
}

// Who is down cannot tell either: after that everybody has their turn first.
bool PaymentReport::is_others_turn(const BankPayment& payment) const {
  return parts_.clock.now() < std::max(payment.paid_at, began_at_).plus_millis(kOthersTurnMs);
}

bool PaymentReport::is_for_older_connection(const BankAtHand& bank, const BankPayment& payment) const {
  const auto own_keys = keys_.all(bank.project, bank.connection.id);
  if (own_keys.empty()) return false;
  const auto key = payment.key.value_or(own_keys.back().text());
  const auto has_it_today = [&](const std::vector<domain::PixKey>& keys) {
    return !keys.empty() && domain::equal_without_case(keys.back().text(), key);
  };
  const auto age_of = [&](const domain::ConnectionId& id) {
    const auto added = eventstore::fold_as<domain::BankConnection>(parts_.log, domain::connection_stream(id));
    return std::pair(added ? added->created_at : domain::Timestamp(), id.text());
  };
  const bool is_own_today = has_it_today(own_keys);
  const auto own_age = age_of(bank.connection.id);
  for (const auto& other : parts_.database.banks()) {
    if (other.project == bank.project || !has_it_today(keys_.all(other.project, other.connection))) continue;
    const auto project =
        eventstore::fold_as<domain::Project>(parts_.log, domain::project_stream(other.project));
    const auto* connection = project ? domain::connection_of(*project, other.connection) : nullptr;
    const bool takes_part =
        connection && connection->is_enabled() && connection->environment == bank.connection.environment;
    if (takes_part && (!is_own_today || age_of(other.connection) < own_age)) return true;
  }
  return false;
}

// Another project's connection has read it before, and could make nothing of it.
std::optional<Told> PaymentReport::take_over(const BankAtHand& bank,
                                             const domain::UnmatchedPayment& unmatched,
                                             const BankPayment& payment) const {
  if (unmatched.state == domain::UnmatchedState::kClosed) return std::nullopt;
  if (!domain::is_open(unmatched)) {
    if (is_news(bank, "goes_back_elsewhere", payment))
      parts_.logger.error(
          "what is for a charge went back while another project had it",
          {{"connection", bank.connection.id.text()}, {"endToEndId", payment.end_to_end_id.text()}});
    // One that is on its way may be open again.
    return unmatched.state == domain::UnmatchedState::kReturning ? Told::kLater : Told::kYes;
  }
  const auto outcome = parts_.ledger.submit(domain::ClosePayment{.project = unmatched.project,
                                                                 .end_to_end_id = unmatched.end_to_end_id,
                                                                 .send_back = false,
                                                                 .reason = domain::Label::parse(kTakenOver)});
  if (!outcome) return Told::kNotNow;
  return outcome->done() ? std::nullopt : std::optional(Told::kLater);
}

// --- into the ledger ---

Told PaymentReport::report_paid(const BankAtHand& bank, const domain::Charge& charge,
                                const BankPayment& payment) const {
  const auto outcome = parts_.ledger.submit(domain::ReportPayment{.project = charge.project,
                                                                  .charge = charge.id,
                                                                  .end_to_end_id = payment.end_to_end_id,
                                                                  .amount = payment.amount,
                                                                  .paid_at = payment.paid_at});
  if (!outcome) return Told::kNotNow;
  if (outcome->rejection == domain::Rejection::kPaymentBeforeCharge)
    return report_unmatched(bank, charge.project, payment, UnmatchedReason::kBeforeCharge);
  if (!outcome->done()) return refused(bank, payment, *outcome->rejection);
  const auto paid = eventstore::fold_as<domain::Charge>(parts_.log, domain::charge_stream(charge.id));
  return paid ? follow_up(bank, *paid, payment) : Told::kYes;
}

Told PaymentReport::follow_up(const BankAtHand& bank, const domain::Charge& charge,
                              const BankPayment& payment) const {
  take_banks_code_away(charge, payment);
  return returns_.report(bank, charge, payment);
}

// A charge shows its static code until it has the bank's: who has paid that leaves the bank's to be paid
// again.
void PaymentReport::take_banks_code_away(const domain::Charge& charge, const BankPayment& payment) const {
  const bool has_paid = charge.payment && charge.payment->end_to_end_id == payment.end_to_end_id;
  if (!has_paid || charge.code_kind != domain::CodeKind::kDynamic || !is_to_static_code(payment)) return;
  {
    const std::lock_guard lock(mutex_);
    if (codes_taken_away_.size() == kCodesTakenAwayMax) codes_taken_away_.clear();
    if (!codes_taken_away_.insert(charge.id.text()).second) return;
  }
  parts_.database.begin({.id = {projections::BankWorkKind::kRemoveCode, domain::charge_stream(charge.id)},
                         .connection = charge.connection,
                         .since = parts_.clock.now()});
}

Told PaymentReport::report_unmatched(const BankAtHand& bank, const domain::ProjectId& project,
                                     const BankPayment& payment, UnmatchedReason reason) const {
  const auto connection =
      eventstore::fold_as<domain::BankConnection>(parts_.log, domain::connection_stream(bank.connection.id));
  if (!connection || payment.paid_at < connection->created_at.plus_millis(-kBeforeConnectionMsMax))
    return Told::kYes;
  const auto outcome =
      parts_.ledger.submit(domain::RecordUnmatchedPayment{.project = project,
                                                          .connection = bank.connection.id,
                                                          .end_to_end_id = payment.end_to_end_id,
                                                          .amount = payment.amount,
                                                          .paid_at = payment.paid_at,
                                                          .txid = payment.txid,
                                                          .reason = reason});
  if (!outcome) return Told::kNotNow;
  if (!outcome->done()) return refused(bank, payment, *outcome->rejection);
  const auto recorded = eventstore::fold_as<domain::UnmatchedPayment>(
      parts_.log, domain::payment_stream(payment.end_to_end_id));
  // Of two that read it at the same time the other may have been first.
  if (!recorded || recorded->project != project) return Told::kYes;
  return returns_.report(bank, *recorded, payment);
}

// What an operator has told by hand, against the bank's word.
void PaymentReport::compare(const BankAtHand& bank, const domain::Charge& charge,
                            const BankPayment& payment) const {
  const auto recorded = recorded_in(charge, payment.end_to_end_id);
  if (!recorded) return;
  const auto apart_ms = std::abs(recorded->paid_at.millis() - payment.paid_at.millis());
  // Clocks differ, and so do those who look at them.
  if (recorded->amount == payment.amount && apart_ms <= domain::kPaymentAheadMsMax) return;
  if (!is_news(bank, "told_otherwise", payment)) return;
  parts_.logger.error("a payment is recorded otherwise than its bank has it",
                      {{"connection", bank.connection.id.text()},
                       {"transaction", charge.id.text()},
                       {"endToEndId", payment.end_to_end_id.text()},
                       {"recordedCents", recorded->amount.value()},
                       {"bankCents", payment.amount.value()},
                       {"recordedPaidAt", domain::to_iso8601(recorded->paid_at)},
                       {"bankPaidAt", domain::to_iso8601(payment.paid_at)}});
}

Told PaymentReport::refused(const BankAtHand& bank, const BankPayment& payment,
                            domain::Rejection rejection) const {
  if (rejection != domain::Rejection::kPaymentInFuture && is_news(bank, "refused_payment", payment))
    parts_.logger.error("a payment at the bank was not taken",
                        {{"connection", bank.connection.id.text()},
                         {"endToEndId", payment.end_to_end_id.text()},
                         {"reason", domain::row_of(rejection).told_operator}});
  return Told::kLater;
}

bool PaymentReport::is_news(const BankAtHand& bank, std::string_view kind, const BankPayment& payment) const {
  return parts_.meters.on_misfit(bank.connection.id, kind, payment.end_to_end_id.text());
}

}  // namespace pixledger::workers
