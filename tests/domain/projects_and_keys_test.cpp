#include <catch2/catch.hpp>

#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

Given a_key(std::optional<Timestamp> expires_at = std::nullopt) {
  auto key = sample_api_key();
  key.expires_at = expires_at;
  return given({on_project(sample_project()), on_api_key(key)});
}

RollApiKey roll(unsigned old_key, unsigned new_key, std::int64_t overlap_ms = kDayMs) {
  ApiKeyHash hash{};
  hash.fill(static_cast<std::uint8_t>(new_key));
  return {sample_api_key_id(old_key), sample_api_key_id(new_key), hash, overlap_ms,
          parsed<ApiKeyEnd>("r0LL")};
}

const ApiKey& key_in(const World& world, unsigned number) {
  return *world.find<ApiKey>(api_key_stream(sample_api_key_id(number)));
}

IssueApiKey issue() {
  const auto key = sample_api_key();
  return {key.id,           key.project,    key.environment,     key.hash, key.scopes,
          key.sandbox_only, key.expires_at, key.allowed_callers, key.name, key.last_four};
}

}  // namespace

TEST_CASE("a new project has one connection for each environment") {
  const auto then = given({}).when(CreateProject{sample_settings()});
  then.done();
  REQUIRE(then.decision().events.size() == 1);
  const auto& created = std::get<ProjectCreated>(std::get<ProjectEvent>(then.decision().events[0].event));
  CHECK(created.settings == sample_settings());
  REQUIRE(created.connections.size() == 2);
  CHECK(created.connections[0].provider_id == "pix");
  CHECK(created.connections[0].environment == Environment::kLive);
  CHECK(created.connections[1].provider_id == "sandbox");
  CHECK(created.connections[1].environment == Environment::kSandbox);
  CHECK(created.connections[0].id != created.connections[1].id);
  CHECK(then.world().claim_holder(project_claim(created.id))->text() == project_stream(created.id).text());
}

TEST_CASE("a new project comes with its keys in one decision") {
  ApiKeyHash hash{};
  hash.fill(7);
  const auto then = given({}).when(CreateProject{
      sample_settings(),
      {{sample_api_key_id(1), Environment::kLive, {}}, {sample_api_key_id(2), Environment::kSandbox, hash}}});
  then.done();
  REQUIRE(then.decision().events.size() == 3);
  const auto project = then.decision().events[0].project;
  const auto& live = key_in(then.world(), 1);
  CHECK(live.project == project);
  CHECK(live.environment == Environment::kLive);
  const auto& test = key_in(then.world(), 2);
  CHECK(test.project == project);
  CHECK(test.environment == Environment::kSandbox);
  CHECK(test.hash == hash);
  CHECK(test.scopes == ScopeSet::all());
  CHECK_FALSE(test.sandbox_only);
  CHECK_FALSE(test.expires_at);
  CHECK(test.allowed_callers.empty());
}

TEST_CASE("each creation makes a new project") {
  const auto one = given({}).when(CreateProject{sample_settings()});
  const auto two = one.then().when(CreateProject{sample_settings()});
  CHECK(one.decision().events[0].project != two.decision().events[0].project);
}

TEST_CASE("changed settings are recorded whole, and only when something differs") {
  const auto project = given({on_project(sample_project())});
  ChangeStoreSettings command{sample_project_id(), change_to(sample_settings())};
  project.when(command).done().records_nothing();
  project.when(ChangeStoreSettings{sample_project_id(), {}}).done().records_nothing();
  command.change.name = parsed<Label>("Outra");
  auto expected = sample_settings();
  expected.name = parsed<Label>("Outra");
  const auto then = project.when(command);
  then.done().records({on_project(StoreSettingsChanged{expected})});
  CHECK(then.world().find<Project>(project_stream(sample_project_id()))->settings == expected);
  given({}).when(command).refused(Rejection::kProjectNotFound);
}

TEST_CASE("each setting changes alone") {
  const auto changed_to = [](const StoreSettings& expected, const StoreSettingsChange& change) {
    given({on_project(sample_project())})
        .when(ChangeStoreSettings{sample_project_id(), change})
        .records({on_project(StoreSettingsChanged{expected})});
  };
  const auto with = [&](auto setting, auto in_change, auto value) {
    auto expected = sample_settings();
    StoreSettingsChange change;
    expected.*setting = value;
    change.*in_change = value;
    changed_to(expected, change);
  };
  using Settings = StoreSettings;
  using Change = StoreSettingsChange;
  const auto text = parsed<Label>("Outra");
  with(&Settings::name, &Change::name, text);
  with(&Settings::merchant_name, &Change::merchant_name, text);
  with(&Settings::merchant_city, &Change::merchant_city, text);
  with(&Settings::max_transaction_amount, &Change::max_transaction_amount, Cents(7));
  with(&Settings::pix_expiration_minutes, &Change::pix_expiration_minutes, 7);
  with(&Settings::verify_documents, &Change::verify_documents, !sample_settings().verify_documents);
  with(&Settings::fee_fixed, &Change::fee_fixed, Cents(7));
  with(&Settings::fee_basis_points, &Change::fee_basis_points, 7);
  with(&Settings::dev_mode, &Change::dev_mode, !sample_settings().dev_mode);
  with(&Settings::pix_key, &Change::pix_key, std::optional<PixKey>());
  with(&Settings::pix_key, &Change::pix_key, PixKey::parse("outra@example.com"));
  with(&Settings::contact, &Change::contact, std::optional(text));
}

TEST_CASE("two changes of different settings both take effect") {
  StoreSettingsChange name;
  name.name = parsed<Label>("Outra");
  StoreSettingsChange minutes;
  minutes.pix_expiration_minutes = 7;
  const auto then = given({on_project(sample_project())})
                        .when(ChangeStoreSettings{sample_project_id(), name})
                        .then()
                        .when(ChangeStoreSettings{sample_project_id(), minutes});
  const auto& settings = then.world().find<Project>(project_stream(sample_project_id()))->settings;
  CHECK(settings.name.text() == "Outra");
  CHECK(settings.pix_expiration_minutes == 7);
}

TEST_CASE("a connection is recorded as it was added, and the first ones stay the defaults") {
  const auto live = Environment::kLive;
  const auto then = given({on_project(sample_project())}).when(sample_connection("acme", live));
  then.done();
  const auto* project = then.world().find<Project>(project_stream(sample_project_id()));
  REQUIRE(project->connections.size() == 3);
  const auto& added = project->connections[2];
  then.records({on_project(ConnectionAdded{added})});
  CHECK(added.alias.text() == "acme");
  CHECK(added.provider_id == "acme-1");
  CHECK(added.provider_name == "Acme Pagamentos");
  CHECK(added.environment == live);
  CHECK(find_connection(*project, live, added.id) == &added);
  CHECK_FALSE(find_connection(*project, Environment::kSandbox, added.id));
  CHECK(find_connection(*project, live, std::nullopt)->id == sample_connection_id(live));
  CHECK(project->settings == sample_settings());
}

TEST_CASE("an alias is used once in an environment") {
  const auto project = given({on_project(sample_project())});
  const auto taken = Rejection::kConnectionAliasTaken;
  project.when(sample_connection("pix", Environment::kLive)).refused(taken).records_nothing();
  project.when(sample_connection("Pix", Environment::kLive)).done();
  const auto then = project.when(sample_connection("pix", Environment::kSandbox));
  then.done();
  then.then().when(sample_connection("pix", Environment::kSandbox)).refused(taken).records_nothing();
}

TEST_CASE("a connection is added to a project that exists, and to no other") {
  given({}).when(sample_connection("acme")).refused(Rejection::kProjectNotFound).records_nothing();
}

TEST_CASE("a project has at most a hundred connections") {
  auto world = given({on_project(sample_project())});
  for (auto i = sample_project().connections.size(); i < kConnectionsPerProjectMax; ++i) {
    const auto then = world.when(sample_connection("acme " + std::to_string(i)));
    then.done();
    world = then.then();
  }
  world.when(sample_connection("one more")).refused(Rejection::kConnectionLimit).records_nothing();
  world.when(sample_connection("acme 7")).refused(Rejection::kConnectionAliasTaken);
}

TEST_CASE("a key is issued for a project that exists") {
  REQUIRE(issue().last_four);
  given({on_project(sample_project())}).when(issue()).done().records({on_api_key(sample_api_key())});
  given({}).when(issue()).refused(Rejection::kProjectNotFound).records_nothing();
}

TEST_CASE("a rolled key gets a successor with its rights and works for the overlap") {
  auto old_key = sample_api_key();
  old_key.scopes = ScopeSet::parse("transactions:read").value();
  old_key.sandbox_only = true;
  old_key.expires_at = kStart.plus_millis(100 * kDayMs);
  old_key.allowed_callers = {parsed<Cidr>("203.0.113.0/24")};
  old_key.name = parsed<ApiKeyName>("caixa 2");
  auto successor = old_key;
  successor.id = sample_api_key_id(2);
  successor.hash.fill(2);
  successor.last_four = parsed<ApiKeyEnd>("r0LL");
  const auto then = given({on_project(sample_project()), on_api_key(old_key)}).when(roll(1, 2));
  then.done().records({on_api_key(successor, 2), on_api_key(ApiKeyExpirySet{kStart.plus_millis(kDayMs)})});
  CHECK(is_usable(key_in(then.world(), 1), kStart.plus_millis(kDayMs - 1)));
  CHECK_FALSE(is_usable(key_in(then.world(), 1), kStart.plus_millis(kDayMs)));
}

TEST_CASE("rolling never lets a key live longer") {
  const auto end = kStart.plus_millis(10);
  a_key(end).when(roll(1, 2)).done();
  const auto then = a_key(end).when(roll(1, 2));
  CHECK(key_in(then.world(), 1).expires_at == end);
  CHECK(key_in(then.world(), 2).expires_at == end);
  const auto at_once = a_key().when(roll(1, 2, 0));
  CHECK_FALSE(is_usable(key_in(at_once.world(), 1), kStart));
}

TEST_CASE("a key that is rolled twice gives its second successor its own expiry, not the overlap's") {
  const auto then = a_key().when(roll(1, 2)).then().after(1).when(roll(1, 3));
  then.done();
  CHECK_FALSE(key_in(then.world(), 3).expires_at);
  CHECK(key_in(then.world(), 1).expires_at == kStart.plus_millis(kDayMs));
}

TEST_CASE("an expired or revoked key cannot be rolled") {
  a_key().and_given({on_api_key(ApiKeyRevoked{})}).when(roll(1, 2)).refused(Rejection::kApiKeyUnusable);
  a_key(kStart).when(roll(1, 2)).refused(Rejection::kApiKeyUnusable).records_nothing();
  given({}).when(roll(1, 2)).refused(Rejection::kApiKeyNotFound).records_nothing();
}

TEST_CASE("a revoked key stops at once, and revoking again changes nothing") {
  const auto then = a_key().after(5).when(RevokeApiKey{sample_api_key_id()});
  then.done().records({on_api_key(ApiKeyRevoked{})});
  CHECK_FALSE(is_usable(key_in(then.world(), 1), kStart.plus_millis(5)));
  then.then().after(5).when(RevokeApiKey{sample_api_key_id()}).done().records_nothing();
  CHECK(key_in(then.world(), 1).revoked_at == kStart.plus_millis(5));
  given({}).when(RevokeApiKey{sample_api_key_id()}).refused(Rejection::kApiKeyNotFound);
}

TEST_CASE("a key works from anywhere, or from its list of addresses alone") {
  auto key = key_in(a_key().when(RevokeApiKey{sample_api_key_id()}).world(), 1);
  CHECK(accepts_caller(key, std::nullopt));
  key.allowed_callers = {parsed<Cidr>("203.0.113.0/24"), parsed<Cidr>("2001:db8::/32")};
  CHECK(accepts_caller(key, parsed<IpAddress>("203.0.113.1")));
  CHECK(accepts_caller(key, parsed<IpAddress>("::ffff:203.0.113.1")));
  CHECK(accepts_caller(key, parsed<IpAddress>("2001:db8::1")));
  CHECK_FALSE(accepts_caller(key, parsed<IpAddress>("203.0.114.1")));
  CHECK_FALSE(accepts_caller(key, std::nullopt));
}

TEST_CASE("a scope to write includes reading, but not the other way round") {
  const auto scopes = ScopeSet::parse("transactions:write,events:read").value();
  CHECK(scopes.allows(Scope::kTransactionsRead));
  CHECK(scopes.allows(Scope::kTransactionsWrite));
  CHECK(scopes.allows(Scope::kEventsRead));
  CHECK_FALSE(scopes.allows(Scope::kEventsWrite));
  CHECK_FALSE(scopes.allows(Scope::kCustomersRead));
  CHECK_FALSE(scopes.allows(Scope::kStoreRead));
}

TEST_CASE("scopes read back as they were written, and nonsense is refused") {
  for (std::uint32_t bits = 1; bits <= ScopeSet::kAllBits; ++bits) {
    const auto scopes = ScopeSet::from_bits(bits).value();
    REQUIRE(ScopeSet::parse(scopes.text()) == scopes);
  }
  for (const auto* text : {"", ",", "transactions", "transactions:read,", ",transactions:read",
                           "Transactions:read", "transactions:read, events:read", "transactions:delete"})
    CHECK_FALSE(ScopeSet::parse(text));
  CHECK_FALSE(ScopeSet::from_bits(0));
  CHECK_FALSE(ScopeSet::from_bits(ScopeSet::kAllBits + 1));
}

TEST_CASE("webhook events read back as they were written, and nonsense is refused") {
  for (std::uint32_t bits = 1; bits <= WebhookEventSet::kAllBits; ++bits) {
    const auto events = WebhookEventSet::from_bits(bits).value();
    REQUIRE(WebhookEventSet::parse(events.text()) == events);
  }
  for (const auto* text : {"", "transaction.paid,", "transaction_paid", "paid"})
    CHECK_FALSE(WebhookEventSet::parse(text));
  CHECK_FALSE(WebhookEventSet::from_bits(0));
  CHECK_FALSE(WebhookEventSet::from_bits(WebhookEventSet::kAllBits + 1));
}

TEST_CASE("a project has at most ten notification channels") {
  auto world = given({on_project(sample_project())});
  for (unsigned i = 1; i <= kChannelsPerProjectMax; ++i) {
    const auto then = world.when(sample_channel(i));
    then.done();
    world = then.then();
  }
  world.when(sample_channel(11)).refused(Rejection::kChannelLimit).records_nothing();

  auto of_another = sample_channel(11);
  of_another.project = other_project_id();
  of_another.channels = 0;
  auto other = sample_project();
  other.id = other_project_id();
  world.and_given({{project_stream(other.id), other.id, ProjectEvent(other)}}).when(of_another).done();
  given({}).when(of_another).refused(Rejection::kProjectNotFound);
}

TEST_CASE("a channel is recorded as it was added") {
  const auto command = sample_channel();
  const auto then = given({on_project(sample_project())}).when(command);
  then.records({on_channel(ChannelAdded{.id = command.id,
                                        .project = command.project,
                                        .name = command.name,
                                        .url = command.url,
                                        .events = command.events,
                                        .version = command.version,
                                        .secret = command.secret,
                                        .secret_hint = command.secret_hint,
                                        .environments = command.environments,
                                        .number = command.number})});
  const auto* channel = then.world().find<Channel>(channel_stream(command.id));
  REQUIRE(channel);
  CHECK(channel->created_at == kStart);
  CHECK(then.world().claim_holder(channel_claim(command.project, command.id)));
}

}  // namespace pixledger::tests
