#include "tests/support/servers/test_service.h"

#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/StreamCopier.h>
#include <future>
#include <random>
#include <simdjson.h>

#include "eventstore/keys/tokens.h"
#include "eventstore/ledger.h"
#include "stores/databases/account_database.h"
#include "stores/deliveries/delivery_repository.h"
#include "tests/support/one_gigabyte.h"

namespace pixledger::tests {
namespace {

constexpr std::int64_t kStartMs = 1'790'000'000'000;  // some day in 2026

eventstore::Ledger make_ledger(const std::filesystem::path& root, Entropy& entropy, const Clock& clock,
                               const eventstore::LmdbOptions& options) {
  const DataDirectory directory{root};
  eventstore::Ledger::create(directory, entropy, clock, options);
  return eventstore::Ledger::open(directory, options);
}

std::string element_text(simdjson::dom::element element) {
  std::string_view text;
  if (element.get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(element);
}

HttpAnswer request_at(std::uint16_t port, const std::string& method, const std::string& path,
                      const std::string& key, const std::string& body,
                      const std::map<std::string, std::string>& headers) {
  Poco::Net::HTTPClientSession session("127.0.0.1", port);
  Poco::Net::HTTPRequest request(method, path, Poco::Net::HTTPMessage::HTTP_1_1);
  if (!key.empty()) request.set("Authorization", "Bearer " + key);
  for (const auto& [name, value] : headers) request.set(name, value);
  if (!body.empty()) {
    if (!request.has("Content-Type")) request.setContentType("application/json");
    request.setContentLength(static_cast<std::streamsize>(body.size()));
  }
  session.sendRequest(request) << body;
  Poco::Net::HTTPResponse response;
  HttpAnswer answer;
  Poco::StreamCopier::copyToString(session.receiveResponse(response), answer.body);
  answer.status = response.getStatus();
  for (const auto& [name, value] : response) answer.headers[name] = value;
  return answer;
}

}  // namespace

std::string HttpAnswer::at(const std::string& pointer) const {
  simdjson::dom::parser parser;
  simdjson::dom::element found;
  const simdjson::padded_string padded(body);
  if (parser.parse(padded).at_pointer(pointer).get(found) != simdjson::SUCCESS)
    throw std::runtime_error("no " + pointer + " in " + body);
  return element_text(found);
}

bool HttpAnswer::has(const std::string& pointer) const {
  simdjson::dom::parser parser;
  simdjson::dom::element found;
  const simdjson::padded_string padded(body);
  return parser.parse(padded).at_pointer(pointer).get(found) == simdjson::SUCCESS;
}

eventstore::LmdbOptions test_lmdb_options() {
  const auto options = tests::one_gigabyte();
  return options;
}

TestService::TestService(TestServiceOptions options)
    : options_(std::move(options)),
      clock_(Timestamp(kStartMs)),
      entropy_(std::random_device{}()),
      logger_(LogFormat::kJson, clock_),
      ledger_(make_ledger(directory_.path(), entropy_, clock_, options_.ledger)),
      accounts_(stores::open_accounts({directory_.path()})) {
  std::filesystem::create_directories(deliveries_file().parent_path());
  start();
}

TestService::~TestService() = default;

void TestService::start() {
  views_ = std::make_unique<projections::CurrentViews>(
      projections::Generation::open_or_build(views_directory(), *ledger_.log, test_lmdb_options()));
  app_ = std::make_unique<http::ServerApp>(
      http::ServerFoundations{.data = {directory_.path()},
                              .log = server_log_,
                              .keyring = ledger_.keyring,
                              .clock = clock_,
                              .entropy = entropy_,
                              .views = *views_,
                              .accounts = *accounts_,
                              .logger = logger_,
                              .ledger_environment = ledger_.environment(),
                              .lmdb = test_lmdb_options(),
                              .ended_epochs = options_.ended_epochs},
      options_.server, options_.front, http::WebhookOptions{options_.targets, options_.resolver},
      options_.checkout);
  app_->start();
  operator_ = std::make_unique<eventstore::Executor>(*ledger_.log, clock_, entropy_);
}

void TestService::restart(Lost lost) {
  operator_.reset();
  app_->stop(std::chrono::seconds(5));
  app_.reset();
  const auto lists = views_->database()->directory() / "lists";
  views_.reset();
  if (lost == Lost::kListSnapshot) std::filesystem::remove(lists);
  if (lost == Lost::kViews) std::filesystem::remove_all(directory_.path() / "views");
  start();
}

std::vector<eventstore::Completed> TestService::execute_all(std::vector<domain::Command> commands) {
  std::vector<std::future<eventstore::Result>> results;
  for (auto& command : commands) {
    auto promise = std::make_shared<std::promise<eventstore::Result>>();
    results.push_back(promise->get_future());
    operator_->submit({std::move(command), "operator-test", std::nullopt, "", std::nullopt},
                      [promise](eventstore::Result result) { promise->set_value(std::move(result)); });
  }
  std::vector<eventstore::Completed> completed;
  for (auto& result : results) completed.push_back(std::get<eventstore::Completed>(result.get()));
  return completed;
}

eventstore::Completed TestService::execute(domain::Command command) {
  auto result = operator_->execute({std::move(command), "operator-test", std::nullopt, "", std::nullopt});
  auto* completed = std::get_if<eventstore::Completed>(&result);
  if (!completed || completed->outcome.rejection)
    throw std::runtime_error("a command of the test was not done");
  return std::move(*completed);
}

TestService::Project TestService::create_project() {
  domain::StoreSettings settings{*domain::Label::parse("Loja"), domain::PixKey::parse("loja@example.com"),
                                 *domain::Label::parse("LOJA EXEMPLO"), *domain::Label::parse("SAO PAULO")};
  return create_project(std::move(settings));
}

TestService::Project TestService::create_project(domain::StoreSettings settings) {
  const auto completed = execute(domain::CreateProject{std::move(settings)});
  const auto id = completed.events().front().project;
  return {id, issue_key(id, domain::Environment::kLive, domain::ScopeSet::all()),
          issue_key(id, domain::Environment::kSandbox, domain::ScopeSet::all())};
}

void TestService::verify_documents(const domain::ProjectId& project) {
  domain::StoreSettingsChange change;
  change.verify_documents = true;
  execute(domain::ChangeStoreSettings{project, change});
}

std::string TestService::issue_key(const domain::ProjectId& project, domain::Environment environment,
                                   domain::ScopeSet scopes, bool sandbox_only,
                                   std::optional<Timestamp> expires_at, std::vector<Cidr> allowed_callers) {
  const auto key = eventstore::make_api_key(environment == domain::Environment::kLive,
                                            ledger_.log->identity().fingerprint(), entropy_);
  execute(domain::IssueApiKey{key.id, project, environment, key.hash, scopes, sandbox_only, expires_at,
                              std::move(allowed_callers)});
  return key.text;
}

HttpAnswer TestService::send(const std::string& method, const std::string& path, const std::string& key,
                             const std::string& body,
                             const std::map<std::string, std::string>& headers) const {
  return request_at(app_->port(), method, path, key, body, headers);
}

std::filesystem::path TestService::deliveries_file() const {
  return DataDirectory{directory_.path()}.worker("webhooks") / stores::kDeliveriesFile;
}

std::string TestService::metrics() const {
  return request_at(app_->metrics_port(), "GET", "/metrics", "", "", {}).body;
}

double metric(const std::string& page, const std::string& series) {
  const std::string start = "\n" + series + " ";
  const auto found = page.find(start);
  return found == std::string::npos ? 0 : std::stod(page.substr(found + start.size()));
}

std::string creation_body(std::int64_t amount_cents, const std::string& document) {
  return R"({"customer":{"name":"Maria Silva","document":")" + document +
         R"(","email":"maria@example.com","phone":"11987654321","address":{"street":"Rua A","city":"Recife"}},)"
         R"("payment":{"amountCents":)" +
         std::to_string(amount_cents) +
         R"(,"product":"Camiseta","quantity":2,"expirationDays":1},"originDomain":"Loja.Example.com",)"
         R"("customerIp":"203.0.113.7"})";
}

}  // namespace pixledger::tests
