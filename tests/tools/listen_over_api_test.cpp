#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <memory>
#include <mutex>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/https_receiver.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/test_certificates.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr const char* kAllEvents =
    "transaction.created,transaction.paid,transaction.expired,transaction.refunded,transaction.cancelled,"
    "transaction.failed,transaction.partially_refunded,payment.unapplied,payment.settled";

// A project with a server in front of it, and a developer's receiver.
struct World {
  PixledgerCommand pixledger;
  std::string created =
      pixledger.done({"project", "create", "--name", "Loja", "--pix-key", "loja@example.com", "--json"});
  std::string project = json_at(created, "/projectId");
  std::string key = json_at(created, "/testKey");
  std::string live_key = json_at(created, "/liveKey");
  HttpsReceiver receiver{HttpsReceiver::Script()};
  std::string port = "0";
  std::unique_ptr<Process> server = start_server();
  std::unique_ptr<LedgerWithCharges> ledger = std::make_unique<LedgerWithCharges>(pixledger.data());

  std::unique_ptr<Process> start_server(const std::vector<std::string>& more = {}) {
    const auto port_file = pixledger.directory() / "port";
    auto arguments =
        pixledger.arguments({"--listen", "127.0.0.1:" + port, "--port-file", port_file.string()});
    arguments.insert(arguments.end(), more.begin(), more.end());
    auto started = std::make_unique<Process>(built_program("pixledger-server"), arguments);
    REQUIRE(started->wait_for_out("ready on"));
    std::ifstream(port_file) >> port;
    return started;
  }
  std::string api() const { return "http://127.0.0.1:" + port; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(receiver.port()) + "/hooks"; }
  domain::ProjectId project_id() const { return parsed<domain::ProjectId>(project); }

  std::unique_ptr<Process> listen(std::vector<std::string> more) const {
    more.insert(more.begin(), {"listen", "--forward-to", url(), "--json"});
    auto process = std::make_unique<Process>(built_program("pixledger"), more);
    REQUIRE(process->wait_for_out("\n"));
    return process;
  }
  std::unique_ptr<Process> listen_to_api(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--api", api(), "--key", key});
    return listen(std::move(more));
  }
};

int stop(Process& process) {
  process.send(SIGTERM);
  return process.wait().value_or(-1);
}

ProcessResult refused(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"listen", "--forward-to", "http://127.0.0.1:1/"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_process(built_program("pixledger"), arguments);
}

// The parts of a webhook that are the same in every request.
std::string told(const ReceivedWebhook& webhook) {
  return webhook.header("x-webhook-id") + " " + webhook.header("x-webhook-sequence") + " " +
         webhook.header("x-webhook-event") + " " + webhook.body;
}

void settle_what_does_not_fit(World& world) {
  const auto charge = world.ledger->create_paid_live_charge(world.project_id(), 7);
  const auto second = parsed<domain::EndToEndId>("E18236120202603011200s1a2b3c4d5e");
  world.ledger->execute(
      domain::ReportPayment{world.project_id(), charge, second, domain::Cents(100), std::nullopt});
  world.ledger->execute(domain::ReturnUnappliedPayment{charge, second, std::nullopt});
  for (const int cents : {100, 200})
    world.ledger->execute(
        domain::RefundCharge{{world.project_id(), false}, charge, domain::Cents(cents), {}});
  world.ledger->refund(world.project_id(), charge);
}

}  // namespace

TEST_CASE("webhooks forwarded over the API are those that the ledger's machine forwards, byte for byte") {
  World world;
  world.ledger->pay(world.project_id(), world.ledger->create_charge(world.project_id()));
  settle_what_does_not_fit(world);
  const std::vector<std::string> what{"--since", "2h", "--events", kAllEvents};
  auto by_project = what;
  by_project.insert(by_project.begin(), {"--data", world.pixledger.data().string(), "--map-size", "1GiB",
                                         "--project", world.project});
  const auto local = world.listen(by_project);
  constexpr std::size_t kWebhooks = 9;
  REQUIRE(world.receiver.wait_for(kWebhooks).size() == kWebhooks);
  CHECK(stop(*local) == 0);
  auto by_api = what;
  by_api.insert(by_api.begin(), {"--api", world.api() + "/", "--key", world.live_key});
  const auto remote = world.listen(by_api);
  const auto webhooks = world.receiver.wait_for(2 * kWebhooks);
  REQUIRE(webhooks.size() == 2 * kWebhooks);
  for (std::size_t i = 0; i < kWebhooks; ++i) CHECK(told(webhooks[kWebhooks + i]) == told(webhooks[i]));
  CHECK(stop(*remote) == 0);
}

TEST_CASE("over the API events are forwarded as they happen, and only those") {
  World world;
  world.ledger->create_charge(world.project_id());
  const auto process = world.listen_to_api();
  CHECK(json_at(lines_of(process->out()).at(0), "/api") == world.api());
  const auto charge = world.ledger->create_charge(world.project_id());
  world.ledger->pay(world.project_id(), charge);
  const auto webhooks = world.receiver.wait_for(2);
  REQUIRE(webhooks.size() == 2);
  for (const auto& webhook : webhooks) CHECK(webhook.body.find(charge.text()) != std::string::npos);
  CHECK(webhooks[1].header("x-webhook-event") == "transaction.paid");
  CHECK(stop(*process) == 0);
  CHECK(world.receiver.received().size() == 2);
}

TEST_CASE("a customer who was erased is forwarded without personal data") {
  World world;
  world.ledger->create_charge(world.project_id());
  const auto found = world.pixledger.done(
      {"customer", "find", "--project", world.project, "--email", sample_details().email.text(), "--json"});
  world.ledger.reset();  // an erasure waits for open readers
  CHECK(stop(*world.server) == 0);
  world.pixledger.done({"customer", "erase", "--id", json_at(found, "/0/customerId"), "--reason", "asked"});
  world.server = world.start_server();
  const auto process = world.listen_to_api({"--since", "2h"});
  const auto webhooks = world.receiver.wait_for(1);
  REQUIRE(webhooks.size() == 1);
  CHECK(json_at(webhooks[0].body, "/data/customerName") == "erased");
  CHECK(json_at(webhooks[0].body, "/data/customer/email") == "null");
}

TEST_CASE("while the server is away the API is asked again, and nothing is missed") {
  World world;
  const auto process = world.listen_to_api();
  CHECK(stop(*world.server) == 0);
  REQUIRE(process->wait_for_err("; trying again until it answers"));
  const auto charge = world.ledger->create_charge(world.project_id());
  world.server = world.start_server();
  const auto webhooks = world.receiver.wait_for(1);
  REQUIRE(webhooks.size() == 1);
  CHECK(webhooks[0].body.find(charge.text()) != std::string::npos);
  CHECK(process->wait_for_err("the API answers again"));
  CHECK(stop(*process) == 0);
}

TEST_CASE("a key that the API refuses is reported with the reason") {
  World world;
  const auto unknown = refused({"--api", world.api(), "--key", "sk_test_nobody"});
  CHECK(unknown.code == 1);
  CHECK(unknown.err.find("refuses the key: ") != std::string::npos);
  const auto issued = world.pixledger.done({"key", "issue", "--project", world.project, "--env", "test",
                                            "--scopes", "events:read,transactions:read", "--json"});
  const auto narrow = refused({"--api", world.api(), "--key", json_at(issued, "/key")});
  CHECK(narrow.code == 1);
  CHECK(narrow.err.find("customers:read") != std::string::npos);
  CHECK(narrow.out.empty());
}

TEST_CASE("if no API answers, nothing is begun") {
  const auto nobody = refused({"--api", "http://127.0.0.1:1", "--key", "sk_test_x"});
  CHECK(nobody.code == 3);
  CHECK(nobody.err.find("cannot reach http://127.0.0.1:1: connection refused") != std::string::npos);
  const HttpsReceiver other([](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{.status = 404, .body = "nothing here"};
  });
  const auto address = "http://127.0.0.1:" + std::to_string(other.port());
  const auto wrong = refused({"--api", address, "--key", "sk_test_x"});
  CHECK(wrong.code == 3);
  CHECK(wrong.err.find(address + " is not the address of pixledger's API: it answers 404") !=
        std::string::npos);
  const HttpsReceiver newer([](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{.status = 200, .body = R"({"data":[{"id":7}],"meta":{"next":"n"}})"};
  });
  const auto unread =
      refused({"--api", "http://127.0.0.1:" + std::to_string(newer.port()), "--key", "sk_test_x"});
  CHECK(unread.code == 3);
  CHECK(unread.err.find("does not understand the API's answer: data[0].id must be a text") !=
        std::string::npos);
  const HttpsReceiver cut([](const ReceivedWebhook&, std::size_t) {
    return ReceiverAnswer{.status = 200, .body = R"({"data":[)", .broken_off = true};
  });
  const auto half =
      refused({"--api", "http://127.0.0.1:" + std::to_string(cut.port()), "--key", "sk_test_x"});
  CHECK(half.code == 3);
  CHECK(half.err.find(": the answer broke off") != std::string::npos);
  World world;
  const auto too_long = refused({"--api", world.api() + "/api/v1", "--key", world.key});
  CHECK(too_long.code == 3);
  CHECK(too_long.err.find("Give the one before /api/v1") != std::string::npos);
}

TEST_CASE("an API over TLS is called only if its certificate is trusted, and never gets the key otherwise") {
  World world;
  const TestAuthority authority;
  const auto files = authority.issue("localhost");
  CHECK(stop(*world.server) == 0);
  world.server = world.start_server({"--tls-cert", files.cert_file, "--tls-key", files.key_file});
  const auto api = "https://localhost:" + world.port;
  const auto distrusted = refused({"--api", api, "--key", world.key});
  CHECK(distrusted.code == 3);
  CHECK(distrusted.err.find("its certificate is not trusted") != std::string::npos);
  const auto process = world.listen({"--api", api, "--key", world.key, "--ca-file", authority.ca_file()});
  world.ledger->create_charge(world.project_id());
  CHECK(world.receiver.wait_for(1).size() == 1);
  CHECK(stop(*process) == 0);
}

TEST_CASE("listen takes either a project or an API, with a private key file") {
  const auto check = [](const std::vector<std::string>& arguments, const std::string& problem) {
    const auto result = refused(arguments);
    INFO(result.err);
    CHECK(result.code == 2);
    CHECK(result.err.find(problem) != std::string::npos);
  };
  check({}, "give either --project");
  check({"--project", "cproject0000000000000000a", "--api", "http://127.0.0.1:1"}, "give either --project");
  check({"--api", "http://127.0.0.1:1"}, "--api needs --key");
  check({"--api", "127.0.0.1:1", "--key", "k"}, "--api must begin with https://");
  check({"--api", "http://127.0.0.1:1/?a=b", "--key", "k"}, "--api must be the API's address alone");
  check({"--api", "http://192.0.2.1", "--key", "two words"}, "the key must be an API key");
  check({"--api", "http://1.1.1.1", "--key", "sk_live_x"}, "--api must be https:// beyond this machine");
  check({"--api", "http://127.0.0.1:1", "--key", "k", "--events", "store.changed"}, "needs --project");
}
