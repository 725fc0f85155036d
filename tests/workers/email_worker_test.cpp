#include "workers/emails/email_worker.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/servers/hanging_resolver.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/workers/email_worker_fixture.h"
#include "workers/emails/email_transport.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using stores::EmailStatus;

namespace {

std::vector<std::string> with_certificate(const CertificateFiles& files, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--cert", files.cert_file, "--key", files.key_file});
  return more;
}

std::set<std::string> message_ids(const std::vector<std::filesystem::path>& mails) {
  std::set<std::string> ids;
  for (const auto& mail : mails) ids.insert(json_at(read_mail(mail), "/messageId"));
  return ids;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a customer gets one confirmation when the charge is paid, encrypted and after a login") {
  EmailWorkerFixture fixture;
  for (const std::string mechanism : {"PLAIN", "LOGIN"}) {
    const SmtpServer server(
        with_certificate(fixture.authority.issue(kMailHost),
                         {"--user", "loja", "--password", "segredo", "--mechanism", mechanism}));
    auto smtp = fixture.smtp(server);
    smtp.tls = SmtpTls::kStartTls;
    smtp.credentials = {"loja", "segredo"};
    fixture.send_to(smtp);
    const auto charge = fixture.create_paid_charge();
    fixture.work();
    REQUIRE(server.mails().size() == 1);
    CHECK(server.log_count("tls") == 1);
    CHECK(server.log_count("auth loja") == 1);
    const auto mail = read_mail(server.mails()[0]);
    CHECK(json_at(mail, "/to") == sample_details().email.text());
    CHECK(json_at(mail, "/defects") == "0");
    CHECK(contains(json_at(mail, "/text"), charge.text()));
    CHECK(contains(json_at(mail, "/text"), "R$ 100,00"));
    CHECK(contains(json_at(mail, "/text"), "Loja: " + sample_settings().name.text()));
  }
}

TEST_CASE("TLS from the first byte on works too") {
  EmailWorkerFixture fixture;
  const SmtpServer server(with_certificate(fixture.authority.issue(kMailHost),
                                           {"--implicit-tls", "--user", "loja", "--password", "segredo"}));
  auto smtp = fixture.smtp(server);
  smtp.tls = SmtpTls::kTls;
  smtp.credentials = {"loja", "segredo"};
  fixture.send_to(smtp);
  fixture.create_paid_charge();
  fixture.work();
  CHECK(server.mails().size() == 1);
}

TEST_CASE("only payments are confirmed, each over a connection that is kept") {
  EmailWorkerFixture fixture;
  fixture.options.senders = 1;
  const SmtpServer server;
  fixture.send_to(fixture.smtp(server));
  fixture.ledger.create_charge();
  constexpr std::size_t kPayments = 20;
  for (std::size_t i = 0; i < kPayments; ++i) fixture.create_paid_charge();
  fixture.work();
  CHECK(server.mails().size() == kPayments);
  CHECK(message_ids(server.mails()).size() == kPayments);
  CHECK(server.log_count("connect") <= 2);
}

TEST_CASE("a server that does not offer STARTTLS gets neither password nor e-mail") {
  EmailWorkerFixture fixture;
  const SmtpServer server;
  auto smtp = fixture.smtp(server);
  smtp.tls = SmtpTls::kStartTls;
  smtp.credentials = {"loja", "segredo"};
  fixture.send_to(smtp);
  fixture.create_paid_charge();
  fixture.work();
  CHECK(fixture.only_failure().status == EmailStatus::kExhausted);
  CHECK(contains(fixture.only_failure().error, "does not offer STARTTLS"));
  CHECK(server.log_count("mail") == 0);
  CHECK(server.mails().empty());
}

TEST_CASE("a server whose certificate is not trusted, or of another name, gets nothing") {
  EmailWorkerFixture fixture;
  const TestAuthority stranger;
  for (const auto tls : {SmtpTls::kStartTls, SmtpTls::kTls}) {
    for (const auto& files : {stranger.issue(kMailHost), fixture.authority.issue("mail.example"),
                              fixture.authority.issue_expired(kMailHost)}) {
      const SmtpServer server(with_certificate(files, tls == SmtpTls::kTls
                                                          ? std::vector<std::string>{"--implicit-tls"}
                                                          : std::vector<std::string>{}));
      auto smtp = fixture.smtp(server);
      smtp.tls = tls;
      SmtpTransport transport(smtp, fixture.watch, fixture.resolver);
      const auto attempt = transport.deliver({"event-1.1", "ana@example.com", "Subject: x\r\n\r\nx\r\n"});
      CAPTURE(attempt.error);
      CHECK(attempt.result == EmailResult::kFailed);
      CHECK_FALSE(attempt.error.empty());
      CHECK(server.log_count("mail") == 0);
    }
  }
}

TEST_CASE("plain text after the reply to STARTTLS is not read as an encrypted reply") {
  EmailWorkerFixture fixture;
  const SmtpServer server(with_certificate(fixture.authority.issue(kMailHost), {"--inject"}));
  auto smtp = fixture.smtp(server);
  smtp.tls = SmtpTls::kStartTls;
  smtp.credentials = {"loja", "segredo"};
  SmtpTransport transport(smtp, fixture.watch, fixture.resolver);
  const auto attempt = transport.deliver({"event-1.1", "ana@example.com", "Subject: x\r\n\r\nx\r\n"});
  CHECK(attempt.result == EmailResult::kFailed);
  CHECK(contains(attempt.error, "offers neither AUTH PLAIN nor AUTH LOGIN"));
  CHECK(server.log_count("auth refused") == 0);
}

TEST_CASE("a wrong password is tried again later, since it may be put right") {
  EmailWorkerFixture fixture;
  const SmtpServer server(
      with_certificate(fixture.authority.issue(kMailHost), {"--user", "loja", "--password", "segredo"}));
  auto smtp = fixture.smtp(server);
  smtp.tls = SmtpTls::kStartTls;
  smtp.credentials = {"loja", "errado"};
  fixture.send_to(smtp);
  fixture.create_paid_charge();
  fixture.work();
  CHECK(fixture.only_failure().status == EmailStatus::kExhausted);
  CHECK(fixture.only_failure().attempts == 3);
  CHECK(fixture.only_failure().error == "the mail server answered AUTH PLAIN with 535");
  CHECK(server.log_count("auth refused") == 3);
  CHECK(server.mails().empty());
}

TEST_CASE("a name server that does not answer takes no more than the attempt's time") {
  EmailWorkerFixture fixture;
  HangingResolver hanging("mail.example");
  BoundedResolver bounded(hanging, 1);
  SmtpOptions smtp{{HangingResolver::kHangs, 25}, SmtpTls::kOff, std::nullopt, fixture.composer.from(), ""};
  smtp.attempt_timeout = 20ms;
  SmtpTransport transport(smtp, fixture.watch, bounded);
  const auto attempt = transport.deliver({"event-1.1", "ana@example.com", "Subject: x\r\n\r\nx\r\n"});
  CHECK(attempt.result == EmailResult::kFailed);
  CHECK(attempt.error == "the name server did not answer in time");
  hanging.let_go();
}

TEST_CASE("a recipient that is refused for good is asked once, and others still get theirs") {
  EmailWorkerFixture fixture;
  fixture.options.senders = 1;
  const SmtpServer server({"--refuse", sample_details().email.text()});
  SmtpTransport transport(fixture.smtp(server), fixture.watch, fixture.resolver);
  fixture.send_to(fixture.smtp(server));
  fixture.create_paid_charge();
  fixture.work();
  const auto failure = fixture.only_failure();
  CHECK(failure.status == EmailStatus::kRefused);
  CHECK(failure.attempts == 1);
  CHECK(failure.error == "the mail server answered RCPT TO with 550");

  const std::string bytes = "Subject: x\r\n\r\nx\r\n";
  CHECK(transport.deliver({"event-1.1", sample_details().email.text(), bytes}).result ==
        EmailResult::kRefused);
  CHECK(transport.deliver({"event-2.1", "bia@example.com", bytes}).result == EmailResult::kAccepted);
  CHECK(server.mails().size() == 1);
}

TEST_CASE("a recipient that is refused for now is tried again") {
  EmailWorkerFixture fixture;
  const SmtpServer server({"--refuse", sample_details().email.text(), "--refuse-code", "450 4.2.1"});
  fixture.send_to(fixture.smtp(server));
  fixture.create_paid_charge();
  fixture.work();
  CHECK(fixture.only_failure().status == EmailStatus::kExhausted);
  CHECK(fixture.only_failure().attempts == 3);
}

TEST_CASE("a busy server gets the e-mail later, once") {
  EmailWorkerFixture fixture;
  const SmtpServer server({"--busy", "2"});
  fixture.send_to(fixture.smtp(server));
  fixture.create_paid_charge();
  fixture.work();
  CHECK(server.mails().size() == 1);
  CHECK(fixture.store.given_up(10).empty());
}

TEST_CASE(
    "a server that dies in the middle gets the e-mail again when it is back, under the same Message-ID") {
  const bool kept = GENERATE(false, true);
  EmailWorkerFixture fixture;
  fixture.options.senders = 1;
  fixture.options.schedule =
      *RetrySchedule::parse("0,50ms,50ms,50ms,50ms,50ms,50ms,50ms,50ms,1s,1s,1s,1s,1s");
  std::vector<std::string> deadly{"--die-at", "2"};
  if (kept) deadly.emplace_back("--keep-what-kills");
  SmtpServer server(deadly);
  fixture.send_to(fixture.smtp(server));
  for (int i = 0; i < 3; ++i) fixture.create_paid_charge();
  fixture.start();
  REQUIRE(eventually([&] { return server.ended(); }));
  server.restart({});
  REQUIRE(fixture.all_done());
  fixture.stop();
  // What it had taken when it died, but not said so, comes twice.
  CHECK(server.mails().size() == (kept ? 4U : 3U));
  CHECK(message_ids(server.mails()).size() == 3);
}

TEST_CASE("a server that hangs holds an attempt up no longer than its time") {
  EmailWorkerFixture fixture;
  const SmtpServer server({"--hang"});
  auto smtp = fixture.smtp(server);
  smtp.attempt_timeout = 300ms;
  fixture.send_to(smtp);
  fixture.options.schedule = *RetrySchedule::parse("0");
  fixture.create_paid_charge();
  fixture.work();
  CHECK(fixture.only_failure().error == "the mail server did not answer in time");
}

TEST_CASE("without a mail server each confirmation becomes a file that its owner alone can read") {
  EmailWorkerFixture fixture;
  const auto outbox = fixture.ledger.directory.path() / "outbox";
  fixture.options.make_transport = [&] { return std::make_unique<EmailOutbox>(outbox); };
  fixture.create_paid_charge();
  fixture.create_paid_charge();
  fixture.work();
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(outbox)) {
    ++files;
    const auto mail = read_mail(file.path());
    CHECK(json_at(mail, "/messageId") ==
          "<" + file.path().stem().string() + "@" + fixture.ledger.log.identity().ledger_id + ">");
    CHECK((file.status().permissions() & std::filesystem::perms::mask) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  }
  CHECK(files == 2);
  CHECK((std::filesystem::status(outbox).permissions() & std::filesystem::perms::mask) ==
        std::filesystem::perms::owner_all);
}

TEST_CASE("what the worker stores names no person") {
  EmailWorkerFixture fixture;
  const SmtpServer server({"--refuse", sample_details().email.text()});
  fixture.send_to(fixture.smtp(server));
  fixture.create_paid_charge();
  fixture.work();
  const auto failure = fixture.only_failure();
  CHECK_FALSE(contains(failure.error, "@"));
  CHECK_FALSE(contains(failure.error, sample_details().name.text()));
}

TEST_CASE("a worker goes on where the one before it stopped, and refuses another log's cursor") {
  EmailWorkerFixture fixture;
  const auto outbox = fixture.ledger.directory.path() / "outbox";
  fixture.options.make_transport = [&] { return std::make_unique<EmailOutbox>(outbox); };
  fixture.create_paid_charge();
  fixture.work();
  for (const auto& file : std::filesystem::directory_iterator(outbox)) std::filesystem::remove(file);
  fixture.create_paid_charge();
  fixture.work();
  CHECK(std::distance(std::filesystem::directory_iterator(outbox), {}) == 1);

  auto cursor = eventstore::cursor_at(fixture.ledger.log, Position(1));
  cursor.log.epoch = 2;
  fixture.store.add({}, cursor);
  CHECK_THROWS_AS(fixture.start(), eventstore::CursorMismatch);
}
