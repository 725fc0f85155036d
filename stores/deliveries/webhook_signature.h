#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/sha256.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/channel.h"

// The value of X-Webhook-Signature. The key is the channel's secret; what is signed is the raw body.
namespace pixledger::stores {

// v1: lower-case hex of HMAC(body). v2: "t=<unix seconds>,v1=<hex of HMAC(t.body)>", so that a receiver can
// refuse old ones.
std::string sign_webhook(domain::WebhookVersion version, const HmacSha256& key, std::string_view body,
                         Timestamp sent_at);

// One signature of Standard Webhooks' header `webhook-signature`: "v1," and the base64 of HMAC(id.t.body),
// with `t` in unix seconds. The key is what base64 makes of the text after "whsec_"; nullopt for a secret
// that has no such text.
std::optional<std::string> sign_standard_webhook(std::string_view secret, std::string_view id,
                                                 Timestamp sent_at, std::string_view body);

// How far `t` may be from a receiver's clock.
constexpr std::int64_t kReplayToleranceSeconds = 300;

// What a receiver does, in either format. Compares in constant time. What v2 signs is no v1 body.
bool verify_webhook(std::string_view signature, const HmacSha256& key, std::string_view body, Timestamp now);

}  // namespace pixledger::stores
