#include "projections/delivery_rows.h"

#include <Poco/Data/Statement.h>
#include <Poco/Nullable.h>
#include <array>
#include <stdexcept>

namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;
using OptionalInteger = Poco::Nullable<Integer>;

constexpr int kSchemaVersion = 1;

// `first_failed_at` is set by the first attempt, which failed when the delivery is still pending afterwards.
constexpr std::array<const char*, 7> kSchema{
    "CREATE TABLE deliveries (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, channel TEXT NOT NULL, "
    "project TEXT NOT NULL, charge TEXT NOT NULL, environment INTEGER NOT NULL, event INTEGER NOT NULL, "
    "version INTEGER NOT NULL, position INTEGER NOT NULL, sequence INTEGER NOT NULL, created_at INTEGER NOT "
    "NULL, "
    "status INTEGER NOT NULL, attempts INTEGER NOT NULL, next_attempt_at INTEGER, first_failed_at INTEGER)",
    "CREATE INDEX deliveries_due ON deliveries (channel, next_attempt_at) "
    "WHERE status = 0 AND next_attempt_at IS NOT NULL",
    "CREATE INDEX deliveries_of_channel ON deliveries (channel, position)",
    "CREATE INDEX deliveries_of_charge ON deliveries (channel, charge, position)",
    "CREATE TABLE attempts (delivery INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, "
    "http_status INTEGER NOT NULL, latency_ms INTEGER NOT NULL, error TEXT NOT NULL, "
    "PRIMARY KEY (delivery, number)) WITHOUT ROWID",
    "CREATE TABLE cursor (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), text TEXT NOT NULL)",
    "PRAGMA user_version = 1"};

OptionalInteger to_row(const std::optional<domain::Timestamp>& moment) {
  return moment ? OptionalInteger(moment->millis()) : OptionalInteger();
}

std::optional<domain::Timestamp> to_moment(const OptionalInteger& millis) {
  if (millis.isNull()) return std::nullopt;
  return domain::Timestamp(millis.value());
}

template <class Id>
Id to_id(const std::string& text) {
  auto id = Id::parse(text);
  if (!id) throw std::runtime_error("a row of the deliveries is damaged");
  return *std::move(id);
}

// What a SELECT fills, column by column.
struct Columns {
  std::vector<Integer> number, environment, event, version, position, sequence, created_at, status, attempts;
  std::vector<std::string> id, channel, project, charge;
  std::vector<OptionalInteger> next_attempt_at;

  Delivery row(std::size_t i) const {
    return {number[i],
            to_id<DeliveryId>(id[i]),
            to_id<domain::ChannelId>(channel[i]),
            to_id<domain::ProjectId>(project[i]),
            to_id<domain::ChargeId>(charge[i]),
            static_cast<domain::Environment>(environment[i]),
            static_cast<domain::WebhookEvent>(event[i]),
            static_cast<domain::WebhookVersion>(version[i]),
            domain::Position(static_cast<std::uint64_t>(position[i])),
            static_cast<std::uint32_t>(sequence[i]),
            domain::Timestamp(created_at[i]),
            static_cast<DeliveryStatus>(status[i]),
            static_cast<unsigned>(attempts[i]),
            to_moment(next_attempt_at[i])};
  }
};

}  // namespace

std::string_view to_string(DeliveryStatus status) {
  switch (status) {
    case DeliveryStatus::kPending:
      return "pending";
    case DeliveryStatus::kDelivered:
      return "delivered";
    case DeliveryStatus::kFailed:
      return "failed";
    case DeliveryStatus::kExhausted:
      return "exhausted";
  }
  return "unknown";
}

void make_delivery_tables(Poco::Data::Session& session) {
  int version = 0;
  session << "PRAGMA user_version", into(version), now;
  if (version > kSchemaVersion) throw std::runtime_error("a newer release wrote the deliveries");
  if (version == kSchemaVersion) return;
  session.begin();
  for (const auto* statement : kSchema) session << statement, now;
  session.commit();
}

std::vector<Delivery> select_deliveries(Poco::Data::Session& session, const DeliveryQuery& query) {
  Columns rows;
  Poco::Data::Statement select(session);
  select << "SELECT number, id, channel, project, charge, environment, event, version, position, sequence, "
            "created_at, status, attempts, next_attempt_at FROM deliveries "
         << query.tail,
      into(rows.number), into(rows.id), into(rows.channel), into(rows.project), into(rows.charge),
      into(rows.environment), into(rows.event), into(rows.version), into(rows.position), into(rows.sequence),
      into(rows.created_at), into(rows.status), into(rows.attempts), into(rows.next_attempt_at);
  for (const auto& text : query.texts) select, bind(text);
  for (const auto number : query.numbers) select, bind(Integer{number});
  select.execute();

  std::vector<Delivery> deliveries;
  deliveries.reserve(rows.number.size());
  for (std::size_t i = 0; i < rows.number.size(); ++i) deliveries.push_back(rows.row(i));
  return deliveries;
}

void insert_deliveries(Poco::Data::Session& session, const std::vector<NewDelivery>& deliveries,
                       const std::vector<std::optional<domain::Timestamp>>& first_attempts) {
  Columns rows;
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const auto& delivery = deliveries[i];
    rows.id.push_back(delivery.id.text());
    rows.channel.push_back(delivery.channel.text());
    rows.project.push_back(delivery.project.text());
    rows.charge.push_back(delivery.charge.text());
    rows.environment.push_back(static_cast<Integer>(delivery.environment));
    rows.event.push_back(static_cast<Integer>(delivery.event));
    rows.version.push_back(static_cast<Integer>(delivery.version));
    rows.position.push_back(static_cast<Integer>(delivery.position.value()));
    rows.sequence.push_back(delivery.sequence);
    rows.created_at.push_back(delivery.created_at.millis());
    rows.next_attempt_at.push_back(to_row(first_attempts[i]));
  }
  session << "INSERT INTO deliveries (id, channel, project, charge, environment, event, version, position, "
             "sequence, "
             "created_at, status, attempts, next_attempt_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?) "
             "ON CONFLICT (id) DO NOTHING",
      use(rows.id), use(rows.channel), use(rows.project), use(rows.charge), use(rows.environment),
      use(rows.event), use(rows.version), use(rows.position), use(rows.sequence), use(rows.created_at),
      use(rows.next_attempt_at), now;
}

void insert_attempts(Poco::Data::Session& session, const std::vector<AttemptRecord>& records) {
  std::vector<Integer> delivery, number, at, http_status, latency_ms;
  std::vector<std::string> error;
  for (const auto& record : records) {
    delivery.push_back(record.delivery_number);
    number.push_back(record.attempt.number);
    at.push_back(record.attempt.at.millis());
    http_status.push_back(record.attempt.http_status);
    latency_ms.push_back(record.attempt.latency_ms);
    error.push_back(record.attempt.error);
  }
  session << "INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?, ?)", use(delivery), use(number), use(at),
      use(http_status), use(latency_ms), use(error), now;
}

void update_outcomes(Poco::Data::Session& session, const std::vector<AttemptRecord>& records) {
  std::vector<Integer> status, attempts, at, number;
  std::vector<OptionalInteger> next_attempt_at;
  for (const auto& record : records) {
    status.push_back(static_cast<Integer>(record.status));
    attempts.push_back(record.attempt.number);
    next_attempt_at.push_back(to_row(record.next_attempt_at));
    at.push_back(record.attempt.at.millis());
    number.push_back(record.delivery_number);
  }
  session << "UPDATE deliveries SET status = ?, attempts = ?, next_attempt_at = ?, "
             "first_failed_at = COALESCE(first_failed_at, ?) WHERE number = ?",
      use(status), use(attempts), use(next_attempt_at), use(at), use(number), now;
}

}  // namespace pixledger::projections
