// Connections to banks, and changes of any connection.
#include <catch2/catch.hpp>

#include "domain/rules/event_rules.h"
#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

constexpr auto kLive = Environment::kLive;
constexpr auto kSandbox = Environment::kSandbox;

Connection as_added() {
  const auto command = sample_bank_connection();
  return {.id = command.id,
          .alias = command.alias,
          .provider_id = std::string(kApiPixProvider),
          .provider_name = command.provider_name.text(),
          .environment = command.environment,
          .api_pix = command.api_pix};
}

NewEvent configured(const BankConfiguration& configuration = sample_configuration()) {
  return on_bank(ConnectionConfigured{
      .id = sample_bank_id(), .project = sample_project_id(), .configuration = configuration});
}

Given with_bank() {
  return given({on_project(sample_project()), on_project(ConnectionAdded{as_added()}), configured()});
}

ChangeConnection change(ConnectionChange change, const ConnectionId& id = sample_bank_id()) {
  return {.project = sample_project_id(), .connection = id, .change = std::move(change)};
}

ChangeConnection rotation(std::uint32_t made_from, const char* secrets = "other secrets") {
  auto configuration = sample_configuration();
  configuration.secrets.bytes = secrets;
  return {.project = sample_project_id(),
          .connection = sample_bank_id(),
          .configuration = NewBankConfiguration{.configuration = configuration, .made_from = made_from}};
}

const Project& project_in(const Given& given) {
  static std::optional<World> world;
  world = given.when(SetDefaultConnection{sample_project_id(), parsed<ConnectionId>("cnosuchone")}).world();
  return *world->find<Project>(project_stream(sample_project_id()));
}

constexpr auto kDisable = ConnectionChange{.state = ConnectionState::kDisabled};

}  // namespace

TEST_CASE("ways to authenticate are read as they are written") {
  for (const auto auth : {TokenAuth::kBasic, TokenAuth::kBody, TokenAuth::kNone})
    CHECK(parse_token_auth(to_string(auth)) == auth);
  CHECK(parse_token_auth("Basic") == std::nullopt);
}

TEST_CASE("a connection to a bank is recorded in its project and in a stream of its own, in one decision") {
  const auto then = given({on_project(sample_project())}).when(sample_bank_connection());
  then.done().records({on_project(ConnectionAdded{as_added()}), configured()});
  const auto* bank = then.world().find<BankConnection>(connection_stream(sample_bank_id()));
  REQUIRE(bank);
  CHECK(bank->configuration == sample_configuration());
  CHECK(bank->project == sample_project_id());
  CHECK(bank->revision == 1);
  CHECK_FALSE(bank->callback_url);
}

TEST_CASE("a connection with a taken alias, an unknown project or a taken id is not added") {
  given({}).when(sample_bank_connection()).refused(Rejection::kProjectNotFound).records_nothing();
  const auto project = given({on_project(sample_project())});
  project.when(sample_bank_connection("pix")).refused(Rejection::kConnectionAliasTaken).records_nothing();
  project.when(sample_bank_connection("pix", kSandbox)).done();
  with_bank()
      .when(sample_bank_connection("another"))
      .refused(Rejection::kConnectionChangedMeanwhile)
      .records_nothing();
}

TEST_CASE("the settings that creations use change on their own, and the others stay") {
  auto after = as_added();
  after.api_pix->code = CodeKind::kStatic;
  after.api_pix->code_deadline_ms = 200;
  const ConnectionChange terms{.code = CodeKind::kStatic, .code_deadline_ms = 200};
  const auto then = with_bank().when(change(terms));
  then.done().records({on_project(ConnectionChanged{after})});
  then.then().when(change(terms)).done().records_nothing();
  with_bank()
      .when(change({.alias = parsed<Label>("pix")}))
      .refused(Rejection::kConnectionAliasTaken)
      .records_nothing();
  with_bank().when(change({.alias = as_added().alias})).done().records_nothing();
  with_bank()
      .when(change(kDisable, parsed<ConnectionId>("cnosuchone")))
      .refused(Rejection::kUnknownConnection)
      .records_nothing();
}

TEST_CASE("terms and banks belong to connections to banks alone") {
  const auto plain = sample_connection_id(kLive);
  with_bank()
      .when(change({.pix_key = parsed<PixKey>("outra@example.com")}, plain))
      .refused(Rejection::kNotApiPix)
      .records_nothing();
  auto command = rotation(1);
  command.connection = plain;
  with_bank().when(command).refused(Rejection::kNotApiPix).records_nothing();
  with_bank().when(change({.alias = parsed<Label>("balcão")}, plain)).done();
}

TEST_CASE("a rotation makes a new configuration from the current one") {
  auto configuration = sample_configuration();
  configuration.secrets.bytes = "other secrets";
  const auto rotated = with_bank().when(rotation(1));
  rotated.done().records({configured(configuration)});
  const auto meanwhile = Rejection::kConnectionChangedMeanwhile;
  rotated.then().when(rotation(1, "third")).refused(meanwhile).records_nothing();
  rotated.then().when(rotation(2, "third")).done();
  with_bank().when(rotation(0)).refused(meanwhile).records_nothing();
}

TEST_CASE("settings and credentials change in one decision, or not at all") {
  auto both = rotation(1);
  both.change.code = CodeKind::kStatic;
  CHECK(with_bank().when(both).decision().events.size() == 2);
  both.configuration->made_from = 7;
  with_bank().when(both).refused(Rejection::kConnectionChangedMeanwhile).records_nothing();
}

TEST_CASE("the first connection is the default until another one is chosen") {
  const auto bank = sample_bank_id();
  CHECK(default_connection(project_in(with_bank()), kLive)->id == sample_connection_id(kLive));
  const auto chosen = with_bank().when(SetDefaultConnection{sample_project_id(), bank});
  chosen.done().records({on_project(DefaultConnectionSet{bank, kLive})});
  const auto& project = project_in(chosen.then());
  CHECK(find_connection(project, kLive, std::nullopt)->id == bank);
  CHECK(find_connection(project, kSandbox, std::nullopt)->id == sample_connection_id(kSandbox));
  chosen.then().when(SetDefaultConnection{sample_project_id(), bank}).done().records_nothing();
  const auto first = sample_connection_id(kLive);
  chosen.then()
      .when(SetDefaultConnection{sample_project_id(), first})
      .done()
      .records({on_project(DefaultConnectionSet{first, kLive})});
}

TEST_CASE("a charge that names no connection is created on the chosen default") {
  const auto project = with_bank().when(SetDefaultConnection{sample_project_id(), sample_bank_id()}).then();
  const auto then = project.when(sample_creation(kLive));
  then.done();
  const auto& created = std::get<ChargeCreated>(std::get<ChargeEvent>(then.decision().events.back().event));
  CHECK(created.connection == sample_bank_id());
}

TEST_CASE("the default cannot be disabled, and a disabled connection cannot be the default") {
  const SetDefaultConnection choose{sample_project_id(), sample_bank_id()};
  with_bank()
      .when(change(kDisable, sample_connection_id(kLive)))
      .refused(Rejection::kConnectionIsDefault)
      .records_nothing();
  with_bank()
      .when(choose)
      .then()
      .when(change(kDisable))
      .refused(Rejection::kConnectionIsDefault)
      .records_nothing();
  const auto disabled = with_bank().when(change(kDisable));
  disabled.done();
  disabled.then().when(choose).refused(Rejection::kConnectionDisabled).records_nothing();
  const auto enabled = disabled.then().when(change({.state = ConnectionState::kEnabled}));
  enabled.done();
  enabled.then().when(choose).done();
}

TEST_CASE("no charge is created on a disabled connection, which its charges still know") {
  auto creation = sample_creation(kLive);
  creation.connection = sample_bank_id();
  with_bank().when(creation).done();
  const auto disabled = with_bank().when(change(kDisable)).then();
  disabled.when(creation).refused(Rejection::kUnknownConnection).records_nothing();
  CHECK(connection_of(project_in(disabled), sample_bank_id()));
}

TEST_CASE("a bank's callback address is recorded once, and removed once") {
  const std::string url = "https://pix.example.com:8443/volta";
  const NoteCallback note{sample_bank_id(), url};
  const NoteCallback forget{sample_bank_id(), std::nullopt};
  with_bank().when(forget).done().records_nothing();
  const auto noted = with_bank().when(note);
  noted.done().records({on_bank(CallbackRegistered{url})});
  noted.then().when(note).done().records_nothing();
  noted.then().when(forget).done().records({on_bank(CallbackRemoved{})});
  given({on_project(sample_project())}).when(note).refused(Rejection::kUnknownConnection).records_nothing();
}

namespace {

// Whether an event would be legal after others.
class Legality {
 public:
  explicit Legality(const std::vector<NewEvent>& before) {
    for (const auto& event : before) state_ = apply(std::move(state_), event.event, kStart);
    version_ = static_cast<std::uint32_t>(before.size());
  }
  bool operator()(const NewEvent& event) const {
    return !broken_rule(state_ ? &*state_ : nullptr, {.position = Position(9),
                                                      .stream = event.stream,
                                                      .version = version_ + 1,
                                                      .recorded_at = kStart,
                                                      .project = event.project,
                                                      .actor = "test",
                                                      .request_id = "",
                                                      .event = event.event});
  }

 private:
  std::optional<AggregateState> state_;
  std::uint32_t version_;
};

}  // namespace

TEST_CASE("verify rejects changes of connections that no decision makes") {
  const Legality is_legal({on_project(sample_project()), on_project(ConnectionAdded{as_added()})});
  const auto changed = [&](auto change_it) {
    auto connection = as_added();
    change_it(connection);
    return is_legal(on_project(ConnectionChanged{connection}));
  };
  CHECK(changed([](Connection& it) { it.state = ConnectionState::kDisabled; }));
  CHECK(changed([](Connection& it) { it.alias = parsed<Label>("novo"); }));
  CHECK_FALSE(changed([](Connection&) {}));
  CHECK_FALSE(changed([](Connection& it) { it.id = sample_bank_id(2); }));
  CHECK_FALSE(changed([](Connection& it) { it.alias = parsed<Label>("pix"); }));
  CHECK_FALSE(changed([](Connection& it) { it.environment = kSandbox; }));
  CHECK_FALSE(changed([](Connection& it) { it.provider_id = "pix"; }));
  CHECK_FALSE(changed([](Connection& it) { it.api_pix.reset(); }));
  CHECK_FALSE(changed([](Connection& it) { it.api_pix->code_deadline_ms = kCodeDeadlineMsMin - 1; }));
  CHECK_FALSE(changed([](Connection& it) { it.api_pix->code_deadline_ms = kCodeDeadlineMsMax + 1; }));

  auto default_off = sample_project().connections.front();
  default_off.state = ConnectionState::kDisabled;
  CHECK_FALSE(is_legal(on_project(ConnectionChanged{default_off})));
  CHECK(is_legal(on_project(DefaultConnectionSet{sample_bank_id(), kLive})));
  CHECK_FALSE(is_legal(on_project(DefaultConnectionSet{sample_bank_id(), kSandbox})));
  CHECK_FALSE(is_legal(on_project(DefaultConnectionSet{sample_bank_id(2), kLive})));

  auto disabled = as_added();
  disabled.state = ConnectionState::kDisabled;
  const Legality after_disabling({on_project(sample_project()), on_project(ConnectionAdded{as_added()}),
                                  on_project(ConnectionChanged{disabled})});
  CHECK_FALSE(after_disabling(on_project(DefaultConnectionSet{sample_bank_id(), kLive})));

  const Legality after_project({on_project(sample_project())});
  CHECK(after_project(on_project(ConnectionAdded{as_added()})));
  CHECK_FALSE(after_project(on_project(ConnectionAdded{disabled})));
  auto of_other_provider = as_added();
  of_other_provider.provider_id = "acme";
  CHECK_FALSE(after_project(on_project(ConnectionAdded{of_other_provider})));
}

TEST_CASE("verify rejects events of a bank connection that no decision makes") {
  const Legality before({});
  CHECK(before(configured()));
  CHECK_FALSE(before(on_bank(CallbackRegistered{"https://back.example.com"})));
  CHECK_FALSE(before(on_bank(CallbackRemoved{})));
  const Legality after({configured()});
  CHECK(after(configured()));
  CHECK(after(on_bank(CallbackRegistered{"https://back.example.com"})));
  CHECK_FALSE(after(on_bank(CallbackRemoved{})));
  auto configuration = sample_configuration();
  for (const auto rate : {0U, kBankRateMax + 1}) {
    configuration.rate = rate;
    CHECK_FALSE(after(configured(configuration)));
  }
  auto elsewhere = configured();
  elsewhere.stream = connection_stream(sample_bank_id(2));
  CHECK_FALSE(before(elsewhere));
  auto other_project = configured();
  other_project.project = other_project_id();
  CHECK_FALSE(after(other_project));
}

}  // namespace pixledger::tests
