#include <catch2/catch.hpp>

#include "base/text/base64.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/proof/checkpoint.h"
#include "eventstore/tree/merkle.h"
#include "tests/support/servers/api_calls.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct World {
  TestService service;
  TestService::Project project = service.create_project();

  HttpAnswer checkpoint() const { return service.send("GET", "/api/v1/ledger/checkpoint", project.test_key); }
  HttpAnswer consistency(const std::string& query) const {
    return service.send("GET", "/api/v1/ledger/consistency" + query, project.test_key);
  }
  eventstore::Checkpoint opened(const HttpAnswer& answer) const {
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    const auto key = service.keyring().signing_key().public_key();
    return eventstore::open_checkpoint(answer.at("/data/checkpoint"), key).value();
  }
};

std::vector<Digest> proof_in(const HttpAnswer& answer) {
  std::vector<Digest> proof;
  for (auto path = [&] { return "/data/proof/" + std::to_string(proof.size()); }; answer.has(path());)
    proof.push_back(digest_from_bytes(bytes_from_base64(answer.at(path())).value()));
  return proof;
}

}  // namespace

TEST_CASE("any key gets the ledger's signed state, and the proof that later ones continue earlier ones") {
  World world;
  const auto january = world.opened(world.checkpoint());
  CHECK(january.size == world.service.log().head().position.value());
  CHECK(world.checkpoint().at("/data/size") == std::to_string(january.size));
  for (int i = 0; i < 5; ++i) create_charge(world.service, world.project.test_key);
  const auto february = world.opened(world.checkpoint());
  for (int i = 0; i < 5; ++i) create_charge(world.service, world.project.test_key);

  const auto from = "?from=" + std::to_string(january.size);
  const auto to_now = world.consistency(from);
  const auto march = world.opened(to_now);
  CHECK(to_now.at("/data/from") == std::to_string(january.size));
  CHECK(to_now.at("/data/to") == std::to_string(march.size));
  CHECK(march.size > february.size);
  CHECK(eventstore::verify_consistency(january.size, january.root, march.size, march.root, proof_in(to_now)));
  const auto between = world.consistency(from + "&to=" + std::to_string(february.size));
  CHECK(eventstore::verify_consistency(january.size, january.root, february.size, february.root,
                                       proof_in(between)));
  CHECK_FALSE(
      eventstore::verify_consistency(january.size, january.root, march.size, march.root, proof_in(between)));
}

TEST_CASE("a key with any scope may read the ledger's state, and a caller without a key may not") {
  World world;
  const auto key = world.service.issue_key(world.project.id, domain::Environment::kSandbox,
                                           domain::ScopeSet::parse("channels:read").value());
  CHECK(world.service.send("GET", "/api/v1/ledger/checkpoint", key).status == 200);
  CHECK(world.service.send("GET", "/api/v1/ledger/consistency?from=1", key).status == 200);
  CHECK(outcome_of(world.service.send("GET", "/api/v1/ledger/checkpoint", "")) == "401 ERR_AUTH_009");
}

TEST_CASE("sizes that the ledger has not had are refused") {
  World world;
  const auto beyond = std::to_string(world.service.log().head().position.value() + 1);
  for (const std::string query :
       {"", "?from=0", "?from=x", "?from=-1", "?from=1.0", "?from=3&to=2", "?from=1&to=0"})
    CHECK(outcome_of(world.consistency(query)) == "400 ERR_VALIDATION_001");
  const auto answer = world.consistency("?from=" + beyond + "&to=" + beyond);
  CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
  CHECK(answer.has("/details/1/field"));
  CHECK(world.consistency("?from=1&to=1").status == 200);
}
