#pragma once

#include <Poco/Data/Session.h>

// The tables of the deliveries in SQLite. The numbers of enumerations are those of the domain and never
// change.
namespace pixledger::projections {

// Makes the tables where there are none, and brings those of an older release up to date. Throws
// std::runtime_error when a newer release made them.
void make_delivery_tables(Poco::Data::Session& session);

// False where there are no tables yet, or older ones. Throws as above.
bool are_delivery_tables_current(Poco::Data::Session& session);

// Tables that live as long as the session: what a transaction works with.
void make_working_tables(Poco::Data::Session& session);

}  // namespace pixledger::projections
