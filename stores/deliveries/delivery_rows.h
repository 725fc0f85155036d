#pragma once

#include <string>
#include <vector>

#include "stores/deliveries/delivery.h"
#include "stores/sql/sql_database.h"

// Deliveries and attempts as rows, written in bulk. Each function is part of the caller's transaction.
namespace pixledger::stores {

// The deliveries that a condition selects. `tail` follows "FROM deliveries" and has these parameters.
std::vector<Delivery> select_deliveries(SqlDatabase& database, const std::string& tail,
                                        const SqlValues& values);

// What queues a delivery again, and the SQL of the round that it begins (delivery_round.h).
enum class Requeued { kRecovery, kRedelivery };
std::string next_round(Requeued by);
// The SQL of how many attempts have been made in a delivery's round.
std::string attempts_of_round(const std::string& deliveries);

// Pending ones, due at their first attempt. One that is there already stays as it is.
void insert_deliveries(SqlDatabase& database, const std::vector<NewDelivery>& deliveries);
// Pending ones, and those that were not delivered queued again: none due yet that is about a charge, the
// others from `now` on.
void insert_missed(SqlDatabase& database, const std::vector<NewDelivery>& deliveries, Timestamp now);
void insert_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records);
// In a database that has read the log up to a position. One that was given up meanwhile does not become
// pending again.
void update_outcomes(SqlDatabase& database, const std::vector<AttemptRecord>& records, Position read_up_to);

}  // namespace pixledger::stores
