#include "tests/support/bank/bank_simulation.h"

#include <algorithm>
#include <fcntl.h>

#include "domain/pix/payment_ids.h"
#include "eventstore/codec/codec.h"
#include "eventstore/keys/connection_secrets.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/bank/bank_simulation_parts.h"
#include "tests/support/domain/sample_values.h"
#include "workers/banks/provider_worker.h"

namespace pixledger::tests {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kSecondMs = 1'000;
constexpr milliseconds kShortLook{15 * kMinuteMs};
constexpr milliseconds kSweep{100 * kDayMs};
constexpr std::size_t kEventsAtOnce = 64;
constexpr unsigned kRoundsMax = 600;
constexpr unsigned kQuietRounds = 30;
constexpr std::int64_t kSkewMsMax = 600'000;

int null_device() {
  static const int descriptor = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  return descriptor;
}

// Making keys takes longer than a run.
const eventstore::Keyring& keyring_for_all() {
  static const TemporaryDirectory directory;
  static const auto keyring = [] {
    SeededEntropy entropy(1);
    eventstore::Keyring::create(directory.path() / "keys", entropy, kStart);
    return eventstore::Keyring::open(directory.path() / "keys");
  }();
  return keyring;
}

}  // namespace

BankSimulation::BankSimulation(const BankSimulationOptions& options)
    : options_(options),
      random_(options.seed),
      clock_(kStart),
      entropy_(options.seed),
      keyring_(keyring_for_all()),
      logger_(LogFormat::kJson, clock_, null_device()),
      log_({"0123456789abcdef0123456789abcdef", 1}),
      executor_(log_, clock_, entropy_) {
  for (unsigned number = 1; number <= 2; ++number) {
    const auto host = "bank" + std::to_string(number) + ".example";
    const auto key = "loja" + std::to_string(number) + "@example.com";
    add_merchant(number, host, add_bank(host, true), {key, "client"});
  }
  // Two on one account: with one Pix key or two, which the bank may leave out of its answers, and as one or
  // two clients of the bank.
  const bool share_key = draw(2) == 0;
  const bool share_client = draw(2) == 0;
  auto& shared = add_bank("shared.example", draw(2) == 0);
  add_merchant(3, "shared.example", shared, {"conta@example.com", "client3"});
  add_merchant(4, "shared.example", shared,
               {share_key ? "conta@example.com" : "outra@example.com", share_client ? "client3" : "client4"});
  plant(options_.bug);
  worker_ = std::make_unique<Worker>(*this);
}

BankSimulation::~BankSimulation() = default;

SimulatedBank& BankSimulation::add_bank(const std::string& host, bool names_keys) {
  const auto skew = static_cast<std::int64_t>(draw(2 * kSkewMsMax)) - kSkewMsMax;
  banks_.push_back(std::make_unique<SimulatedBank>(clock_, random_(), skew, names_keys));
  network_.add(host, *banks_.back());
  return *banks_.back();
}

void BankSimulation::add_merchant(unsigned number, const std::string& host, SimulatedBank& bank,
                                  const Terms& terms) {
  const auto created = execute(domain::CreateProject{sample_settings()});
  const auto project = created->events().front().project;
  const auto connection = sample_bank_id(number);
  auto configuration = sample_configuration();
  configuration.psp = "generic";
  configuration.base_url = "https://" + host + "/v2";
  configuration.token_url = "https://" + host + "/token";
  configuration.client_id = terms.client;
  configuration.certificate.reset();
  configuration.rate = 1'000;
  configuration.secrets = eventstore::seal(connection, {.client_secret = "secret"}, keyring_, entropy_);
  auto add = sample_bank_connection("banco");
  add.id = connection;
  add.project = project;
  add.api_pix.pix_key = parsed<domain::PixKey>(terms.key);
  add.api_pix.fallback = draw(2) == 0 ? domain::CodeFallback::kStatic : domain::CodeFallback::kNone;
  add.configuration = std::move(configuration);
  execute(std::move(add));
  merchants_.push_back(std::unique_ptr<Merchant>(new Merchant{
      .project = project, .connection = connection, .key = terms.key, .bank = bank, .charges = {}}));
}

std::optional<eventstore::Completed> BankSimulation::execute(domain::Command command) {
  auto result = executor_.execute({std::move(command), "key-test", {}, "req_test", {}});
  auto* completed = std::get_if<eventstore::Completed>(&result);
  if (completed == nullptr || !completed->outcome.done()) return std::nullopt;
  return std::move(*completed);
}

// --- what goes wrong ---

void BankSimulation::set_weather(bool good) {
  for (const auto& bank : banks_)
    bank->set_faults(good ? SimulatedBank::Faults{}
                          : SimulatedBank::Faults{.lost_request = 40,
                                                  .lost_answer = 80,
                                                  .late_effect = 30,
                                                  .too_many = 20,
                                                  .broken = 40,
                                                  .unauthorized = 10,
                                                  .kills = 15});
}

void BankSimulation::plant(PlantedBug bug) {
  constexpr std::string_view kDevolucao = "/devolucao/";
  if (bug == PlantedBug::kNewIdOnRetry)
    network_.set_detour([this, kDevolucao](SimulatedBank& bank, const workers::HttpCall& call) {
      auto sent = bank.call(call);
      const auto at = call.url.find(kDevolucao);
      if (call.method != "PUT" || at == std::string::npos ||
          !std::holds_alternative<workers::OutcomeUnknown>(sent))
        return sent;
      auto again = call;
      again.url = call.url.substr(0, at + kDevolucao.size()) + "rnew" + std::to_string(draw(1'000'000'000));
      return bank.call(again);
    });
  if (bug == PlantedBug::kPutWithoutGet)
    network_.set_detour([kDevolucao](SimulatedBank& bank, const workers::HttpCall& call) {
      if (call.method == "GET" && call.url.find(kDevolucao) != std::string::npos)
        return workers::CallResult(
            workers::Answered{.status = 404, .body = "", .retry_after = "", .date = {}});
      return bank.call(call);
    });
}

void BankSimulation::let_waits_end() {
  for (const auto& merchant : merchants_)
    for (const auto& id : merchant->charges) {
      const auto charge = *charge_in(log_, id);
      if (domain::awaits_code(charge) && clock_.now() >= *charge.code_awaited_until)
        execute(domain::EndCodeWait{id});
    }
}

void BankSimulation::expire_overdue() {
  for (const auto& merchant : merchants_)
    for (const auto& id : merchant->charges)
      if (domain::is_overdue(*charge_in(log_, id), clock_.now())) execute(domain::ExpireOverdueCharge{id});
}

// --- the worker ---

void BankSimulation::with_worker(const std::function<void(Worker&)>& work) {
  try {
    work(*worker_);
  } catch (const Killed&) {
    ++deaths_;
    worker_.reset();
    // The worker's file is derived data, so now and then it is lost, too.
    if (draw(4) == 0) std::filesystem::remove(directory_.path() / stores::kProvidersFile);
    worker_ = std::make_unique<Worker>(*this);
  }
}

void BankSimulation::read_events(Worker& worker) {
  while (true) {
    const auto stored = log_.read_after(worker.database.cursor()->position, kEventsAtOnce);
    if (stored.empty()) return;
    std::vector<stores::BankChange> changes;
    for (const auto& event : stored)
      for (auto& change : workers::bank_changes_of(eventstore::decode(event), log_))
        changes.push_back(std::move(change));
    worker.database.apply(changes, eventstore::cursor_at(log_, stored.back().position));
  }
}

bool BankSimulation::carry_out_one(Worker& worker) {
  const auto due = worker.database.due(clock_.now(), 1'000);
  if (due.empty()) return false;
  const auto& work = due[draw(due.size())];
  const auto again = worker.agent.carry_out(work);
  if (again)
    worker.database.postpone(work, clock_.now().plus_millis(std::max<std::int64_t>(1, again->count())));
  else
    worker.database.drop(work);
  return true;
}

void BankSimulation::read_kept_payments(Worker& worker) {
  for (const auto& payment : worker.database.payments_due(clock_.now(), kEventsAtOnce))
    worker.reader.read(payment);
}

void BankSimulation::look_at_accounts(Worker& worker, milliseconds back) {
  for (const auto& bank : worker.database.banks()) {
    if (options_.bug == PlantedBug::kCursorBeforeCommit) {
      worker.database.note_looked(bank.connection, clock_.now());
      if (draw(2) == 0) throw Killed();
    }
    worker.poll.look(bank, {.every = back, .back = back}, workers::BankPriority::kPoll);
  }
  if (options_.bug == PlantedBug::kNoProjectCheck) report_whoevers(worker);
}

void BankSimulation::report_whoevers(Worker&) {
  for (const auto& bank : banks_)
    for (const auto& [id, payment] : bank->payments()) {
      const auto txid = domain::Txid::parse(payment.txid.value_or(""));
      const auto named = txid ? domain::charge_named_by(*txid) : std::nullopt;
      const auto charge = named ? charge_in(log_, *named) : std::nullopt;
      if (charge)
        execute(domain::ReportPayment{charge->project, charge->id, parsed<domain::EndToEndId>(id),
                                      payment.amount, payment.at});
    }
}

// --- the run ---

void BankSimulation::step() {
  auto& merchant = *merchants_[draw(merchants_.size())];
  clock_.advance_millis(
      static_cast<std::int64_t>(draw(20) == 0 ? draw(20 * kMinuteMs) : draw(3 * kSecondMs)));
  switch (draw(10)) {
    case 0:
      return create(merchant);
    case 1:
      return pay(merchant);
    case 2:
      return draw(3) == 0 ? ask_for_refund(merchant) : operate(merchant);
    case 3: {
      if (merchant.charges.empty() || draw(3) != 0) return;
      const auto& charge = merchant.charges[draw(merchant.charges.size())];
      execute(domain::CancelCharge{{merchant.project, false}, charge});
      return;
    }
    case 4:
      if (options_.sweeps && draw(8) == 0) merchant.bank.reverse();
      return;
    case 5:
      let_waits_end();
      return expire_overdue();
    case 6:
      return with_worker([this](Worker& worker) { look_at_accounts(worker, kShortLook); });
    default:
      return with_worker([this](Worker& worker) {
        read_events(worker);
        carry_out_one(worker);
        read_kept_payments(worker);
      });
  }
}

void BankSimulation::run(unsigned steps) {
  set_weather(false);
  for (unsigned i = 0; i < steps; ++i) step();
}

void BankSimulation::come_to_rest() {
  set_weather(true);
  unsigned quiet = 0;
  for (unsigned round = 0; round < kRoundsMax && quiet < kQuietRounds; ++round) {
    const auto before = log_.head().position;
    clock_.advance_millis(round % 10 == 9 ? 61 * kMinuteMs : 61 * kSecondMs);
    let_waits_end();
    expire_overdue();
    for (const auto& bank : banks_) bank->settle();
    with_worker([this](Worker& worker) {
      read_events(worker);
      for (unsigned i = 0; i < 1'000 && carry_out_one(worker); ++i) read_events(worker);
      read_kept_payments(worker);
      look_at_accounts(worker, kShortLook);
      if (options_.sweeps) look_at_accounts(worker, kSweep);
    });
    quiet = log_.head().position == before ? quiet + 1 : 0;
  }
}

BankSimulation::Tally BankSimulation::tally() const {
  Tally tally{.deaths = deaths_};
  for (const auto& bank : banks_)
    for (const auto& [id, payment] : bank->payments()) {
      ++tally.payments;
      tally.devolucoes += payment.devolucoes.size();
    }
  for (const auto& merchant : merchants_)
    for (const auto& id : merchant->charges) {
      const auto charge = *charge_in(log_, id);
      if (charge.payment) ++tally.paid;
      tally.added += charge.added.size();
    }
  return tally;
}

}  // namespace pixledger::tests
