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

// One command's session with a connection's bank, under the worker's rules. For one thread.
class BankSession {
 public:
  // Context and keyring must outlive it; `known` is a bank connection (see need_bank). Throws UsageError if
  // --ca-file cannot be read or --allow-http is missing, std::invalid_argument and KeyringError as
  // workers::bank_access_of().
  BankSession(CommandContext& context, const eventstore::Keyring& keyring, const KnownConnection& known,
              const BankAskOptions& options);

  workers::BankClient& client() { return client_; }
  const KnownConnection& known() const { return known_; }
  CommandContext& context() const { return context_; }
  const eventstore::Keyring& keyring() const { return keyring_; }
  // Time limits for a waiting operator: some seconds.
  workers::BankTurn turn() const;
  // How far the bank's clock is ahead of ours, from its answers so far. Uses the smallest deviation, since a
  // delayed answer looks old. Nullopt: no answer had a time.
  std::optional<std::int64_t> ahead_ms() const;
  // The bank's time, rounded down: a bank rejects queries about the future. Our time if it is unknown.
  Timestamp now_there() const;
  // An unused id that no charge has: `size` letters and digits, at most 26.
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

// One step of `pixledger connection check`.
struct CheckStep {
  enum class Outcome {
    kOk,
    kFailed,
    kUnknown,   // no fault found, but no proof that it works
    kNotTried,  // an earlier step failed
  };
  std::string name;  // "token"
  Outcome outcome;
  std::string found;
  std::string advice = {};  // remedy; empty if none
};

// "token: failed: 401 invalid_client; see …", one line.
std::string to_line(const CheckStep& step);
// Writes an element of the open list.
void write_step(Json& json, const CheckStep& step);

// The steps of a check; each is reported as soon as it is known.
class CheckSteps {
 public:
  using Tell = std::function<void(const CheckStep&)>;
  explicit CheckSteps(Tell tell) : tell_(std::move(tell)) {}

  // Both return whether the step succeeded.
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
  // True if no step has failed and all were tried. Unknown steps do not count as failures.
  bool all_ok() const;

 private:
  bool add(CheckStep step);

  const Tell tell_;
  std::vector<CheckStep> steps_;
};

}  // namespace pixledger::tools
