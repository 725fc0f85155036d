#include "workers/banks/payment_intake.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/text/ascii.h"
#include "domain/pix/payment_ids.h"
#include "eventstore/reading/state_reader.h"
#include "workers/banks/api_pix/bank_client.h"

namespace pixledger::workers {
namespace {

// How many of the connection's newest open charges are compared here, and how many of those with the
// payment's amount are requested from the bank.
constexpr std::size_t kChargesMax = 500;
constexpr std::size_t kChargesAskedMax = 20;
constexpr std::chrono::milliseconds kSearchTurn{5'000};
// About 17 minutes, with the pauses.
constexpr unsigned kSearchTriesMax = 10;
constexpr std::int64_t kFirstSearchPauseMs = 2'000;
constexpr std::size_t kKnownMax = 10'000;
// After so many payments in a row without a txid, the cause is the bank, not the payers.
constexpr unsigned kWithoutTxidMax = 5;
constexpr const char* kNoTxid = "no_txid";
// After so many payments in a row whose own record had no txid, only one a minute is read by its id, and each
// with the amount of an open charge. Payers who pay by hand must not cost a request each.
constexpr unsigned kInVainMax = 50;
constexpr std::int64_t kInVainPauseMs = 60'000;
// The time before a payment without a result is searched again.
constexpr std::int64_t kNoneKeptMs = 10 * 60'000LL;
// A charge cannot be paid before it exists, within this difference of clocks.
constexpr std::int64_t kClocksMs = 24 * 3'600'000LL;

// Returns whether the bank has answered conclusively.
template <class Done>
bool is_answered(const BankResult<Done>& result) {
  return std::holds_alternative<Done>(result) || std::holds_alternative<NotFound>(result) ||
         std::holds_alternative<Refused>(result);
}

}  // namespace

void TxidSearch::note_shown(const ResolvedBank& bank, const BankPayment& payment) const {
  if (!payment.txid || !payment.is_listed) return;
  {
    const std::lock_guard lock(mutex_);
    if (!listing_txids_.insert(bank.connection.id.text()).second) return;
  }
  parts_.database.end_misfit(bank.connection.id, kNoTxid);
}

bool TxidSearch::lists_txids(const ResolvedBank& bank) const {
  const std::lock_guard lock(mutex_);
  return listing_txids_.contains(bank.connection.id.text());
}

void TxidSearch::note_none(const ResolvedBank& bank) const {
  const auto& id = bank.connection.id.text();
  WithoutTxid seen;
  {
    const std::lock_guard lock(mutex_);
    auto& without = without_txid_[id];
    ++without.payments;
    if (without.payments < kWithoutTxidMax && without.paid_charge.empty()) return;
    seen = without;
    without.noted = without.payments;
  }
  const auto payments = seen.payments;
  parts_.database.note_misfit({.connection = id,
                               .kind = kNoTxid,
                               .payments = payments - seen.noted,
                               .at = parts_.clock.now(),
                               .detail = seen.paid_charge});
  if (parts_.meters.report_discrepancy(bank.connection.id, kNoTxid, "account"))
    parts_.logger.error("no payment of an account names its charge",
                        {{"connection", id}, {"payments", payments}});
}

void TxidSearch::note_found(const ResolvedBank& bank, const BankPayment& payment) const {
  const auto& id = bank.connection.id;
  {
    const std::lock_guard lock(mutex_);
    without_txid_.erase(id.text());
  }
  parts_.database.note_misfit(
      {.connection = id.text(), .kind = kNoTxid, .payments = 1, .found = 1, .at = parts_.clock.now()});
  if (parts_.meters.report_discrepancy(id, kNoTxid, "found"))
    parts_.logger.warning("a bank lists payments without their txid, which is asked for one by one",
                          {{"connection", id.text()}, {"endToEndId", payment.end_to_end_id.text()}});
}

void TxidSearch::note_paid(const ResolvedBank& bank, const domain::ChargeId& charge) const {
  const std::lock_guard lock(mutex_);
  without_txid_[bank.connection.id.text()].paid_charge = charge.text();
}

TxidSearch::Result TxidSearch::find(const ResolvedBank& bank, const BankPayment& payment) const {
  const auto& id = payment.end_to_end_id.text();
  std::set<std::string> answered;
  {
    const std::lock_guard lock(mutex_);
    const auto known = tries_.find(id);
    if (known != tries_.end()) {
      if (parts_.clock.now() < known->second.again_at)
        return known->second.is_over ? Result(None()) : Result(NotYet());
      answered = known->second.answered;
    }
  }
  auto result = ask(bank, payment, answered);
  if (std::holds_alternative<domain::Txid>(result)) note_found(bank, payment);
  const std::lock_guard lock(mutex_);
  if (std::holds_alternative<domain::Txid>(result)) {
    tries_.erase(id);
    return result;
  }
  if (tries_.size() >= kKnownMax) tries_.clear();
  auto& known = tries_[id];
  if (std::holds_alternative<None>(result) || ++known.tries == kSearchTriesMax) {
    known = {.is_over = true, .again_at = parts_.clock.now().plus_millis(kNoneKeptMs), .answered = {}};
    return None();
  }
  known.again_at = parts_.clock.now().plus_millis(kFirstSearchPauseMs << (known.tries - 1));
  known.answered = std::move(answered);
  return result;
}

bool TxidSearch::asks_for_itself(const ResolvedBank& bank, bool is_like_a_charge) const {
  const std::lock_guard lock(mutex_);
  auto& in_vain = in_vain_[bank.connection.id.text()];
  const auto now = parts_.clock.now();
  if (in_vain.payments >= kInVainMax && !is_like_a_charge && now < in_vain.again_at) return false;
  in_vain.again_at = now.plus_millis(kInVainPauseMs);
  return true;
}

void TxidSearch::note_itself(const ResolvedBank& bank, bool has_txid) const {
  const std::lock_guard lock(mutex_);
  auto& payments = in_vain_[bank.connection.id.text()].payments;
  payments = has_txid ? 0 : std::min(payments + 1, kInVainMax);
}

// Returns the newest of the connection's open charges that the payment may be of.
std::vector<domain::Charge> TxidSearch::charges_like(const ResolvedBank& bank,
                                                     const BankPayment& payment) const {
  std::vector<domain::Charge> charges;
  for (const auto& id : parts_.database.waiting_charges(bank.connection.id, kChargesMax)) {
    auto charge = eventstore::fold_as<domain::Charge>(parts_.log, domain::charge_stream(id));
    if (charge && charge->amount == payment.amount &&
        charge->created_at <= payment.paid_at.plus_millis(kClocksMs))
      charges.push_back(std::move(*charge));
  }
  return charges;
}

TxidSearch::Result TxidSearch::ask(const ResolvedBank& bank, const BankPayment& payment,
                                   std::set<std::string>& answered) const {
  const BankTurn turn{BankPriority::kSweep, boot_time(parts_.clock) + kSearchTurn};
  const auto alike = charges_like(bank, payment);
  const auto& itself = payment.end_to_end_id;
  if (!answered.contains(itself.text()) && asks_for_itself(bank, !alike.empty())) {
    const auto shown = bank.client->get_pix(itself, turn);
    if (!is_answered(shown)) return NotYet();
    const auto* found = std::get_if<BankPayment>(&shown);
    const bool has_txid = found && found->txid;
    note_itself(bank, has_txid);
    if (has_txid) return *found->txid;
    answered.insert(itself.text());
  }
  std::size_t asked = 0;
  for (const auto& charge : alike) {
    if (charge.code_kind != domain::CodeKind::kDynamic) continue;
    if (++asked > kChargesAskedMax) break;
    const auto txid = domain::cob_txid(charge.id);
    if (answered.contains(txid.text())) continue;
    const auto held = bank.client->get_cob(txid, turn);
    if (!is_answered(held)) return NotYet();
    answered.insert(txid.text());
    const auto* cob = std::get_if<BankCob>(&held);
    if (!cob) continue;
    const auto& received = cob->received.payments;
    if (cob->status == CobStatus::kPaid && received.empty()) note_paid(bank, charge.id);
    const auto is_it = [&](const BankPayment& each) { return each.end_to_end_id == itself; };
    if (std::any_of(received.begin(), received.end(), is_it)) return cob->txid;
  }
  return None();
}

namespace {

constexpr std::int64_t kLongestPauseMs = 3'600'000;
// Between the earliest zone and the latest (UTC-12 to UTC+14).
constexpr std::int64_t kZonesMs = 26 * 3'600'000LL;
constexpr std::int64_t kFirstIntakePauseMs = 2'000;
// Successive windows overlap by less.
constexpr std::int64_t kSharedMsMin = 2'000;
constexpr std::size_t kLossesMax = 1'000;

// "2026-01-31"
std::string day_of(Timestamp moment) { return to_iso8601(moment).substr(0, sizeof "2026-01-31" - 1); }

// "pix[3].horario is missing" is of one kind with "pix[4].horario is missing".
std::string kind_of(std::string_view reason) {
  std::string kind;
  for (const char c : reason)
    if (!is_ascii_digit(c)) kind += c;
  return kind;
}

}  // namespace

Timestamp PaymentIntake::again_at(Timestamp paid_at) const {
  return std::min(paid_at.plus_millis(-domain::kPaymentAheadMsMax),
                  parts_.clock.now().plus_millis(kLongestPauseMs));
}

void PaymentIntake::report_unusable(const ResolvedBank& bank,
                                    const std::vector<BankPayments::Unusable>& unusable) const {
  const auto& connection = bank.connection.id;
  std::map<std::string, std::vector<std::string_view>> faults;
  for (const auto& each : unusable)
    if (is_news_of_today(bank, "unreadable_payment", each.mark))
      faults[kind_of(each.reason)].push_back(each.reason);
  for (const auto& [kind, reasons] : faults) {
    note_misfit(bank, "unreadable_payment", reasons.size(), reasons.front());
    parts_.logger.error(
        "a payment at the bank cannot be read",
        {{"connection", connection.text()}, {"payments", reasons.size()}, {"fault", reasons.front()}});
  }
}

bool PaymentIntake::is_news_of_today(const ResolvedBank& bank, std::string_view kind,
                                     std::string_view about) const {
  return parts_.meters.report_discrepancy(bank.connection.id, kind,
                                          day_of(parts_.clock.now()) + " " + std::string(about));
}

void PaymentIntake::note_misfit(const ResolvedBank& bank, std::string_view kind, std::size_t payments,
                                std::string_view detail) const {
  parts_.database.note_misfit({.connection = bank.connection.id.text(),
                               .kind = std::string(kind),
                               .payments = static_cast<std::int64_t>(payments),
                               .at = parts_.clock.now(),
                               .detail = std::string(detail)});
}

void PaymentIntake::report_missing(const ResolvedBank& bank, const PixWindow& window,
                                   std::int64_t missing) const {
  const auto& connection = bank.connection.id;
  if (is_known({connection, missing, window, day_of(parts_.clock.now())})) return;
  const auto begin = to_iso8601(window.begin), end = to_iso8601(window.end);
  if (is_news_of_today(bank, "missing_payments", begin + " " + end + " " + std::to_string(missing))) {
    note_misfit(bank, "missing_payments", static_cast<std::size_t>(missing),
                std::to_string(missing) + " from " + begin + " to " + end + " are not shown");
    parts_.logger.error(
        "a bank shows fewer payments than it says to have",
        {{"connection", connection.text()}, {"missing", missing}, {"from", begin}, {"to", end}});
  }
}

// Windows move with each poll: a loss that overlaps none of the earlier windows is a new one.
bool PaymentIntake::is_known(const Loss& loss) const {
  const std::lock_guard lock(mutex_);
  for (auto& known : losses_) {
    if (known.connection != loss.connection || known.missing != loss.missing) continue;
    const auto begin = std::max(known.window.begin, loss.window.begin);
    const auto end = std::min(known.window.end, loss.window.end);
    if (end < begin.plus_millis(kSharedMsMin)) continue;
    known.window = {.begin = begin, .end = end};
    return std::exchange(known.day, loss.day) == loss.day;
  }
  if (losses_.size() == kLossesMax) losses_.pop_front();
  losses_.push_back(loss);
  return false;
}

void PaymentIntake::report_page(const ResolvedBank& bank, const BankPixPage& page) const {
  const auto& connection = bank.connection.id;
  const auto payments = items_of(page);
  if (payments > kItemsPerPage && parts_.meters.report_discrepancy(connection, "long_pages", "account")) {
    note_misfit(bank, "long_pages", static_cast<std::size_t>(payments),
                std::to_string(payments) + " on a page, asked for " + std::to_string(kItemsPerPage));
    parts_.logger.warning(
        "a bank shows more payments on a page than it was asked for",
        {{"connection", connection.text()}, {"asked", kItemsPerPage}, {"payments", payments}});
  }
  if (!page.is_counted && payments > 0 && is_news_of_today(bank, "uncounted_pages", "account")) {
    note_misfit(bank, "uncounted_pages", static_cast<std::size_t>(payments), "parametros.paginacao");
    parts_.logger.warning("a bank does not count the payments that it shows",
                          {{"connection", connection.text()}, {"payments", payments}});
  }
  if (!page.other_list.empty() && is_news_of_today(bank, "unread_list", page.other_list)) {
    note_misfit(bank, "unread_list", 0, page.other_list);
    parts_.logger.error("a bank shows payments beside its list, which are not read",
                        {{"connection", connection.text()}, {"field", page.other_list}});
  }
}

// A payment listed without a txid may be a charge's; the bank may name the charge elsewhere.
Told PaymentIntake::report(const ResolvedBank& bank, const domain::ProjectId& project,
                           BankPayment payment) const {
  search_.note_shown(bank, payment);
  const bool is_searched =
      !search_.lists_txids(bank) && parts_.report.lacks_only_its_txid(bank, project, payment);
  if (is_searched) {
    auto found = search_.find(bank, payment);
    if (std::holds_alternative<TxidSearch::NotYet>(found)) return Told::kLater;
    if (auto* txid = std::get_if<domain::Txid>(&found)) payment.txid = std::move(*txid);
  }
  // A key that is a number or an object may mean any key of the account. Then only a txid or the ledger says
  // whose money it is.
  if (payment.has_unreadable_key && !payment.txid && !parts_.report.is_known(payment) &&
      !parts_.report.has_one_key(bank)) {
    const auto& id = payment.end_to_end_id;
    report_unusable(bank, {{.end_to_end_id = id, .reason = "chave is not a text", .mark = id.text()}});
    return Told::kYes;
  }
  const auto told = parts_.report.report(bank, project, payment);
  if (is_searched && !payment.txid && told == Told::kYes) search_.note_none(bank);
  return told;
}

Taken PaymentIntake::take(const ResolvedBank& bank, const domain::ProjectId& project,
                          const BankPayment& shown) const {
  const auto now = parts_.clock.now();
  const auto& connection = bank.connection.id;
  auto payment = shown;
  // A time further ahead than any zone explains is unreadable. If the id's minute is ahead, too, this clock
  // may be wrong.
  if (payment.time == PaidTime::kTold && payment.paid_at > now.plus_millis(kZonesMs)) {
    const auto minute = domain::minute_of(payment.end_to_end_id);
    if (!minute || *minute <= now.plus_millis(domain::kPaymentAheadMsMax)) {
      payment.time = minute ? PaidTime::kOfId : PaidTime::kUnknown;
      payment.paid_at = minute.value_or(now);
    }
  }
  // A minute of the id in the future is an error of the payer's bank.
  const bool is_id_ahead = payment.time == PaidTime::kOfId && payment.paid_at > now;
  if (payment.time == PaidTime::kUnknown || is_id_ahead) payment.paid_at = now;
  if (payment.time != PaidTime::kTold &&
      parts_.meters.report_discrepancy(connection, "unreadable_time", payment.end_to_end_id.text())) {
    note_misfit(bank, "unreadable_time", 1, "horario");
    parts_.logger.warning("a payment at the bank has no time that can be read",
                          {{"connection", connection.text()},
                           {"endToEndId", payment.end_to_end_id.text()},
                           {"taken", to_iso8601(payment.paid_at)}});
  }
  if (payment.paid_at <= now.plus_millis(domain::kPaymentAheadMsMax)) {
    const auto told = report(bank, project, payment);
    if (told != Told::kLater) return told == Told::kYes ? Taken::kYes : Taken::kNotNow;
    const bool is_kept = parts_.database
                             .keep_payments(connection, {payment.end_to_end_id}, stores::ReadReason::kRefused,
                                            now, now.plus_millis(kFirstIntakePauseMs))
                             .has_value();
    return is_kept ? Taken::kLater : Taken::kNotNow;
  }
  const auto kept = parts_.database.keep_payments(
      connection, {payment.end_to_end_id}, stores::ReadReason::kInFuture, now, again_at(payment.paid_at));
  // If there is no room, the account's polls see it again once its time has come.
  if (parts_.meters.report_discrepancy(connection, "payment_ahead", payment.end_to_end_id.text())) {
    note_misfit(bank, "payment_ahead", 1, payment.end_to_end_id.text());
    parts_.logger.error("a payment at the bank claims the future and waits for its time",
                        {{"connection", connection.text()},
                         {"endToEndId", payment.end_to_end_id.text()},
                         {"claims", to_iso8601(payment.paid_at)},
                         {"kept", kept.has_value()}});
  }
  return Taken::kInFuture;
}

}  // namespace pixledger::workers
