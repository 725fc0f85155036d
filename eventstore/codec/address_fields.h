#pragma once

#include <string_view>

#include "domain/aggregates/customer.h"

namespace pixledger::eventstore {

// Calls `visit(name, field)` for each part of an address, under the name and in the order in which all JSON
// shows it.
template <class Visit>
void for_each_address_field(const domain::Address& address, Visit visit) {
  visit(std::string_view("street"), address.street);
  visit(std::string_view("streetNumber"), address.street_number);
  visit(std::string_view("neighborhood"), address.neighborhood);
  visit(std::string_view("complement"), address.complement);
  visit(std::string_view("zipCode"), address.zip_code);
  visit(std::string_view("city"), address.city);
  visit(std::string_view("state"), address.state);
  visit(std::string_view("country"), address.country);
}

}  // namespace pixledger::eventstore
