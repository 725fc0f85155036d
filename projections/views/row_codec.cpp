#include "projections/views/row_codec.h"

#include "projections/storage/damage.h"
#include "projections/views/byte_stream.h"

namespace pixledger::projections {
namespace {

using domain::Cents;
using domain::Timestamp;

template <class T>
std::optional<T> parse_stored(std::string_view text) {
  if constexpr (requires { T::parse_stored(text); })
    return T::parse_stored(text);
  else
    return T::parse(text);
}

template <class T>
T parsed(std::string_view text) {
  auto value = parse_stored<T>(text);
  if (!value) throw ViewsDamaged("a row of the read models holds a value that is none");
  return std::move(*value);
}

struct Writer : ByteWriter {
  using ByteWriter::optional;

  void time(Timestamp value) { number(value.millis()); }
  void cents(Cents value) { number(value.value()); }
  template <class T>
  void maybe_text(const std::optional<T>& value) {
    optional(value, [&](const T& present) { text(present.text()); });
  }
  void maybe_time(const std::optional<Timestamp>& value) {
    optional(value, [&](Timestamp present) { time(present); });
  }
};

struct Reader : ByteReader {
  using ByteReader::ByteReader;
  using ByteReader::optional;

  Timestamp time() { return Timestamp(number<std::int64_t>()); }
  Cents cents() { return Cents(number<std::int64_t>()); }
  template <class T>
  T value() {
    return parsed<T>(text());
  }
  template <class T>
  std::optional<T> maybe() {
    return optional([&] { return value<T>(); });
  }
  std::optional<Timestamp> maybe_time() {
    return optional([&] { return time(); });
  }
  template <class T>
  T code() {
    return static_cast<T>(number<std::uint8_t>());
  }
};

void write(Writer& out, const domain::Address& address) {
  out.maybe_text(address.street);
  out.maybe_text(address.street_number);
  out.maybe_text(address.neighborhood);
  out.maybe_text(address.complement);
  out.maybe_text(address.zip_code);
  out.maybe_text(address.city);
  out.maybe_text(address.state);
  out.maybe_text(address.country);
}

domain::Address read_address(Reader& in) {
  domain::Address address;
  address.street = in.maybe<domain::Label>();
  address.street_number = in.maybe<domain::Label>();
  address.neighborhood = in.maybe<domain::Label>();
  address.complement = in.maybe<domain::Label>();
  address.zip_code = in.maybe<domain::Label>();
  address.city = in.maybe<domain::Label>();
  address.state = in.maybe<domain::Label>();
  address.country = in.maybe<domain::CountryCode>();
  return address;
}

void write(Writer& out, const domain::CustomerDetails& details) {
  out.text(details.name.text());
  out.text(details.document.text());
  out.text(details.email.text());
  out.text(details.phone.text());
  write(out, details.address);
}

domain::CustomerDetails read_details(Reader& in) {
  auto name = in.value<domain::PersonName>();
  auto document = in.value<domain::Document>();
  auto email = in.value<domain::EmailAddress>();
  auto phone = in.value<domain::Phone>();
  return {std::move(name), std::move(document), std::move(email), std::move(phone), read_address(in)};
}

void write(Writer& out, const domain::Payment& payment) {
  out.text(payment.end_to_end_id.text());
  out.cents(payment.amount);
  out.time(payment.paid_at);
  out.optional(payment.fee, [&](Cents fee) { out.cents(fee); });
}

domain::Payment read_payment(Reader& in) {
  auto id = in.value<domain::EndToEndId>();
  const auto amount = in.cents();
  const auto paid_at = in.time();
  return {std::move(id), amount, paid_at, in.optional([&] { return in.cents(); })};
}

void write(Writer& out, const domain::UnappliedPayment& payment) {
  out.text(payment.end_to_end_id.text());
  out.cents(payment.amount);
  out.time(payment.paid_at);
  out.time(payment.received_at);
  out.number(static_cast<std::uint8_t>(payment.flag));
}

domain::UnappliedPayment read_unapplied(Reader& in) {
  auto id = in.value<domain::EndToEndId>();
  const auto amount = in.cents();
  const auto paid_at = in.time();
  const auto received_at = in.time();
  return {std::move(id), amount, paid_at, received_at, in.code<domain::PaymentFlag>()};
}

// What a charge was created with, then what has become of it.
void write_state(Writer& out, const domain::Charge& charge) {
  out.number(static_cast<std::uint8_t>(charge.status));
  out.optional(charge.payment, [&](const domain::Payment& payment) { write(out, payment); });
  out.cents(charge.refunded);
  out.maybe_time(charge.expired_at);
  out.maybe_time(charge.refunded_at);
  out.maybe_time(charge.failed_at);
  out.number(static_cast<std::uint32_t>(charge.unapplied.size()));
  for (const auto& payment : charge.unapplied) write(out, payment);
  out.time(charge.created_at);
  out.time(charge.updated_at);
}

void read_state(Reader& in, domain::Charge& charge) {
  charge.status = in.code<domain::ChargeStatus>();
  charge.payment = in.optional([&] { return read_payment(in); });
  charge.refunded = in.cents();
  charge.expired_at = in.maybe_time();
  charge.refunded_at = in.maybe_time();
  charge.failed_at = in.maybe_time();
  for (auto left = in.number<std::uint32_t>(); left > 0; --left)
    charge.unapplied.push_back(read_unapplied(in));
  charge.created_at = in.time();
  charge.updated_at = in.time();
}

domain::CustomerBlock read_block(Reader& in) {
  const auto type = in.code<domain::BlockType>();
  auto reason = in.maybe<domain::Label>();
  const auto expires_at = in.maybe_time();
  return {type, std::move(reason), expires_at, in.time()};
}

}  // namespace

std::string encode_row(const domain::Charge& charge) {
  Writer out;
  out.text(charge.id.text());
  out.text(charge.project.text());
  out.number(static_cast<std::uint8_t>(charge.environment));
  out.text(charge.customer.text());
  out.text(charge.connection.text());
  out.maybe_text(charge.external_id);
  out.cents(charge.amount);
  out.text(charge.product.text());
  out.number(charge.quantity);
  out.text(charge.origin_host.text());
  out.time(charge.expires_at);
  out.text(charge.pix_code);
  write_state(out, charge);
  return out.take();
}

domain::Charge decode_charge_row(std::string_view bytes) {
  Reader in(bytes);
  auto id = in.value<domain::ChargeId>();
  auto project = in.value<domain::ProjectId>();
  const auto environment = in.code<domain::Environment>();
  auto customer = in.value<domain::CustomerId>();
  auto connection = in.value<domain::ConnectionId>();
  auto external_id = in.maybe<domain::ExternalId>();
  const auto amount = in.cents();
  auto product = in.value<domain::ProductName>();
  const auto quantity = in.number<std::uint32_t>();
  auto origin_host = in.value<domain::OriginHost>();
  const auto expires_at = in.time();
  domain::Charge charge{std::move(id),
                        std::move(project),
                        environment,
                        std::move(customer),
                        std::move(connection),
                        std::move(external_id),
                        amount,
                        std::move(product),
                        quantity,
                        std::move(origin_host),
                        expires_at,
                        std::string(in.text())};
  read_state(in, charge);
  if (!in.at_end()) throw ViewsDamaged("a row of the transaction view is too long");
  return charge;
}

std::string encode_row(const domain::Customer& customer) {
  Writer out;
  out.text(customer.id.text());
  out.text(customer.project.text());
  out.optional(customer.details, [&](const domain::CustomerDetails& details) { write(out, details); });
  out.optional(customer.block, [&](const domain::CustomerBlock& block) {
    out.number(static_cast<std::uint8_t>(block.type));
    out.maybe_text(block.reason);
    out.maybe_time(block.expires_at);
    out.time(block.blocked_at);
  });
  out.time(customer.created_at);
  out.time(customer.updated_at);
  out.maybe_time(customer.erased_at);
  return out.take();
}

domain::Customer decode_customer_row(std::string_view bytes) {
  Reader in(bytes);
  auto id = in.value<domain::CustomerId>();
  auto project = in.value<domain::ProjectId>();
  auto details = in.optional([&] { return read_details(in); });
  auto block = in.optional([&] { return read_block(in); });
  const auto created_at = in.time();
  const auto updated_at = in.time();
  const auto erased_at = in.maybe_time();
  if (!in.at_end()) throw ViewsDamaged("a row of the customer view is too long");
  return {std::move(id), std::move(project), std::move(details), std::move(block),
          created_at,    updated_at,         erased_at};
}

std::string encode_row(const FraudEvent& event) {
  Writer out;
  out.number(event.position.value());
  out.number(static_cast<std::uint8_t>(event.type));
  out.cents(event.amount);
  out.text(event.product.text());
  out.time(event.created_at);
  return out.take();
}

FraudEvent decode_fraud_event_row(std::string_view bytes) {
  Reader in(bytes);
  const domain::Position position(in.number<std::uint64_t>());
  const auto type = in.code<domain::FraudType>();
  const auto amount = in.cents();
  auto product = in.value<domain::ProductName>();
  return {position, type, amount, std::move(product), in.time()};
}

}  // namespace pixledger::projections
