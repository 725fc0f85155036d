#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/servers/smtp_server.h"
#include "tests/support/servers/test_certificates.h"
#include "workers/emails/email_smtp.h"
#include "workers/emails/email_worker.h"

namespace pixledger::tests {

using namespace std::chrono_literals;
using workers::EmailComposer;
using workers::EmailWorker;
using workers::EmailWorkerOptions;
using workers::EmailWorkerParts;
using workers::RetrySchedule;
using workers::SmtpOptions;
using workers::SmtpTls;
using workers::SmtpTransport;

// Certificates are issued for it, and it resolves everywhere.
inline constexpr const char* kMailHost = "localhost";

// A ledger and a worker that the test starts and stops.
struct EmailWorkerFixture {
  EmailWorkerFixture() {
    store.begin_work(eventstore::cursor_at(ledger.log, Position()));
    options.schedule = *RetrySchedule::parse("0,10ms,10ms");
    options.senders = 2;
  }

  SmtpOptions smtp(const SmtpServer& server) const {
    SmtpOptions smtp{
        {kMailHost, server.port()}, SmtpTls::kOff, std::nullopt, composer.from(), authority.ca_file()};
    smtp.attempt_timeout = 10s;
    return smtp;
  }
  void send_to(const SmtpOptions& smtp) {
    options.make_transport = [this, smtp] { return std::make_unique<SmtpTransport>(smtp, watch, resolver); };
  }
  domain::ChargeId create_paid_charge() {
    auto charge = ledger.create_charge();
    ledger.pay(charge);
    return charge;
  }
  void start() {
    worker = std::make_unique<EmailWorker>(
        EmailWorkerParts{ledger.log, ledger.clock, ledger.entropy, ledger.logger, store, composer}, options);
  }
  void stop() {
    worker->stop();
    worker->check();
    worker.reset();
  }
  bool all_read() const { return store.cursor()->position == ledger.log.head().position; }
  bool all_done() const {
    return eventually([&] { return all_read() && store.pending() == 0; });
  }
  // Works until nothing is left to do.
  void work() {
    start();
    REQUIRE(all_done());
    stop();
  }
  // The one e-mail that will not be sent.
  stores::Email only_failure() const {
    const auto failures = store.given_up(10);
    REQUIRE(failures.size() == 1);
    return failures.front();
  }

  LedgerInMemory ledger;
  TestAuthority authority;
  DeadlineWatch watch;
  SystemResolver system_resolver;
  BoundedResolver resolver{system_resolver, 4};
  stores::EmailRepository store{ledger.directory.path() / "emails.sqlite"};
  EmailComposer composer{ledger.log, parsed<EmailAddress>("loja@example.com")};
  EmailWorkerOptions options;
  std::unique_ptr<EmailWorker> worker;
};

}  // namespace pixledger::tests
