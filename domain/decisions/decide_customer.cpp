#include "domain/decisions/decide_customer.h"

namespace pixledger::domain {
namespace {

// Whether the stream's customer is the one meant, and the caller may touch it: it may be an erased one, or a
// later one of the same document. Nullopt when all is well.
template <class Command>
std::optional<Rejection> guard(const Customer* customer, const Command& command) {
  const auto& caller = command.caller;
  if (!customer || customer->erased_at || customer->id != command.id) return Rejection::kCustomerNotFound;
  if (caller.project && *caller.project != customer->project) return Rejection::kCustomerNotFound;
  if (caller.sandbox_only && customer->environment == Environment::kLive) return Rejection::kLiveForTestKey;
  return std::nullopt;
}

bool has_same_block(const Customer& customer, const BlockCustomer& command) {
  return customer.block && customer.block->type == command.type && customer.block->reason == command.reason &&
         customer.block->expires_at == command.expires_at;
}

}  // namespace

Decision decide(const Project* project, const Customer* customer, const SaveCustomer& command,
                const Context& context) {
  const bool verify = project && project->settings.verify_documents;
  if (verify && !has_valid_check_digits(command.details.document))
    return refuse(Rejection::kInvalidDocumentCheckDigits);
  auto stream = customer_stream(command.project, command.environment, command.token);
  auto details = command.details;
  if (command.metadata)
    details.metadata = *command.metadata;
  else if (customer && customer->details)
    details.metadata = customer->details->metadata;
  if (!customer) {
    CustomerRegistered registered{mint<CustomerId>(context.ids, 0), command.project, std::move(details),
                                  command.environment};
    return record(std::move(stream), command.project, CustomerEvent(std::move(registered)));
  }
  if (customer->details == details) return nothing_to_do();
  return record(std::move(stream), command.project, CustomerEvent(CustomerUpdated{std::move(details)}));
}

Decision decide(const Customer* customer, const BlockCustomer& command, const Context& context) {
  if (const auto rejection = guard(customer, command)) return refuse(*rejection);
  if (has_same_block(*customer, command)) return nothing_to_do();
  if (command.expires_at && *command.expires_at <= context.now) return refuse(Rejection::kBlockExpiryInPast);
  return record(command.customer, customer->project,
                CustomerEvent(CustomerBlocked{command.type, command.reason, command.expires_at}));
}

Decision decide(const Customer* customer, const UnblockCustomer& command, const Context& context) {
  if (const auto rejection = guard(customer, command)) return refuse(*rejection);
  if (!is_blocked(*customer, context.now)) return nothing_to_do();
  return record(command.customer, customer->project, CustomerEvent(CustomerUnblocked{}));
}

Decision decide(const Customer* customer, const EraseCustomer& command, const Context&) {
  if (!customer) return refuse(Rejection::kCustomerNotFound);
  // The stream held that id before, so a later one says that it has been erased.
  if (customer->erased_at || customer->id != command.id) return nothing_to_do();
  return record(command.customer, customer->project,
                CustomerEvent(CustomerErased{command.id, command.reason}));
}

}  // namespace pixledger::domain
