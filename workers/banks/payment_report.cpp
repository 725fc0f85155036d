#include "workers/banks/payment_report.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text/ascii.h"
#include "domain/decisions/decide.h"
#include "domain/decisions/rejection.h"
#include "domain/pix/payment_ids.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/state_reader.h"
#include "workers/banks/api_pix/bank_requests.h"

namespace pixledger::workers {
namespace {

// Returns the connection that a project's event adds or changes, or null.
const domain::Connection* connection_in(const domain::RecordedEvent& event) {
  const auto* of_project = std::get_if<domain::ProjectEvent>(&event.event);
  if (!of_project) return nullptr;
  if (const auto* added = std::get_if<domain::ConnectionAdded>(of_project)) return &added->connection;
  const auto* changed = std::get_if<domain::ConnectionChanged>(of_project);
  return changed ? &changed->connection : nullptr;
}

// Folds a key to lower case: trims an e-mail address, keeps only letters and digits of other keys.
std::string folded(std::string_view text) {
  const bool is_address = text.find('@') != std::string_view::npos;
  std::string kept;
  for (const char c : text)
    if (is_address ? c != ' ' : is_ascii_alnum(c)) kept += to_ascii_lower(c);
  return kept;
}

}  // namespace

bool is_key(const domain::PixKey& key, std::string_view written) {
  const auto own = folded(key.text());
  const auto other = folded(written);
  if (own == other) return true;
  constexpr std::string_view kCountry = "55";
  return key.text().front() == '+' && !other.empty() && own == std::string(kCountry) + other;
}

namespace {

// Returns whether a key can be compared: it is neither empty nor masked.
bool is_legible_key(std::string_view written) {
  return !folded(written).empty() && written.find('*') == std::string_view::npos;
}

}  // namespace

void ConnectionKeys::refresh(const domain::ProjectId& project, Known& known) const {
  for (const auto& stored : eventstore::StreamEvents(log_, domain::project_stream(project), known.version)) {
    const auto event = eventstore::decode(stored);
    known.version = event.version;
    const auto* connection = connection_in(event);
    if (!connection || !connection->api_pix) continue;
    auto& keys = known.keys[connection->id];
    std::erase(keys, connection->api_pix->pix_key);
    keys.push_back(connection->api_pix->pix_key);
  }
}

std::vector<domain::PixKey> ConnectionKeys::all(const domain::ProjectId& project,
                                                const domain::ConnectionId& connection) {
  const std::lock_guard lock(mutex_);
  auto& known = known_[project];
  refresh(project, known);
  const auto found = known.keys.find(connection);
  return found == known.keys.end() ? std::vector<domain::PixKey>() : found->second;
}

bool ConnectionKeys::has(const domain::ProjectId& project, const domain::ConnectionId& connection,
                         std::string_view key) {
  const auto keys = all(project, connection);
  return std::any_of(keys.begin(), keys.end(), [&](const auto& own) { return is_key(own, key); });
}

namespace {

using domain::UnmatchedReason;

// Payments older than the connection by more than this are not its own. Clocks differ, and a merchant's codes
// may be older than the connection.
constexpr std::int64_t kBeforeConnectionMsMax = 3'600'000;
// From this difference on the cause is the zone, not the clock.
constexpr std::int64_t kZoneMsMin = 20 * 60'000LL;
constexpr std::int64_t kZonesMsMax = 24 * 3'600'000LL;
// How long a payment is left to another project's connection that may have the same account.
constexpr std::int64_t kOthersTurnMs = 3'600'000;
// Forgotten codes are removed once more, which changes nothing at the bank.
constexpr std::size_t kCodesTakenAwayMax = 10'000;
constexpr const char* kTakenOver = "it is for a charge of another project on the same account";

// No payer can use a txid that does not exist yet.
Timestamp corrected_time(const domain::Charge& charge, const BankPayment& payment, Timestamp now) {
  if (!domain::is_before(charge, payment.paid_at)) return payment.paid_at;
  return *domain::paid_after(charge, payment.end_to_end_id, true, now);
}

bool is_to_static_code(const BankPayment& payment) {
  return payment.txid && payment.txid->text().size() == domain::kMintedIdSize;
}

// Returns whether the project has no better claim to the money than others that share the account.
bool is_anybodys(UnmatchedReason reason) {
  return reason == UnmatchedReason::kNoTxid || reason == UnmatchedReason::kUnknownCharge ||
         reason == UnmatchedReason::kOtherProject;
}

std::optional<domain::BankConnection> bank_connection(const eventstore::Log& log,
                                                      const domain::ConnectionId& id) {
  return eventstore::fold_as<domain::BankConnection>(log, domain::connection_stream(id));
}

bool have_same_credentials(const domain::BankConfiguration& one, const domain::BankConfiguration& other) {
  return one.base_url == other.base_url && one.client_id == other.client_id;
}

}  // namespace

Told PaymentReport::report(const ResolvedBank& bank, const domain::ProjectId& project,
                           const BankPayment& shown) const {
  auto payment = shown;
  // A key that the bank shows in part cannot be compared.
  if (payment.key && !is_legible_key(*payment.key)) payment.key.reset();
  if (const auto holder = parts_.log.claim_holder(domain::end_to_end_claim(payment.end_to_end_id)))
    return report_known(bank, project, *holder, payment);
  const auto stream = domain::payment_stream(payment.end_to_end_id);
  const auto unmatched = eventstore::fold_as<domain::UnmatchedPayment>(parts_.log, stream);
  if (unmatched && unmatched->project == project) return returns_.report(bank, *unmatched, payment);
  const auto found = match(bank, project, payment);
  if (const auto* charge = std::get_if<domain::Charge>(&found)) {
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

Told PaymentReport::report_known(const ResolvedBank& bank, const domain::ProjectId& project,
                                 const domain::StreamName& holder, const BankPayment& payment) const {
  const auto charge = eventstore::fold_as<domain::Charge>(parts_.log, holder);
  if (!charge || charge->project != project) return Told::kYes;
  compare(bank, *charge, payment);
  return follow_up(bank, *charge, payment);
}

bool PaymentReport::is_known(const BankPayment& payment) const {
  if (parts_.log.claim_holder(domain::end_to_end_claim(payment.end_to_end_id))) return true;
  const auto stream = domain::payment_stream(payment.end_to_end_id);
  return eventstore::fold_as<domain::UnmatchedPayment>(parts_.log, stream).has_value();
}

bool PaymentReport::lacks_only_its_txid(const ResolvedBank& bank, const domain::ProjectId& project,
                                        const BankPayment& shown) const {
  if (shown.txid || is_known(shown)) return false;
  const auto connection = bank_connection(parts_.log, bank.connection.id);
  if (connection && is_old(*connection, shown)) return false;
  auto payment = shown;
  if (payment.key && !is_legible_key(*payment.key)) payment.key.reset();
  const auto found = match(bank, project, payment);
  const auto* reason = std::get_if<UnmatchedReason>(&found);
  return reason && *reason == UnmatchedReason::kNoTxid;
}

bool PaymentReport::has_one_key(const ResolvedBank& bank) const {
  const auto own = bank_connection(parts_.log, bank.connection.id);
  const auto own_keys = keys_.all(bank.project, bank.connection.id);
  if (!own || own_keys.size() != 1) return false;
  const auto banks = parts_.database.banks();
  return std::all_of(banks.begin(), banks.end(), [&](const stores::NotedBank& noted) {
    if (keys_.all(noted.project, noted.connection) == own_keys) return true;
    const auto other = bank_connection(parts_.log, noted.connection);
    return !other || !have_same_credentials(own->configuration, other->configuration);
  });
}

// --- whose it is ---

PaymentReport::Match PaymentReport::match(const ResolvedBank& bank, const domain::ProjectId& project,
                                          const BankPayment& payment) const {
  const auto& connection = bank.connection;
  const auto key = whose_key(bank, project, payment);
  const auto id = payment.txid ? domain::charge_named_by(*payment.txid) : std::nullopt;
  auto charge = id ? eventstore::fold_as<domain::Charge>(parts_.log, domain::charge_stream(*id))
                   : std::optional<domain::Charge>();
  if (!charge) {
    if (key == Key::kForeign) return NotOurs();
    // The other connection goes first, as it may have an account of its own.
    if (key == Key::kSiblings && is_others_turn(payment)) return WaitForOther();
    return payment.txid ? UnmatchedReason::kUnknownCharge : UnmatchedReason::kNoTxid;
  }
  // Banks may write keys in their own format. A key that is invalid in the directory's format is assumed to
  // be the connection's if the payment names that connection's charge.
  const bool is_believed = key == Key::kForeign && charge->project == project &&
                           charge->connection == connection.id && !domain::PixKey::parse(*payment.key);
  if (key == Key::kForeign && !is_believed) return to_foreign_key(bank, *charge, payment);
  if (charge->project != project) return match_of_other(bank, *charge, payment);
  // A payment in a bank's test environment pays no live charge.
  if (charge->environment != connection.environment) return UnmatchedReason::kOtherEnvironment;
  if (!charge->through_bank) return UnmatchedReason::kNotThroughBank;
  return *std::move(charge);
}

PaymentReport::Key PaymentReport::whose_key(const ResolvedBank& bank, const domain::ProjectId& project,
                                            const BankPayment& payment) const {
  if (!payment.key) return Key::kOwn;
  if (keys_.has(project, bank.connection.id, *payment.key)) return Key::kOwn;
  const auto state = eventstore::fold_as<domain::Project>(parts_.log, domain::project_stream(project));
  const auto has_key = [&](const domain::Connection& other) {
    return other.environment == bank.connection.environment && keys_.has(project, other.id, *payment.key);
  };
  const bool is_siblings =
      state && std::any_of(state->connections.begin(), state->connections.end(), has_key);
  return is_siblings ? Key::kSiblings : Key::kForeign;
}

// Such a payment pays nothing: anyone can write that txid into their own code. If the charge's own connection
// has that key, that connection reports it.
PaymentReport::Match PaymentReport::to_foreign_key(const ResolvedBank& bank, const domain::Charge& charge,
                                                   const BankPayment& payment) const {
  const auto its_keys = keys_.all(charge.project, charge.connection);
  const bool is_its_own = !its_keys.empty() && is_key(its_keys.back(), *payment.key);
  if (!is_its_own && is_news(bank, "other_key", payment))
    parts_.logger.error("a payment names a charge of the connection, and came to another key",
                        {{"connection", bank.connection.id.text()},
                         {"transaction", charge.id.text()},
                         {"endToEndId", payment.end_to_end_id.text()}});
  return NotOurs();
}

PaymentReport::Match PaymentReport::match_of_other(const ResolvedBank& bank, const domain::Charge& charge,
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

PaymentReport::SameAccount PaymentReport::compare_accounts(const ResolvedBank& bank,
                                                           const domain::Charge& charge,
                                                           const BankPayment& payment) const {
  const auto& connection = bank.connection;
  const auto others_keys = keys_.all(charge.project, charge.connection);
  if (others_keys.empty() || charge.environment != connection.environment) return SameAccount::kNo;
  // A former key may belong to an account that the other connection no longer polls.
  if (payment.key) {
    if (is_key(others_keys.back(), *payment.key)) return SameAccount::kSurely;
    return keys_.has(charge.project, charge.connection, *payment.key) ? SameAccount::kPerhaps
                                                                      : SameAccount::kNo;
  }
  const auto own_keys = keys_.all(bank.project, connection.id);
  if (std::find(own_keys.begin(), own_keys.end(), others_keys.back()) != own_keys.end())
    return SameAccount::kSurely;
  const auto own = bank_connection(parts_.log, connection.id);
  const auto other = bank_connection(parts_.log, charge.connection);
  const bool shared_key = std::find_first_of(own_keys.begin(), own_keys.end(), others_keys.begin(),
                                             others_keys.end()) != own_keys.end();
  if (!own || !other) return shared_key ? SameAccount::kPerhaps : SameAccount::kNo;
  if (have_same_credentials(own->configuration, other->configuration)) return SameAccount::kSurely;
  const bool is_same_bank = own->configuration.base_url == other->configuration.base_url;
  return shared_key || is_same_bank ? SameAccount::kPerhaps : SameAccount::kNo;
}

// After a restart the other connections go first again, as a stopped worker reported nothing.
bool PaymentReport::is_others_turn(const BankPayment& payment) const {
  return parts_.clock.now() < std::max(payment.paid_at, began_at_).plus_millis(kOthersTurnMs);
}

bool PaymentReport::is_for_older_connection(const ResolvedBank& bank, const BankPayment& payment) const {
  const auto own_keys = keys_.all(bank.project, bank.connection.id);
  if (own_keys.empty()) return false;
  const auto key = payment.key.value_or(own_keys.back().text());
  const auto has_it_today = [&](const std::vector<domain::PixKey>& keys) {
    return !keys.empty() && is_key(keys.back(), key);
  };
  const auto age_of = [&](const domain::ConnectionId& id) {
    const auto added = bank_connection(parts_.log, id);
    return std::pair(added ? added->created_at : Timestamp(), id.text());
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

// Another project's connection has read it before and recorded it as unmatched.
std::optional<Told> PaymentReport::take_over(const ResolvedBank& bank,
                                             const domain::UnmatchedPayment& unmatched,
                                             const BankPayment& payment) const {
  if (unmatched.state == domain::UnmatchedState::kClosed) return std::nullopt;
  if (!domain::is_open(unmatched)) {
    if (is_news(bank, "goes_back_elsewhere", payment))
      parts_.logger.error(
          "what is for a charge went back while another project had it",
          {{"connection", bank.connection.id.text()}, {"endToEndId", payment.end_to_end_id.text()}});
    // A return under way may fail and open the payment again.
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

Told PaymentReport::report_paid(const ResolvedBank& bank, const domain::Charge& charge,
                                const BankPayment& payment) const {
  const bool is_early = domain::is_before(charge, payment.paid_at);
  const auto paid_at = corrected_time(charge, payment, parts_.clock.now());
  const auto outcome = parts_.ledger.submit(domain::ReportPayment{.project = charge.project,
                                                                  .charge = charge.id,
                                                                  .end_to_end_id = payment.end_to_end_id,
                                                                  .amount = payment.amount,
                                                                  .paid_at = paid_at});
  if (!outcome) return Told::kNotNow;
  if (is_early && payment.time == PaidTime::kTold)
    note_early(bank, payment, charge.created_at.millis() - payment.paid_at.millis(), charge.id.text());
  if (!outcome->done()) return refused(bank, payment, *outcome->rejection);
  const auto paid = eventstore::fold_as<domain::Charge>(parts_.log, domain::charge_stream(charge.id));
  return paid ? follow_up(bank, *paid, payment) : Told::kYes;
}

Told PaymentReport::follow_up(const ResolvedBank& bank, const domain::Charge& charge,
                              const BankPayment& payment) const {
  take_banks_code_away(charge, payment);
  return returns_.report(bank, charge, payment);
}

// A charge shows its static code until it has the bank's. After a payment of the static code the bank's could
// be paid again.
void PaymentReport::take_banks_code_away(const domain::Charge& charge, const BankPayment& payment) const {
  const bool has_paid = charge.payment && charge.payment->end_to_end_id == payment.end_to_end_id;
  if (!has_paid || charge.code_kind != domain::CodeKind::kDynamic || !is_to_static_code(payment)) return;
  {
    const std::lock_guard lock(mutex_);
    if (codes_taken_away_.size() == kCodesTakenAwayMax) codes_taken_away_.clear();
    if (!codes_taken_away_.insert(charge.id.text()).second) return;
  }
  parts_.database.begin({.id = {stores::BankWorkKind::kRemoveCode, domain::charge_stream(charge.id)},
                         .connection = charge.connection,
                         .since = parts_.clock.now()});
}

Told PaymentReport::report_unmatched(const ResolvedBank& bank, const domain::ProjectId& project,
                                     const BankPayment& payment, UnmatchedReason reason) const {
  const auto connection = bank_connection(parts_.log, bank.connection.id);
  if (connection && is_old(*connection, payment) && leaves_aside(*connection, payment)) {
    parts_.meters.on_left_aside(bank.connection.id, payment.end_to_end_id.text());
    return Told::kYes;
  }
  if (payment.time == PaidTime::kTold)
    if (const auto minute = domain::minute_of(payment.end_to_end_id); minute && *minute <= parts_.clock.now())
      if (const auto early_ms = minute->millis() - payment.paid_at.millis(); early_ms > kZoneMsMin)
        note_early(bank, payment, early_ms, "");
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
  // Another connection that read it at the same time may have been first.
  if (!recorded || recorded->project != project) return Told::kYes;
  return returns_.report(bank, *recorded, payment);
}

bool PaymentReport::is_old(const domain::BankConnection& connection, const BankPayment& payment) const {
  const auto first_at = connection.created_at.plus_millis(-kBeforeConnectionMsMax);
  const auto minute = domain::minute_of(payment.end_to_end_id);
  const bool is_newer_by_id = minute && *minute >= first_at && *minute <= parts_.clock.now();
  return payment.paid_at < first_at && !is_newer_by_id;
}

// A wrong zone makes a new payment look old, by a day at most. So a payment that the account's first poll did
// not show is new while the connection is new.
bool PaymentReport::leaves_aside(const domain::BankConnection& connection, const BankPayment& payment) const {
  const auto& created_at = connection.created_at;
  if (payment.paid_at < created_at.plus_millis(-kZonesMsMax)) return true;
  if (parts_.clock.now() >= created_at.plus_millis(kZonesMsMax)) return true;
  const bool is_first_look = !parts_.database.looked_up_to(connection.id);
  return !parts_.database.note_old_payment(connection.id, payment.end_to_end_id) || is_first_look;
}

void PaymentReport::note_early(const ResolvedBank& bank, const BankPayment& payment, std::int64_t early_ms,
                               std::string_view about) const {
  const auto& id = bank.connection.id;
  if (!parts_.meters.report_discrepancy(id, "payment_before_charge", payment.end_to_end_id.text())) return;
  parts_.database.note_early(id, early_ms, parts_.clock.now());
  {
    // One log line per payment would only repeat itself.
    const std::lock_guard lock(mutex_);
    auto& logged_ms = early_ms_[id.text()];
    if (early_ms < logged_ms + kZoneMsMin) return;
    logged_ms = early_ms;
  }
  parts_.logger.error("a payment at the bank claims a time before it can have been made, and is taken",
                      {{"connection", id.text()},
                       {"transaction", about},
                       {"endToEndId", payment.end_to_end_id.text()},
                       {"claims", to_iso8601(payment.paid_at)},
                       {"earlyMinutes", early_ms / 60'000}});
}

// Compares what an operator recorded by hand with what the bank shows.
void PaymentReport::compare(const ResolvedBank& bank, const domain::Charge& charge,
                            const BankPayment& payment) const {
  const auto recorded = recorded_in(charge, payment.end_to_end_id);
  if (!recorded) return;
  const bool is_early = domain::is_before(charge, payment.paid_at);
  const auto paid_at = corrected_time(charge, payment, parts_.clock.now());
  const auto apart_ms = std::abs(recorded->paid_at.millis() - paid_at.millis());
  // Clocks differ, and operators read them differently.
  const bool is_same_time = is_early ? apart_ms == 0 : apart_ms <= domain::kPaymentAheadMsMax;
  if (recorded->amount == payment.amount && (is_same_time || payment.time != PaidTime::kTold)) return;
  if (!is_news(bank, "told_otherwise", payment)) return;
  parts_.logger.error("a payment is recorded otherwise than its bank has it",
                      {{"connection", bank.connection.id.text()},
                       {"transaction", charge.id.text()},
                       {"endToEndId", payment.end_to_end_id.text()},
                       {"recordedCents", recorded->amount.value()},
                       {"bankCents", payment.amount.value()},
                       {"recordedPaidAt", to_iso8601(recorded->paid_at)},
                       {"bankPaidAt", to_iso8601(payment.paid_at)}});
}

Told PaymentReport::refused(const ResolvedBank& bank, const BankPayment& payment,
                            domain::Rejection rejection) const {
  if (rejection != domain::Rejection::kPaymentInFuture && is_news(bank, "refused_payment", payment))
    parts_.logger.error("a payment at the bank was not taken",
                        {{"connection", bank.connection.id.text()},
                         {"endToEndId", payment.end_to_end_id.text()},
                         {"reason", domain::row_of(rejection).told_operator}});
  return Told::kLater;
}

bool PaymentReport::is_news(const ResolvedBank& bank, std::string_view kind,
                            const BankPayment& payment) const {
  const auto& id = payment.end_to_end_id.text();
  if (!parts_.meters.report_discrepancy(bank.connection.id, kind, id)) return false;
  parts_.database.note_misfit({.connection = bank.connection.id.text(),
                               .kind = std::string(kind),
                               .payments = 1,
                               .at = parts_.clock.now(),
                               .detail = id});
  return true;
}

}  // namespace pixledger::workers
