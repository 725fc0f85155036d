// The part of the providers' repository that is about payments which are to be read, and about what is told
// of connections.
#include <Poco/Data/Transaction.h>

#include "stores/banks/provider_repository.h"
#include "stores/banks/provider_rows.h"

namespace pixledger::stores {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;

Integer select_number(Poco::Data::Session& session, const std::string& sql, const std::string& connection) {
  Integer number = 0;
  session << sql, into(number), bind(connection), now;
  return number;
}

}  // namespace

std::optional<std::size_t> ProviderRepository::keep_payments(const domain::ConnectionId& connection,
                                                             const std::vector<domain::EndToEndId>& ids,
                                                             ReadReason reason, Timestamp since,
                                                             Timestamp due_at) {
  const std::lock_guard lock(mutex_);
  const auto count = [&] {
    return select_number(*session_, "SELECT count(*) FROM payments WHERE connection = ?", connection.text());
  };
  Poco::Data::Transaction transaction(*session_);
  const auto before = count();
  const std::string if_there =
      reason == ReadReason::kCalledBack
          ? "UPDATE SET reason = excluded.reason, due_at = min(due_at, excluded.due_at), attempts = 0, "
            "told = told + 1"
          : "NOTHING";
  for (const auto& id : ids)
    *session_ << "INSERT INTO payments VALUES (?, ?, ?, ?, ?, 0, 1) ON CONFLICT DO " + if_there,
        bind(connection.text()), bind(id.text()), bind(static_cast<Integer>(reason)),
        bind(Integer{since.millis()}), bind(Integer{due_at.millis()}), now;
  const auto after = count();
  if (after > static_cast<Integer>(kPaymentsMax) && after > before) return std::nullopt;
  transaction.commit();
  return static_cast<std::size_t>(after - before);
}

std::vector<PaymentToRead> ProviderRepository::payments_due(Timestamp moment,
                                                            std::size_t of_connection_max) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> connections, ids;
  std::vector<Integer> reasons, since, due_at, attempts, told;
  *session_ << "SELECT connection, id, reason, since, due_at, attempts, told FROM ("
               "SELECT *, row_number() OVER (PARTITION BY connection ORDER BY due_at, id) AS place "
               "FROM payments WHERE due_at <= ?) WHERE place <= ? ORDER BY due_at, id",
      into(connections), into(ids), into(reasons), into(since), into(due_at), into(attempts), into(told),
      bind(Integer{moment.millis()}), bind(static_cast<Integer>(of_connection_max)), now;
  std::vector<PaymentToRead> payments;
  for (std::size_t i = 0; i < ids.size(); ++i)
    payments.push_back({.connection = parsed<domain::ConnectionId>(connections[i]),
                        .id = parsed<domain::EndToEndId>(ids[i]),
                        .reason = static_cast<ReadReason>(reasons[i]),
                        .since = Timestamp(since[i]),
                        .due_at = Timestamp(due_at[i]),
                        .attempts = static_cast<unsigned>(attempts[i]),
                        .told = static_cast<std::uint64_t>(told[i])});
  return payments;
}

void ProviderRepository::postpone(const PaymentToRead& payment, ReadReason reason, Timestamp due_at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE payments SET reason = ?, due_at = ?, attempts = attempts + 1 "
               "WHERE connection = ? AND id = ? AND told = ?",
      bind(static_cast<Integer>(reason)), bind(Integer{due_at.millis()}), bind(payment.connection.text()),
      bind(payment.id.text()), bind(static_cast<Integer>(payment.told)), now;
}

void ProviderRepository::drop(const PaymentToRead& payment) {
  const std::lock_guard lock(mutex_);
  *session_ << "DELETE FROM payments WHERE connection = ? AND id = ? AND told = ?",
      bind(payment.connection.text()), bind(payment.id.text()), bind(static_cast<Integer>(payment.told)), now;
}

void ProviderRepository::note_called_back(const domain::ConnectionId& connection, Timestamp at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET called_back_at = ? WHERE connection = ?", bind(Integer{at.millis()}),
      bind(connection.text()), now;
}

bool ProviderRepository::is_quiet(const domain::ConnectionId& connection, Timestamp called_back_since) const {
  const std::lock_guard lock(mutex_);
  std::vector<Integer> quiet;
  *session_ << "SELECT 1 FROM banks WHERE connection = ?1 AND called_back_at >= ?2 "
               "AND NOT EXISTS (SELECT 1 FROM waiting WHERE connection = ?1) "
               "AND NOT EXISTS (SELECT 1 FROM work WHERE connection = ?1) "
               "AND NOT EXISTS (SELECT 1 FROM payments WHERE connection = ?1)",
      into(quiet), bind(connection.text()), bind(Integer{called_back_since.millis()}), now;
  return !quiet.empty();
}

void ProviderRepository::note_clock(const domain::ConnectionId& connection, std::int64_t ahead_ms) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET ahead_ms = ? WHERE connection = ?", bind(Integer{ahead_ms}),
      bind(connection.text()), now;
}

void ProviderRepository::note_certificate(const domain::ConnectionId& connection,
                                          std::optional<Timestamp> ends_at) {
  const std::lock_guard lock(mutex_);
  *session_ << "UPDATE banks SET certificate_ends_at = nullif(?, 0) WHERE connection = ?",
      bind(Integer{ends_at ? ends_at->millis() : 0}), bind(connection.text()), now;
}

void ProviderRepository::add(const std::vector<BankCount>& counts) {
  const std::lock_guard lock(mutex_);
  Poco::Data::Transaction transaction(*session_);
  for (const auto& count : counts) add_count(*session_, count);
  transaction.commit();
}

}  // namespace pixledger::stores
