#pragma once

#include <fcntl.h>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>

#include "eventstore/codec/codec.h"
#include "eventstore/keys/connection_secrets.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/workers/banks/api_pix/fake_bank.h"
#include "workers/banks/bank_agent.h"
#include "workers/banks/provider_worker.h"

namespace pixledger::tests {

constexpr const char* kCallbackSecret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

// A logger whose lines a test reads.
struct ReadLog {
  ReadLog(const std::filesystem::path& directory, const Clock& clock)
      : file((directory / "log").string()),
        descriptor(::open(file.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)),
        logger(LogFormat::kJson, clock, descriptor) {}
  ~ReadLog() { ::close(descriptor); }
  ReadLog(const ReadLog&) = delete;
  ReadLog& operator=(const ReadLog&) = delete;

  bool has(const std::string& text) const { return lines_with(text) > 0; }
  std::size_t lines_with(const std::string& text) const {
    std::istringstream content(content_of(file));
    std::size_t found = 0;
    for (std::string line; std::getline(content, line);)
      found += line.find(text) != std::string::npos ? 1 : 0;
    return found;
  }

  const std::string file;
  const int descriptor;
  Logger logger;
};

// A ledger whose project has a connection to a fake bank, and the parts of the providers' worker, without
// its threads.
struct BankFixture {
  BankFixture() {
    const auto access = bank.access();
    auto added = sample_bank_connection();
    added.project = ledger.project();
    added.api_pix.pix_key = access.pix_key;
    added.api_pix.code_deadline_ms = domain::kCodeDeadlineMsMax;
    added.configuration = {.psp = "generic",
                           .base_url = access.base_url,
                           .token_url = access.token_url,
                           .token_auth = domain::TokenAuth::kBasic,
                           .scopes = access.scopes,
                           .client_id = access.client_id,
                           .rate = domain::kBankRateMax,
                           .callback_cn = parsed<domain::Label>("bank.example"),
                           .certificate = std::nullopt,
                           .secrets = seal(access)};
    ledger.execute(added);
    ledger.execute(domain::SetDefaultConnection{ledger.project(), connection});
    database.begin_anew(eventstore::cursor_at(ledger.log, Position(0)));
    follow();
  }

  domain::SealedSecret seal(const workers::BankAccess& access) {
    return eventstore::seal(connection,
                            {.client_secret = access.client_secret,
                             .certificate_pem = access.certificate_pem,
                             .private_key_pem = access.private_key_pem,
                             .callback_secret = kCallbackSecret},
                            ledger.keyring, ledger.entropy);
  }

  // Reads new events of the log as the worker does.
  void follow() {
    std::vector<stores::BankChange> changes;
    for (const auto& stored : ledger.log.read_after(database.cursor()->position, 10'000))
      for (auto& change : workers::bank_changes_of(eventstore::decode(stored), ledger.log))
        changes.push_back(std::move(change));
    database.apply(changes, eventstore::cursor_at(ledger.log, ledger.log.head().position));
  }

  // Whether an alarm was logged for operators.
  bool is_alarmed() const { return agents_log.has("a bank did not do what it was asked"); }

  // A live charge of 100.00 that awaits the bank's code.
  domain::ChargeId create() {
    auto creation = sample_creation(domain::Environment::kLive);
    creation.project = ledger.project();
    creation.may_await_code = true;
    const auto completed = ledger.execute(creation);
    return parsed<domain::ChargeId>(completed.events().back().stream.key());
  }
  domain::ChargeId create_with_code() {
    const auto id = create();
    ledger.execute(domain::SetChargeCode{id, "00020101"});
    return id;
  }
  domain::ChargeId create_paid(unsigned payment = 1) {
    const auto id = create_with_code();
    submitter.submit(domain::ReportPayment{ledger.project(), id, sample_end_to_end_id(payment),
                                           domain::Cents(10'000), std::nullopt});
    return id;
  }
  domain::Charge charge(const domain::ChargeId& id) const {
    return eventstore::fold_as<domain::Charge>(ledger.log, domain::charge_stream(id)).value();
  }
  workers::ResolvedBank at_hand() { return banks.find(connection).value(); }

  // The only piece of work.
  stores::BankWork work(unsigned attempts = 0) {
    follow();
    auto due = database.due(ledger.clock.now().plus_millis(kDayMs), 10);
    if (due.size() != 1) throw std::runtime_error(std::to_string(due.size()) + " pieces of work");
    due.front().attempts = attempts;
    return due.front();
  }

  // An agent that has been running for a day.
  workers::BankAgent make_old_agent() {
    agents_clock.set_wall_clock(ledger.clock.now().plus_millis(-kDayMs));
    workers::BankAgent old({.log = ledger.log,
                            .clock = agents_clock,
                            .logger = agents_log.logger,
                            .banks = banks,
                            .meters = meters,
                            .database = database,
                            .ledger = submitter,
                            .payments = intake});
    agents_clock.set_wall_clock(ledger.clock.now());
    return old;
  }

  std::string cob(const domain::ChargeId& id, const std::string& status = "ATIVA",
                  const std::string& amount = "100.00", const std::string& key = "loja@example.com",
                  const std::string& pix = "") const {
    return R"({"txid":"p)" + id.text() + R"(","status":")" + status + R"(","valor":{"original":")" + amount +
           R"("},"chave":")" + key +
           R"(","location":"pix.example.com/qr/1","calendario":{"expiracao":1770})" +
           (pix.empty() ? "" : R"(,"pix":[)" + pix + "]") + "}";
  }
  std::string payment(const domain::ChargeId& id, unsigned number = 1,
                      std::optional<Timestamp> at = std::nullopt, const std::string& refunds = "") const {
    return R"({"endToEndId":")" + sample_end_to_end_id(number).text() + R"(","txid":"p)" + id.text() +
           R"(","valor":"100.00","chave":"loja@example.com","horario":")" +
           to_iso8601(at.value_or(ledger.clock.now())) + R"(","devolucoes":[)" + refunds + "]}";
  }
  static std::string page(const std::string& payments, int items, int number = 0, int pages = 1,
                          int page_size = 100) {
    return R"({"parametros":{"paginacao":{"paginaAtual":)" + std::to_string(number) +
           R"(,"itensPorPagina":)" + std::to_string(page_size) + R"(,"quantidadeDePaginas":)" +
           std::to_string(pages) + R"(,"quantidadeTotalDeItens":)" + std::to_string(items) + R"(}},"pix":[)" +
           payments + "]}";
  }

  FakeBank bank;
  LedgerInMemory ledger;
  const domain::ConnectionId connection = sample_bank_id();
  stores::ProviderRepository database{ledger.directory.path() / stores::kProvidersFile};
  BankResolver resolver;
  workers::BankNetwork network{resolver, {.ca_file = bank.authority.ca_file()}};
  workers::BankMeters meters{ledger.directory.path(), database, ledger.logger};
  const std::filesystem::path traces_file = ledger.directory.path() / "traces.sqlite";
  const stores::EventTraces traces{traces_file, ledger.clock, ledger.entropy, nullptr, ledger.logger};
  workers::BankDirectory banks{
      ledger.log,
      ledger.keyring,
      ledger.logger,
      meters,
      {.clock = ledger.clock, .entropy = ledger.entropy, .network = network, .traces = &traces}};
  const workers::CommandSubmitter submitter{ledger.executor};
  const workers::PaymentReport report{{.log = ledger.log,
                                       .clock = ledger.clock,
                                       .logger = ledger.logger,
                                       .meters = meters,
                                       .ledger = submitter,
                                       .database = database}};
  ReadLog agents_log{ledger.directory.path(), ledger.clock};
  const workers::PaymentIntake intake{{.log = ledger.log,
                                       .clock = ledger.clock,
                                       .logger = agents_log.logger,
                                       .database = database,
                                       .report = report,
                                       .meters = meters}};
  const workers::BankAgent agent{{.log = ledger.log,
                                  .clock = ledger.clock,
                                  .logger = agents_log.logger,
                                  .banks = banks,
                                  .meters = meters,
                                  .database = database,
                                  .ledger = submitter,
                                  .payments = intake,
                                  .traces = &traces}};
  FixedClock agents_clock{ledger.clock.now()};  // of make_old_agent()
};

}  // namespace pixledger::tests
