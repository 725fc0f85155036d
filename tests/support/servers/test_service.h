#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process/logging.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "http/server_app.h"
#include "projections/generations/generation.h"
#include "stores/accounts/account_repository.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/ledgers/counting_log.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

// An answer of the API as a client sees it.
struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;
  std::string body;

  // The value at a JSON pointer ("/data/id") as text, numbers and null included. Fails the test if it is
  // missing.
  std::string at(const std::string& pointer) const;
  bool has(const std::string& pointer) const;
};

// Map sizes stay small: sanitizers cannot map a terabyte twice.
eventstore::LmdbOptions test_lmdb_options();

struct TestServiceOptions {
  http::ServerOptions server;
  http::FrontOptions front;
  eventstore::LmdbOptions ledger = test_lmdb_options();
  TargetPolicy targets{};
  const Resolver* resolver = nullptr;  // null: the system's
  std::vector<eventstore::EndedEpoch> ended_epochs{};
  http::CheckoutOptions checkout{};
};

// The whole API server in this process, on a ledger of its own and a clock that the test moves, with a real
// socket.
class TestService {
 public:
  explicit TestService(TestServiceOptions options = {});
  ~TestService();

  struct Project {
    domain::ProjectId id;
    std::string live_key;
    std::string test_key;
  };
  Project create_project(domain::StoreSettings settings);
  Project create_project();  // with a Pix key and no special rules
  // From now on the store refuses documents with wrong check digits.
  void verify_documents(const domain::ProjectId& project);
  // The text of a new key.
  std::string issue_key(const domain::ProjectId& project, domain::Environment environment,
                        domain::ScopeSet scopes, bool sandbox_only = false,
                        std::optional<Timestamp> expires_at = std::nullopt,
                        std::vector<Cidr> allowed_callers = {});

  HttpAnswer send(const std::string& method, const std::string& path, const std::string& key,
                  const std::string& body = "", const std::map<std::string, std::string>& headers = {}) const;

  // Executes a command as an operator would. Fails the test if it is not done.
  eventstore::Completed execute(domain::Command command);
  // The same for many, in order and in few commits. The caller checks for rejections.
  std::vector<eventstore::Completed> execute_all(std::vector<domain::Command> commands);

  FixedClock& clock() { return clock_; }
  eventstore::Log& log() { return *ledger_.log; }
  // Counts the server's reads, without the committer's loads.
  const CountingLog& server_log() const { return server_log_; }
  const eventstore::Keyring& keyring() const { return ledger_.keyring; }
  stores::AccountRepository& accounts() { return *accounts_; }
  std::uint16_t port() const { return app_->port(); }
  const std::vector<http::Route>& routes() const { return app_->routes(); }
  // The webhook worker's file of deliveries. Its directory exists.
  std::filesystem::path deliveries_file() const;
  // The page of metrics, at whichever address it is served.
  std::string metrics() const;
  std::uint16_t metrics_port() const { return app_->metrics_port(); }
  // The directory of the generations of read models.
  std::filesystem::path views_directory() const { return directory_.path() / "views"; }
  const projections::CurrentViews& views() const { return *views_; }
  // Ends the server and starts another on the same data directory, after removing `lost`.
  enum class Lost { kNothing, kListSnapshot, kViews };
  void restart(Lost lost = Lost::kNothing);

 private:
  void start();
  std::string new_key(const domain::ProjectId& project, domain::IssueApiKey command);

  const TestServiceOptions options_;
  TemporaryDirectory directory_;
  FixedClock clock_;
  SeededEntropy entropy_;
  Logger logger_;
  eventstore::Ledger ledger_;
  CountingLog server_log_{*ledger_.log};
  const std::unique_ptr<stores::AccountRepository> accounts_;
  std::unique_ptr<projections::CurrentViews> views_;
  std::unique_ptr<http::ServerApp> app_;
  std::unique_ptr<eventstore::Executor> operator_;
};

// The value of a series, named as on the page: `pixledger_commands_total{outcome="done"}`, or 0 if it is
// missing.
double metric(const std::string& page, const std::string& series);

// The body of a valid creation; `change` replaces members of the outermost object.
std::string creation_body(std::int64_t amount_cents = 1990, const std::string& document = "52998224725");

}  // namespace pixledger::tests
