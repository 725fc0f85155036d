#include "tools/operations/customer_search.h"

#include <unordered_set>
#include <variant>

#include "base/text/ascii.h"
#include "eventstore/reading/log_scan.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::tools {
namespace {

using domain::Customer;

const domain::CustomerDetails* details_in(const domain::RecordedEvent& event) {
  const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
  if (!change) return nullptr;
  const std::optional<domain::CustomerDetails>* details = nullptr;
  if (const auto* registered = std::get_if<domain::CustomerRegistered>(change))
    details = &registered->details;
  if (const auto* updated = std::get_if<domain::CustomerUpdated>(change)) details = &updated->details;
  return details && *details ? &**details : nullptr;
}

bool has(const domain::CustomerDetails& details, const EmailAddress& email) {
  return equal_without_case(details.email.text(), email.text());
}

std::optional<Customer> customer_in(const eventstore::Log& log, const domain::StreamName& stream) {
  auto customer = eventstore::fold_as<Customer>(log, stream);
  return customer && customer->details ? customer : std::nullopt;
}

}  // namespace

std::vector<Customer> customers_with(const eventstore::Ledger& ledger, const domain::ProjectId& project,
                                     const domain::Document& document) {
  const auto token =
      domain::DocumentToken::parse(ledger.keyring.name_of_document(project.text(), document.text()));
  std::vector<Customer> found;
  for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox}) {
    const auto stream = domain::customer_stream(project, environment, *token);
    if (auto customer = customer_in(*ledger.log, stream)) found.push_back(*std::move(customer));
  }
  return found;
}

std::vector<Customer> customers_with(const eventstore::Ledger& ledger, const domain::ProjectId& project,
                                     const EmailAddress& email) {
  const auto& log = *ledger.log;
  std::vector<Customer> found;
  std::unordered_set<domain::StreamName> seen;
  eventstore::for_each_event(log, Position(), log.head().position, [&](const domain::RecordedEvent& event) {
    if (event.project != project || found.size() == kFoundCustomersMax) return;
    const auto* details = details_in(event);
    if (!details || !has(*details, email) || !seen.insert(event.stream).second) return;
    // They may have changed it since.
    auto customer = customer_in(log, event.stream);
    if (customer && has(*customer->details, email)) found.push_back(*std::move(customer));
  });
  return found;
}

}  // namespace pixledger::tools
