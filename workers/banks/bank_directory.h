#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/process/logging.h"
#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/project.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_reader.h"
#include "workers/banks/api_pix/bank_client.h"
#include "workers/banks/api_pix/bank_profile.h"
#include "workers/banks/bank_meters.h"

namespace pixledger::workers {

// A connection as it is now, and the client that speaks to its bank.
struct ResolvedBank {
  std::shared_ptr<BankClient> client;
  domain::Connection connection;
  std::string merchant_name;  // as codes write them
  std::string merchant_city;
  domain::ProjectId project;
};

// How a connection's bank calls back.
struct CallbackTerms {
  std::string secret;             // the last part of the path
  std::optional<std::string> cn;  // of the certificate that it has to show; absent: any that is let in
};

// The clients of all connections, made when they are first needed and again when what they work with has
// changed; then with the token of before, where that is still the client's. Thread-safe.
class BankDirectory {
 public:
  // All outlive it.
  BankDirectory(const eventstore::Log& log, const eventstore::Keyring& keyring, Logger& logger,
                BankMeters& meters, BankDependencies dependencies)
      : states_(log),
        log_(log),
        keyring_(keyring),
        logger_(logger),
        meters_(meters),
        dependencies_(std::move(dependencies)) {}

  // Nothing where it cannot be spoken to, which is logged: a secret that cannot be opened, a bank that this
  // release does not know.
  std::optional<ResolvedBank> find(const domain::ProjectId& project, const domain::ConnectionId& connection);
  // The same of whichever project's it is.
  std::optional<ResolvedBank> find(const domain::ConnectionId& connection);

  // Nothing where there is no such connection to a bank, or its secrets cannot be opened.
  std::optional<CallbackTerms> callback_of(const domain::ConnectionId& connection);

 private:
  struct Known {
    std::uint32_t revision;
    std::shared_ptr<BankClient> client;  // null: it cannot be made
  };
  std::shared_ptr<const domain::BankConnection> state_of(const domain::ConnectionId& connection);
  std::shared_ptr<BankClient> client_of(const domain::Connection& connection);

  eventstore::StateReader states_;
  const eventstore::Log& log_;
  const eventstore::Keyring& keyring_;
  Logger& logger_;
  BankMeters& meters_;
  const BankDependencies dependencies_;
  std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;
};

// How the bank behind a connection is spoken to, its secrets opened. `connection` is of the provider
// `api-pix`. Throws std::invalid_argument where this release does not know the bank or its ways, KeyringError
// where the secrets cannot be opened.
BankAccess bank_access_of(const domain::Connection& connection,
                          const domain::BankConfiguration& configuration, const eventstore::Keyring& keyring);

}  // namespace pixledger::workers
