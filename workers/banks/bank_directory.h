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
  std::optional<std::string> cn;  // required common name of its certificate; absent: any trusted one
};

// The clients of all connections. Makes a client when it is first needed, and again when its configuration
// changes. The new client keeps the old token if that is still valid for it. Thread-safe.
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

  // Returns nullopt if there is no such connection, or if its client cannot be made: a secret cannot be
  // opened, or this release does not know the bank. The latter is logged.
  std::optional<ResolvedBank> find(const domain::ProjectId& project, const domain::ConnectionId& connection);
  // The same for a connection of any project.
  std::optional<ResolvedBank> find(const domain::ConnectionId& connection);

  // Returns nullopt if there is no such connection to a bank, or its secrets cannot be opened.
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

// Returns how to call the connection's bank, with its secrets opened. The connection's provider must be
// `api-pix`. Throws std::invalid_argument if this release does not know the bank or its options, KeyringError
// if the secrets cannot be opened.
BankAccess bank_access_of(const domain::Connection& connection,
                          const domain::BankConfiguration& configuration, const eventstore::Keyring& keyring);

}  // namespace pixledger::workers
