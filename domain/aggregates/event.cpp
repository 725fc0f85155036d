#include "domain/aggregates/event.h"

namespace pixledger::domain {
namespace {

// The prefixes are stored in the claims table and never change.
constexpr const char* kCustomer = "customer/";
constexpr const char* kEndToEnd = "e2e/";
constexpr const char* kReturn = "rtr/";
constexpr const char* kProject = "project/";
constexpr const char* kApiKey = "key/";
constexpr const char* kChannel = "channel/";
constexpr const char* kChannelNumber = "channel-number/";
constexpr const char* kDeletedChannel = "deleted-channel/";
constexpr const char* kCheckoutChannel = "checkout-channel/";
constexpr const char* kUnmatched = "unmatched/";
constexpr const char* kMember = "member/";

// Most events claim no name.
struct ClaimsOf {
  using Result = std::vector<ClaimName>;

  template <class... Events>
  Result operator()(const std::variant<Events...>& event) const {
    return std::visit(*this, event);
  }
  template <class Event>
  Result operator()(const Event&) const {
    return {};
  }
  Result operator()(const ProjectCreated& event) const { return {project_claim(event.id)}; }
  Result operator()(const ApiKeyIssued& event) const { return {api_key_claim(event.project, event.id)}; }
  Result operator()(const ChannelAdded& event) const {
    if (event.checkout_session) return {checkout_channel_claim(event.id)};
    Result claims{channel_claim(event.project, event.id)};
    if (event.number) claims.push_back(channel_number_claim(event.project, *event.number));
    return claims;
  }
  Result operator()(const ChannelDeleted& event) const {
    return {deleted_channel_claim(event.project, event.id)};
  }
  Result operator()(const CustomerRegistered& event) const { return {customer_claim(event.id)}; }
  Result operator()(const ChargePaid& event) const { return {end_to_end_claim(event.end_to_end_id)}; }
  Result operator()(const PaymentLeftUnapplied& event) const {
    return {end_to_end_claim(event.end_to_end_id)};
  }
  Result operator()(const PaymentUnmatched& event) const {
    return {unmatched_claim(event.project, event.end_to_end_id)};
  }
  Result operator()(const PaymentReversed& event) const { return {return_claim(event.return_id)}; }
  Result operator()(const MemberAdded& event) const {
    return {member_claim(event.user, event.project, event.number)};
  }
};

}  // namespace

Event::Event(const Event& other) = default;
Event::Event(Event&& other) noexcept = default;
Event& Event::operator=(const Event& other) = default;
Event& Event::operator=(Event&& other) noexcept = default;
Event::~Event() = default;

std::vector<ClaimName> claims_of(const NewEvent& event) { return std::visit(ClaimsOf{}, event.event); }

const EventKind& kind_of(const Event& event) {
  return std::visit(
      [](const auto& of_aggregate) -> const EventKind& {
        return std::visit([]<class E>(const E&) -> const EventKind& { return KindOf<E>::kind; },
                          of_aggregate);
      },
      event);
}

ClaimName customer_claim(const CustomerId& id) { return ClaimName(kCustomer + id.text()); }
ClaimName end_to_end_claim(const EndToEndId& id) { return ClaimName(kEndToEnd + id.text()); }
ClaimName return_claim(const ReturnId& id) { return ClaimName(kReturn + id.text()); }
ClaimName unmatched_claim(const ProjectId& project, const EndToEndId& id) {
  return ClaimName(unmatched_claim_prefix(project) + id.text());
}
ClaimName project_claim(const ProjectId& id) { return ClaimName(kProject + id.text()); }
ClaimName api_key_claim(const ProjectId& project, const ApiKeyId& id) {
  return ClaimName(api_key_claim_prefix(project) + id.text());
}
ClaimName channel_claim(const ProjectId& project, const ChannelId& id) {
  return ClaimName(channel_claim_prefix(project) + id.text());
}
ClaimName channel_number_claim(const ProjectId& project, std::uint32_t number) {
  return ClaimName(kChannelNumber + project.text() + "/" + std::to_string(number));
}
ClaimName deleted_channel_claim(const ProjectId& project, const ChannelId& id) {
  return ClaimName(deleted_channel_claim_prefix(project) + id.text());
}
ClaimName checkout_channel_claim(const ChannelId& channel) {
  return ClaimName(kCheckoutChannel + channel.text());
}
ClaimName member_claim(const UserId& user, const ProjectId& project, std::uint32_t number) {
  return ClaimName(member_claim_prefix(user) + project.text() + "/" + std::to_string(number));
}

std::string project_claim_prefix() { return kProject; }
std::string api_key_claim_prefix(const ProjectId& project) { return kApiKey + project.text() + "/"; }
std::string channel_claim_prefix(const ProjectId& project) { return kChannel + project.text() + "/"; }
std::string channel_claim_prefix() { return kChannel; }
std::string checkout_channel_claim_prefix() { return kCheckoutChannel; }
std::string member_claim_prefix(const UserId& user) { return kMember + user.text() + "/"; }
std::string deleted_channel_claim_prefix(const ProjectId& project) {
  return kDeletedChannel + project.text() + "/";
}
std::string unmatched_claim_prefix(const ProjectId& project) { return kUnmatched + project.text() + "/"; }
std::string unmatched_claim_prefix() { return kUnmatched; }

}  // namespace pixledger::domain
