#include "eventstore/reading/stream_customers.h"

#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/state_reader.h"
#include "tests/eventstore/executor/executor_fixture.h"
#include "tests/support/ledgers/counting_log.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

// One document's stream: a customer who is saved often, erased, and registered again as another.
struct World : ExecutorFixture {
  CountingLog counting{log};
  StreamCustomers customers{counting};
  std::vector<domain::RecordedEvent> events;  // of the stream

  World() {
    for (int i = 0; i < 20; ++i) save("Ana " + std::to_string(i));
    done(domain::EraseCustomer{stream(), customer(), label("asked for")});
    for (int i = 0; i < 20; ++i) save("Bia " + std::to_string(i));
    for (const auto& stored : StreamEvents(log, stream())) events.push_back(decode(stored));
  }

  void save(const std::string& name) {
    auto command = creation();
    command.customer.name = *domain::PersonName::parse(name);
    done(std::move(command));
  }
  domain::StreamName stream() const {
    return domain::customer_stream(project, creation().environment, creation().token);
  }
  domain::CustomerId customer() const { return fold_as<domain::Customer>(log, stream())->id; }
};

}  // namespace

TEST_CASE(
    "an event of a customers' stream is about whom the stream held then, in whatever order it is asked") {
  World world;
  REQUIRE(world.events.size() == 41);
  const auto first = world.customers.at(world.events.front());
  const auto second = world.customers.at(world.events.back());
  CHECK(first != second);
  CHECK(second == world.customer());
  for (const auto& event : world.events)
    CHECK(world.customers.at(event) == (event.version <= 21 ? first : second));
}

TEST_CASE("each event of a stream is read once, for any number of queries") {
  World world;
  for (const auto& event : world.events) world.customers.at(event);
  CHECK(world.counting.take_count() == 0);  // each event was read with the one before
  StreamCustomers late(world.counting);
  late.at(world.events.back());
  CHECK(world.counting.take_count() == world.events.size() - 1);
  for (const auto& event : world.events) late.at(event);
  CHECK(world.counting.take_count() == 0);
}

TEST_CASE("streams beyond the cache's limit are read again") {
  World world;
  StreamCustomers few(world.counting, 1);
  auto other = world.creation("11144477735");
  world.done(std::move(other));
  const auto& last = world.events.back();
  few.at(last);
  const auto head = world.log.head().position;
  for (const auto& stored : world.log.read_after(last.position, head.value())) {
    const auto event = decode(stored);
    if (event.stream.kind() == domain::StreamKind::kCustomer) few.at(event);
  }
  world.counting.take_count();
  CHECK(few.at(last) == world.customer());
  CHECK(world.counting.take_count() == world.events.size() - 1);
}
