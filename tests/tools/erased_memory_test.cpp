// An erased customer's data in the programs' memory, and in files beside the ledger.
#include "tests/tools/erasure_world.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE("nothing that a server remembers of a customer comes back after their erasure, restarted or not") {
  World world;
  world.start_server();
  struct Call {
    std::string method, path, body;
  };
  // Each is made under an idempotency key of its own, and made again.
  const std::string saved =
      R"({"name":"Zuleica Quaresma","document":"39053344705","email":"zq@example.com",)"
      R"("phone":"1198765000123","address":{"street":"Rua das Acacias Zebradas","streetNumber":"1",)"
      R"("neighborhood":"Centro","zipCode":"50000000","city":"Recife","state":"PE",)"
      R"("country":"BR"},"metadata":{"apelido":"Quaresma"}})";
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
