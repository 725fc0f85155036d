#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/net/resolver.h"
#include "eventstore/keys/keyring.h"
#include "tools/cli/command_context.h"
#include "tools/operations/known_connection.h"
#include "workers/banks/api_pix/bank_client.h"
#include "workers/banks/api_pix/bank_network.h"

namespace pixledger::tools {

struct BankAskOptions {
  std::string ca_file;
  bool allow_http = false;
};
// --ca-file and --allow-http
void add_bank_ask_options(CommandLine& command, BankAskOptions& options);

// Throws UsageError unless the connection is of the provider api-pix.
void need_bank(const KnownConnection& known);

// A connection's bank, spoken to by one command with the discipline of the worker. Not for several threads.
class BankSession {
 public:
  // Context and keyring outlive it; `known` is a connection to a bank (see need_bank). Throws UsageError
  // where
  // --ca-file cannot be read, std::invalid_argument and KeyringError as workers::bank_access_of().
  BankSession(CommandContext& context, const eventstore::Keyring& keyring, const KnownConnection& known,
              const BankAskOptions& options);

  workers::BankClient& client() { return client_; }
  const KnownConnection& known() const { return known_; }
  CommandContext& context() const { return context_; }
  const eventstore::Keyring& keyring() const { return keyring_; }
  // For what an operator waits for, who has some seconds.
  workers::BankTurn turn() const;
  // How far the bank's clock is ahead of ours, as its answers so far say: the nearest of them, since an
  // answer that was long on its way looks old. nullopt: none has said.
  std::optional<std::int64_t> ahead_ms() const;
  // What time the bank has, a little less at most: a bank refuses to be asked about what is to come. Ours,
  // where it does not say.
  Timestamp now_there() const;
  // An id that no charge has and nobody has used: `size` letters and digits, at most 26.
  std::string fresh_id(std::size_t size);

 private:
  void note(const workers::BankCallReport& report);

  CommandContext& context_;
  const eventstore::Keyring& keyring_;
  const KnownConnection known_;
  mutable std::mutex mutex_;
  std::optional<std::int64_t> ahead_ms_;
  SystemResolver resolver_;
  workers::BankNetwork network_;
  workers::BankClient client_;
};

}  // namespace pixledger::tools
