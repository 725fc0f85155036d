#include "http/api/channels/webhook_json.h"

#include "base/text/ascii.h"
#include "stores/deliveries/webhook_composer.h"

namespace pixledger::http {
namespace {

// In the place of the channel's own, so that no secret is opened to show what was sent.
constexpr std::string_view kNoSecret = "whsec_00000000000000000000000000000000";

bool is_signature(std::string_view header) {
  std::string name(header);
  for (auto& c : name) c = to_ascii_lower(c);
  return name.find("signature") != std::string::npos;
}

}  // namespace

void write_webhook(Json& json, const Services& services, const stores::Delivery& delivery,
                   const domain::Channel& channel, const ShownAttempt& attempt, PersonalData personal) {
  auto body = services.webhooks.body_of(delivery);
  const auto count = domain::old_secrets(channel, attempt.at).size() + 1;
  const stores::SigningSecrets secrets(count, std::string(kNoSecret));
  const auto post = stores::signed_post(std::move(body), delivery, secrets, attempt.number, attempt.at);
  json.key("headers").begin_object();
  for (const auto& [name, value] : post.headers)
    json.field(name, is_signature(name) ? kMaskedText : std::string_view(value));
  json.end_object();
  json.field("body", personal == PersonalData::kMasked ? std::nullopt : std::optional(post.body));
}

}  // namespace pixledger::http
