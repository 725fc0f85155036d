// The part of the providers' repository that is about looks at accounts, and what they have found out of the
// bank.
#include <Poco/Data/Transaction.h>
#include <algorithm>

#include "stores/banks/provider_repository.h"
#include "stores/banks/provider_rows.h"

namespace pixledger::stores {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;

}  // namespace

std::optional<BankWindow> ProviderRepository::window(const domain::ConnectionId& connection) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> lengths, since;
  *session_ << "SELECT window_ms, window_since FROM banks WHERE connection = ? AND window_ms IS NOT NULL",
      into(lengths), into(since), bind(connection.text()), now;
  if (lengths.empty()) return std::nullopt;
  return BankWindow{.length_ms = lengths.front(), .since = Timestamp(since.front())};
}

void ProviderRepository::note_window(const domain::ConnectionId& connection, const BankWindow& window) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET window_ms = ?, window_since = ? WHERE connection = ?",
      bind(Integer{window.length_ms}), bind(Integer{window.since.millis()}), bind(connection.text()), now;
}

void ProviderRepository::keep_looks(const std::vector<AccountLook>& looks) {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> there;
  Poco::Data::Transaction transaction(*session_);
  *session_ << "SELECT DISTINCT back_ms FROM looks", into(there), now;
  for (const auto back_ms : there) {
    const bool is_kept = std::any_of(looks.begin(), looks.end(),
                                     [&](const AccountLook& look) { return look.back_ms == back_ms; });
    if (!is_kept) *session_ << "DELETE FROM looks WHERE back_ms = ?", bind(Integer{back_ms}), now;
  }
  transaction.commit();
}

void ProviderRepository::begin_look(const domain::ConnectionId& connection, const AccountLook& look,
                                    Timestamp at) {
  const std::lock_guard lock(mutex_);
  *session_ << "INSERT INTO looks VALUES (?, ?, ?, ?, NULL, '') "
               "ON CONFLICT DO UPDATE SET every_ms = excluded.every_ms",
      bind(connection.text()), bind(Integer{look.back_ms}), bind(Integer{look.every_ms}),
      bind(Integer{at.millis()}), now;
}

void ProviderRepository::end_look(const domain::ConnectionId& connection, const AccountLook& look,
                                  const std::optional<std::string>& fault, Timestamp at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE looks SET fault = ?1, seen_at = CASE WHEN ?1 = '' THEN ?2 ELSE seen_at END "
               "WHERE connection = ?3 AND back_ms = ?4",
      bind(fault.value_or("")), bind(Integer{at.millis()}), bind(connection.text()),
      bind(Integer{look.back_ms}), now;
}

void ProviderRepository::note_early(const domain::ConnectionId& connection, std::int64_t early_ms,
                                    Timestamp at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET early_ms = max(coalesce(early_ms, 0), ?), early_at = ? WHERE connection = ?",
      bind(Integer{early_ms}), bind(Integer{at.millis()}), bind(connection.text()), now;
}

std::int64_t ProviderRepository::early_ms(const domain::ConnectionId& connection) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> early;
  *session_ << "SELECT early_ms FROM banks WHERE connection = ? AND early_ms IS NOT NULL", into(early),
      bind(connection.text()), now;
  return early.empty() ? 0 : early.front();
}

void ProviderRepository::note_misfit(const AccountMisfit& misfit) {
  const std::lock_guard lock(mutex_);
  *session_ << "INSERT INTO misfits VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
               "payments = payments + excluded.payments, found = found + excluded.found, at = excluded.at, "
               "detail = CASE WHEN excluded.detail = '' THEN detail ELSE excluded.detail END",
      bind(misfit.connection), bind(misfit.kind), bind(Integer{misfit.payments}), bind(Integer{misfit.found}),
      bind(Integer{misfit.at.millis()}), bind(misfit.detail), now;
}

void ProviderRepository::end_misfit(const domain::ConnectionId& connection, std::string_view kind) {
  const std::lock_guard lock(mutex_);
  *session_ << "DELETE FROM misfits WHERE connection = ? AND kind = ?", bind(connection.text()),
      bind(std::string(kind)), now;
}

std::vector<domain::ChargeId> ProviderRepository::waiting_charges(const domain::ConnectionId& connection,
                                                                  std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> ids;
  *session_ << "SELECT charge FROM waiting WHERE connection = ? ORDER BY charge DESC LIMIT ?", into(ids),
      bind(connection.text()), bind(static_cast<Integer>(limit)), now;
  std::vector<domain::ChargeId> charges;
  for (const auto& id : ids) charges.push_back(parsed<domain::ChargeId>(id));
  return charges;
}

bool ProviderRepository::note_old_payment(const domain::ConnectionId& connection,
                                          const domain::EndToEndId& id) {
  const std::lock_guard lock(mutex_);
  Integer known = 0, there = 0;
  *session_ << "SELECT count(*), coalesce(sum(id = ?), 0) FROM old_payments WHERE connection = ?",
      into(known), into(there), bind(id.text()), bind(connection.text()), now;
  if (there > 0 || known >= static_cast<Integer>(kOldPaymentsMax)) return false;
  *session_ << "INSERT INTO old_payments VALUES (?, ?)", bind(connection.text()), bind(id.text()), now;
  return true;
}

}  // namespace pixledger::stores
