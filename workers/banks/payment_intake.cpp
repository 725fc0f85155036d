#include "workers/banks/payment_intake.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/ascii.h"

namespace pixledger::workers {
namespace {

constexpr std::int64_t kLongestPauseMs = 3'600'000;
constexpr std::int64_t kFirstPauseMs = 2'000;
// Windows that follow each other share less.
constexpr std::int64_t kSharedMsMin = 2'000;
constexpr std::size_t kLossesMax = 1'000;

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
  for (const auto& each : unusable) {
    const auto& about = each.end_to_end_id ? each.end_to_end_id->text() : each.reason;
    if (parts_.meters.report_discrepancy(connection, "unreadable_payment", about))
      faults[kind_of(each.reason)].push_back(each.reason);
  }
  for (const auto& [kind, reasons] : faults) {
    note_misfit(bank, "unreadable_payment", reasons.size(), reasons.front());
    parts_.logger.error(
        "a payment at the bank cannot be read",
        {{"connection", connection.text()}, {"payments", reasons.size()}, {"fault", reasons.front()}});
  }
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
  if (is_known({connection, missing, window})) return;
  const auto begin = to_iso8601(window.begin), end = to_iso8601(window.end);
  if (parts_.meters.report_discrepancy(connection, "missing_payments",
                                       begin + " " + end + " " + std::to_string(missing)))
    parts_.logger.error(
        "a bank shows fewer payments than it says to have",
        {{"connection", connection.text()}, {"missing", missing}, {"from", begin}, {"to", end}});
}

// Looks go on, and their windows with them: what lies in none of the earlier ones is another loss.
bool PaymentIntake::is_known(const Loss& loss) const {
  const std::lock_guard lock(mutex_);
  for (auto& known : losses_) {
    if (known.connection != loss.connection || known.missing != loss.missing) continue;
    const auto begin = std::max(known.window.begin, loss.window.begin);
    const auto end = std::min(known.window.end, loss.window.end);
    if (end < begin.plus_millis(kSharedMsMin)) continue;
    known.window = {.begin = begin, .end = end};
    return true;
  }
  if (losses_.size() == kLossesMax) losses_.pop_front();
  losses_.push_back(loss);
  return false;
}

void PaymentIntake::report_long_page(const ResolvedBank& bank, std::int64_t payments) const {
  if (parts_.meters.report_discrepancy(bank.connection.id, "long_pages", "account"))
    parts_.logger.warning(
        "a bank shows more payments on a page than it was asked for",
        {{"connection", bank.connection.id.text()}, {"asked", kItemsPerPage}, {"payments", payments}});
}

// One that its bank lists without its txid may be a charge's, and the bank may tell that elsewhere.
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
  const auto told = parts_.report.report(bank, project, payment);
  if (is_searched && !payment.txid && told == Told::kYes) search_.note_none(bank);
  return told;
}

Taken PaymentIntake::take(const ResolvedBank& bank, const domain::ProjectId& project,
                          const BankPayment& shown) const {
  const auto now = parts_.clock.now();
  const auto& connection = bank.connection.id;
  auto payment = shown;
  // A minute of the id that is yet to come is a fault of whoever made it, too.
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
                                            now, now.plus_millis(kFirstPauseMs))
                             .has_value();
    return is_kept ? Taken::kLater : Taken::kNotNow;
  }
  const auto kept = parts_.database.keep_payments(
      connection, {payment.end_to_end_id}, stores::ReadReason::kInFuture, now, again_at(payment.paid_at));
  // Where there is no room the account's polls see it again, once its time has come.
  if (parts_.meters.report_discrepancy(connection, "payment_ahead", payment.end_to_end_id.text()))
    parts_.logger.error("a payment at the bank claims the future and waits for its time",
                        {{"connection", connection.text()},
                         {"endToEndId", payment.end_to_end_id.text()},
                         {"claims", to_iso8601(payment.paid_at)},
                         {"kept", kept.has_value()}});
  return Taken::kInFuture;
}

}  // namespace pixledger::workers
