#include "workers/banks/poll_rounds.h"

#include <Poco/URI.h>
#include <catch2/catch.hpp>
#include <condition_variable>

#include "tests/workers/banks/bank_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using namespace std::chrono_literals;

namespace {

constexpr auto kLongLook = 24h;

// A bank without a network: it counts the polls of each connection's account, and blocks those that read far
// back until they are released.
class PatientBank final : public BankTransports {
 public:
  std::unique_ptr<BankTransport> connect(const std::string&, const std::string&) override {
    return std::make_unique<Way>(*this);
  }
  int looks_at(const std::string& host) const {
    const std::lock_guard lock(mutex_);
    const auto found = looks_.find(host);
    return found == looks_.end() ? 0 : found->second;
  }
  int long_looks() const {
    const std::lock_guard lock(mutex_);
    return long_looks_;
  }
  void fail(int looks) {
    const std::lock_guard lock(mutex_);
    failing_ = looks;
  }
  void let_go() {
    {
      const std::lock_guard lock(mutex_);
      may_go_ = true;
    }
    changed_.notify_all();
  }

 private:
  class Way final : public BankTransport {
   public:
    explicit Way(PatientBank& bank) : bank_(bank) {}
    CallResult call(const HttpCall& call) override { return bank_.answer(call); }

   private:
    PatientBank& bank_;
  };

  CallResult answer(const HttpCall& call) {
    const Poco::URI url(call.url);
    if (url.getPath() == "/token")
      return Answered{
          .status = 200, .body = R"({"access_token":"t","expires_in":3600})", .retry_after = "", .date = {}};
    std::map<std::string, Timestamp> times;
    for (const auto& [name, value] : url.getQueryParameters())
      if (const auto time = parse_iso8601(value)) times.emplace(name, *time);
    const auto back_ms = times.at("fim").millis() - times.at("inicio").millis();
    std::unique_lock lock(mutex_);
    if (!may_go_ && back_ms > std::chrono::milliseconds(kLongLook / 2).count()) {
      ++long_looks_;
      changed_.wait(lock, [this] { return may_go_; });
    }
    ++looks_[url.getHost()];
    if (failing_ > 0) {
      --failing_;
      return Answered{.status = 500, .body = "", .retry_after = "", .date = {}};
    }
    return Answered{.status = 200, .body = BankFixture::page("", 0, 0, 0), .retry_after = "", .date = {}};
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, int> looks_;
  int long_looks_ = 0;
  int failing_ = 0;
  bool may_go_ = false;
};

struct RoundsFixture : BankFixture {
  explicit RoundsFixture(const char* plan)
      : rounds({.clock = ledger.clock,
                .logger = ledger.logger,
                .banks = patient_banks,
                .database = database,
                .poll = poll},
               *PollPlan::parse(plan)),
        threads([this] { rounds.request_stop(); }) {
    use_host(connection, 1, "one.example");
  }
  ~RoundsFixture() {
    patient.let_go();
    rounds.request_stop();
    rounds.join();
    threads.check();
  }
  RoundsFixture(const RoundsFixture&) = delete;
  RoundsFixture& operator=(const RoundsFixture&) = delete;

  domain::BankConfiguration configuration_of(const domain::ConnectionId& id) const {
    return eventstore::fold_as<domain::BankConnection>(ledger.log, domain::connection_stream(id))
        ->configuration;
  }
  void use_host(const domain::ConnectionId& id, std::uint32_t revision, const std::string& host) {
    auto configuration = configuration_of(id);
    configuration.base_url = "https://" + host + "/v2";
    configuration.token_url = "https://" + host + "/token";
    ledger.execute(domain::ChangeConnection{.project = ledger.project(),
                                            .connection = id,
                                            .configuration = domain::NewBankConfiguration{
                                                .configuration = configuration, .made_from = revision}});
    follow();
  }
  // A second connection, to another host.
  domain::ConnectionId add_other() {
    auto added = sample_bank_connection("outro");
    added.id = sample_bank_id(2);
    added.project = ledger.project();
    added.configuration = configuration_of(connection);
    added.configuration.base_url = "https://two.example/v2";
    added.configuration.token_url = "https://two.example/token";
    added.configuration.secrets =
        eventstore::seal(added.id, {.client_secret = "secret"}, ledger.keyring, ledger.entropy);
    ledger.execute(added);
    follow();
    return added.id;
  }

  PatientBank patient;
  BankDirectory patient_banks{ledger.log,
                              ledger.keyring,
                              ledger.logger,
                              meters,
                              {.clock = ledger.clock, .entropy = ledger.entropy, .network = patient}};
  const PaymentPoll poll{{.clock = ledger.clock,
                          .logger = ledger.logger,
                          .banks = patient_banks,
                          .database = database,
                          .intake = intake,
                          .is_stopping = [this] { return rounds.is_stopping(); }}};
  PollRounds rounds;
  WorkerThreads threads;
};

}  // namespace

TEST_CASE("a long look back delays no short one") {
  RoundsFixture fixture("1s:15m,1h:24h");
  // The first look at an account goes a week back otherwise.
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
  fixture.rounds.start(fixture.threads);
  CHECK(eventually([&] { return fixture.patient.long_looks() == 1; }));
  const auto before = fixture.patient.looks_at("one.example");
  CHECK(eventually([&] { return fixture.patient.looks_at("one.example") >= before + 2; }));
  CHECK(fixture.patient.long_looks() == 1);
}

TEST_CASE("accounts are looked at as they come, and less often while nothing waits and the bank calls back") {
  RoundsFixture fixture("1s:15m");
  fixture.patient.let_go();
  fixture.database.note_called_back(fixture.connection, fixture.ledger.clock.now());
  fixture.rounds.start(fixture.threads);
  CHECK(eventually([&] { return fixture.patient.looks_at("one.example") == 1; }));
  fixture.add_other();
  CHECK(eventually([&] { return fixture.patient.looks_at("two.example") >= 3; }));
  CHECK(fixture.patient.looks_at("one.example") == 1);
  // A payment is awaited.
  fixture.create();
  fixture.follow();
  CHECK(eventually([&] { return fixture.patient.looks_at("one.example") >= 2; }));
}

TEST_CASE("a failed look does not count: it is repeated in its time, however quiet the account is") {
  RoundsFixture fixture("1s:15m");
  fixture.patient.let_go();
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
  fixture.database.note_called_back(fixture.connection, fixture.ledger.clock.now());
  fixture.patient.fail(1);
  fixture.rounds.start(fixture.threads);
  CHECK(eventually([&] { return fixture.patient.looks_at("one.example") == 2; }));
}
