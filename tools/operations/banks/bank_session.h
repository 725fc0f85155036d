#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/net/resolver.h"
#include "base/platform/json.h"
#include "eventstore/keys/keyring.h"
#include "tools/cli/command_context.h"
#include "tools/operations/known_connection.h"
#include "workers/banks/api_pix/bank_client.h"
#include "workers/banks/api_pix/bank_http.h"

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

// One thing that `pixledger connection check` has looked at.
struct CheckStep {
  enum class Outcome {
    kOk,
    kFailed,
    kUnknown,   // nothing is known to be wrong, and nothing shows that it works
    kNotTried,  // since an earlier one failed
  };
  std::string name;  // "token"
  Outcome outcome;
  std::string found;
  std::string advice = {};  // what to do; empty: nothing
};

// "token: failed: 401 invalid_client; see …", one line.
std::string to_line(const CheckStep& step);
// A member of the list that is open.
void write_step(Json& json, const CheckStep& step);

// The steps as they are made; each is told as soon as it is known.
class CheckSteps {
 public:
  using Tell = std::function<void(const CheckStep&)>;
  explicit CheckSteps(Tell tell) : tell_(std::move(tell)) {}

  // Both return whether the step is well.
  bool ok(const std::string& name, std::string found) {
    return add({name, CheckStep::Outcome::kOk, std::move(found)});
  }
  bool failed(const std::string& name, std::string found, std::string advice) {
    return add({name, CheckStep::Outcome::kFailed, std::move(found), std::move(advice)});
  }
  void unknown(const std::string& name, std::string found, std::string advice) {
    add({name, CheckStep::Outcome::kUnknown, std::move(found), std::move(advice)});
  }
  void not_tried(const std::string& name) { add({name, CheckStep::Outcome::kNotTried, "not tried"}); }

  const std::vector<CheckStep>& all() const { return steps_; }
  // Whether no step has failed and each was tried. An unknown step keeps from nothing.
  bool all_ok() const;

 private:
  bool add(CheckStep step);

  const Tell tell_;
  std::vector<CheckStep> steps_;
};

}  // namespace pixledger::tools
