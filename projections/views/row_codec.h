#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/values/internet_address.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/blocklist.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/values/cents.h"
#include "domain/values/names.h"

namespace pixledger::projections {

// A creation that was rejected for a payer, as a customer's page shows it.
struct FraudEvent {
  Position position;  // its identifier
  domain::FraudType type;
  domain::Cents amount;
  domain::ProductName product;
  Timestamp created_at;

  static constexpr auto fields(auto with) {
    return with(domain::field("position", &FraudEvent::position), domain::field("type", &FraudEvent::type),
                domain::field("amountCents", &FraudEvent::amount),
                domain::field("product", &FraudEvent::product),
                domain::field("createdAt", &FraudEvent::created_at));
  }
};

// What a list of charges shows of a customer.
struct CustomerSummary {
  domain::ProjectId project;
  struct Shown {
    domain::PersonName name;
    EmailAddress email;
  };
  std::optional<Shown> shown;  // nullopt: erased
};

// Encodes rows of the read models. Derived data: when the format changes, so does kViewSetVersion
// (generation_directory.h), and the views are rebuilt from the log.

std::string encode_row(const domain::Charge& charge);
std::string encode_row(const domain::Customer& customer);
std::string encode_row(const FraudEvent& event);
std::string encode_row(const domain::Metadata& metadata);
std::string encode_row(const domain::UnmatchedPayment& payment);
std::string encode_row(const domain::CheckoutSession& session);

// Throw std::runtime_error if the bytes are not a valid row.
domain::Charge decode_charge_row(std::string_view bytes);
domain::Metadata decode_metadata_row(std::string_view bytes);
domain::Customer decode_customer_row(std::string_view bytes);
// Reads the row's beginning only, which takes a quarter of the time.
CustomerSummary decode_customer_summary(std::string_view bytes);
domain::UnmatchedPayment decode_unmatched_payment_row(std::string_view bytes);
domain::CheckoutSession decode_checkout_row(std::string_view bytes);
FraudEvent decode_fraud_event_row(std::string_view bytes);

// How many fields a row of T has, those of its parts included.
template <class T>
consteval std::uint32_t row_field_count() {
  if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string>) {
    return row_field_count<typename T::value_type>();  // optional or a list
  } else if constexpr (std::is_class_v<T> && domain::Described<T>) {
    std::uint32_t count = 0;
    domain::for_each_field<T>([&]<class Field>(const Field&) {
      if constexpr (Field::kKind != domain::FieldKind::kPassing)
        count += 1 + row_field_count<typename Field::Value>();
    });
    return count;
  } else {
    return 0;
  }
}

inline constexpr std::uint32_t kRowFieldCount =
    row_field_count<domain::Charge>() + row_field_count<domain::Customer>() + row_field_count<FraudEvent>() +
    row_field_count<domain::UnmatchedPayment>() + row_field_count<domain::CheckoutSession>();

}  // namespace pixledger::projections
