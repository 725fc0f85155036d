#include "projections/deliveries/delivery_queries.h"

#include <Poco/Data/Statement.h>
#include <string>

#include "projections/deliveries/delivery_rows.h"
#include "projections/storage/optional_moment.h"

// Every look-up is served by an index, whatever has piled up: pending and given up deliveries have small
// partial indexes, and those that were delivered are counted as all of the channel less those two.
namespace pixledger::projections {
namespace {

using namespace Poco::Data::Keywords;
using Integer = Poco::Int64;

// Each is a condition that an index serves: what is pending and what was given up have small indexes of their
// own, and nearly everything else was delivered.
std::string condition_of(std::optional<DeliveryStatus> status) {
  if (!status) return "";
  switch (*status) {
    case DeliveryStatus::kPending:
      return " AND status = 0";
    case DeliveryStatus::kDelivered:
      return " AND status = 1";
    case DeliveryStatus::kFailed:
      return " AND status > 1 AND status = 2";
    case DeliveryStatus::kExhausted:
      return " AND status > 1 AND status = 3";
  }
  return "";
}

// An expression with the channel as its parameter.
std::string count_where(const std::string& condition) {
  return "(SELECT count(*) FROM deliveries WHERE channel = ?1" + condition + ")";
}

}  // namespace

std::optional<Delivery> find_delivery(Poco::Data::Session& session, const DeliveryId& id) {
  auto found = select_deliveries(session, {"WHERE id = ?", {id.text()}, {}});
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<Delivery> select_page(Poco::Data::Session& session, const domain::ChannelId& channel,
                                  std::optional<DeliveryStatus> status, std::size_t offset,
                                  std::size_t limit) {
  return select_deliveries(session, {"WHERE channel = ?" + condition_of(status) +
                                         " ORDER BY position DESC, number DESC LIMIT ? OFFSET ?",
                                     {channel.text()},
                                     {static_cast<std::int64_t>(limit), static_cast<std::int64_t>(offset)}});
}

std::size_t count_deliveries(Poco::Data::Session& session, const domain::ChannelId& channel,
                             std::optional<DeliveryStatus> status) {
  // One statement, so that all that it counts is of one moment: the worker goes on meanwhile.
  const auto expression =
      status == DeliveryStatus::kDelivered
          ? count_where("") + " - " + count_where(" AND status = 0") + " - " + count_where(" AND status > 1")
          : count_where(condition_of(status));
  Integer count = 0;
  session << "SELECT " + expression, into(count), bind(channel.text()), now;
  return static_cast<std::size_t>(count);
}

std::uint64_t count_not_due(Poco::Data::Session& session, const domain::ChannelId& channel,
                            domain::Timestamp since, domain::Timestamp until, domain::Timestamp now) {
  Integer count = 0;
  session << "SELECT count(*) FROM deliveries WHERE channel = ? AND status = 0 "
             "AND created_at BETWEEN ? AND ? AND (next_attempt_at IS NULL OR next_attempt_at > ?)",
      into(count), bind(channel.text()), bind(Integer{since.millis()}), bind(Integer{until.millis()}),
      bind(Integer{now.millis()}), Poco::Data::Keywords::now;
  return static_cast<std::uint64_t>(count);
}

std::vector<DeliveryAttempt> select_attempts(Poco::Data::Session& session, std::int64_t delivery_number) {
  std::vector<Integer> number, at, http_status, latency_ms;
  std::vector<std::string> error, answer;
  session << "SELECT number, at, http_status, latency_ms, error, answer FROM attempts WHERE delivery = ? "
             "ORDER BY number",
      into(number), into(at), into(http_status), into(latency_ms), into(error), into(answer),
      bind(Integer{delivery_number}), now;
  std::vector<DeliveryAttempt> attempts;
  for (std::size_t i = 0; i < number.size(); ++i) {
    attempts.push_back({static_cast<unsigned>(number[i]), domain::Timestamp(at[i]),
                        static_cast<int>(http_status[i]), latency_ms[i], error[i], answer[i]});
  }
  return attempts;
}

std::optional<domain::Timestamp> select_pruned_before(Poco::Data::Session& session) {
  std::vector<Integer> before;
  session << "SELECT pruned_before FROM retention", into(before), now;
  if (before.empty()) return std::nullopt;
  return domain::Timestamp(before.front());
}

ChannelHealth select_health(Poco::Data::Session& session, const domain::ChannelId& channel) {
  std::vector<Integer> failures;
  std::vector<OptionalInteger> success, failure, since;
  session << "SELECT consecutive_failures, last_success_at, last_failure_at, failing_since "
             "FROM channel_health WHERE channel = ?",
      into(failures), into(success), into(failure), into(since), bind(channel.text()), now;
  if (failures.empty()) return {};
  return {static_cast<std::uint64_t>(failures.front()), to_moment(success.front()),
          to_moment(failure.front()), to_moment(since.front())};
}

}  // namespace pixledger::projections
