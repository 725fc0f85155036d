#include <catch2/catch.hpp>
#include <csignal>

#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/smtp_server.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE(
    "e-mails that a wrong mail server made given up are listed, told of and sent once it is put right") {
  const PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  CHECK(pixledger.done({"emails", "list", "--json"}) == "[]\n");
  CHECK(pixledger.run({"emails", "resend", "--all"}).code == 1);
  std::vector<std::string> charges;
  {
    LedgerWithCharges ledger(pixledger.data());
    for (int i = 0; i < 3; ++i) {
      const auto charge = ledger.create_charge(project);
      ledger.pay(project, charge);
      charges.push_back(charge.text());
    }
  }
  const auto start = [&](std::uint16_t port, std::vector<std::string> more) {
    more.insert(more.end(), {"--smtp", "127.0.0.1:" + std::to_string(port), "--smtp-tls", "off",
                             "--smtp-from", "loja@example.com", "--retry-schedule", "0"});
    return std::make_unique<Process>(built_program("pixledger-emails"), pixledger.arguments(more));
  };
  const auto stop = [](Process& worker) {
    worker.send(SIGTERM);
    CHECK(worker.wait() == 0);
  };
  const auto has_given_up = [&](const std::string& count) {
    return eventually(
        [&] { return contains(pixledger.run({"doctor"}).out, "e-mails: " + count + " given up"); });
  };

  const auto wrong = start(1, {"--resume-from", "beginning"});
  REQUIRE(has_given_up("3"));
  stop(*wrong);
  const auto listed = pixledger.done({"emails", "list", "--json"});
  CHECK(json_at(listed, "/0/transactionId") == charges[2]);
  CHECK(json_at(listed, "/0/status") == "exhausted");
  CHECK(json_at(listed, "/0/environment") == "sandbox");
  CHECK(json_at(listed, "/0/attempts") == "1");
  CHECK(contains(json_at(listed, "/0/error"), "Connection refused"));
  CHECK(contains(pixledger.done({"emails", "list"}), charges[0]));
  CHECK(pixledger.done({"emails", "list", "--status", "refused", "--json"}) == "[]\n");
  CHECK(contains(pixledger.run({"doctor"}).out, "pixledger emails resend --all"));

  const SmtpServer server;
  const auto right = start(server.port(), {});
  CHECK(json_at(pixledger.done({"emails", "resend", "--id", charges[1], "--json"}), "/queued") == "1");
  REQUIRE(eventually([&] { return server.mails().size() == 1; }));
  CHECK(contains(json_at(read_mail(server.mails()[0]), "/text"), charges[1]));
  REQUIRE(has_given_up("2"));
  CHECK(json_at(pixledger.done({"emails", "resend", "--all", "--json"}), "/queued") == "2");
  REQUIRE(eventually([&] { return server.mails().size() == 3; }));
  REQUIRE(eventually([&] { return pixledger.done({"emails", "list", "--json"}) == "[]\n"; }));
  CHECK(pixledger.run({"emails", "resend", "--all"}).code == 1);
  stop(*right);
}

TEST_CASE("which e-mails to resend is said once") {
  const PixledgerCommand pixledger;
  const auto charge = "cmb3k9x2a0001log1m2v7c4tz";
  CHECK(pixledger.run({"emails", "list"}).code == 3);
  pixledger.create_project();
  CHECK(pixledger.run({"emails", "resend"}).code == 2);
  CHECK(pixledger.run({"emails", "resend", "--all", "--id", charge}).code == 2);
  CHECK(pixledger.run({"emails", "resend", "--id", "x"}).code == 2);
  CHECK(pixledger.run({"emails", "resend", "--id", charge}).code == 1);
  CHECK(pixledger.run({"emails", "list", "--status", "lost"}).code == 2);
}
