#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "stores/deliveries/delivery_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/rude_receiver.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::Delivery;
using stores::DeliveryReader;
using stores::DeliveryStatus;

namespace {

constexpr std::size_t kChannels = 10;  // as many as a project may have
constexpr std::size_t kEventsPerCharge = 3;
constexpr std::chrono::minutes kPatience{10};

std::uint32_t seed_of_this_run() {
  const char* given = std::getenv("PIXLEDGER_SEED");
  return given ? static_cast<std::uint32_t>(std::stoul(given)) : std::random_device()();
}

// A ledger, receivers that behave at random, and a worker between them that is killed again and again.
class Storm {
 public:
  Storm(std::size_t projects, std::uint32_t seed)
      : random_(seed), receiver_(projects * kChannels, static_cast<std::uint32_t>(random_())) {
    std::size_t port = 0;
    for (std::size_t i = 0; i < projects; ++i) {
      const auto project = json_at(pixledger_.create_project("Storm " + std::to_string(i)), "/projectId");
      projects_.push_back(parsed<domain::ProjectId>(project));
      for (std::size_t channel = 0; channel < kChannels; ++channel) {
        const auto url = "http://127.0.0.1:" + std::to_string(receiver_.ports().at(port++)) + "/";
        const auto added = pixledger_.done({"channel", "add", "--project", project, "--url", url,
                                            "--allow-http", "--allow-target", "127.0.0.0/8", "--json"});
        channels_.push_back(parsed<domain::ChannelId>(json_at(added, "/channelId")));
      }
    }
    ledger_ = std::make_unique<LedgerWithCharges>(pixledger_.data());
  }

  // Each charge is created, paid and refunded.
  void record_charges(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto& project = projects_[charges_++ % projects_.size()];
      const auto charge = ledger_->create_charge(project);
      ledger_->pay(project, charge);
      ledger_->refund(project, charge);
    }
  }

  void start_worker() {
    std::vector<std::string> arguments{"--allow-http",
                                       "--allow-target",
                                       "127.0.0.0/8",
                                       "--attempt-timeout",
                                       "2",
                                       "--retry-schedule",
                                       "0,20ms,20ms,50ms,50ms,100ms"};
    if (!std::exchange(started_, true)) arguments.insert(arguments.end(), {"--resume-from", "beginning"});
    worker_ = std::make_unique<Process>(built_program("pixledger-webhooks"), pixledger_.arguments(arguments));
  }

  // Kills it at a random moment of its work.
  void kill_worker() {
    const auto goal = receiver_.received() + 1 + random_() % 200;
    while (!receiver_.wait_for(goal, std::chrono::milliseconds(500)) && !all_ended()) {
    }
    worker_->send(SIGKILL);
    CHECK(worker_->wait() == -SIGKILL);
    receiver_.begin_era();
  }

  bool finish() {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!all_ended()) {
      if (worker_->wait(std::chrono::milliseconds(50))) return false;
      if (std::chrono::steady_clock::now() > deadline) return false;
    }
    worker_->send(SIGTERM);
    return worker_->wait() == 0;
  }

  std::size_t expected() const { return charges_ * kEventsPerCharge * kChannels; }
  std::vector<RudeReception> receptions() const { return receiver_.receptions(); }

  // Whether the worker's wait for the answer had timed out.
  bool timed_out(const std::string& delivery, unsigned attempt) const {
    const auto store = reader();
    for (const auto& made : store->attempts_of(*store->find(parsed<domain::DeliveryId>(delivery)))) {
      if (made.number == attempt) return made.error == "timeout";
    }
    return false;
  }

  std::vector<Delivery> deliveries() const {
    std::vector<Delivery> all;
    for (const auto& channel : channels_) {
      for (auto& delivery : reader()->page(channel, std::nullopt, 0, expected())) all.push_back(delivery);
    }
    return all;
  }

 private:
  std::unique_ptr<DeliveryReader> reader() const {
    return DeliveryReader::open(pixledger_.data() / "workers/webhooks" / stores::kDeliveriesFile);
  }
  bool all_ended() const {
    const auto store = reader();
    if (!store) return false;
    std::size_t ended = 0;
    for (const auto& channel : channels_)
      ended += store->count(channel, std::nullopt) - store->count(channel, DeliveryStatus::kPending);
    return ended == expected();
  }

  std::mt19937 random_;
  PixledgerCommand pixledger_;
  RudeReceiver receiver_;
  std::vector<domain::ProjectId> projects_;
  std::vector<domain::ChannelId> channels_;
  std::unique_ptr<LedgerWithCharges> ledger_;
  std::unique_ptr<Process> worker_;
  std::size_t charges_ = 0;
  bool started_ = false;
};

// Nothing is lost: each event of each charge has a delivery for each channel, and each delivery has ended.
void check_ends(const Storm& storm, const std::set<std::string>& accepted) {
  const auto deliveries = storm.deliveries();
  REQUIRE(deliveries.size() == storm.expected());
  std::size_t delivered = 0;
  for (const auto& delivery : deliveries) {
    INFO("delivery " << delivery.id.text());
    const bool ended =
        delivery.status == DeliveryStatus::kDelivered || delivery.status == DeliveryStatus::kExhausted;
    CHECK(ended);
    if (delivery.status != DeliveryStatus::kDelivered) continue;
    ++delivered;
    CHECK(accepted.count(delivery.id.text()) == 1);
  }
  CHECK(delivered > deliveries.size() * 9 / 10);
}

// Between two kills nothing is accepted twice, unless the answer came too late for the sender. Returns the
// ids of what was accepted.
std::set<std::string> check_repeats(const Storm& storm, const std::vector<RudeReception>& receptions) {
  std::set<std::string> accepted;
  std::map<std::pair<std::string, unsigned>, unsigned> attempts;
  for (const auto& reception : receptions) {
    if (reception.treatment != Treatment::kAccepts) continue;
    accepted.insert(reception.id);
    INFO("delivery " << reception.id << ", attempt " << reception.attempt << ", after " << reception.era
                     << " kills");
    const auto [earlier, is_first] = attempts.try_emplace({reception.id, reception.era}, reception.attempt);
    if (is_first) continue;
    CHECK(storm.timed_out(reception.id, earlier->second));
    earlier->second = reception.attempt;
  }
  return accepted;
}

// No event of a charge comes after a later one of the same charge at the same receiver.
void check_order(const std::vector<RudeReception>& receptions) {
  std::map<std::pair<std::uint16_t, std::string>, std::uint32_t> newest;
  for (const auto& reception : receptions) {
    auto& sequence = newest[{reception.port, reception.charge}];
    INFO("charge " << reception.charge << " at port " << reception.port);
    CHECK(reception.sequence >= sequence);
    sequence = reception.sequence;
  }
}

void run_storm(std::size_t projects, std::size_t charges, std::size_t kills) {
  const auto seed = seed_of_this_run();
  INFO("PIXLEDGER_SEED=" << seed);
  Storm storm(projects, seed);
  const auto at_a_time = charges / (kills + 1);
  for (std::size_t i = 0; i < kills; ++i) {
    storm.record_charges(at_a_time);
    storm.start_worker();
    storm.kill_worker();
  }
  storm.record_charges(charges - kills * at_a_time);
  storm.start_worker();
  REQUIRE(storm.finish());
  const auto receptions = storm.receptions();
  check_order(receptions);
  check_ends(storm, check_repeats(storm, receptions));
}

}  // namespace

TEST_CASE("webhooks survive rude receivers and a worker that is killed again and again") {
  run_storm(2, 40, 6);
}

TEST_CASE("ten thousand webhooks survive rude receivers and a worker that is killed again and again",
          "[.long]") {
  run_storm(4, 334, 40);
}
