#include <optional>

#include "base/platform/clock_and_entropy.h"
#include "base/values/civil_date.h"
#include "domain/decisions/command.h"
#include "eventstore/keys/keyring.h"
#include "http/api/charges/bank_waits.h"
#include "http/api/common/body_fields.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/customer_fields.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

constexpr std::int64_t kExpirationMinutesMin = 5;
constexpr std::int64_t kMinutesPerDay = 24 * 60;
constexpr std::int64_t kExpirationMinutesMax = domain::kExpirationDaysMax * kMinutesPerDay;

struct PaymentBody {
  domain::Cents amount;
  domain::ProductName product;
  std::uint32_t quantity;
  std::optional<std::int32_t> expiration_days;
  std::optional<std::int64_t> expiration_minutes;  // within those days
};

std::optional<PaymentBody> read_payment(const JsonObject& body) {
  const auto payment = body.required_object("payment");
  if (!payment) return std::nullopt;
  const auto amount = payment->required_integer("amountCents", 1, domain::kAmountCentsMax);
  auto product = payment->required<domain::ProductName>("product");
  const auto quantity = payment->optional_integer("quantity", 1, domain::kQuantityMax);
  const auto days = payment->optional_integer("expirationDays", 1, domain::kExpirationDaysMax);
  const auto minutes =
      payment->optional_integer("expirationMinutes", kExpirationMinutesMin, kExpirationMinutesMax);
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

// nullopt with violations.
std::optional<domain::CreateCharge> read_command(const Services& services, const Caller& caller,
                                                 Input& input) {
  const auto body = input.body();
  auto customer = read_customer_of_charge(body);
  auto payment = read_payment(body);
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

// The decision stops at the first invalid value; the reply lists all. It is not stored, so later changes of
// settings cannot make repeats differ.
Reply reject(const Services& services, const Request& request, domain::Rejection rejection) {
  Violations violations;
  if (rejection == domain::Rejection::kUnknownConnection ||
      rejection == domain::Rejection::kInvalidDocumentCheckDigits) {
    const auto& caller = *request.caller;
    Input input(request);
    read_command(services, caller, input);
    add_violations_of_creation(*project_of(services, caller), caller.environment, input, violations);
  }
  return violations.size() > 1 ? validation_reply(request, std::move(violations))
                               : rejection_reply(request, rejection);
}

}  // namespace

Answer create_transaction(const Services& services, const Request& request) {
  Input input(request);
  const auto& caller = *request.caller;
  auto command = read_command(services, caller, input);
  if (!command) {
    add_violations_of_creation(*project_of(services, caller), caller.environment, input, input.violations());
    return input.refusal();
  }
  auto place = reserve_code_wait(services, caller, command->connection);
  command->may_await_code = place != nullptr;
  const bool has_key = request.headers.find("Idempotency-Key").has_value();
  return execute_once(
      request, std::move(*command), has_key ? input.canonical_body() : std::string(),
      [&services, &request, place = std::move(place)](const eventstore::Completed& completed) {
        return answer_creation(services, request, completed, place);
      },
      [&services](const Request& asked, domain::Rejection rejection) {
        return reject(services, asked, rejection);
      });
}

}  // namespace pixledger::http
