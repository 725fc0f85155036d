#pragma once

#include <cstdint>
#include <vector>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "http/api/common/personal_json.h"
#include "http/services/services.h"
#include "projections/views/fraud_event.h"

namespace pixledger::http {

// Everything that a customer's page shows.
struct CustomerDetail {
  domain::Customer customer;
  std::vector<domain::Charge> recent;  // the newest ten
  std::uint64_t transactions = 0;      // in the project, as far as the caller may see them
  std::vector<projections::FraudEvent> fraud_events;
};

// As the read models have it now; nullopt when the caller's project has no such customer. Throws WorkGivenUp
// when the request's budget is over, as the next does.
std::optional<CustomerDetail> find_customer_detail(const Services& services, const Request& request,
                                                   const domain::CustomerId& id);

// As it was right after a position of the log, so that the reply to a command is the same however often it is
// asked for again. `customer` is as of then.
CustomerDetail customer_detail_as_of(const Services& services, const Request& request,
                                     domain::Customer customer, Position as_of);

// Whether an answer names the payments that were refused to the customer.
enum class FraudEvents { kShown, kLeftOut };

// {"success", "data"}; a block that has an end is over or not as of `now`.
Reply render_customer_detail(const Services& services, const CustomerDetail& detail, Timestamp now,
                             FraudEvents fraud_events, PersonalData personal);

}  // namespace pixledger::http
