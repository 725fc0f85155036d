#include <algorithm>

#include "base/text/ascii.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/ledger_model.h"

// The model's rules on which payers may have a charge, and by which connection.
namespace pixledger::tests {

using namespace domain;

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = to_ascii_lower(c);
  return text;
}

bool names(const BlocklistValue& value, const CreateCharge& command) {
  const auto text = text_of(value);
  if (type_of(value) == "document") return text == command.customer.document.text();
  if (type_of(value) == "email") return lower(text) == lower(command.customer.email.text());
  if (!command.customer_ip) return false;
  if (const auto* range = std::get_if<Cidr>(&value)) return range->contains(*command.customer_ip);
  const auto* address = std::get_if<IpAddress>(&value);
  return address && address->unmapped() == command.customer_ip->unmapped();
}

}  // namespace

void LedgerModel::check_connection(const CreateCharge& command, const RecordedEvent& created) {
  const auto& charge = std::get<ChargeCreated>(std::get<ChargeEvent>(created.event));
  const ConnectionFact* wanted = nullptr;
  for (const auto& connection : connections_[command.project.text()]) {
    if (connection.environment != command.environment) continue;
    const bool is_wanted =
        command.connection ? command.connection->text() == connection.id : !wanted || connection.is_default;
    if (is_wanted) wanted = &connection;
  }
  if (!wanted || charge.connection.text() != wanted->id || !wanted->is_enabled)
    problem("not the connection that was asked for, or a disabled one: " + describe(created));
}

bool LedgerModel::has_full_day(const CreateCharge& command) const {
  const std::string sandbox = command.environment == Environment::kSandbox ? "sandbox-" : "";
  const auto payer = "refusals-" + command.project.text() + "-" + sandbox + command.token.text();
  return std::any_of(refused_.begin(), refused_.end(), [&](const auto& day) {
    return day.first.compare(0, payer.size(), payer) == 0 && day.second == 100;
  });
}

bool LedgerModel::is_barred(const CreateCharge& command, Timestamp now) const {
  const auto payer =
      payers_.find(customer_stream(command.project, command.environment, command.token).text());
  if (payer != payers_.end() && payer->second.blocked_until) {
    const auto& until = *payer->second.blocked_until;
    if (!until || now < *until) return true;
  }
  const auto list = listed_.find(blocklist_stream(command.project, command.environment).text());
  return list != listed_.end() &&
         std::any_of(list->second.begin(), list->second.end(),
                     [&](const auto& entry) { return names(entry.second, command); });
}

}  // namespace pixledger::tests
