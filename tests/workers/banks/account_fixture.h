#pragma once

#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include "domain/pix/payment_ids.h"
#include "eventstore/reading/state_reader.h"
#include "stores/banks/provider_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "workers/banks/api_pix/bank_requests.h"
#include "workers/banks/payment_report.h"

namespace pixledger::tests {

// A project with a connection to a bank, whose account is read, and others that may share it.
class Account {
 public:
  Account() { add_bank(ledger.project(), 1); }
  ~Account() { ::close(log_descriptor_); }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  // Adds the connection of that number, by default at a bank and with a client of its own.
  struct Bank {
    std::string key = "caixa@example.com";
    std::string host = "pix.example.com";
    std::string client = "client-1";
  };
  void add_bank(const domain::ProjectId& project, unsigned number, const Bank& bank) {
    auto added = sample_bank_connection("banco" + std::to_string(number), domain::Environment::kLive);
    added.id = sample_bank_id(number);
    added.project = project;
    added.api_pix.code = domain::CodeKind::kStatic;
    added.api_pix.pix_key = parsed<domain::PixKey>(bank.key);
    added.configuration.base_url = "https://" + bank.host + "/v2";
    added.configuration.client_id = bank.client;
    ledger.execute(added);
    database.apply({stores::BankNoted{added.id, project, ledger.clock.now()}},
                   eventstore::cursor_at(ledger.log, ledger.log.head().position));
  }
  void add_bank(const domain::ProjectId& project, unsigned number) { add_bank(project, number, Bank{}); }
  void change_key(const domain::ProjectId& project, unsigned number, const std::string& key) {
    ledger.execute(domain::ChangeConnection{.project = project,
                                            .connection = sample_bank_id(number),
                                            .change = {.pix_key = parsed<domain::PixKey>(key)}});
  }
  domain::ProjectId other_project() {
    const auto completed = ledger.execute(domain::CreateProject{sample_settings(), {}});
    return completed.events().front().project;
  }
  domain::ChargeId create(const domain::ProjectId& project, std::optional<unsigned> bank = 1,
                          domain::Environment environment = domain::Environment::kLive) {
    auto command = sample_creation(environment);
    command.project = project;
    command.amount = domain::Cents(1'990);
    if (bank) command.connection = sample_bank_id(*bank);
    const auto completed = ledger.execute(command);
    return *domain::ChargeId::parse(completed.events().back().stream.key());
  }
  domain::ChargeId create() { return create(ledger.project()); }

  workers::BankPayment payment(const std::optional<domain::ChargeId>& charge = std::nullopt) const {
    return {.end_to_end_id = sample_end_to_end_id(),
            .amount = domain::Cents(1'990),
            .paid_at = ledger.clock.now(),
            .txid = charge ? std::optional(domain::cob_txid(*charge)) : std::nullopt,
            .key = "caixa@example.com",
            .refunds = {},
            .unusable_refunds = {}};
  }
  // A payment as shown to the connection of that number.
  workers::Told show(const workers::BankPayment& payment, const domain::ProjectId& project,
                     unsigned bank) const {
    const auto state = eventstore::fold_as<domain::Project>(ledger.log, domain::project_stream(project));
    return report.report({.client = nullptr,
                          .connection = *domain::connection_of(*state, sample_bank_id(bank)),
                          .merchant_name = "",
                          .merchant_city = "",
                          .project = project},
                         project, payment);
  }
  bool tell(const workers::BankPayment& payment) const {
    return show(payment, ledger.project(), 1) == workers::Told::kYes;
  }

  std::optional<domain::UnmatchedPayment> unmatched() const {
    return eventstore::fold_as<domain::UnmatchedPayment>(ledger.log,
                                                         domain::payment_stream(sample_end_to_end_id()));
  }
  domain::Charge charge(const domain::ChargeId& id) const {
    return *eventstore::fold_as<domain::Charge>(ledger.log, domain::charge_stream(id));
  }
  std::uint64_t events() const { return ledger.log.head().position.value(); }

  // The number of log lines with that text.
  std::size_t lines_with(const std::string& text) const {
    std::ifstream file(log_file_);
    std::size_t found = 0;
    for (std::string line; std::getline(file, line);) found += line.find(text) != std::string::npos ? 1 : 0;
    return found;
  }

  LedgerInMemory ledger;
  // The directory with that of the providers' worker.
  std::filesystem::path workers() const { return ledger.directory.path(); }

 private:
  std::filesystem::path made_directory() const {
    std::filesystem::create_directories(workers() / "providers");
    return workers() / "providers";
  }
  const std::filesystem::path log_file_ = ledger.directory.path() / "log";
  const int log_descriptor_ = ::open(log_file_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);

 public:
  Logger logger{LogFormat::kJson, ledger.clock, log_descriptor_};
  stores::ProviderRepository database{made_directory() / stores::kProvidersFile};
  workers::BankMeters meters{ledger.directory.path(), database, logger};
  workers::CommandSubmitter submitter{ledger.executor};
  FixedClock clock{ledger.clock.now()};  // the report's; the ledger has its own
  workers::PaymentReport report{{.log = ledger.log,
                                 .clock = clock,
                                 .logger = logger,
                                 .meters = meters,
                                 .ledger = submitter,
                                 .database = database}};
};

inline workers::BankRefund devolucao(
    std::string id, std::int64_t cents,
    workers::BankRefundStatus status = workers::BankRefundStatus::kReturned) {
  workers::BankRefund refund;
  refund.id = std::move(id);
  refund.amount = domain::Cents(cents);
  refund.status = status;
  return refund;
}

}  // namespace pixledger::tests
