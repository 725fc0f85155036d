// A customer's erasure at the command line while all programs run: afterwards no file below the data
// directory has a byte of personal data.
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "projections/generations/generation_directory.h"
#include "tests/support/ledgers/closed_store.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/https_receiver.h"
#include "tests/tools/erasure_world.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

// A ledger that fills the smallest map.
class Filler {
 public:
  explicit Filler(const fs::path& ledger) : ledger_(ledger) {
    change_closed_ledger(ledger_, [](MDB_txn* transaction, const DatabaseByName& databases) {
      eventstore::lmdb_put(transaction, databases("filler"), "filler",
                           std::string(std::size_t{1} << 20, '.'));
    });
  }
  ~Filler() {
    change_closed_ledger(ledger_, [](MDB_txn* transaction, const DatabaseByName& databases) {
      mdb_drop(transaction, databases("filler"), 1);
    });
  }
  Filler(const Filler&) = delete;
  Filler& operator=(const Filler&) = delete;

 private:
  const fs::path ledger_;
};

}  // namespace

TEST_CASE("after an erasure beside a loaded server and workers no file has a byte of the customer") {
  World world;
  // A merchant that echoes its webhooks.
  HttpsReceiver merchant([](const ReceivedWebhook& webhook, std::size_t) {
    ReceiverAnswer answer;
    answer.status = 500;
    answer.body = webhook.body.substr(webhook.body.find("\"customer\""));
    return answer;
  });
  world.pixledger.done({"channel", "add", "--project", world.project, "--url",
                        "http://127.0.0.1:" + std::to_string(merchant.port()) + "/hooks", "--allow-http",
                        "--allow-target", "127.0.0.0/8"});
  world.start_server();
  world.start_workers();
  std::atomic<bool> stop = false;
  std::atomic<bool> pause = false;
  std::atomic<unsigned> created = 0;
  std::thread load([&] {
    while (!stop) {
      if (pause) {
        std::this_thread::yield();
        continue;
      }
      if (world.call("POST", "/api/v1/transactions", somebody(created % 700)).status != 201) break;
      ++created;
    }
  });
  REQUIRE(eventually([&] { return created > 100; }));
  std::string charge;
  for (int i = 0; i < 8; ++i) {
    charge = world.create(zuleica());
    CHECK(world.call("POST", "/api/sandbox/transactions/" + charge + "/pay").status == 200);
    CHECK(world
              .call("POST", "/api/v1/transactions/" + charge + "/refund",
                    R"({"amountCents":1,"reason":"Zuleica atrasou o pix"})")
              .status == 200);
    const auto so_far = created.load();
    REQUIRE(eventually([&] { return created > so_far + 20; }));
  }
  const auto customer = world.customer_of(charge);
  REQUIRE(eventually([&] { return world.has_email(); }));
  REQUIRE_FALSE(merchant.wait_for(8).empty());
  REQUIRE_FALSE(found_below(world.pixledger.data()).empty());

  const auto erased = world.pixledger.run(world.erasure_of(customer));
  INFO(erased.err);
  REQUIRE(erased.code == 0);
  CHECK(json_at(erased.out, "/transactions") == "8");
  CHECK(found_below(world.pixledger.data()) == "");
  const auto at_end = created + 200;
  REQUIRE(eventually([&] { return created >= at_end; }));
  CHECK(found_below(world.pixledger.data()) == "");
  CHECK(json_at(world.call("GET", "/api/v1/customers/" + customer).body, "/data/name") == "erased");
  // The same document is registered again and erased while the server is idle, so that no page is overwritten
  // by chance; later writes bring nothing back.
  const auto next = world.customer_of(world.create(zuleica()));
  pause = true;
  world.pixledger.done(world.erasure_of(next));
  CHECK(found_below(world.pixledger.data()) == "");
  pause = false;
  const auto afterwards = created + 200;
  REQUIRE(eventually([&] { return created >= afterwards; }));
  CHECK(found_below(world.pixledger.data()) == "");
  stop = true;
  load.join();
  World::stop(world.webhooks);
  World::stop(world.emails);
  World::stop(world.server);
  CHECK(found_below(world.pixledger.data()) == "");
  world.check_verified();
  // Proofs hold, and a second time changes nothing.
  const auto receipt = world.pixledger.directory() / "receipt.json";
  std::ofstream(receipt) << world.pixledger.done({"prove", "--id", charge});
  CHECK(
      world.pixledger.done({"check-proof", receipt.string()}).find("The personal data of 2 of the events") !=
      std::string::npos);
  CHECK(json_at(world.pixledger.done(world.erasure_of(customer)), "/erasedAt") ==
        json_at(erased.out, "/erasedAt"));
  const auto history = world.pixledger.done({"history", "--id", customer});
  CHECK(history.find("personal data erased") != std::string::npos);
  world.start_server();
  CHECK(json_at(world.call("GET", "/api/v1/customers/" + customer).body, "/data/name") == "erased");
  World::stop(world.server);
  world.check_verified();
}

TEST_CASE("a customer is erased while no program runs, and only an existing one") {
  World world;
  world.start_server();
  const auto charge = world.create(zuleica());
  const auto customer = world.customer_of(charge);
  for (unsigned i = 0; i < 30; ++i) world.create(somebody(i));
  World::stop(world.server);
  REQUIRE_FALSE(found_below(world.pixledger.data()).empty());
  for (const char* reason : {"Zuleica wrote to us", "zq@example.com", "CPF 390.533.447-05"}) {
    const auto named = world.pixledger.run({"customer", "erase", "--id", customer, "--reason", reason});
    CHECK(named.code == 1);
    CHECK(named.err.find("the reason gives away the customer's") != std::string::npos);
  }
  CHECK(world.pixledger.done({"events"}).find("CustomerErased") == std::string::npos);
  const auto unknown = world.pixledger.run(world.erasure_of("cnobody000000000000000001"));
  CHECK(unknown.code == 1);
  CHECK(unknown.err.find("there is no such customer") != std::string::npos);
  world.pixledger.done(world.erasure_of(customer));
  CHECK(found_below(world.pixledger.data()) == "");
  world.check_verified();
  world.start_server();
  CHECK(json_at(world.call("GET", "/api/v1/customers/" + customer).body, "/data/name") == "erased");
  const auto again = world.create(zuleica());
  CHECK(world.customer_of(again) != customer);
  World::stop(world.server);
  world.check_verified();
}

TEST_CASE("an erasure that an open reader blocks reports it, and is finished by repeating it") {
  World world;
  world.start_server();
  const auto customer = world.customer_of(world.create(zuleica()));
  World::stop(world.server);
  {
    auto options = tests::one_gigabyte();
    options.read_only = true;
    const eventstore::LmdbLog ledger(world.pixledger.data() / "ledger", options);
    const eventstore::LmdbRead reader(ledger.environment());
    auto hurried = world.erasure_of(customer);
    hurried.insert(hurried.end(), {"--wait", "0"});
    const auto held_up = world.pixledger.run(hurried);
    CHECK(held_up.code == 3);
    CHECK(held_up.err.find("run the same command again") != std::string::npos);
    CHECK(held_up.err.find(std::to_string(::getpid())) != std::string::npos);
  }
  {
    const Filler filler(world.pixledger.data() / "ledger");
    auto small = world.erasure_of(customer);
    small.insert(small.end(), {"--data", world.pixledger.data().string(), "--map-size", "1MiB"});
    const auto full = run_process(built_program("pixledger"), small);
    CHECK(full.code == 3);
    CHECK(full.err.find("Give all programs a larger --map-size, then run the same") != std::string::npos);
  }
  {
    // What is being built may have read them already.
    const auto rebuild = OwnerLock::try_take(world.pixledger.data() / "views" / projections::kRebuildLock);
    REQUIRE(rebuild);
    auto hurried = world.erasure_of(customer);
    hurried.insert(hurried.end(), {"--wait", "0"});
    const auto held_up = world.pixledger.run(hurried);
    CHECK(held_up.code == 3);
    CHECK(held_up.err.find("are being rebuilt") != std::string::npos);
  }
  world.pixledger.done(world.erasure_of(customer));
  CHECK(found_below(world.pixledger.data()) == "");
  world.check_verified();
}

TEST_CASE("read models that are kept as evidence are neither deleted by an erasure nor passed over") {
  World world;
  world.start_server();
  const auto customer = world.customer_of(world.create(zuleica()));
  World::stop(world.server);
  const auto views = world.pixledger.data() / "views";
  const auto in_use = projections::find_own_generations(views).at(0).path;
  projections::mark_disagreement(in_use, "they differ");
  const auto kept = projections::discard_generation(in_use).value();
  const auto left = world.pixledger.run(world.erasure_of(customer));
  CHECK(left.code == 3);
  CHECK(left.err.find(kept.string() + " is kept because it disagreed") != std::string::npos);
  REQUIRE(fs::exists(kept / "data.mdb"));
  fs::remove_all(kept);
  world.pixledger.done(world.erasure_of(customer));
  CHECK(found_below(world.pixledger.data()) == "");
}

TEST_CASE("read models of a newer release beside a server are left alone, and reported") {
  World world;
  world.start_server();
  const auto customer = world.customer_of(world.create(zuleica()));
  // The product is the merchant's, and stays.
  auto cake = zuleica();
  cake.replace(cake.find("Camiseta"), 8, "Bolo 39053344705");
  world.create(cake);
  const auto newer =
      world.pixledger.data() / "views" / (std::to_string(projections::kViewSetVersion + 1) + "-1");
  fs::create_directory(newer);
  const auto left = world.pixledger.run(world.erasure_of(customer));
  CHECK(left.code == 3);
  CHECK(left.err.find(newer.string() + " is of a newer release") != std::string::npos);
  CHECK(left.err.find("the next run lists it again") != std::string::npos);
  CHECK(left.err.find("product of the event at position") != std::string::npos);
  REQUIRE(fs::exists(newer));
  fs::remove(newer);
  const auto done = world.pixledger.done(world.erasure_of(customer));
  CHECK(json_at(done, "/left/textsFound") == "1");
  CHECK(json_at(done, "/left/texts/0/field") == "product");
  World::stop(world.server);
}
