#include "http/api/common/charge_fields.h"

#include <cstddef>
#include <utility>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/values/civil_date.h"
#include "eventstore/keys/keyring.h"
#include "http/api/common/body_fields.h"
#include "http/api/common/customer_fields.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/services.h"
#include "projections/views/charge_sums.h"

namespace pixledger::http {
namespace {

constexpr std::int64_t kExpirationMinutesMin = 5;
constexpr std::int64_t kMinutesPerDay = 24 * 60;
constexpr std::int64_t kExpirationMinutesMax = domain::kExpirationDaysMax * kMinutesPerDay;

constexpr std::size_t kDigits = 24;  // after the leading c: 124 bits of the digest
constexpr std::string_view kAlphabet = "0123456789abcdefghijklmnopqrstuvwxyz";

}  // namespace

std::optional<PaymentBody> read_payment(const JsonObject& body, bool takes_minutes) {
  const auto payment = body.required_object("payment");
  if (!payment) return std::nullopt;
  const auto amount = payment->required_integer("amountCents", 1, domain::kAmountCentsMax);
  auto product = payment->required<domain::ProductName>("product");
  const auto quantity = payment->optional_integer("quantity", 1, domain::kQuantityMax);
  const auto days = payment->optional_integer("expirationDays", 1, domain::kExpirationDaysMax);
  std::optional<std::int64_t> minutes;
  if (takes_minutes)
    minutes = payment->optional_integer("expirationMinutes", kExpirationMinutesMin, kExpirationMinutesMax);
  if (days && minutes)
    payment->violation("expirationMinutes", "must be absent where expirationDays is given");
  if (!amount || !product) return std::nullopt;
  std::optional<std::int32_t> expiration_days;
  if (days) expiration_days = static_cast<std::int32_t>(*days);
  if (minutes) expiration_days = domain::kExpirationDaysMax;
  return PaymentBody{.amount = domain::Cents(*amount),
                     .product = std::move(*product),
                     .quantity = static_cast<std::uint32_t>(quantity.value_or(1)),
                     .expiration_days = expiration_days,
                     .expiration_minutes = minutes};
}

std::optional<domain::CreateCharge> read_new_charge(const Services& services, const Caller& caller,
                                                    Input& input) {
  const auto body = input.body();
  auto customer = read_customer_of_charge(body);
  auto payment = read_payment(body, true);
  auto origin_host = read_origin_domain(body);
  auto customer_ip = body.optional<IpAddress>("customerIp");
  auto external_id = body.optional<domain::ExternalId>("externalId");
  auto connection = body.optional<domain::ConnectionId>("connectionId");
  auto metadata = read_metadata(body);
  if (!input.finish()) return std::nullopt;
  std::optional<Timestamp> expires_by;
  if (payment->expiration_minutes)
    expires_by = services.clock.now().plus_millis(*payment->expiration_minutes * kMinuteMs);
  return domain::CreateCharge{.project = caller.project,
                              .environment = caller.environment,
                              .token = services.keyring.token_of(caller.project, customer->document),
                              .customer = std::move(*customer),
                              .amount = payment->amount,
                              .product = std::move(payment->product),
                              .quantity = payment->quantity,
                              .expiration_days = payment->expiration_days,
                              .origin_host = std::move(*origin_host),
                              .customer_ip = std::move(customer_ip),
                              .external_id = std::move(external_id),
                              .connection = std::move(connection),
                              .metadata = std::move(metadata).value_or(domain::Metadata()),
                              .expires_by = expires_by};
}

void write_references(Json& json, const domain::Charge& charge) {
  json.field("externalId", charge.external_id ? charge.external_id->text() : charge.id.text());
  json.key("transactionCode");
  charge.payment ? json.value(charge.payment->end_to_end_id) : json.null();
}

void write_purchase(Json& json, const domain::Charge& charge) {
  json.field("amountCents", charge.amount);
  json.field("product", charge.product);
  json.field("quantity", charge.quantity);
}

std::optional<Timestamp> paid_at(const domain::Charge& charge) {
  if (!charge.payment) return std::nullopt;
  return charge.payment->paid_at;
}

bool is_moved(const domain::Charge& charge, const domain::Refund& refund) {
  return charge.through_bank || refund.origin == domain::RefundOrigin::kBank;
}

void write_money(Json& json, const domain::Charge& charge) {
  json.field("paidAt", paid_at(charge));
  if (const auto& payment = charge.payment) {
    const auto fee = payment->fee.value_or(domain::Cents(0));
    json.field("paidAmountCents", payment->amount);
    json.field("feeCents", fee).field("netCents", payment->amount - fee);
  } else {
    json.null("paidAmountCents").null("feeCents").null("netCents");
  }
  json.field("refundedAmountCents", charge.refunded);
  json.field("unappliedAmountCents", projections::mark_of(charge).unapplied.cents);
}

std::string derived_id(std::initializer_list<std::string_view> parts) {
  std::string framed;
  for (const auto part : parts) framed += std::to_string(part.size()) + ":" + std::string(part);
  const auto digest = sha256(framed);
  std::string id = "c";
  for (std::size_t i = 0; i < kDigits; ++i) id += kAlphabet[digest[i] % kAlphabet.size()];
  return id;
}

}  // namespace pixledger::http
