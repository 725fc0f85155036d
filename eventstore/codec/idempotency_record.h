#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/sha256.h"
#include "domain/aggregates/event.h"
#include "domain/decisions/rejection.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// How a command with an idempotency key ended: enough to answer its repeat from the recorded events.
struct IdempotencyRecord {
  Digest fingerprint{};  // SHA-256 of the request's canonical body
  Timestamp recorded_at;
  std::optional<domain::Rejection> rejection;
  std::optional<domain::PaymentFlag> flag;
  // Position of the command's first event. Without events, the position of the log's next event; 0 in records
  // that do not have it.
  Position first_position;
  std::uint32_t event_count = 0;
  std::string request_id;  // of the first request

  // Right after the command: its reply showed the state as of here.
  Position as_of() const;

  friend bool operator==(const IdempotencyRecord&, const IdempotencyRecord&) = default;
};

// Encodes the record for the log; frozen like the events (events.fbs).
std::string encode(const IdempotencyRecord& record);

// Any bytes are safe. Throws LogCorrupt.
IdempotencyRecord decode_idempotency_record(std::string_view bytes);

}  // namespace pixledger::eventstore
