#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/aggregates/channel.h"
#include "domain/values/timestamp.h"
#include "eventstore/platform/sha256.h"

// The value of X-Webhook-Signature. The key is the channel's secret; what is signed is the raw body.
namespace pixledger::workers {

// v1: lower-case hex of HMAC(body). v2: "t=<unix seconds>,v1=<hex of HMAC(t.body)>", so that a receiver can
// refuse old ones.
std::string sign_webhook(domain::WebhookVersion version, const eventstore::HmacSha256& key,
                         std::string_view body, domain::Timestamp sent_at);

// How far `t` may be from a receiver's clock.
constexpr std::int64_t kReplayToleranceSeconds = 300;

// What a receiver does, in either format. Compares in constant time. What v2 signs is no v1 body.
bool verify_webhook(std::string_view signature, const eventstore::HmacSha256& key, std::string_view body,
                    domain::Timestamp now);

}  // namespace pixledger::workers
