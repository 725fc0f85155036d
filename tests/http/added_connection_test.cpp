// A connection that an operator adds while the server runs.
#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
using tests::TestService;

std::string added_connection(TestService& service, const domain::ProjectId& project,
                             domain::Environment environment) {
  const auto text = [](const char* label) { return domain::Label::parse(label).value(); };
  const auto completed = service.execute(
      domain::AddConnection{project, environment, text("balcão"), text("acme"), text("Acme Pagamentos")});
  const auto& event = std::get<domain::ProjectEvent>(completed.events().front().event);
  return std::get<domain::ConnectionAdded>(event).connection.id.text();
}

tests::HttpAnswer create(const TestService& service, const std::string& key, const std::string& connection) {
  auto body = tests::creation_body();
  body.pop_back();
  body += R"(,"connectionId":")" + connection + "\"}";
  return service.send("POST", "/api/v1/transactions", key, body);
}

std::string created(const TestService& service, const std::string& key) {
  const auto answer = service.send("POST", "/api/v1/transactions", key, tests::creation_body());
  REQUIRE(answer.status == 201);
  return answer.at("/data/id");
}

}  // namespace

TEST_CASE("a charge names a connection that was just added, and both path groups show and find it") {
  TestService service;
  const auto project = service.create_project();
  // The server has cached the project without it.
  const auto by_default = created(service, project.test_key);
  const auto connection = added_connection(service, project.id, domain::Environment::kSandbox);

  const auto answer = create(service, project.test_key, connection);
  REQUIRE(answer.status == 201);
  const auto id = answer.at("/data/id");

  const auto list = [&](const std::string& query) {
    return service.send("GET", "/api/v1/transactions" + query, project.test_key);
  };
  const auto found = list("?connectionId=" + connection);
  CHECK(found.at("/meta/total") == "1");
  CHECK(found.at("/data/0/id") == id);
  CHECK(found.at("/data/0/connection/id") == connection);
  CHECK(found.at("/data/0/connection/alias") == "balcão");
  CHECK(found.at("/data/0/connection/providerId") == "acme");
  CHECK(found.at("/data/0/connection/providerName") == "Acme Pagamentos");
  const auto gateway = service.send("GET", "/api/transactions?connectionId=" + connection, project.test_key);
  CHECK(gateway.at("/meta/total") == "1");
  CHECK(gateway.at("/data/0/id") == id);
  CHECK(gateway.at("/data/0/gateway/id") == connection);
  CHECK(gateway.at("/data/0/gateway/providerName") == "Acme Pagamentos");

  const auto later = created(service, project.test_key);
  const auto all = list("");
  REQUIRE(all.at("/meta/total") == "3");
  CHECK(all.at("/data/0/id") == later);
  CHECK(all.at("/data/0/connection/alias") == "sandbox");
  CHECK(all.at("/data/2/id") == by_default);
  CHECK(list("?connectionId=" + all.at("/data/0/connection/id")).at("/meta/total") == "2");

  service.restart(TestService::Lost::kViews);
  CHECK(list("?connectionId=" + connection).at("/data/0/id") == id);
}

TEST_CASE("an added connection belongs only to its project and environment") {
  TestService service;
  const auto project = service.create_project();
  const auto other = service.create_project();
  const auto connection = added_connection(service, project.id, domain::Environment::kLive);
  CHECK(create(service, project.live_key, connection).status == 201);
  for (const auto& key : {project.test_key, other.live_key}) {
    const auto refused = create(service, key, connection);
    CHECK(refused.status == 400);
    CHECK(refused.at("/code") == "ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == "connectionId");
  }
}

TEST_CASE("the feed has the event of an added connection") {
  TestService service;
  const auto project = service.create_project();
  const auto connection = added_connection(service, project.id, domain::Environment::kLive);
  // A project and two keys come before it.
  const auto answer = service.send("GET", "/api/v1/events", project.live_key);
  CHECK(answer.at("/data/3/event") == "connection.added");
  CHECK(answer.at("/data/3/transactionId") == "null");
  CHECK(answer.at("/data/3/data/connectionId") == connection);
  CHECK(answer.at("/data/3/data/alias") == "balcão");
  CHECK(answer.at("/data/3/data/providerId") == "acme");
  CHECK(answer.at("/data/3/data/providerName") == "Acme Pagamentos");
  CHECK(answer.at("/data/3/data/environment") == "live");
}

TEST_CASE("a disabled connection takes no charge, and its charges still show it") {
  TestService service;
  const auto project = service.create_project();
  const auto connection = added_connection(service, project.id, domain::Environment::kSandbox);
  const auto id = domain::ConnectionId::parse(connection).value();
  REQUIRE(create(service, project.test_key, connection).status == 201);
  service.execute(domain::ChangeConnection{
      .project = project.id, .connection = id, .change = {.state = domain::ConnectionState::kDisabled}});
  const auto refused = create(service, project.test_key, connection);
  CHECK(refused.status == 400);
  CHECK(refused.at("/code") == "ERR_VALIDATION_001");
  CHECK(refused.at("/details/0/field") == "connectionId");
  const auto list = service.send("GET", "/api/v1/transactions", project.test_key);
  CHECK(list.at("/data/0/connection/alias") == "balcão");

  service.execute(domain::ChangeConnection{
      .project = project.id, .connection = id, .change = {.state = domain::ConnectionState::kEnabled}});
  service.execute(domain::SetDefaultConnection{project.id, id});
  created(service, project.test_key);
  const auto by_default = service.send("GET", "/api/v1/transactions", project.test_key);
  CHECK(by_default.at("/data/0/connection/id") == connection);
}

TEST_CASE("the feed has the changes of a bank connection, without its configuration") {
  TestService service;
  const auto project = service.create_project();
  auto added = tests::sample_bank_connection("banco", domain::Environment::kLive);
  added.project = project.id;
  service.execute(added);
  const auto& id = added.id;
  service.execute(domain::ChangeConnection{
      .project = project.id, .connection = id, .change = {.state = domain::ConnectionState::kDisabled}});
  service.execute(domain::ChangeConnection{
      .project = project.id, .connection = id, .change = {.state = domain::ConnectionState::kEnabled}});
  service.execute(domain::SetDefaultConnection{project.id, id});
  service.execute(domain::NoteCallback{id, "https://back.example.com/volta"});
  service.execute(domain::NoteCallback{id, std::nullopt});

  const auto answer = service.send("GET", "/api/v1/events", project.live_key);
  const std::vector<std::string> expected{"connection.added",           "connection.configured",
                                          "connection.changed",         "connection.changed",
                                          "connection.default_set",     "connection.callback_registered",
                                          "connection.callback_removed"};
  // A project and two keys come before them.
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto item = "/data/" + std::to_string(i + 3);
    CHECK(answer.at(item + "/event") == expected[i]);
    CHECK(answer.at(item + "/data/connectionId") == id.text());
  }
  CHECK(answer.at("/data/3/data/providerId") == "api-pix");
  CHECK(answer.at("/data/5/data/isEnabled") == "false");
  CHECK(answer.at("/data/6/data/isEnabled") == "true");
  CHECK(answer.at("/data/7/data/environment") == "live");
  for (const auto* untold :
       {"sealed", "secrets", "pix.example.com", "client-1", "caixa@example.com", "CN=", "back.example.com"})
    CHECK(answer.body.find(untold) == std::string::npos);
}
