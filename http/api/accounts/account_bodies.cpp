#include "http/api/accounts/account_bodies.h"

#include <stdexcept>

#include "base/platform/clock_and_entropy.h"
#include "base/text/enum_names.h"
#include "domain/aggregates/project.h"
#include "eventstore/reading/projects.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {
namespace {

std::optional<std::string> text_of(const std::optional<TypedText>& typed) {
  return typed ? std::optional(typed->text()) : std::nullopt;
}

}  // namespace

std::optional<PasskeyInput> read_passkey(const JsonObject& body, UserHandle handle) {
  const auto passkey = body.optional_object("passkey");
  if (!passkey) return std::nullopt;
  const auto challenge = passkey->required<TypedText>("challengeId");
  const auto credential = passkey->required<Base64UrlBytes>("credentialId");
  const auto data = passkey->required<Base64UrlBytes>("authenticatorData");
  const auto client_data = passkey->required<Base64UrlBytes>("clientDataJson");
  const auto signature = passkey->required<Base64UrlBytes>("signature");
  const auto user_handle = handle == UserHandle::kRequired ? passkey->required<Base64UrlBytes>("userHandle")
                                                           : passkey->optional<Base64UrlBytes>("userHandle");
  if (!challenge || !credential || !data || !client_data || !signature) return std::nullopt;
  return PasskeyInput{.challenge_id = challenge->text(),
                      .credential = credential->text(),
                      .authenticator_data = data->bytes(),
                      .client_data = client_data->bytes(),
                      .signature = signature->bytes(),
                      .user_handle = user_handle ? user_handle->bytes() : std::string()};
}

std::optional<PasswordInput> read_password(const JsonObject& body, Recovery recovery) {
  const auto password = body.optional<TypedText>("password");
  const auto totp = body.optional<TypedText>("totp");
  const auto code =
      recovery == Recovery::kTaken ? body.optional<TypedText>("recoveryCode") : std::optional<TypedText>();
  if (!password) return std::nullopt;
  if (totp.has_value() == code.has_value()) {
    body.violation("totp", recovery == Recovery::kTaken
                               ? "must be sent with the password, or recoveryCode in its place"
                               : "must be sent with the password");
    return std::nullopt;
  }
  return PasswordInput{.password = password->text(), .totp = text_of(totp), .recovery_code = text_of(code)};
}

std::string_view sign_in_method_name(stores::SignInMethod method) {
  using stores::SignInMethod;
  constexpr EnumNames<SignInMethod::kPasskey, SignInMethod::kInvitation> kNames{
      "passkey", "password", "recovery_code", "invitation"};
  return kNames.of(method);
}

void write_sign_in(Json& json, const Services& services, const stores::SignIn& sign_in) {
  const auto state = services.accounts.user_state(sign_in.user, services.clock.now());
  if (!state) throw std::runtime_error("a user was removed while they signed in");
  const auto& credentials = state->credentials;
  json.field("signInId", sign_in.id).field("expiresAt", sign_in.expires_at());
  json.field("idleSeconds", stores::kSignInIdleMs / 1'000).field("confirmedAt", sign_in.confirmed_at);
  json.field("mustSetCredential", !credentials.suffice());
  json.key("user").begin_object().field("id", sign_in.user).field("email", state->user.email);
  json.field("hasPasskey", credentials.passkeys > 0).field("hasPassword", credentials.has_password);
  json.field("hasTotp", credentials.has_totp).field("recoveryCodesLeft", credentials.recovery_codes);
  json.end_object().key("projects").begin_array();
  const auto head = services.log.head();
  for (const auto& [project, role] : memberships_of(services.log, services.states, head, sign_in.user)) {
    const auto its_state = services.states.find(domain::project_stream(project), head);
    const auto* known = its_state ? std::get_if<domain::Project>(its_state.get()) : nullptr;
    if (!known) throw eventstore::LogCorrupt("a member's project is not in the ledger");
    json.begin_object().field("id", project).field("name", known->settings.name);
    json.field("role", role).end_object();
  }
  json.end_array();
}

void write_listed_sign_in(Json& json, const stores::SignIn& sign_in, const domain::SignInId& current) {
  json.begin_object().field("id", sign_in.id).field("createdAt", sign_in.created_at);
  json.field("lastSeenAt", sign_in.last_seen_at).field("address", sign_in.address);
  json.field("userAgent", sign_in.user_agent).field("method", sign_in_method_name(sign_in.method));
  json.field("isCurrent", sign_in.id == current).end_object();
}

void write_passkey(Json& json, const stores::Passkey& passkey) {
  json.begin_object().field("id", passkey.credential).field("name", passkey.name);
  json.field("createdAt", passkey.created_at).field("lastUsedAt", passkey.last_used_at).end_object();
}

}  // namespace pixledger::http
