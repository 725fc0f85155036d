#include <catch2/catch.hpp>
#include <cerrno>
#include <system_error>

#include "tests/support/domain/sample_values.h"
#include "tests/workers/email_worker_fixture.h"
#include "workers/emails/email_transport.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using stores::EmailStatus;
using stores::SandboxShare;

namespace {

// Notes what it is given.
class Station final : public EmailTransport {
 public:
  explicit Station(std::vector<std::string>& taken) : taken_(taken) {}
  EmailAttempt deliver(const OutgoingEmail& email) override {
    if (refuses) throw std::system_error(ENOSPC, std::generic_category(), "cannot write " + email.name);
    taken_.push_back(email.to);
    return {EmailResult::kAccepted, ""};
  }

  inline static bool refuses = false;

 private:
  std::vector<std::string>& taken_;
};

struct Stations {
  std::vector<std::string> server;
  std::vector<std::string> outbox;
  std::vector<std::string> asked;
  SandboxShare share = SandboxShare::kLeft;

  std::unique_ptr<SandboxTransport> transport(SandboxMailRule rule = {}) {
    return std::make_unique<SandboxTransport>(std::make_unique<Station>(server),
                                              std::make_unique<Station>(outbox), std::move(rule),
                                              [this](const OutgoingEmail& email) {
                                                asked.push_back(email.to);
                                                return share;
                                              });
  }
};

OutgoingEmail live(const std::string& to) { return {"event-1.1", to, "x"}; }
OutgoingEmail test(const std::string& to, unsigned attempts_before = 0) {
  return {"event-1.1", to, "x", sample_project_id(), attempts_before};
}

using Addresses = std::vector<std::string>;

}  // namespace

TEST_CASE("whose e-mails of the sandbox are sent is the operator's choice, and live ones always are") {
  Stations stations;
  SECTION("all") {
    const auto transport = stations.transport();
    transport->deliver(live("ana@example.com"));
    transport->deliver(test("bia@example.com"));
    CHECK(stations.server == Addresses{"ana@example.com", "bia@example.com"});
    CHECK(stations.outbox.empty());
  }
  SECTION("listed") {
    const auto transport =
        stations.transport({SandboxMail::kListed, {parsed<EmailAddress>("Dev@example.com")}});
    transport->deliver(live("ana@example.com"));
    transport->deliver(test("bia@example.com"));
    transport->deliver(test("dev@EXAMPLE.com"));
    CHECK(stations.server == Addresses{"ana@example.com", "dev@EXAMPLE.com"});
    CHECK(stations.outbox == Addresses{"bia@example.com"});
  }
  SECTION("outbox") {
    const auto transport = stations.transport({SandboxMail::kOutbox});
    transport->deliver(live("ana@example.com"));
    transport->deliver(test("bia@example.com"));
    CHECK(stations.server == Addresses{"ana@example.com"});
    CHECK(stations.outbox == Addresses{"bia@example.com"});
  }
}

TEST_CASE("only what goes out in the sandbox's name is counted, once, and beyond the share it is not sent") {
  Stations stations;
  const auto transport = stations.transport();
  CHECK(transport->deliver(live("ana@example.com")).result == EmailResult::kAccepted);
  CHECK(stations.asked.empty());
  CHECK(transport->deliver(test("bia@example.com")).result == EmailResult::kAccepted);
  CHECK(transport->deliver(test("bia@example.com", 1)).result == EmailResult::kAccepted);
  CHECK(stations.asked == Addresses{"bia@example.com"});
  stations.share = GENERATE(SandboxShare::kUsedByProject, SandboxShare::kUsedByRecipient);
  const auto attempt = transport->deliver(test("bia@example.com"));
  CHECK(attempt.result == EmailResult::kCapped);
  CHECK(attempt.error.find("bia") == std::string::npos);
  CHECK(attempt.error.find(stations.share == SandboxShare::kUsedByProject ? "project" : "recipient") !=
        std::string::npos);
  CHECK(stations.server.size() == 3);
  // Files are as many as there would be e-mails.
  const auto to_outbox = stations.transport({SandboxMail::kOutbox});
  CHECK(to_outbox->deliver(test("bia@example.com")).result == EmailResult::kCapped);
  CHECK(stations.outbox.empty());
  CHECK(transport->deliver(live("bia@example.com")).result == EmailResult::kAccepted);
}

TEST_CASE("an address is one mailbox whatever its case and what follows a plus") {
  CHECK(mailbox_of("Ana+1@Example.com") == "ana@example.com");
  CHECK(mailbox_of("ana@example.com") == "ana@example.com");
  CHECK(mailbox_of("ana@ex+ample.com") == "ana@ex+ample.com");
}

TEST_CASE("a capped e-mail is given up, and can be sent another day") {
  EmailWorkerFixture fixture;
  const SmtpServer server;
  auto share = SandboxShare::kUsedByRecipient;
  const auto smtp = fixture.smtp(server);
  fixture.options.make_transport = [&] {
    return std::make_unique<SandboxTransport>(
        std::make_unique<SmtpTransport>(smtp, fixture.watch, fixture.resolver), nullptr, SandboxMailRule{},
        [&share](const OutgoingEmail&) { return share; });
  };
  const auto charge = fixture.create_paid_charge();
  fixture.work();
  CHECK(fixture.only_failure().status == EmailStatus::kCapped);
  CHECK(server.mails().empty());
  share = SandboxShare::kLeft;
  CHECK(fixture.store.resend(charge, fixture.ledger.clock.now()) == 1);
  fixture.work();
  CHECK(fixture.store.given_up(10).empty());
  CHECK(server.mails().size() == 1);
}

TEST_CASE("an e-mail of the sandbox that the full disk refuses takes one share, however often it is tried") {
  Stations stations;
  const auto transport = stations.transport({SandboxMail::kOutbox});
  Station::refuses = true;
  for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(transport->deliver(test("bia@example.com")), std::system_error);
  Station::refuses = false;
  CHECK(transport->deliver(test("bia@example.com")).result == EmailResult::kAccepted);
  CHECK(stations.asked == Addresses{"bia@example.com"});
  CHECK(transport->deliver(test("bia@example.com")).result == EmailResult::kAccepted);
  CHECK(stations.asked.size() == 2);
}
