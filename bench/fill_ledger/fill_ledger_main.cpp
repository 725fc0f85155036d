// Usage: bench_fill_ledger DATA CHARGES
// Makes a data directory whose ledger holds that many charges of one project, spread over the last year:
// a tenth as many customers, half of the charges with an external id, 20 shops, most of them paid. They go
// through the executor as any other, with a clock that runs faster. Prints a test key of the project.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "base/values/bit_mixer.h"
#include "eventstore/executor/executor.h"
#include "eventstore/keys/tokens.h"
#include "eventstore/ledger.h"

namespace {

using namespace pixledger;

constexpr std::int64_t kSpanMs = 365LL * 24 * 60 * 60 * 1000;
constexpr std::uint64_t kSeed = 20'261'121;
constexpr std::uint64_t kChargesPerStep = 4'000;  // fewer than the executor's queue holds
constexpr std::uint64_t kShops = 20;

// As bench/load/people.lua makes payers, so that its searches find as many here.
const std::vector<std::string> kFirstNames = {
    "Ana",    "Bruno", "Carla",   "Daniel", "Elisa",  "Fabio", "Gabriela", "Heitor", "Isabela", "Joao",
    "Karina", "Lucas", "Mariana", "Nelson", "Olivia", "Paulo", "Renata",   "Sergio", "Tatiana", "Vitor"};
const std::vector<std::string> kLastNames = {
    "Almeida", "Barbosa",  "Cardoso",  "Dias",    "Esteves", "Ferreira", "Gomes", "Henriques", "Lima",
    "Martins", "Nogueira", "Oliveira", "Pereira", "Queiroz", "Ribeiro",  "Silva", "Teixeira",  "Uchoa",
    "Vieira",  "Xavier",   "Araujo",   "Batista", "Campos",  "Duarte",   "Moura"};

// A clock that the program moves.
class FastClock final : public Clock {
 public:
  explicit FastClock(Timestamp start) : start_(start) {}
  Timestamp now() const override { return start_.plus_millis(passed_ms_.load()); }
  std::int64_t boot_millis() const override { return passed_ms_.load(); }
  std::string boot_id() const override { return "00000000-0000-0000-0000-000000000000"; }
  void advance_ms(std::int64_t millis) { passed_ms_ += millis; }

 private:
  Timestamp start_;
  std::atomic<std::int64_t> passed_ms_ = 0;
};

template <class Value>
Value parsed(const std::string& text) {
  return Value::parse(text).value();
}

// The number of that purpose for that charge; the same at every run.
std::uint64_t draw(std::uint64_t charge, std::uint64_t purpose) {
  return splitmix64(kSeed + purpose, charge);
}

std::string padded(std::uint64_t number, std::size_t digits) {
  auto text = std::to_string(number);
  return std::string(digits - text.size(), '0') + text;
}

class Filler {
 public:
  Filler(const std::string& directory, std::uint64_t charges)
      : charges_(charges), ledger_(make(directory)), executor_(*ledger_.log, clock_, entropy_) {}

  std::string create_project() {
    const auto key = eventstore::make_api_key(false, ledger_.log->identity().fingerprint(), entropy_);
    auto result = executor_.execute(request(domain::CreateProject{
        {parsed<domain::Label>("Bench"), parsed<domain::PixKey>("7d9f0335-8dcc-4054-9bf9-0dbd61d36906"),
         parsed<domain::Label>("BENCH"), parsed<domain::Label>("SAO PAULO")},
        {{key.id, domain::Environment::kSandbox, key.hash}}}));
    project_ = std::get<eventstore::Completed>(result).events().front().project;
    return key.text;
  }

  void fill() {
    const auto steps = (charges_ + kChargesPerStep - 1) / kChargesPerStep;
    for (std::uint64_t step = 0; step < steps; ++step) {
      const auto first = step * kChargesPerStep;
      const auto end = std::min(charges_, first + kChargesPerStep);
      std::vector<domain::Command> creations;
      for (auto i = first; i < end; ++i) creations.emplace_back(creation(i));
      const auto created = execute(std::move(creations));
      std::vector<domain::Command> moves;
      for (auto i = first; i < end; ++i) add_move(i, charge_of(created[i - first]), moves);
      execute(std::move(moves));
      clock_.advance_ms(kSpanMs / static_cast<std::int64_t>(steps + 1));
      if (step % 25 == 0)
        std::fprintf(stderr, "\r%3llu %%", static_cast<unsigned long long>(100 * step / steps));
    }
    std::fprintf(stderr, "\r100 %%\n");
  }

 private:
  eventstore::Ledger make(const std::string& directory) {
    eventstore::Ledger::create({directory}, entropy_, clock_);
    return eventstore::Ledger::open({directory});
  }

  static eventstore::Request request(domain::Command command) {
    return {std::move(command), "operator-bench", std::nullopt, "", std::nullopt};
  }

  domain::CreateCharge creation(std::uint64_t i) const {
    const auto customer = draw(i, 1) % (charges_ / 10 + 1);
    const auto document = padded(customer, 11);
    const auto& first = kFirstNames[customer % kFirstNames.size()];
    const auto& last = kLastNames[customer / kFirstNames.size() % kLastNames.size()];
    domain::CreateCharge command{
        *project_,
        draw(i, 4) % 4 == 0 ? domain::Environment::kLive : domain::Environment::kSandbox,
        parsed<domain::DocumentToken>(ledger_.keyring.name_of_document(project_->text(), document)),
        {parsed<domain::PersonName>(first + " " + last),
         parsed<domain::Document>(document),
         parsed<EmailAddress>(first + "." + last + "." + std::to_string(customer) + "@example.com"),
         parsed<domain::Phone>("11987654321"),
         {}},
        domain::Cents(static_cast<std::int64_t>(100 + draw(i, 5) % 49'901)),
        parsed<domain::ProductName>("Produto " + std::to_string(draw(i, 6) % 300)),
        1,
        30,
        parsed<OriginHost>("loja" + std::to_string(draw(i, 7) % kShops) + ".example.com"),
        std::nullopt,
        std::nullopt,
        std::nullopt};
    if (draw(i, 8) % 2 == 0)
      command.external_id = parsed<domain::ExternalId>("pedido-" + padded(draw(i, 9) % 100'000'000, 8));
    return command;
  }

  // Six of ten are paid (one of them refunded), one is cancelled, one fails; live ones only the latter two.
  void add_move(std::uint64_t i, const domain::ChargeId& id, std::vector<domain::Command>& moves) const {
    const domain::Caller caller;
    const auto fate = draw(i, 10) % 10;
    if (fate < 6) moves.emplace_back(domain::PaySandboxCharge{caller, id});
    if (fate == 0) moves.emplace_back(domain::RefundCharge{caller, id, std::nullopt, std::nullopt});
    if (fate == 6) moves.emplace_back(domain::CancelCharge{caller, id});
    if (fate == 7) moves.emplace_back(domain::FailCharge{id, std::nullopt});
  }

  static domain::ChargeId charge_of(const eventstore::Completed& completed) {
    const auto& event = std::get<domain::ChargeEvent>(completed.events().back().event);
    return std::get<domain::ChargeCreated>(event).id;
  }

  // In the order given. Ends the program when the ledger cannot be written.
  std::vector<eventstore::Completed> execute(std::vector<domain::Command> commands) {
    std::vector<eventstore::Completed> completed(commands.size());
    std::atomic<std::size_t> left = commands.size();
    for (std::size_t i = 0; i < commands.size(); ++i) {
      executor_.submit(request(std::move(commands[i])), [&completed, &left, i](eventstore::Result result) {
        completed[i] = std::get<eventstore::Completed>(std::move(result));
        if (--left == 0) left.notify_one();
      });
    }
    for (auto now = left.load(); now != 0; now = left.load()) left.wait(now);
    return completed;
  }

  std::uint64_t charges_;
  FastClock clock_{SystemClock().now().plus_millis(-kSpanMs)};
  SystemEntropy entropy_;
  eventstore::Ledger ledger_;
  std::optional<domain::ProjectId> project_;
  eventstore::Executor executor_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_fill_ledger DATA CHARGES\n");
    return 2;
  }
  Filler filler(argv[1], std::stoull(argv[2]));
  const auto key = filler.create_project();
  filler.fill();
  std::printf("%s\n", key.c_str());
  return 0;
}
