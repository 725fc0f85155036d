#include "domain/aggregates/bank_connection.h"

#include <utility>

namespace pixledger::domain {
namespace {

struct ApplyToConnection {
  std::optional<BankConnection> connection;
  Timestamp at;
  using Result = std::optional<BankConnection>;

  Result operator()(const ConnectionConfigured& event) {
    if (!connection)
      return BankConnection{.id = event.id,
                            .project = event.project,
                            .configuration = event.configuration,
                            .revision = 1,
                            .callback_url = std::nullopt,
                            .configured_at = at,
                            .created_at = at};
    connection->configuration = event.configuration;
    ++connection->revision;
    connection->configured_at = at;
    return std::move(connection);
  }
  Result operator()(const CallbackRegistered& event) {
    if (connection) connection->callback_url = event.url;
    return std::move(connection);
  }
  Result operator()(const CallbackRemoved&) {
    if (connection) connection->callback_url.reset();
    return std::move(connection);
  }
};

}  // namespace

std::optional<BankConnection> apply(std::optional<BankConnection> connection,
                                    const BankConnectionEvent& event, Timestamp at) {
  return std::visit(ApplyToConnection{std::move(connection), at}, event);
}

}  // namespace pixledger::domain
