#include <optional>

#include "domain/decisions/command.h"
#include "http/api/charges/bank_waits.h"
#include "http/api/common/body_fields.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/charge_fields.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

// The decision stops at the first invalid value; the reply lists all. It is not stored, so later changes of
// settings cannot make repeats differ.
Reply reject(const Services& services, const Request& request, domain::Rejection rejection) {
  Violations violations;
  if (rejection == domain::Rejection::kUnknownConnection ||
      rejection == domain::Rejection::kInvalidDocumentCheckDigits) {
    const auto& caller = *request.caller;
    Input input(request);
    read_new_charge(services, caller, input);
    add_violations_of_creation(*project_of(services, caller), caller.environment, input, violations);
  }
  return violations.size() > 1 ? validation_reply(request, std::move(violations))
                               : rejection_reply(request, rejection);
}

}  // namespace

Answer create_transaction(const Services& services, const Request& request) {
  Input input(request);
  const auto& caller = *request.caller;
  auto command = read_new_charge(services, caller, input);
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
