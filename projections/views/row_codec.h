#pragma once

#include <string>
#include <string_view>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/unmatched_payment.h"
#include "projections/views/fraud_event.h"

// Rows of the read models as bytes. Derived data: when the form changes, kViewSetVersion
// (generation_directory.h) goes up and the views are built again from the log.
namespace pixledger::projections {

std::string encode_row(const domain::Charge& charge);
std::string encode_row(const domain::Customer& customer);
std::string encode_row(const FraudEvent& event);
std::string encode_row(const domain::Metadata& metadata);
std::string encode_row(const domain::UnmatchedPayment& payment);
std::string encode_row(const domain::CheckoutSession& session);

// Throw std::runtime_error when the bytes are not a row.
domain::Charge decode_charge_row(std::string_view bytes);
domain::Metadata decode_metadata_row(std::string_view bytes);
domain::Customer decode_customer_row(std::string_view bytes);
domain::UnmatchedPayment decode_unmatched_payment_row(std::string_view bytes);
domain::CheckoutSession decode_checkout_row(std::string_view bytes);
FraudEvent decode_fraud_event_row(std::string_view bytes);

}  // namespace pixledger::projections
