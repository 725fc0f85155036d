#include "workers/providers/bank_directory.h"

#include <stdexcept>

#include "workers/providers/bank_access_of.h"

namespace pixledger::workers {
std::optional<BankAtHand> BankDirectory::find(const domain::ProjectId& project,
                                              const domain::ConnectionId& connection) {
  const auto state = states_.find(domain::project_stream(project), log_.head());
  const auto* found = state ? std::get_if<domain::Project>(state.get()) : nullptr;
  const auto* known = found ? domain::connection_of(*found, connection) : nullptr;
  if (!known || !known->api_pix) return std::nullopt;
  auto client = client_of(*known);
  if (!client) return std::nullopt;
  return BankAtHand{.client = std::move(client),
                    .connection = *known,
                    .merchant_name = found->settings.merchant_name.text(),
                    .merchant_city = found->settings.merchant_city.text()};
}

std::shared_ptr<BankClient> BankDirectory::client_of(const domain::Connection& connection) {
  const auto state = states_.find(domain::connection_stream(connection.id), log_.head());
  const auto* bank = state ? std::get_if<domain::BankConnection>(state.get()) : nullptr;
  const std::lock_guard lock(mutex_);
  const auto known = known_.find(connection.id.text());
  const auto revision = bank ? bank->revision : 0;
  if (known != known_.end() && known->second.revision == revision &&
      (!known->second.client || known->second.client->access().pix_key == connection.api_pix->pix_key))
    return known->second.client;
  std::shared_ptr<BankClient> client;
  try {
    if (!bank) throw std::invalid_argument("it is not configured");
    client = std::make_shared<BankClient>(bank_access_of(connection, bank->configuration, keyring_),
                                          surroundings_);
  } catch (const std::exception& fault) {
    logger_.error("a bank cannot be spoken to",
                  {{"connection", connection.id.text()}, {"fault", fault.what()}});
  }
  known_.insert_or_assign(connection.id.text(), Known{revision, client});
  return client;
}

}  // namespace pixledger::workers
