#include <catch2/catch.hpp>

#include "domain/decisions/decide.h"
#include "tests/support/domain/given_when_then.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::tests;

namespace {

ChannelAdded added(unsigned number = 1) {
  const auto command = sample_channel(number);
  return {.id = command.id,
          .project = command.project,
          .name = command.name,
          .url = command.url,
          .events = command.events,
          .version = command.version,
          .secret = command.secret,
          .secret_hint = command.secret_hint,
          .environments = command.environments,
          .number = number};
}
ChannelChanged unchanged() {
  const auto event = added();
  return {event.name, event.url, event.events, event.version, true, event.environments};
}
ChannelChanged switched_off() {
  auto event = unchanged();
  event.is_active = false;
  return event;
}
Given a_channel() { return given({on_project(sample_project()), on_channel(added())}); }
Given a_sandbox_channel() {
  auto event = added();
  event.environments = EnvironmentSet::only(Environment::kSandbox);
  return given({on_project(sample_project()), on_channel(event)});
}
RotateChannelSecret rotation(std::string secret, std::int64_t grace_seconds) {
  return {merchant(), sample_channel_id(), {std::move(secret)}, "wxyz", grace_seconds};
}
const Channel& channel_in(const World& world) {
  const auto* channel = world.find<Channel>(channel_stream(sample_channel_id()));
  REQUIRE(channel);
  return *channel;
}
// The replaced secrets that still sign, oldest first.
std::vector<std::string> old_secrets_of(const World& world, Timestamp now) {
  std::vector<std::string> texts;
  for (const auto* secret : old_secrets(channel_in(world), now)) texts.push_back(secret->bytes);
  return texts;
}
using Secrets = std::vector<std::string>;
DeliveryId a_delivery() { return parsed<DeliveryId>("cdelivery0000000000000001"); }

}  // namespace

TEST_CASE("a change of a channel names only the changed fields, and is recorded whole") {
  UpdateChannel update{merchant(), sample_channel_id(), {}};
  update.change.url = "https://new.example/";
  update.change.events = WebhookEventSet::from_bits(2);
  auto expected = unchanged();
  expected.url = "https://new.example/";
  expected.events = WebhookEventSet::from_bits(2).value();
  const auto then = a_channel().after(1000).when(update);
  then.done().records({on_channel(expected)});
  const auto& channel = channel_in(then.world());
  CHECK(channel.name == added().name);
  CHECK(channel.url == "https://new.example/");
  CHECK(channel.updated_at == kStart.plus_millis(1000));
  CHECK(channel.created_at == kStart);
}

TEST_CASE("a change that changes nothing is not recorded") {
  UpdateChannel update{merchant(), sample_channel_id(), {}};
  a_channel().when(update).done().records_nothing();
  update.change = {.name = added().name,
                   .url = added().url,
                   .events = added().events,
                   .is_active = true,
                   .move_to_v2 = true};
  a_channel().when(update).done().records_nothing();
}

TEST_CASE("a channel of the legacy version moves to v2 for good") {
  auto legacy = added();
  legacy.version = WebhookVersion::kV1;
  UpdateChannel update{merchant(), sample_channel_id(), {}};
  const auto channel = given({on_project(sample_project()), on_channel(legacy)});
  channel.when(update).records_nothing();
  update.change.move_to_v2 = true;
  channel.when(update).records({on_channel(unchanged())});
}

TEST_CASE("a channel that was disabled loses the reason when it is set active again, and only then") {
  const auto disabled = a_channel().and_given({on_channel(ChannelDisabled{ChannelDisabledReason::kGone})});
  UpdateChannel update{merchant(), sample_channel_id(), {}};
  update.change.is_active = false;
  disabled.when(update).done().records_nothing();
  update.change = {};
  update.change.name = parsed<Label>("ERP 2");
  CHECK(channel_in(disabled.when(update).world()).disabled_reason == ChannelDisabledReason::kGone);
  update.change = {};
  update.change.is_active = true;
  const auto then = disabled.when(update);
  then.done().records({on_channel(unchanged())});
  CHECK(channel_in(then.world()).is_active);
  CHECK_FALSE(channel_in(then.world()).disabled_reason);
}

TEST_CASE("a channel is disabled once") {
  const DisableChannel disable{sample_channel_id(), ChannelDisabledReason::kFailing, kStart};
  const auto then = a_channel().when(disable);
  then.done().records({on_channel(ChannelDisabled{ChannelDisabledReason::kFailing})});
  CHECK_FALSE(channel_in(then.world()).is_active);
  then.then().when(disable).done().records_nothing();
  a_channel().and_given({on_channel(switched_off())}).when(disable).done().records_nothing();
  given({on_project(sample_project())}).when(disable).refused(Rejection::kChannelNotFound);
}

TEST_CASE("a session's channel, which cannot be activated again, is never disabled") {
  auto own = added();
  own.checkout_session = sample_checkout_id();
  const auto session = given({on_project(sample_project()), on_channel(own)});
  for (const auto reason : {ChannelDisabledReason::kGone, ChannelDisabledReason::kFailing})
    session.when(DisableChannel{own.id, reason, kStart}).done().records_nothing();
}

TEST_CASE("a reactivated channel is not disabled for earlier failures") {
  const DisableChannel disable{sample_channel_id(), ChannelDisabledReason::kFailing, kStart};
  auto renamed = unchanged();
  renamed.name = parsed<Label>("ERP 2");
  auto moved = unchanged();
  moved.url = "https://new.example/";
  const auto later = a_channel().after(1000);
  later.and_given({on_channel(renamed)}).when(disable).records({on_channel(ChannelDisabled{disable.reason})});
  for (const auto& anew : {later.and_given({on_channel(switched_off()), on_channel(unchanged())}),
                           later.and_given({on_channel(moved)})}) {
    const auto then = anew.when(disable);
    then.done().records_nothing();
    CHECK(channel_in(then.world()).active_since == kStart.plus_millis(1000));
  }
}

TEST_CASE("a deleted channel is gone and makes room for another") {
  auto world = given({on_project(sample_project())});
  for (unsigned i = 1; i <= kChannelsPerProjectMax; ++i) world = world.and_given({on_channel(added(i), i)});
  const auto then = world.when(DeleteChannel{merchant(), sample_channel_id()});
  then.done().records({on_channel(ChannelDeleted{sample_channel_id(), sample_project_id()})});
  CHECK_FALSE(then.world().find<Channel>(channel_stream(sample_channel_id())));
  CHECK(then.world().claim_holder(
      ClaimName("deleted-channel/" + sample_project_id().text() + "/" + sample_channel_id().text())));
  then.then().when(DeleteChannel{merchant(), sample_channel_id()}).refused(Rejection::kChannelNotFound);

  world.when(sample_channel(11)).refused(Rejection::kChannelLimit);
  auto another = sample_channel(11);
  another.channels = 9;
  const auto full = then.then().when(another);
  full.done();
  full.then().when(sample_channel(12)).refused(Rejection::kChannelLimit);
}

TEST_CASE("an addition whose count of channels is outdated is decided again") {
  const auto world = given({on_project(sample_project())}).when(sample_channel(1)).then();
  auto late = sample_channel(2);
  late.number = 1;
  late.channels = 0;
  world.when(late).refused(Rejection::kChannelAddedMeanwhile).records_nothing();
  late.number = 2;
  late.channels = 1;
  world.when(late).done();
  // Channels recorded by 0.1.0 have no number, and count.
  auto old = added(1);
  old.number.reset();
  given({on_project(sample_project()), on_channel(old)}).when(late).done();
}

TEST_CASE("channels on v1 get the kinds of v1 and no others") {
  const auto all = WebhookEventSet::all();
  auto legacy = sample_channel();
  legacy.version = WebhookVersion::kV1;
  given({on_project(sample_project())}).when(legacy).done();
  auto with_all = legacy;
  with_all.events = all;
  given({on_project(sample_project())}).when(with_all).refused(Rejection::kWebhookEventsNeedV2);
  with_all.version = WebhookVersion::kV2;
  given({on_project(sample_project())}).when(with_all).done();

  auto on_v1 = added();
  on_v1.version = WebhookVersion::kV1;
  const auto world = given({on_project(sample_project()), on_channel(on_v1)});
  UpdateChannel update{merchant(), sample_channel_id(), {}};
  update.change.events = all;
  world.when(update).refused(Rejection::kWebhookEventsNeedV2).records_nothing();
  update.change.move_to_v2 = true;
  world.when(update).done();
}

TEST_CASE("events of no environment are sent to channels of either") {
  auto channel =
      channel_in(a_sandbox_channel().when(DeleteChannel{other_merchant(), sample_channel_id()}).world());
  channel.events = WebhookEventSet::all();
  CHECK(wants(channel, WebhookEvent::kStoreChanged, std::nullopt));
  channel.events = WebhookEventSet::standard();
  CHECK_FALSE(wants(channel, WebhookEvent::kStoreChanged, std::nullopt));
}

TEST_CASE("while the grace lasts, the secret that was replaced is known") {
  const auto then = a_channel().when(rotation("second", 60));
  then.done().records({on_channel(ChannelSecretRotated{{"second"}, "wxyz", kStart.plus_millis(60'000)})});
  CHECK(channel_in(then.world()).secret.bytes == "second");
  CHECK(channel_in(then.world()).secret_hint == "wxyz");
  CHECK(old_secrets_of(then.world(), kStart.plus_millis(59'999)) == Secrets{"sealed"});
  CHECK(old_secrets_of(then.world(), kStart.plus_millis(60'000)).empty());
  CHECK(old_secrets_of(a_channel().when(rotation("second", 0)).world(), kStart).empty());
}

TEST_CASE("after another rotation within a grace, each earlier secret signs until its own stated end") {
  const auto once = a_channel().when(rotation("second", 60));
  const auto twice = once.then().after(30'000).when(rotation("third", 60));
  CHECK(channel_in(twice.world()).secret.bytes == "third");
  CHECK(old_secrets_of(twice.world(), kStart.plus_millis(59'999)) == Secrets{"sealed", "second"});
  CHECK(old_secrets_of(twice.world(), kStart.plus_millis(60'000)) == Secrets{"second"});
  CHECK(old_secrets_of(twice.world(), kStart.plus_millis(89'999)) == Secrets{"second"});
  CHECK(old_secrets_of(twice.world(), kStart.plus_millis(90'000)).empty());
  const auto shorter = once.then().after(30'000).when(rotation("third", 10));
  CHECK(old_secrets_of(shorter.world(), kStart.plus_millis(40'000)) == Secrets{"sealed"});
  const auto later = once.then().after(60'000).when(rotation("third", 60));
  CHECK(old_secrets_of(later.world(), kStart.plus_millis(60'000)) == Secrets{"second"});
  CHECK(channel_in(later.world()).retiring_secrets.size() == 1);
}

TEST_CASE("a rotation without a grace ends all earlier secrets") {
  const auto twice = a_channel().when(rotation("second", 60)).then().when(rotation("third", 60));
  const auto at_once = twice.then().after(30'000).when(rotation("fourth", 0));
  CHECK(old_secrets_of(at_once.world(), kStart.plus_millis(30'000)).empty());
}

TEST_CASE("if too many secrets sign, the oldest ends") {
  auto then = a_channel().when(rotation("1", 60));
  for (const auto* secret : {"2", "3", "4", "5"}) then = then.then().when(rotation(secret, 60));
  CHECK(old_secrets_of(then.world(), kStart) == Secrets{"sealed", "1", "2", "3", "4"});
  CHECK(old_secrets_of(then.then().when(rotation("6", 60)).world(), kStart) ==
        Secrets{"1", "2", "3", "4", "5"});
}

TEST_CASE("an inactive channel can be tested, but gets no redelivery") {
  const auto off = a_channel().and_given({on_channel(switched_off())});
  const RequestChannelTest test{merchant(), sample_channel_id(), Environment::kSandbox};
  const RequestRedelivery redelivery{merchant(), sample_channel_id(), a_delivery(), 12};
  const RequestRecovery recovery{.caller = merchant(),
                                 .id = sample_channel_id(),
                                 .since = kStart.plus_millis(-kDayMs),
                                 .until = std::nullopt,
                                 .queued = 7,
                                 .hastened = 3};
  off.when(test).done();
  off.when(redelivery).refused(Rejection::kChannelInactive).records_nothing();
  off.when(recovery).refused(Rejection::kChannelInactive).records_nothing();

  const auto then = a_channel().when(test);
  then.done();
  REQUIRE(then.decision().events.size() == 1);
  a_channel().when(redelivery).done().records({on_channel(DeliveryRedeliveryRequested{a_delivery(), 12})});
  a_channel().when(recovery).done().records(
      {on_channel(DeliveriesRecoveryRequested{kStart.plus_millis(-kDayMs), kStart, 7, 3})});
}

TEST_CASE("a recovery never reaches into the future") {
  const auto since = kStart.plus_millis(-kDayMs);
  const auto until = [&](std::int64_t millis) {
    return RequestRecovery{merchant(), sample_channel_id(), since, kStart.plus_millis(millis), 0};
  };
  a_channel().when(until(-5)).records(
      {on_channel(DeliveriesRecoveryRequested{since, kStart.plus_millis(-5), 0})});
  a_channel().when(until(5)).records({on_channel(DeliveriesRecoveryRequested{since, kStart, 0})});
}

TEST_CASE("a target that the API refused is refused before anything else is checked") {
  for (const auto& [verdict, rejection] :
       {std::pair(TargetVerdict::kRefused, Rejection::kWebhookTargetRefused),
        std::pair(TargetVerdict::kUnknown, Rejection::kWebhookTargetUnknown)}) {
    auto addition = sample_channel();
    addition.target = verdict;
    given({}).when(addition).refused(rejection).records_nothing();
    UpdateChannel update{other_merchant(), sample_channel_id(), {}};
    update.change.url = "https://new.example/";
    update.change.target = verdict;
    a_channel().when(update).refused(rejection).records_nothing();
  }
}

TEST_CASE("another project's channel does not exist") {
  const auto check = [](const Given& world, const Caller& caller) {
    const auto id = sample_channel_id();
    world.when(UpdateChannel{caller, id, {}}).refused(Rejection::kChannelNotFound).records_nothing();
    world.when(DeleteChannel{caller, id}).refused(Rejection::kChannelNotFound).records_nothing();
    auto rotate = rotation("second", 0);
    rotate.caller = caller;
    world.when(rotate).refused(Rejection::kChannelNotFound).records_nothing();
    world.when(RequestChannelTest{caller, id, Environment::kLive}).refused(Rejection::kChannelNotFound);
    world.when(RequestRedelivery{caller, id, a_delivery(), 1}).refused(Rejection::kDeliveryNotFound);
    world.when(RequestRecovery{caller, id, kStart, std::nullopt, 0}).refused(Rejection::kChannelNotFound);
  };
  check(a_channel(), other_merchant());
  check(given({on_project(sample_project())}), merchant());
}

TEST_CASE("a channel that gets live charges is refused to a test key") {
  const auto id = sample_channel_id();
  const auto caller = merchant_sandbox();
  auto rotate = rotation("new", 60);
  rotate.caller = caller;
  for (const auto& command : {Command(UpdateChannel{caller, id, {}}), Command(DeleteChannel{caller, id}),
                              Command(rotate), Command(RequestChannelTest{caller, id, Environment::kSandbox}),
                              Command(RequestRedelivery{caller, id, a_delivery(), 1}),
                              Command(RequestRecovery{caller, id, kStart, std::nullopt, 0})})
    a_channel().when(command).refused(Rejection::kLiveForTestKey).records_nothing();
}

TEST_CASE("a test key cannot subscribe its channel to live charges, and a live key can") {
  UpdateChannel update{merchant_sandbox(), sample_channel_id(), {}};
  update.change.environments = EnvironmentSet::all();
  a_sandbox_channel().when(update).refused(Rejection::kLiveForTestKey).records_nothing();
  update.caller = merchant();
  const auto then = a_sandbox_channel().when(update);
  then.done();
  CHECK(channel_in(then.world()).environments == EnvironmentSet::all());
  // From now on a test key may not touch it: some of its deliveries may be of live charges.
  update.change.environments = EnvironmentSet::only(Environment::kSandbox);
  const auto back = then.then().when(update);
  back.done();
  CHECK(channel_in(back.world()).environments == EnvironmentSet::only(Environment::kSandbox));
  for (const auto& world : {then.then(), back.then()})
    world.when(DeleteChannel{merchant_sandbox(), sample_channel_id()}).refused(Rejection::kLiveForTestKey);
}

TEST_CASE("a channel of 0.1.0 gets the environments it got then, until they are changed") {
  auto event = added();
  event.environments.reset();
  for (const bool sandbox_only : {false, true}) {
    event.sandbox_only = sandbox_only;
    auto change = unchanged();
    change.environments.reset();
    change.url = "https://new.example/";
    const auto then = given({on_project(sample_project()), on_channel(event), on_channel(change)})
                          .when(RequestChannelTest{merchant(), sample_channel_id(), Environment::kLive});
    const auto expected = sandbox_only ? EnvironmentSet::only(Environment::kSandbox) : EnvironmentSet::all();
    CHECK(channel_in(then.world()).environments == expected);
  }
}

TEST_CASE("a channel is tested in an environment that it subscribes to") {
  const auto environment_of = [](const Given& world, Environment asked) {
    const auto then = world.when(RequestChannelTest{merchant(), sample_channel_id(), asked});
    const auto& event = std::get<ChannelEvent>(then.decision().events.at(0).event);
    return std::get<ChannelTestRequested>(event).environment;
  };
  CHECK(environment_of(a_channel(), Environment::kLive) == Environment::kLive);
  CHECK(environment_of(a_channel(), Environment::kSandbox) == Environment::kSandbox);
  CHECK(environment_of(a_sandbox_channel(), Environment::kLive) == Environment::kSandbox);
}

TEST_CASE("a channel of the sandbox counts among the ten live ones once it subscribes to live") {
  UpdateChannel update{merchant(), sample_channel_id(), {}};
  update.change.environments = EnvironmentSet::all();
  update.live_channels = kChannelsPerProjectMax;
  a_sandbox_channel().when(update).refused(Rejection::kChannelLimit).records_nothing();
  a_channel().when(update).done();
  update.live_channels = kChannelsPerProjectMax - 1;
  CHECK(channel_in(a_sandbox_channel().when(update).done().world()).was_told_of_live);
}

TEST_CASE("a channel of the sandbox gets sandbox charges only") {
  a_sandbox_channel().when(UpdateChannel{merchant_sandbox(), sample_channel_id(), {}}).done();
  a_sandbox_channel().when(UpdateChannel{merchant(), sample_channel_id(), {}}).done();
  const auto paid = WebhookEvent::kTransactionPaid;
  auto channel =
      channel_in(a_sandbox_channel().when(DeleteChannel{other_merchant(), sample_channel_id()}).world());
  CHECK(wants(channel, paid, Environment::kSandbox));
  CHECK_FALSE(wants(channel, paid, Environment::kLive));
  channel.environments = EnvironmentSet::all();
  CHECK(wants(channel, paid, Environment::kLive));
  channel.events = WebhookEventSet::from_bits(1).value();
  CHECK_FALSE(wants(channel, paid, Environment::kLive));
  channel.events = WebhookEventSet::standard();
  channel.is_active = false;
  CHECK_FALSE(wants(channel, paid, Environment::kLive));
}
