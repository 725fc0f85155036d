#include "eventstore/proof/receipt.h"

#include <stdexcept>

#include "tests/eventstore/executor/executor_fixture.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

// A ledger of two charges, the first created with an address, paid and refunded in part.
struct World : ExecutorFixture {
  Ed25519Key key{Key256::random(entropy)};
  domain::ChargeId charge = create();
  domain::ChargeId other = create();

  World() {
    done(domain::PaySandboxCharge{{}, charge});
    done(domain::RefundCharge{{}, charge, domain::Cents(1), label("because")});
  }
  domain::ChargeId create() {
    auto command = creation();
    command.customer_ip = IpAddress::parse("203.0.113.9");
    return charge_of(done(command));
  }
  Receipt receipt() const { return make_receipt(log, key, charge).value(); }
  std::optional<std::string> problem_of(const Receipt& receipt) const {
    const auto checkpoint = open_checkpoint(receipt.checkpoint, key.public_key());
    if (!checkpoint) return "checkpoint";
    return check_receipt(receipt, *checkpoint).problem;
  }
  bool is_good(const Receipt& receipt) const { return !problem_of(receipt); }
};

template <class Bytes>
void flip(Bytes& bytes, std::size_t at) {
  bytes[at] = static_cast<typename Bytes::value_type>(bytes[at] ^ 1);
}

}  // namespace

TEST_CASE("making a receipt asks before each event whether to go on") {
  const World world;
  int asked = 0;
  CHECK(make_receipt(world.log, world.key, world.charge, [&] { ++asked; }));
  CHECK(asked == 3);
  const auto give_up = [&] {
    if (++asked == 5) throw std::runtime_error("given up");
  };
  CHECK_THROWS_AS(make_receipt(world.log, world.key, world.charge, give_up), std::runtime_error);
  CHECK(asked == 5);
}

TEST_CASE("a receipt holds every event of its charge, and is good") {
  const World world;
  const auto receipt = world.receipt();
  REQUIRE(receipt.events.size() == 3);
  const auto checkpoint = open_checkpoint(receipt.checkpoint, world.key.public_key()).value();
  auto expected = checkpoint_of(world.log);
  expected.stream = StreamLength{domain::charge_stream(world.charge), 3};
  CHECK(checkpoint == expected);
  const auto checked = check_receipt(receipt, checkpoint);
  CHECK_FALSE(checked.problem);
  CHECK(checked.events.size() == 3);
}

TEST_CASE("a receipt stays good when the ledger goes on, and a later one is under a larger tree") {
  World world;
  const auto before = world.receipt();
  for (int i = 0; i < 20; ++i) {
    world.create();
    CHECK(world.is_good(world.receipt()));
  }
  CHECK(world.is_good(before));
  CHECK(world.receipt().checkpoint != before.checkpoint);
}

TEST_CASE("a charge that does not exist has no receipt") {
  const World world;
  CHECK_FALSE(
      make_receipt(world.log, world.key, domain::ChargeId::parse("c0000000000000000000000aa").value()));
}

TEST_CASE("a receipt without the personal data is good, since the leaf holds their digest") {
  const World world;
  auto receipt = world.receipt();
  REQUIRE_FALSE(receipt.events[0].stored.personal.empty());
  for (auto& event : receipt.events) event.stored.personal.clear();
  CHECK(world.is_good(receipt));
}

TEST_CASE("a receipt with a byte of an event, its personal data or its proof changed is refused") {
  const World world;
  const auto good = world.receipt();
  for (std::size_t i = 0; i < good.events.size(); ++i) {
    const auto& stored = good.events[i].stored;
    for (std::size_t at = 0; at < stored.bytes.size(); ++at) {
      auto changed = good;
      flip(changed.events[i].stored.bytes, at);
      CHECK_FALSE(world.is_good(changed));
    }
    for (std::size_t at = 0; at < stored.personal.size(); ++at) {
      auto changed = good;
      flip(changed.events[i].stored.personal, at);
      CHECK_FALSE(world.is_good(changed));
    }
    for (std::size_t at = 0; at < stored.personal_digest.size(); ++at) {
      auto changed = good;
      flip(changed.events[i].stored.personal_digest, at);
      CHECK_FALSE(world.is_good(changed));
    }
    for (std::size_t hash = 0; hash < good.events[i].proof.size(); ++hash) {
      auto changed = good;
      flip(changed.events[i].proof[hash], hash % 32);
      CHECK_FALSE(world.is_good(changed));
    }
  }
  for (std::size_t at = 0; at < good.checkpoint.size(); ++at) {
    auto changed = good;
    flip(changed.checkpoint, at);
    CHECK_FALSE(world.is_good(changed));
  }
}

TEST_CASE("a receipt with events left out, doubled, swapped, moved or of another charge is refused") {
  const World world;
  const auto good = world.receipt();
  auto changed = good;
  SECTION("none") { changed.events.clear(); }
  SECTION("the first left out") { changed.events.erase(changed.events.begin()); }
  SECTION("one in the middle left out") { changed.events.erase(changed.events.begin() + 1); }
  SECTION("one twice") { changed.events.insert(changed.events.begin(), changed.events.front()); }
  SECTION("swapped") { std::swap(changed.events[1], changed.events[2]); }
  SECTION("at another position") {
    changed.events[1].stored.position = changed.events[1].stored.position.next();
  }
  SECTION("at no position") { changed.events[1].stored.position = Position(); }
  SECTION("beyond the tree") { changed.events[1].stored.position = Position(UINT64_MAX); }
  SECTION("proofs swapped") { std::swap(changed.events[0].proof, changed.events[1].proof); }
  SECTION("a proof too long") { changed.events[0].proof.push_back({}); }
  SECTION("a proof too short") { changed.events[0].proof.pop_back(); }
  SECTION("another charge's name") { changed.charge = world.other; }
  SECTION("another charge's events") {
    changed.events = make_receipt(world.log, world.key, world.other)->events;
  }
  SECTION("another charge's last event") {
    changed.events[2] = make_receipt(world.log, world.key, world.other)->events[0];
  }
  SECTION("an older checkpoint, with proofs of the newer one") {
    World younger;
    younger.create();
    changed.checkpoint = sign_checkpoint(checkpoint_of(younger.log), world.key);
  }
  SECTION("a checkpoint that another key signed") {
    changed.checkpoint = sign_checkpoint(checkpoint_of(world.log), Ed25519Key(Key256()));
  }
  CHECK_FALSE(world.is_good(changed));
}

TEST_CASE("omitted newest events are found, whichever checkpoint is attached") {
  World world;
  const auto whole = world.receipt();
  auto cut = whole;
  cut.events.pop_back();
  CHECK(world.problem_of(cut) == "it has 2 of the charge's events, and its checkpoint was signed for 3");
  // A checkpoint of the same tree that is no receipt's, and another receipt's.
  cut.checkpoint = sign_checkpoint(checkpoint_of(world.log), world.key);
  CHECK(world.problem_of(cut).value().find("was not signed for a receipt") != std::string::npos);
  cut.checkpoint = make_receipt(world.log, world.key, world.other)->checkpoint;
  CHECK(world.problem_of(cut).value().find("the receipt of charge-" + world.other.text()) !=
        std::string::npos);
  // The stated length was changed, too.
  cut.checkpoint = whole.checkpoint;
  cut.checkpoint[cut.checkpoint.find(" 3\n") + 1] = '2';
  CHECK(world.problem_of(cut) == "checkpoint");
}

TEST_CASE("a receipt of 0.1.0 is good, and cannot show whether its newest events were omitted") {
  World world;
  auto receipt = world.receipt();
  auto checkpoint = checkpoint_of(world.log);
  checkpoint.states_streams = false;
  receipt.checkpoint = sign_checkpoint(checkpoint, world.key);
  CHECK(world.is_good(receipt));
  receipt.events.pop_back();
  CHECK(world.is_good(receipt));
}
