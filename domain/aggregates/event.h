#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/values/position.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/api_key.h"
#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/blocklist.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/refusal.h"
#include "domain/aggregates/team.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/values/stream_name.h"

namespace pixledger::domain {

// Any fact the ledger can hold, by the aggregate it belongs to. A class rather than an alias, so that what
// copies, moves and destroys some thirty kinds of facts is compiled once instead of in every file.
class Event
    : public std::variant<ProjectEvent, ApiKeyEvent, ChannelEvent, BlocklistEvent, CustomerEvent, ChargeEvent,
                          RefusalEvent, BankConnectionEvent, PaymentEvent, CheckoutEvent, TeamEvent> {
 public:
  using variant::variant;
  Event(const Event& other);
  Event(Event&& other) noexcept;
  Event& operator=(const Event& other);
  Event& operator=(Event&& other) noexcept;
  ~Event();
};

// An event that a decision wants recorded.
struct NewEvent {
  StreamName stream;
  ProjectId project;
  Event event;
};

// An event as the log holds it.
struct RecordedEvent {
  Position position;
  StreamName stream;
  std::uint32_t version;  // in its stream: 1, 2, 3…
  Timestamp recorded_at;
  ProjectId project;
  std::string actor;       // "key-<id>", "operator-<user>", "worker-expiry", "payer-<session>",
                           // "user-<id>"
  std::string request_id;  // of the request that caused it; empty when there was none
  Event event;
};

// The unique names an event takes for its stream.
std::vector<ClaimName> claims_of(const NewEvent& event);

ClaimName customer_claim(const CustomerId& id);                       // → the customer's stream
ClaimName end_to_end_claim(const EndToEndId& id);                     // → the charge's stream
ClaimName return_claim(const ReturnId& id);                           // → the charge's stream
ClaimName unmatched_claim(const ProjectId&, const EndToEndId&);       // → the payment's stream
ClaimName project_claim(const ProjectId& id);                         // → the project's stream
ClaimName api_key_claim(const ProjectId&, const ApiKeyId&);           // → the key's stream
ClaimName channel_claim(const ProjectId&, const ChannelId&);          // → the channel's stream
ClaimName channel_number_claim(const ProjectId&, std::uint32_t);      // → the channel's stream
ClaimName deleted_channel_claim(const ProjectId&, const ChannelId&);  // → the channel's stream

ClaimName checkout_channel_claim(const ChannelId&);  // → the channel's stream
// → the project's team's stream; one for each time that the user was added
ClaimName member_claim(const UserId&, const ProjectId&, std::uint32_t number);

// What all claims of that kind begin with, to list them.
std::string project_claim_prefix();
std::string api_key_claim_prefix(const ProjectId& project);
std::string channel_claim_prefix(const ProjectId& project);
std::string channel_claim_prefix();  // of any project
std::string checkout_channel_claim_prefix();
std::string member_claim_prefix(const UserId& user);
std::string deleted_channel_claim_prefix(const ProjectId& project);
std::string unmatched_claim_prefix(const ProjectId& project);
std::string unmatched_claim_prefix();  // of any project

}  // namespace pixledger::domain
