#include "projections/deliveries/delivery_rows.h"

#include <Poco/Data/Statement.h>
#include <array>

#include "projections/storage/damage.h"
#include "projections/storage/optional_moment.h"

namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;

constexpr Integer kTestEvent = -1;

OptionalInteger to_row(const std::optional<domain::Timestamp>& moment) {
  return moment ? OptionalInteger(moment->millis()) : OptionalInteger();
}

template <class Id>
Id to_id(const std::string& text) {
  auto id = Id::parse(text);
  if (!id) throw WorkerDatabaseDamaged("a row of the deliveries is damaged");
  return *std::move(id);
}

std::optional<domain::ChargeId> to_charge(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return to_id<domain::ChargeId>(text);
}

std::optional<domain::WebhookEvent> to_event(Integer number) {
  if (number == kTestEvent) return std::nullopt;
  return static_cast<domain::WebhookEvent>(number);
}

// What a SELECT fills, or an INSERT takes, column by column.
struct Columns {
  std::vector<Integer> number, environment, event, version, position, sequence, created_at, status, attempts,
      round_start;
  std::vector<std::string> id, channel, project, charge;
  std::vector<OptionalInteger> next_attempt_at;

  Delivery row(std::size_t i) const {
    const auto state = static_cast<DeliveryStatus>(status[i]);
    return {number[i],
            to_id<DeliveryId>(id[i]),
            to_id<domain::ChannelId>(channel[i]),
            to_id<domain::ProjectId>(project[i]),
            to_charge(charge[i]),
            static_cast<domain::Environment>(environment[i]),
            to_event(event[i]),
            static_cast<domain::WebhookVersion>(version[i]),
            domain::Position(static_cast<std::uint64_t>(position[i])),
            static_cast<std::uint32_t>(sequence[i]),
            domain::Timestamp(created_at[i]),
            state,
            static_cast<unsigned>(attempts[i]),
            state == DeliveryStatus::kPending ? to_moment(next_attempt_at[i]) : std::nullopt,
            static_cast<unsigned>(round_start[i])};
  }

  void add(const NewDelivery& delivery, const OptionalInteger& first_attempt_at) {
    id.push_back(delivery.id.text());
    channel.push_back(delivery.channel.text());
    project.push_back(delivery.project.text());
    charge.push_back(delivery.charge ? delivery.charge->text() : "");
    environment.push_back(static_cast<Integer>(delivery.environment));
    event.push_back(delivery.event ? static_cast<Integer>(*delivery.event) : kTestEvent);
    version.push_back(static_cast<Integer>(delivery.version));
    position.push_back(static_cast<Integer>(delivery.position.value()));
    sequence.push_back(delivery.sequence);
    created_at.push_back(delivery.created_at.millis());
    next_attempt_at.push_back(first_attempt_at);
  }
};

void insert(Poco::Data::Session& session, Columns& rows) {
  session << "INSERT INTO deliveries (id, channel, project, charge, environment, event, version, position, "
             "sequence, created_at, status, attempts, next_attempt_at) "
             "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?) ON CONFLICT (id) DO NOTHING",
      use(rows.id), use(rows.channel), use(rows.project), use(rows.charge), use(rows.environment),
      use(rows.event), use(rows.version), use(rows.position), use(rows.sequence), use(rows.created_at),
      use(rows.next_attempt_at), now;
}

// Those that no attempt was made of.
void give_up(Poco::Data::Session& session, const std::vector<AttemptRecord>& records,
             domain::Position read_up_to) {
  std::vector<Integer> status, number;
  for (const auto& record : records) {
    if (record.attempt || record.head <= read_up_to) continue;
    status.push_back(static_cast<Integer>(record.status));
    number.push_back(record.delivery_number);
  }
  if (number.empty()) return;
  session << "UPDATE deliveries SET status = ? WHERE number = ? AND status = 0", use(status), use(number),
      now;
}

// Those that were queued again during an attempt that failed: it was the last one of the round before.
void begin_round_behind_failures(Poco::Data::Session& session, const std::vector<AttemptRecord>& records) {
  std::vector<Integer> attempts, number, round_start;
  for (const auto& record : records) {
    if (!record.attempt || record.status == DeliveryStatus::kDelivered) continue;
    attempts.push_back(record.attempt->number);
    number.push_back(record.delivery_number);
    round_start.push_back(record.round_start);
  }
  if (number.empty()) return;
  session << "UPDATE deliveries SET attempts = ?1, round_start = ?1 "
             "WHERE number = ?2 AND status = 0 AND round_start <> ?3",
      use(attempts), use(number), use(round_start), now;
}

}  // namespace

std::vector<Delivery> select_deliveries(Poco::Data::Session& session, const DeliveryQuery& query) {
  Columns rows;
  Poco::Data::Statement select(session);
  select << "SELECT number, id, channel, project, charge, environment, event, version, position, sequence, "
            "created_at, status, attempts, next_attempt_at, round_start FROM deliveries "
         << query.tail,
      into(rows.number), into(rows.id), into(rows.channel), into(rows.project), into(rows.charge),
      into(rows.environment), into(rows.event), into(rows.version), into(rows.position), into(rows.sequence),
      into(rows.created_at), into(rows.status), into(rows.attempts), into(rows.next_attempt_at),
      into(rows.round_start);
  for (const auto& text : query.texts) select, bind(text);
  for (const auto number : query.numbers) select, bind(Integer{number});
  select.execute();

  std::vector<Delivery> deliveries;
  deliveries.reserve(rows.number.size());
  for (std::size_t i = 0; i < rows.number.size(); ++i) deliveries.push_back(rows.row(i));
  return deliveries;
}

void insert_deliveries(Poco::Data::Session& session, const std::vector<NewDelivery>& deliveries) {
  if (deliveries.empty()) return;
  Columns rows;
  for (const auto& delivery : deliveries)
    rows.add(delivery, OptionalInteger(delivery.first_attempt_at.millis()));
  insert(session, rows);
}

void insert_missed(Poco::Data::Session& session, const std::vector<NewDelivery>& deliveries,
                   domain::Timestamp now) {
  if (deliveries.empty()) return;
  Columns rows;
  for (const auto& delivery : deliveries)
    rows.add(delivery, delivery.charge ? OptionalInteger() : OptionalInteger(now.millis()));
  insert(session, rows);
  session << "UPDATE deliveries SET status = 0, round_start = attempts, next_attempt_at = ?, "
             "first_failed_at = NULL WHERE id = ? AND status <> 1",
      use(rows.next_attempt_at), use(rows.id), Poco::Data::Keywords::now;
}

void insert_attempts(Poco::Data::Session& session, const std::vector<AttemptRecord>& records) {
  std::vector<Integer> delivery, number, at, http_status, latency_ms;
  std::vector<std::string> error, answer;
  for (const auto& record : records) {
    if (!record.attempt) continue;
    delivery.push_back(record.delivery_number);
    number.push_back(record.attempt->number);
    at.push_back(record.attempt->at.millis());
    http_status.push_back(record.attempt->http_status);
    latency_ms.push_back(record.attempt->latency_ms);
    error.push_back(record.attempt->error);
    answer.push_back(record.attempt->answer);
  }
  if (delivery.empty()) return;
  session << "INSERT OR REPLACE INTO attempts VALUES (?1, ?2, ?3, ?4, ?5, ?6, CASE WHEN "
             "(SELECT charge FROM deliveries WHERE number = ?1) IN (SELECT charge FROM erased_charges) "
             "THEN '' ELSE ?7 END)",
      use(delivery), use(number), use(at), use(http_status), use(latency_ms), use(error), use(answer), now;
}

void update_outcomes(Poco::Data::Session& session, const std::vector<AttemptRecord>& records,
                     domain::Position read_up_to) {
  give_up(session, records, read_up_to);
  begin_round_behind_failures(session, records);
  std::vector<Integer> status, attempts, at, number, round_start;
  std::vector<OptionalInteger> next_attempt_at;
  for (const auto& record : records) {
    if (!record.attempt) continue;
    status.push_back(static_cast<Integer>(record.status));
    attempts.push_back(record.attempt->number);
    next_attempt_at.push_back(to_row(record.next_attempt_at));
    at.push_back(record.attempt->at.millis());
    number.push_back(record.delivery_number);
    round_start.push_back(record.round_start);
  }
  if (number.empty()) return;
  session << "UPDATE deliveries SET status = CASE WHEN status <> 0 AND ?1 = 0 THEN status ELSE ?1 END, "
             "attempts = ?2, next_attempt_at = ?3, first_failed_at = COALESCE(first_failed_at, ?4) "
             "WHERE number = ?5 AND NOT (status = 0 AND round_start <> ?6 AND ?1 <> 1)",
      use(status), use(attempts), use(next_attempt_at), use(at), use(number), use(round_start), now;
}

}  // namespace pixledger::projections
