#include "http/api/events/feed_look.h"
#include "tests/eventstore/executor/executor_fixture.h"
#include "tests/eventstore/keys/keyring_fixture.h"
#include "tests/support/ledgers/counting_log.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::size_t kCharges = 300;

// Many charges of one document, whose name changes with each: the customer's stream grows with each charge.
struct World : ExecutorFixture {
  NewKeys made;
  eventstore::Keyring keyring = eventstore::Keyring::open(made.keys);
  CountingLog counting{log};
  eventstore::StreamCustomers customers{counting};
  eventstore::EventIds ids{keyring, counting, {}, project};

  explicit World(std::size_t charges = kCharges) {
    for (std::size_t i = 0; i < charges; ++i) {
      auto command = creation();
      command.customer.name = *domain::PersonName::parse("Ana " + std::to_string(i));
      done(std::move(command));
    }
  }

  std::vector<Position> positions(std::uint64_t first, std::uint64_t last) const {
    std::vector<Position> all;
    for (auto position = first; position <= last; ++position) all.emplace_back(position);
    return all;
  }
  std::uint64_t head() const { return log.head().position.value(); }

  // Returns the number of events read.
  std::size_t read(const std::vector<Position>& page, http::FeedBounds bounds = {.items_max = 1000},
                   std::set<std::string_view> types = {}) {
    Json json;
    json.begin_array();
    http::FeedItems items(counting, customers, ids, std::move(types), std::move(bounds));
    const auto looked_at = items.add(
        page, [&json](const std::string& id, http::PageStates& states, const domain::RecordedEvent& event) {
          http::write_item(json, id, states, event, http::PersonalData::kShown);
        });
    json.end_array();
    text = json.take();
    count = items.count();
    return looked_at;
  }
  std::string text;
  std::size_t count = 0;
};

}  // namespace

TEST_CASE("a page reads its own events, and the needed part of a long stream once") {
  World world;
  const auto head = world.head();
  REQUIRE(head > 2 * kCharges);
  const auto last_page = world.positions(head - 99, head);
  CHECK(world.read(last_page) == 100);
  CHECK(world.count == 100);
  CHECK(world.counting.take_count() <= 100 + kCharges);
  for (int again = 0; again < 3; ++again) {
    world.read(last_page);
    CHECK(world.counting.take_count() == 100);
  }
  world.read(world.positions(1, 100));
  CHECK(world.counting.take_count() == 100);
}

TEST_CASE("following the feed from its beginning reads every event once") {
  World world;
  for (std::uint64_t first = 1; first <= world.head(); first += 50)
    world.read(world.positions(first, std::min(first + 49, world.head())));
  CHECK(world.counting.take_count() == world.head());
}

TEST_CASE(
    "what a page reads grows with the page, not with the stream of the one customer that all charges are "
    "of") {
  constexpr std::size_t kManyCharges = 6'000;
  World world(kManyCharges);
  const auto head = world.head();
  REQUIRE(head > 2 * kManyCharges);
  // The stream is read once, to find the customer at the event before the last.
  world.read(world.positions(head - 1, head));
  CHECK(world.counting.take_count() <= 2 + kManyCharges);
  for (const std::uint64_t size : {1, 10, 100, 1000}) {
    for (const auto last : {head, head / 2, head / 2 + 7, size}) {
      world.read(world.positions(last - size + 1, last));
      CHECK(world.count == size);
      CHECK(world.counting.take_count() == size);
    }
  }
}

TEST_CASE("a charge with many events is folded once for a page") {
  World world;
  const auto charge = World::charge_of(world.done(world.creation()));
  const auto created = world.head();
  world.done(domain::PaySandboxCharge{{}, charge});
  for (int i = 0; i < 20; ++i) world.done(domain::RefundCharge{{}, charge, domain::Cents(1), {}});
  world.read(world.positions(created, world.head()));
  CHECK(world.counting.take_count() == 22);
  world.read(world.positions(created + 1, world.head()));
  CHECK(world.counting.take_count() == 22);  // the creation is in front of the page
}

TEST_CASE("a page ends before the event at which it must stop, after at least one") {
  World world;
  for (const std::size_t allowed : {0, 1, 7}) {
    std::size_t asked = 0;
    http::FeedBounds bounds{.items_max = 1000, .may_go_on = [&] { return asked++ < allowed; }};
    CHECK(world.read(world.positions(10, 60), std::move(bounds)) == allowed + 1);
    CHECK(world.count == allowed + 1);
  }
  // Also if nothing is found.
  http::FeedBounds bounds{.items_max = 1000, .may_go_on = [] { return false; }};
  CHECK(world.read(world.positions(10, 60), std::move(bounds), {"transaction.failed"}) == 1);
  CHECK(world.count == 0);
  CHECK(world.text == "[]");
}

TEST_CASE("a page ends at its limit of items or bytes") {
  World world;
  CHECK(world.read(world.positions(1, 60), {.items_max = 7}) == 7);
  const auto looked_at = world.read(world.positions(1, 60), {.items_max = 1000, .bytes_max = 5'000});
  CHECK(looked_at > 3);
  CHECK(looked_at < 60);
  CHECK(world.read(world.positions(1, 60), {.items_max = 1000, .bytes_max = 1}) == 1);
}

TEST_CASE("every kind of event can be requested by its name") {
  CHECK(http::find_feed_name("transaction.partially_refunded"));
  CHECK(http::find_feed_name("api_key.revoked"));
  CHECK_FALSE(http::find_feed_name("transaction.pay"));
  CHECK_FALSE(http::find_feed_name(""));
}
