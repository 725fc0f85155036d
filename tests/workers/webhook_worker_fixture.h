#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/servers/https_receiver.h"
#include "workers/webhooks/webhook_worker.h"

namespace pixledger::tests {

using namespace std::chrono_literals;
using stores::Delivery;
using stores::DeliveryStatus;
using workers::DeliveryMaker;

using workers::RetrySchedule;
using workers::WebhookWorker;
using workers::WebhookWorkerOptions;
using workers::WebhookWorkerParts;

constexpr const char* kShopHost = "shop.example";

inline ReceiverAnswer status(int code) { return {code}; }

// A ledger, a receiver, and a worker between them that the test starts and stops.
struct WorkerFixture {
  explicit WorkerFixture(HttpsReceiver::Script script = {})
      : receiver(authority.issue(kShopHost), std::move(script)) {
    options.targets.allowed = {parsed<Cidr>("127.0.0.0/8")};
    options.sender = {authority.ca_file(), 5s, 10s};
    options.schedule = RetrySchedule::parse("0,10ms,10ms");
    options.senders = 4;
    store.begin_work(eventstore::cursor_at(ledger.log, Position()));
  }

  std::string url() const {
    return "https://" + std::string(kShopHost) + ":" + std::to_string(receiver.port()) + "/hooks";
  }
  std::string add_channel(domain::WebhookVersion version = domain::WebhookVersion::kV2) {
    return ledger.add_channel(sample_channel_id(), url(), version);
  }

  void start() { start(ledger.log, resolver); }
  void start(const eventstore::Log& log, const Resolver& its_resolver) {
    worker = std::make_unique<WebhookWorker>(
        WebhookWorkerParts{log, ledger.keyring, ledger.clock, ledger.entropy, its_resolver, ledger.logger,
                           store, ledger.executor},
        options);
  }
  void stop() {
    worker->stop();
    worker->check();
    worker.reset();
  }

  // What a worker's reader would make of the log so far.
  void make_deliveries() {
    DeliveryMaker maker(ledger.log, options.schedule);
    std::vector<stores::DeliveryChange> made;
    for (const auto& stored : ledger.log.read_after(Position(), 1000)) {
      for (auto& change : maker.changes_of(eventstore::decode(stored))) made.push_back(std::move(change));
    }
    store.add(made, eventstore::cursor_at(ledger.log, ledger.log.head().position));
  }
  // The channel as the ledger has it now.
  domain::Channel channel() const {
    return eventstore::fold_as<domain::Channel>(ledger.log, domain::channel_stream(sample_channel_id()))
        .value();
  }
  domain::Caller merchant() const { return {ledger.project(), false}; }
  // Of the channels 1 and 2.
  std::size_t count(DeliveryStatus wanted) const {
    std::size_t count = 0;
    for (const unsigned channel : {1U, 2U}) {
      for (const auto& delivery : deliveries(channel)) count += delivery.status == wanted ? 1U : 0U;
    }
    return count;
  }

  // The channel's deliveries, oldest first.
  std::vector<Delivery> deliveries(unsigned channel = 1) const {
    auto all = store.deliveries_of(sample_channel_id(channel), 1000);
    std::reverse(all.begin(), all.end());
    return all;
  }
  bool all_reach(DeliveryStatus wanted, std::size_t count, unsigned channel = 1) const {
    return eventually([&] {
      const auto all = deliveries(channel);
      return all.size() == count &&
             std::all_of(all.begin(), all.end(), [&](const Delivery& each) { return each.status == wanted; });
    });
  }

  TestAuthority authority;
  HttpsReceiver receiver;
  LedgerInMemory ledger;
  FakeResolver resolver{{{kShopHost, {"127.0.0.1"}}, {"rebind.example", {"127.0.0.1", "10.0.0.1"}}}};
  stores::DeliveryRepository store{ledger.directory.path() / "deliveries.sqlite"};
  WebhookWorkerOptions options;
  std::unique_ptr<WebhookWorker> worker;
};

}  // namespace pixledger::tests
