// A customer's erasure at the command line, next to everything that runs: afterwards no file below the data
// directory has a byte of what was personal.
#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "eventstore/platform/owner_lock.h"
#include "projections/generations/generation_directory.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/https_receiver.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/raw_http.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

constexpr const char* kDocument = "39053344705";
const std::vector<std::string> kPersonal{"Zuleica",        "zuleica",       kDocument,       "Zebradas",
                                         "zq@example.com", "1198765000123", "203.0.113.177", "Quaresma",
                                         "quaresma",       "atrasou o pix"};

std::string zuleica() {
  return std::string(R"({"customer":{"name":"Zuleica Quaresma","document":")") + kDocument +
         R"(","email":"zq@example.com","phone":"1198765000123","address":{"street":"Rua das Acacias Zebradas",)"
         R"("city":"Recife"}},"payment":{"amountCents":1990,"product":"Camiseta","quantity":2},)"
         R"("originDomain":"loja.example.com","customerIp":"203.0.113.177"})";
}

std::string somebody(unsigned number) {
  const auto digits = std::to_string(10'000'000'000 + number);
  return R"({"customer":{"name":"Pessoa )" + std::to_string(number) + R"(","document":")" + digits +
         R"(","email":"p)" + digits +
         R"(@example.com","phone":"11987654321","address":{"street":"Rua A"}},)"
         R"("payment":{"amountCents":500,"product":"Livro","quantity":1},"originDomain":"loja.example.com",)"
         R"("customerIp":"198.51.100.7"})";
}

// Where a personal text still is, file and text; empty when nowhere.
std::string found_below(const fs::path& directory) {
  std::string found;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    for (const auto& text : kPersonal) {
      if (bytes.find(text) != std::string::npos) found += entry.path().string() + ": " + text + "\n";
    }
  }
  return found;
}

class World {
 public:
  World() {
    const auto created = pixledger.create_project();
    project = json_at(created, "/projectId");
    key = json_at(created, "/testKey");
  }

  void start_server() {
    const auto port_file = pixledger.directory() / "port";
    fs::remove(port_file);
    server = start("server", {"--listen", "127.0.0.1:0", "--port-file", port_file.string(), "--allow-http",
                              "--allow-target", "127.0.0.0/8", "--pay-url", "https://pay.example.com"});
    REQUIRE(server->wait_for_out("ready on"));
    std::ifstream(port_file) >> port;
  }
  void start_workers() {
    webhooks =
        start("webhooks", {"--allow-http", "--allow-target", "127.0.0.0/8", "--resume-from", "beginning"});
    emails = start("emails", {"--resume-from", "beginning"});
  }
  static void stop(std::unique_ptr<Process>& process) {
    process->send(SIGTERM);
    CHECK(process->wait() == 0);
    process.reset();
  }

  RawReply call(const std::string& method, const std::string& path, const std::string& body = "",
                const std::string& headers = "") const {
    return tests::exchange(
        port, method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + headers +
                  "Authorization: Bearer " + key + "\r\nContent-Type: application/json\r\n" +
                  "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  }
  std::string create(const std::string& body) const {
    const auto reply = call("POST", "/api/v1/transactions", body);
    INFO(reply.body);
    REQUIRE(reply.status == 201);
    return json_at(reply.body, "/data/id");
  }
  std::string customer_of(const std::string& charge) const {
    return json_at(call("GET", "/api/v1/transactions/" + charge).body, "/data/customer/id");
  }
  bool has_email() const {
    const auto outbox = pixledger.data() / "outbox";
    return fs::is_directory(outbox) && !fs::is_empty(outbox);
  }
  std::vector<std::string> erasure_of(const std::string& customer) const {
    return {"customer", "erase", "--id", customer, "--reason", "the customer asked for it", "--json"};
  }
  void check_verified() const {
    const auto verified = pixledger.run({"verify", "--json"});
    INFO(verified.out);
    CHECK(verified.code == 0);
  }

  PixledgerCommand pixledger;
  std::string project;
  std::string key;
  std::uint16_t port = 0;
  std::unique_ptr<Process> server, webhooks, emails;

 private:
  std::unique_ptr<Process> start(const std::string& name, const std::vector<std::string>& arguments) const {
    return std::make_unique<Process>(built_program("pixledger-" + name), pixledger.arguments(arguments));
  }
};

// A ledger that fills the smallest map.
class Filler {
 public:
  explicit Filler(const fs::path& ledger) : ledger_(ledger) {
    change([](LmdbWrite& write, MDB_dbi database) {
      eventstore::lmdb_put(write.get(), database, "filler", std::string(std::size_t{1} << 20, '.'));
    });
  }
  ~Filler() {
    change([](LmdbWrite& write, MDB_dbi database) { mdb_drop(write.get(), database, 1); });
  }
  Filler(const Filler&) = delete;
  Filler& operator=(const Filler&) = delete;

 private:
  using LmdbWrite = eventstore::LmdbWrite;

  template <class Work>
  void change(Work work) const {
    eventstore::LmdbEnvironment environment(ledger_, tests::one_gigabyte());
    const auto database = environment.open_database("filler");
    LmdbWrite write(environment);
    work(write, database);
    write.commit();
  }

  const fs::path ledger_;
};

}  // namespace

TEST_CASE("after an erasure beside a loaded server and workers no file has a byte of the customer") {
  World world;
  // A merchant that answers with what it was told.
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
  // The same document comes back and is erased while the server has nothing else to do, so that no page is
  // written again by chance; what it writes afterwards brings nothing back.
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

TEST_CASE("a customer is erased where nothing runs, and only one who is there") {
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

TEST_CASE("an erasure that somebody's reading holds up says so, and is finished by doing it again") {
  World world;
  world.start_server();
  const auto customer = world.customer_of(world.create(zuleica()));
  World::stop(world.server);
  {
    auto options = tests::one_gigabyte();
    options.read_only = true;
    const eventstore::LmdbEnvironment ledger(world.pixledger.data() / "ledger", options);
    const eventstore::LmdbRead reader(ledger);
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
    const auto rebuild =
        eventstore::OwnerLock::try_take(world.pixledger.data() / "views" / projections::kRebuildLock);
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

TEST_CASE("read models of a newer release beside a server are left alone, and told of") {
  World world;
  world.start_server();
  const auto customer = world.customer_of(world.create(zuleica()));
  const auto newer =
      world.pixledger.data() / "views" / (std::to_string(projections::kViewSetVersion + 1) + "-1");
  fs::create_directory(newer);
  const auto left = world.pixledger.run(world.erasure_of(customer));
  CHECK(left.code == 3);
  CHECK(left.err.find(newer.string() + " is of a newer release") != std::string::npos);
  REQUIRE(fs::exists(newer));
  fs::remove(newer);
  world.pixledger.done(world.erasure_of(customer));
  CHECK(found_below(world.pixledger.data()) == "");
  World::stop(world.server);
}

TEST_CASE("nothing that a server remembers of a customer comes back after their erasure, restarted or not") {
  World world;
  world.start_server();
  struct Call {
    std::string method, path, body;
  };
  // Each is made under an idempotency key of its own, and made again.
  const std::string saved =
      R"({"name":"Zuleica Quaresma","document":"39053344705","email":"zq@example.com",)"
      R"("phone":"1198765000123","street":"Rua das Acacias Zebradas","streetNumber":"1",)"
      R"("neighborhood":"Centro","zipCode":"50000000","city":"Recife","state":"PE",)"
      R"("country":"BR","metadata":{"apelido":"Quaresma"}})";
  const std::string session = R"({"customer":{"name":"Zuleica Quaresma","document":"39053344705",)"
                              R"("email":"zq@example.com","phone":"1198765000123"},)"
                              R"("payment":{"amountCents":1990,"product":"Camiseta"},)"
                              R"("originDomain":"loja.example.com","metadata":{"para":"Zuleica"}})";
  std::vector<Call> calls{{"POST", "/api/v1/customers", saved}, {"POST", "/api/v1/transactions", zuleica()}};
  std::size_t number = 0;
  const auto make = [&](const Call& call) {
    return world.call(call.method, call.path, call.body,
                      "Idempotency-Key: call-" + std::to_string(number++) + "\r\n");
  };
  const auto customer = json_at(make(calls[0]).body, "/data/id");
  const auto charge = json_at(make(calls[1]).body, "/data/id");
  calls.push_back({"POST", "/api/v1/customers/" + customer + "/block",
                   R"({"blockType":"manual","reason":"Zuleica atrasou o pix"})"});
  calls.push_back({"POST", "/api/v1/customers/" + customer + "/unblock", ""});
  calls.push_back({"POST", "/api/v1/transactions/" + charge + "/cancel", ""});
  calls.push_back({"POST", "/api/v1/checkout/sessions", session});
  std::string answers;
  for (std::size_t i = 2; i < calls.size(); ++i) {
    const auto reply = make(calls[i]);
    INFO(calls[i].path << " " << reply.body);
    REQUIRE(reply.status / 100 == 2);
    answers = reply.body;
  }
  const auto checkout = json_at(answers, "/data/id");
  CHECK(world.call("POST", "/api/v1/customers", R"({"zq@example.com":"Zuleica"})").status == 400);
  const std::vector<std::string> reads{"/api/v1/customers/" + customer,
                                       "/api/v1/customers?environment=sandbox",
                                       "/api/v1/transactions/" + charge,
                                       "/api/v1/transactions",
                                       "/api/v1/checkout/sessions/" + checkout,
                                       "/api/v1/checkout/sessions",
                                       "/api/v1/events",
                                       "/api/v1/requests",
                                       "/api/v1/search?q=39053344705",
                                       "/api/v1/exports/charges",
                                       "/api/v1/transactions/" + charge + "/events",
                                       "/api/v1/transactions/" + charge + "/receipt"};
  const auto said = [&] {
    number = 0;
    std::string found;
    const auto look = [&](const std::string& where, const RawReply& reply) {
      INFO(where << " " << reply.body);
      CHECK(reply.status / 100 == 2);
      for (const auto& text : kPersonal)
        if (reply.body.find(text) != std::string::npos) found += where + ": " + text + "\n";
    };
    for (const auto& call : calls) look(call.path, make(call));
    for (const auto& path : reads) look(path, world.call("GET", path));
    return found;
  };
  REQUIRE(said().find("/api/v1/customers: Zuleica") != std::string::npos);
  world.pixledger.done(world.erasure_of(customer));
  CHECK(said() == "");
  World::stop(world.server);
  world.start_server();
  CHECK(said() == "");
  World::stop(world.server);
}

TEST_CASE("a copy of the ledger that was kept is neither changed by an erasure nor passed over") {
  World world;
  world.start_server();
  const auto customer = world.customer_of(world.create(zuleica()));
  World::stop(world.server);
  const auto kept = world.pixledger.data() / "ledger.kept-20261126T045900.123Z";
  fs::copy(world.pixledger.data() / "ledger", kept, fs::copy_options::recursive);
  const auto left = world.pixledger.run(world.erasure_of(customer));
  CHECK(left.code == 3);
  CHECK(left.err.find(kept.string() + " is a copy of the ledger that was kept") != std::string::npos);
  fs::remove_all(kept);
  world.pixledger.done(world.erasure_of(customer));
  CHECK(found_below(world.pixledger.data()) == "");
}
