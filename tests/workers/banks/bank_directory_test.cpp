#include "workers/banks/bank_directory.h"

#include <catch2/catch.hpp>

#include "stores/status/provider_state.h"
#include "tests/workers/banks/bank_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::NewBankConfiguration;

namespace {

domain::BankConfiguration configuration_of(const BankFixture& fixture) {
  return eventstore::fold_as<domain::BankConnection>(fixture.ledger.log,
                                                     domain::connection_stream(fixture.connection))
      ->configuration;
}
void configure(BankFixture& fixture, domain::BankConfiguration configuration, std::uint32_t made_from) {
  fixture.ledger.execute(domain::ChangeConnection{
      .project = fixture.ledger.project(),
      .connection = fixture.connection,
      .configuration =
          NewBankConfiguration{.configuration = std::move(configuration), .made_from = made_from}});
}

}  // namespace

TEST_CASE("a connection's client is made once, and again after a new configuration") {
  BankFixture fixture;
  const auto first = fixture.at_hand();
  CHECK(first.connection.id == fixture.connection);
  CHECK(first.project == fixture.ledger.project());
  CHECK(fixture.at_hand().client == first.client);
  CHECK(fixture.banks.find(fixture.ledger.project(), fixture.connection)->client == first.client);
  auto configuration = configuration_of(fixture);
  configuration.rate = 7;
  configure(fixture, configuration, 1);
  CHECK(fixture.at_hand().client != first.client);
  CHECK(fixture.at_hand().client->access().rate == 7);
  fixture.ledger.execute(
      domain::ChangeConnection{.project = fixture.ledger.project(),
                               .connection = fixture.connection,
                               .change = {.pix_key = parsed<domain::PixKey>("nova@example.com")}});
  CHECK(fixture.at_hand().client->access().pix_key.text() == "nova@example.com");
}

TEST_CASE("another secret for callbacks keeps the bank's client, and no change costs a token") {
  BankFixture fixture;
  const auto first = fixture.at_hand();
  const auto turn = [&] {
    return workers::BankTurn{workers::BankPriority::kPoll, workers::boot_time(fixture.ledger.clock)};
  };
  const auto ask = [&] { fixture.at_hand().client->get_pix(sample_end_to_end_id(), turn()); };
  ask();
  auto configuration = configuration_of(fixture);
  auto secrets = eventstore::unseal(fixture.connection, configuration.secrets, fixture.ledger.keyring);
  secrets.callback_secret = std::string(64, 'a');
  configuration.secrets =
      eventstore::seal(fixture.connection, secrets, fixture.ledger.keyring, fixture.ledger.entropy);
  configure(fixture, configuration, 1);
  CHECK(fixture.at_hand().client == first.client);
  CHECK(fixture.banks.callback_of(fixture.connection)->secret == secrets.callback_secret);
  configuration.rate = 7;
  configure(fixture, configuration, 2);
  ask();
  CHECK(fixture.at_hand().client != first.client);
  CHECK(fixture.bank.tokens() == 1);
}

TEST_CASE("a connection without a bank, or with unreadable secrets, is unavailable") {
  BankFixture fixture;
  CHECK_FALSE(fixture.banks.find(sample_bank_id(2)));
  CHECK_FALSE(fixture.banks.callback_of(sample_bank_id(2)));
  const auto added = sample_connection("acme", domain::Environment::kLive);
  auto other = added;
  other.project = fixture.ledger.project();
  fixture.ledger.execute(other);
  const auto project = eventstore::fold_as<domain::Project>(fixture.ledger.log,
                                                            domain::project_stream(fixture.ledger.project()));
  for (const auto& known : project->connections)
    if (!known.api_pix) CHECK_FALSE(fixture.banks.find(fixture.ledger.project(), known.id));

  auto configuration = configuration_of(fixture);
  configuration.secrets = {"not sealed by this keyring"};
  configure(fixture, configuration, 1);
  CHECK_FALSE(fixture.banks.find(fixture.connection));
  CHECK_FALSE(fixture.banks.callback_of(fixture.connection));
}

TEST_CASE("how a bank calls back, and when the client's certificate ends, come from its configuration") {
  BankFixture fixture;
  const auto terms = fixture.banks.callback_of(fixture.connection);
  REQUIRE(terms);
  CHECK(terms->secret == kCallbackSecret);
  CHECK(terms->cn == "bank.example");
  auto configuration = configuration_of(fixture);
  configuration.callback_cn.reset();
  configuration.certificate = domain::CertificateFacts{.subject = "CN=loja", .ends_at = kStart};
  configure(fixture, configuration, 1);
  CHECK_FALSE(fixture.banks.callback_of(fixture.connection)->cn);
  fixture.at_hand();
  // The database as other processes read it.
  const auto workers = fixture.ledger.directory.path() / "workers";
  std::filesystem::create_directories(workers);
  std::filesystem::create_directory_symlink(fixture.ledger.directory.path(), workers / "providers");
  const auto states = stores::bank_states(workers);
  REQUIRE(states.banks.size() == 1);
  CHECK(states.banks.front().certificate_ends_at == kStart);
}
