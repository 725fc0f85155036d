#include "stores/deliveries/channel_secret.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"

using namespace pixledger;
using namespace pixledger::stores;
using namespace pixledger::tests;

TEST_CASE("a channel's secret opens for its channel and for no other") {
  LedgerInMemory ledger;
  const auto secret = make_channel_secret(sample_channel_id(1), ledger.keyring, ledger.entropy);
  REQUIRE(secret.text.size() == 6 + 64);
  REQUIRE(secret.text.substr(0, 6) == "whsec_");
  REQUIRE(secret.hint == secret.text.substr(66));
  REQUIRE(open_channel_secret(sample_channel_id(1), secret.sealed, ledger.keyring) == secret.text);
  REQUIRE_THROWS_AS(open_channel_secret(sample_channel_id(2), secret.sealed, ledger.keyring),
                    eventstore::KeyringError);
  REQUIRE_THROWS_AS(open_channel_secret(sample_channel_id(1), {"short"}, ledger.keyring),
                    eventstore::KeyringError);
}
