#pragma once

#include <vector>

#include "stores/deliveries/delivery.h"
#include "stores/sql/sql_database.h"

// What events and attempts change about deliveries. Each function but stop_in_steps() is part of the caller's
// transaction.
namespace pixledger::stores {

// Where machines share the deliveries: begins with what a channel that stops has pending, many at a time and
// each time in a transaction of its own, since a statement there has only so long. To be called before the
// changes are applied.
void stop_in_steps(SqlDatabase& database, const std::vector<DeliveryChange>& changes);

// In their order.
void apply_changes(SqlDatabase& database, const std::vector<DeliveryChange>& changes);

// Of a recovery: made where there is none, queued again where it has not been delivered, from `now` on. Not
// what is so old that retention may have removed it.
void apply_missed(SqlDatabase& database, const std::vector<NewDelivery>& missed, Timestamp now);

void record_attempts(SqlDatabase& database, const std::vector<AttemptRecord>& records, Timestamp now);

}  // namespace pixledger::stores
