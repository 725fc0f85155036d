#pragma once

#include <Poco/Data/Session.h>
#include <cstdint>
#include <string>
#include <vector>

#include "projections/delivery.h"

// How deliveries look in SQLite. The numbers of enumerations are those of the domain and never change.
namespace pixledger::projections {

// Makes the tables where there are none. Throws std::runtime_error when a newer release made them.
void make_delivery_tables(Poco::Data::Session& session);

// The deliveries that a condition selects. `tail` follows "FROM deliveries" and has exactly these parameters.
struct DeliveryQuery {
  std::string tail;
  std::vector<std::string> texts;     // the first parameters
  std::vector<std::int64_t> numbers;  // the ones after them
};
std::vector<Delivery> select_deliveries(Poco::Data::Session& session, const DeliveryQuery& query);

void insert_deliveries(Poco::Data::Session& session, const std::vector<NewDelivery>& deliveries,
                       const std::vector<std::optional<domain::Timestamp>>& first_attempts);
void insert_attempts(Poco::Data::Session& session, const std::vector<AttemptRecord>& records);
void update_outcomes(Poco::Data::Session& session, const std::vector<AttemptRecord>& records);

}  // namespace pixledger::projections
