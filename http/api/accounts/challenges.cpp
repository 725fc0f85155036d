#include "base/platform/clock.h"
#include "base/platform/json.h"
#include "base/text/base64url.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/keys/user_tokens.h"
#include "http/accounts/challenge.h"
#include "http/accounts/webauthn.h"
#include "http/api/accounts/failed_attempts.h"
#include "http/api/endpoints.h"
#include "http/front/bearer.h"
#include "http/front/refusals.h"
#include "http/routing/input.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {
namespace {

constexpr const char* kRelyingPartyName = "pixledger";

struct PurposeText {
  static constexpr std::string_view kRule = "must be sign_in, register or confirm";
  static std::optional<PurposeText> parse(std::string_view text) {
    if (text == "sign_in") return PurposeText{ChallengePurpose::kSignIn};
    if (text == "register") return PurposeText{ChallengePurpose::kRegister};
    if (text == "confirm") return PurposeText{ChallengePurpose::kConfirm};
    return std::nullopt;
  }
  ChallengePurpose purpose;
};

void write_passkeys(Json& json, std::string_view name, const Services& services, const domain::UserId& user) {
  json.key(name).begin_array();
  for (const auto& passkey : services.accounts.passkeys(user))
    json.begin_object().field("type", "public-key").field("id", passkey.credential).end_object();
  json.end_array();
}

// What navigator.credentials.create() asks for besides.
void write_registration(Json& json, const Services& services, const domain::UserId& user) {
  const auto state = services.accounts.user_state(user, services.clock.now());
  const auto name = state ? state->user.email.text() : std::string();
  json.key("user").begin_object().field("id", to_base64url(user.text()));
  json.field("name", name).field("displayName", name).end_object();
  json.key("pubKeyCredParams").begin_array();
  for (const auto algorithm : {kEs256, kEdDsa, kRs256})
    json.begin_object().field("type", "public-key").field("alg", algorithm).end_object();
  json.end_array();
  write_passkeys(json, "excludeCredentials", services, user);
}

}  // namespace

Reply create_challenge(const Services& services, const Request& request) {
  Input input(request);
  const auto purpose = input.body().required<PurposeText>("purpose");
  if (!input.finish()) return input.refusal();
  const auto now = services.clock.now();
  std::optional<stores::SignIn> sign_in;
  if (purpose->purpose != ChallengePurpose::kSignIn) {
    const auto token = bearer_of(request);
    if (eventstore::is_sign_in_token(token)) sign_in = services.accounts.find_sign_in(sha256(token), now);
    if (!sign_in) return fail_for_address(services, request);
  }
  // Before a device has made a passkey that would then be refused.
  if (purpose->purpose == ChallengePurpose::kRegister &&
      services.accounts.refuses_change({sign_in->user, sign_in->id}, now))
    return lacks_confirmation(request);
  const auto challenge = make_challenge(purpose->purpose, sign_in ? std::string_view(sign_in->id.text()) : "",
                                        services.keyring, services.entropy, now);
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("challengeId", challenge.id).key("publicKey").begin_object();
  json.field("challenge", to_base64url(bytes_of(challenge.bytes)));
  json.field("rpId", services.relying_party.id).field("rpName", kRelyingPartyName);
  json.field("timeout", kChallengeMs).field("userVerification", "required");
  if (purpose->purpose == ChallengePurpose::kRegister)
    write_registration(json, services, sign_in->user);
  else if (sign_in)
    write_passkeys(json, "allowCredentials", services, sign_in->user);
  json.end_object().end_object().end_object();
  return {201, json.take()};
}

}  // namespace pixledger::http
