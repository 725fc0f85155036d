#include "domain/rules/event_rules.h"

#include <algorithm>

#include "domain/rules/charge_rules.h"
#include "domain/rules/checkout_rules.h"
#include "domain/rules/connection_rules.h"
#include "domain/rules/payment_rules.h"
#include "domain/rules/team_rules.h"

namespace pixledger::domain {
namespace {

constexpr const char* kNoCustomer = "there was no such customer";
constexpr const char* kNoChannel = "there was no such channel";
constexpr const char* kNotOfV1 = "a channel on v1 is told of what v1 has no kind for";
constexpr const char* kInactive = "the channel was not active";
constexpr const char* kOtherEnvironment = "it belongs to the stream of another environment";

// The state as that of the event's kind of aggregate; null before the first event.
template <class Aggregate>
const Aggregate* as(const AggregateState* state) {
  return state ? std::get_if<Aggregate>(state) : nullptr;
}

struct CustomerRules {
  const Customer* customer;
  const RecordedEvent& recorded;
  bool is_there = customer != nullptr && !customer->erased_at;

  Problem operator()(const CustomerRegistered& event) const {
    return first_broken(
        {{!is_there, kNotFirst}, {event.environment == recorded.stream.environment(), kOtherEnvironment}});
  }
  Problem operator()(const CustomerUpdated&) const { return first_broken({{is_there, kNoCustomer}}); }
  Problem operator()(const CustomerBlocked& event) const {
    return first_broken(
        {{is_there, kNoCustomer},
         {!event.expires_at || *event.expires_at > recorded.recorded_at, "the block had ended before"}});
  }
  Problem operator()(const CustomerUnblocked&) const {
    return first_broken({{is_there, kNoCustomer},
                         {is_there && is_blocked(*customer, recorded.recorded_at), "there was no block"}});
  }
  Problem operator()(const CustomerErased& event) const {
    return first_broken({{is_there, kNoCustomer}, {is_there && customer->id == event.id, kOtherStream}});
  }
};

struct BlocklistRules {
  const Blocklist* list;
  const RecordedEvent& recorded;

  bool has_entry(const BlocklistEntryId& id) const {
    return list && std::any_of(list->entries.begin(), list->entries.end(),
                               [&](const BlocklistEntry& entry) { return entry.id == id; });
  }
  Problem operator()(const BlocklistEntryAdded& event) const {
    return first_broken({{!has_entry(event.id), "the entry was there already"},
                         {!list || list->entries.size() < kBlocklistEntriesMax, "the blocklist was full"},
                         {event.environment == recorded.stream.environment(), kOtherEnvironment}});
  }
  Problem operator()(const BlocklistEntryRemoved& event) const {
    return first_broken({{has_entry(event.id), "there was no such entry"}});
  }
};

struct ApiKeyRules {
  const ApiKey* key;
  const RecordedEvent& recorded;

  Problem operator()(const ApiKeyIssued& event) const {
    return first_broken(
        {{key == nullptr, kNotFirst}, {recorded.stream == api_key_stream(event.id), kOtherStream}});
  }
  Problem operator()(const ApiKeyExpirySet& event) const {
    if (!key) return kNothingThere;
    return first_broken(
        {{is_usable(*key, recorded.recorded_at), "the key could not be used any more"},
         {!key->expires_at || event.expires_at <= *key->expires_at, "the key's life is longer"}});
  }
  Problem operator()(const ApiKeyRevoked&) const {
    if (!key) return kNothingThere;
    return first_broken({{!key->revoked_at, "the key had been revoked"}});
  }
};

struct ChannelRules {
  const Channel* channel;
  const RecordedEvent& recorded;

  Problem operator()(const ChannelAdded& event) const {
    // A channel that was deleted stays so.
    return first_broken({{channel == nullptr && recorded.version == 1, kNotFirst},
                         {recorded.stream == channel_stream(event.id), kOtherStream},
                         {has_all(event.version, event.events), kNotOfV1}});
  }
  Problem operator()(const ChannelChanged& event) const {
    if (!channel) return kNoChannel;
    return first_broken({{event.version >= channel->version, "the form of its webhooks goes back"},
                         {has_all(event.version, event.events), kNotOfV1}});
  }
  Problem operator()(const ChannelDeleted& event) const {
    if (!channel) return kNoChannel;
    return first_broken({{event.id == channel->id && event.project == channel->project, kOtherStream}});
  }
  Problem operator()(const ChannelSecretRotated& event) const {
    if (!channel) return kNoChannel;
    const auto longest = recorded.recorded_at.plus_millis(kSecretGraceSecondsMax * 1000);
    return first_broken({{event.grace_ends_at >= recorded.recorded_at && event.grace_ends_at <= longest,
                          "the old secret signs for another time than one may choose"}});
  }
  Problem operator()(const ChannelDisabled&) const {
    if (!channel) return kNoChannel;
    return first_broken(
        {{channel->is_active, kInactive}, {!channel->checkout_session, "a session's channel stays active"}});
  }
  Problem operator()(const ChannelTestRequested&) const {
    return first_broken({{channel != nullptr, kNoChannel}});
  }
  Problem operator()(const DeliveryRedeliveryRequested&) const {
    if (!channel) return kNoChannel;
    return first_broken({{channel->is_active, kInactive}});
  }
  Problem operator()(const DeliveriesRecoveryRequested& event) const {
    if (!channel) return kNoChannel;
    return first_broken({{channel->is_active, kInactive},
                         {event.until <= recorded.recorded_at, "it is about what was yet to happen"}});
  }
};

struct RefusalRules {
  const RecordedEvent& recorded;

  Problem operator()(const ChargeRefused& event) const {
    return first_broken({{recorded.version <= kRefusalsRecordedPerDayMax, "there are too many of them"},
                         {event.environment == recorded.stream.environment(), kOtherEnvironment}});
  }
};

bool names_project(const StreamName& stream, const ProjectId& project) {
  const auto key = stream.key();
  return key.substr(0, project.text().size()) == project.text() &&
         (key.size() == project.text().size() || key[project.text().size()] == '-');
}

// Whether the event is in a stream of its kind, and of the project that its envelope names.
struct Place {
  const AggregateState* state;
  const RecordedEvent& recorded;

  bool is_in(StreamKind kind) const { return recorded.stream.kind() == kind; }
  bool is_in_projects(StreamKind kind) const {
    return is_in(kind) && names_project(recorded.stream, recorded.project);
  }
  template <class Aggregate>
  bool is_of_project() const {
    const auto* aggregate = as<Aggregate>(state);
    return !aggregate || aggregate->project == recorded.project;
  }

  bool operator()(const ProjectEvent&) const { return is_in_projects(StreamKind::kProject); }
  bool operator()(const ApiKeyEvent&) const { return is_in(StreamKind::kApiKey) && is_of_project<ApiKey>(); }
  bool operator()(const ChannelEvent&) const {
    return is_in(StreamKind::kChannel) && is_of_project<Channel>();
  }
  bool operator()(const BlocklistEvent&) const { return is_in_projects(StreamKind::kBlocklist); }
  bool operator()(const CustomerEvent&) const { return is_in_projects(StreamKind::kCustomer); }
  bool operator()(const ChargeEvent&) const { return is_in(StreamKind::kCharge) && is_of_project<Charge>(); }
  bool operator()(const RefusalEvent&) const { return is_in_projects(StreamKind::kRefusals); }
  bool operator()(const BankConnectionEvent&) const {
    return is_in(StreamKind::kConnection) && is_of_project<BankConnection>();
  }
  bool operator()(const PaymentEvent&) const {
    return is_in(StreamKind::kPayment) && is_of_project<UnmatchedPayment>();
  }
  bool operator()(const CheckoutEvent&) const {
    return is_in(StreamKind::kCheckoutSession) && is_of_project<CheckoutSession>();
  }
  bool operator()(const TeamEvent&) const { return is_in_projects(StreamKind::kTeam); }
};

struct Rules {
  const AggregateState* state;
  const RecordedEvent& recorded;

  Problem operator()(const ProjectEvent& event) const {
    return broken_project_rule(as<Project>(state), recorded, event);
  }
  Problem operator()(const ApiKeyEvent& event) const {
    return std::visit(ApiKeyRules{as<ApiKey>(state), recorded}, event);
  }
  Problem operator()(const ChannelEvent& event) const {
    return std::visit(ChannelRules{as<Channel>(state), recorded}, event);
  }
  Problem operator()(const BlocklistEvent& event) const {
    return std::visit(BlocklistRules{as<Blocklist>(state), recorded}, event);
  }
  Problem operator()(const CustomerEvent& event) const {
    return std::visit(CustomerRules{as<Customer>(state), recorded}, event);
  }
  Problem operator()(const ChargeEvent& event) const {
    return broken_charge_rule(as<Charge>(state), recorded, event);
  }
  Problem operator()(const RefusalEvent& event) const { return std::visit(RefusalRules{recorded}, event); }
  Problem operator()(const BankConnectionEvent& event) const {
    return broken_bank_rule(as<BankConnection>(state), recorded, event);
  }
  Problem operator()(const PaymentEvent& event) const {
    return broken_payment_rule(as<UnmatchedPayment>(state), recorded, event);
  }
  Problem operator()(const CheckoutEvent& event) const {
    return broken_checkout_rule(as<CheckoutSession>(state), recorded, event);
  }
  Problem operator()(const TeamEvent& event) const { return broken_team_rule(as<Team>(state), event); }
};

}  // namespace

std::optional<std::string> broken_rule(const AggregateState* state, const RecordedEvent& event) {
  if (!std::visit(Place{state, event}, event.event)) return kOtherStream;
  return std::visit(Rules{state, event}, event.event);
}

}  // namespace pixledger::domain
