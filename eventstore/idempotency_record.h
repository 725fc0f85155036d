#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "domain/event.h"
#include "domain/rejection.h"
#include "eventstore/log.h"
#include "eventstore/sha256.h"

namespace pixledger::eventstore {

/// How a command with an idempotency key ended: enough to answer its repeat from the recorded events.
struct IdempotencyRecord {
  Digest fingerprint{};  // SHA-256 of the request's canonical body
  Timestamp recorded_at;
  std::optional<domain::Rejection> rejection;
  std::optional<domain::PaymentFlag> flag;
  Position first_position;  // of the command's events; 0 when it had none
  std::uint32_t event_count = 0;
  std::string request_id;  // of the first request

  friend bool operator==(const IdempotencyRecord&, const IdempotencyRecord&) = default;
};

/// The log's value of the record, frozen like the events (events.fbs).
std::string encode(const IdempotencyRecord& record);

/// Any bytes are safe. Throws LogCorrupt.
IdempotencyRecord decode_idempotency_record(std::string_view bytes);

}  // namespace pixledger::eventstore
