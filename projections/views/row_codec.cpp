#include "projections/views/row_codec.h"

#include <type_traits>

#include "base/platform/faults.h"
#include "domain/aggregates/field.h"
#include "projections/views/byte_stream.h"

// A row is its fields in sequence.
namespace pixledger::projections {
namespace {

using domain::Described;
using domain::FieldKind;

// A charge's row is usually smaller, unless it has many payments.
constexpr std::size_t kUsualRowBytes = 768;

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

struct Writer : ByteWriter {
  using ByteWriter::ByteWriter;

  template <class T>
  void value(const T& value) {
    if constexpr (kIsOptional<T>) {
      optional(value, [this](const auto& present) { this->value(present); });
    } else if constexpr (kIsList<T>) {
      number(static_cast<std::uint32_t>(value.size()));
      for (const auto& item : value) this->value(item);
    } else if constexpr (std::is_integral_v<T>) {
      number(value);
    } else if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::uint8_t>(value));
    } else if constexpr (std::is_same_v<T, Timestamp>) {
      number(value.millis());
    } else if constexpr (requires { value.value(); }) {
      number(value.value());
    } else if constexpr (std::is_same_v<T, std::string>) {
      text(value);
    } else if constexpr (std::is_same_v<T, domain::Metadata>) {
      number(static_cast<std::uint32_t>(value.entries().size()));
      for (const auto& entry : value.entries()) {
        text(entry.key.text());
        text(entry.value.text());
      }
    } else if constexpr (Described<T>) {
      static_assert(domain::names_every_member<T>());
      domain::for_each_field<T>([&]<class Field>(const Field& field) {
        if constexpr (Field::kKind != FieldKind::kPassing) this->value(field.of(value));
      });
    } else {
      text(value.text());
    }
  }
};

struct RowReader : ByteReader {
  using ByteReader::ByteReader;

  template <class T>
  T value() {
    if constexpr (kIsOptional<T>) {
      return optional([this] { return value<typename T::value_type>(); });
    } else if constexpr (kIsList<T>) {
      T values;
      for (auto left = number<std::uint32_t>(); left > 0; --left)
        values.push_back(value<typename T::value_type>());
      return values;
    } else if constexpr (std::is_integral_v<T>) {
      return number<T>();
    } else if constexpr (std::is_enum_v<T>) {
      return static_cast<T>(number<std::uint8_t>());
    } else if constexpr (requires(const T& amount) { amount.value(); }) {
      return T(number<decltype(std::declval<const T&>().value())>());
    } else if constexpr (std::is_same_v<T, Timestamp>) {
      return T(number<std::int64_t>());
    } else if constexpr (std::is_same_v<T, std::string>) {
      return T(text());
    } else if constexpr (std::is_same_v<T, domain::Metadata>) {
      return metadata();
    } else if constexpr (Described<T>) {
      return domain::with_fields<T>([this](const auto&... fields) { return T{this->field(fields)...}; });
    } else {
      return parsed<T>(text());
    }
  }

  template <class Field>
  typename Field::Value field(const Field&) {
    if constexpr (Field::kKind == FieldKind::kPassing)
      return {};
    else
      return value<typename Field::Value>();
  }

 private:
  domain::Metadata metadata() {
    std::vector<domain::MetadataEntry> entries;
    for (auto left = number<std::uint32_t>(); left > 0; --left) {
      auto key = value<domain::MetadataKey>();
      entries.push_back({std::move(key), value<domain::MetadataValue>()});
    }
    return known(domain::Metadata::of(std::move(entries)));
  }

  template <class T>
  static T known(std::optional<T> value) {
    if (!value) throw DataDamaged("the read models contain an invalid row");
    return *std::move(value);
  }

  template <class T>
  static T parsed(std::string_view text) {
    if constexpr (requires { T::parse_stored(text); })
      return known(T::parse_stored(text));
    else
      return known(T::parse(text));
  }
};

template <class Row>
std::string encode(const Row& row) {
  Writer out(kUsualRowBytes);
  out.value(row);
  return out.take();
}

template <class Row>
Row decode(std::string_view bytes, const std::string& view) {
  RowReader in(bytes);
  auto row = in.value<Row>();
  if (!in.at_end()) throw DataDamaged("a row of the " + view + " view is too long");
  return row;
}

// Whether these are the types of the first fields of T.
template <class T, class First, class Second, class Third>
constexpr bool begins_with() {
  return domain::with_fields<T>([]<class A, class B, class C>(const A&, const B&, const C&, const auto&...) {
    return std::is_same_v<typename A::Value, First> && std::is_same_v<typename B::Value, Second> &&
           std::is_same_v<typename C::Value, Third>;
  });
}

}  // namespace

std::string encode_row(const domain::Charge& charge) { return encode(charge); }
std::string encode_row(const domain::Customer& customer) { return encode(customer); }
std::string encode_row(const FraudEvent& event) { return encode(event); }
std::string encode_row(const domain::Metadata& metadata) { return encode(metadata); }
std::string encode_row(const domain::UnmatchedPayment& payment) { return encode(payment); }
std::string encode_row(const domain::CheckoutSession& session) { return encode(session); }

domain::Charge decode_charge_row(std::string_view bytes) {
  return decode<domain::Charge>(bytes, "transaction");
}
domain::Customer decode_customer_row(std::string_view bytes) {
  return decode<domain::Customer>(bytes, "customer");
}
CustomerSummary decode_customer_summary(std::string_view bytes) {
  using domain::Customer;
  using domain::CustomerDetails;
  static_assert(
      begins_with<Customer, domain::CustomerId, domain::ProjectId, std::optional<CustomerDetails>>());
  static_assert(begins_with<CustomerDetails, domain::PersonName, domain::Document, EmailAddress>());
  RowReader in(bytes);
  in.text();  // the id
  auto project = in.value<domain::ProjectId>();
  auto shown = in.optional([&in] {
    auto name = in.value<domain::PersonName>();
    in.text();  // the document
    return CustomerSummary::Shown{std::move(name), in.value<EmailAddress>()};
  });
  return {std::move(project), std::move(shown)};
}
domain::Metadata decode_metadata_row(std::string_view bytes) {
  return decode<domain::Metadata>(bytes, "metadata");
}
domain::UnmatchedPayment decode_unmatched_payment_row(std::string_view bytes) {
  return decode<domain::UnmatchedPayment>(bytes, "unmatched payments'");
}
domain::CheckoutSession decode_checkout_row(std::string_view bytes) {
  return decode<domain::CheckoutSession>(bytes, "checkout sessions'");
}
FraudEvent decode_fraud_event_row(std::string_view bytes) { return decode<FraudEvent>(bytes, "refusal"); }

}  // namespace pixledger::projections
