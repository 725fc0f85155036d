#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "eventstore/keys/keyring.h"
#include "http/accounts/one_time_codes.h"
#include "http/accounts/passkeys.h"
#include "http/accounts/passwords.h"
#include "http/api/accounts/account_bodies.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/sign_in_watch.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {
namespace {

using stores::AccountRepository;
using Change = AccountRepository::Change;
using PasskeyName = BoundedText<1, 64, struct PasskeyNameTag>;

constexpr const char* kIssuer = "pixledger";
constexpr const char* kNotVerified =
    "the passkey does not fit: it was made for another challenge or page, or is of a kind that is not taken";
constexpr const char* kLastMeans = "is the last means to sign in: set another one first";

const UserCaller& user_of(const Request& request) { return request.caller->user.value(); }

stores::ChangedBy changed_by(const Request& request) {
  return {user_of(request).id, user_of(request).sign_in};
}

// The error reply if the change was refused because of the caller.
std::optional<Reply> refuse_asker(const Request& request, const std::optional<Change>& change) {
  if (change == Change::kSignInEnded) return sign_in_failed(request);
  if (change == Change::kUnconfirmed) return lacks_confirmation(request);
  return std::nullopt;
}

// Checks that the user may change their credentials, before the body is validated.
std::optional<Reply> refuse_change(const Services& services, const Request& request) {
  return refuse_asker(request, services.accounts.refuses_change(changed_by(request), services.clock.now()));
}

Reply refuse_field(const Request& request, const char* field, const char* why) {
  return validation_reply(request, {{field, why}});
}

Reply removal_reply(const Request& request, Change change, const char* field) {
  if (auto refused = refuse_asker(request, change)) return *std::move(refused);
  if (change == Change::kUnknown) return transport_error_reply(request, 404, "You have not set that.");
  if (change == Change::kLastMeans) return refuse_field(request, field, kLastMeans);
  return {200, R"({"success":true})"};
}

void write_recovery_codes(Json& json, const NewRecoveryCodes& codes) {
  json.key("recoveryCodes").begin_array();
  for (const auto& text : codes.texts) json.value(text);
  json.end_array();
}

struct NewPasskey {
  std::optional<TypedText> challenge_id;
  std::optional<PasskeyName> name;
  std::optional<Base64UrlBytes> credential, client_data, authenticator_data, public_key;
  std::optional<std::int64_t> algorithm;
};

NewPasskey read_new_passkey(const JsonObject& body) {
  return {.challenge_id = body.required<TypedText>("challengeId"),
          .name = body.required<PasskeyName>("name"),
          .credential = body.required<Base64UrlBytes>("credentialId"),
          .client_data = body.required<Base64UrlBytes>("clientDataJson"),
          .authenticator_data = body.required<Base64UrlBytes>("authenticatorData"),
          .public_key = body.required<Base64UrlBytes>("publicKey"),
          .algorithm = body.required_integer("algorithm", -65'535, 65'535)};
}

Reply begin_totp(const Services& services, const Request& request) {
  const auto& user = user_of(request).id;
  const auto state = services.accounts.user_state(user, services.clock.now());
  const auto secret = new_totp_secret(services.entropy);
  const auto change = services.accounts.begin_totp(
      changed_by(request), seal_totp(user, secret, services.keyring, services.entropy), services.clock.now());
  if (auto refused = refuse_asker(request, change)) return *std::move(refused);
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("secret", to_base32(secret));
  json.field("otpauthUrl", totp_url(secret, kIssuer, state ? state->user.email.text() : user.text()));
  json.end_object().end_object();
  return {201, json.take()};
}

Reply enable_totp(const Services& services, const Request& request, const std::string& code) {
  const auto& user = user_of(request).id;
  const auto begun = services.accounts.begun_totp(user);
  if (!begun) return refuse_field(request, "code", "is of no secret: ask for one first, without a code");
  const auto now = services.clock.now();
  const auto step = find_totp_step(unseal_totp(user, *begun, services.keyring), code, 0, now);
  const auto codes = make_recovery_codes(user, services.entropy);
  const auto change =
      step ? services.accounts.enable_totp(changed_by(request), *begun, *step, codes.hashes, now)
           : Change::kUnknown;
  if (auto refused = refuse_asker(request, change)) return *std::move(refused);
  if (change != Change::kDone) return refuse_field(request, "code", "is not the one that the app shows now");
  Json json;
  json.begin_object().field("success", true).key("data").begin_object().field("enabled", true);
  write_recovery_codes(json, codes);
  json.end_object().end_object();
  return {200, json.take()};
}

}  // namespace

Reply list_passkeys(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& passkey : services.accounts.passkeys(user_of(request).id)) write_passkey(json, passkey);
  json.end_array().end_object();
  return {200, json.take()};
}

Reply add_passkey(const Services& services, const Request& request) {
  Input input(request);
  const auto made = read_new_passkey(input.body());
  if (!input.finish()) return input.refusal();
  if (auto refused = refuse_change(services, request)) return *std::move(refused);
  const auto& user = user_of(request);
  const auto now = services.clock.now();
  const auto challenge = find_challenge(made.challenge_id->text(), ChallengePurpose::kRegister,
                                        user.sign_in.text(), services.keyring, now);
  const auto count = !challenge ? std::nullopt
                                : verify_registration({.credential = made.credential->bytes(),
                                                       .client_data = made.client_data->bytes(),
                                                       .authenticator_data = made.authenticator_data->bytes(),
                                                       .public_key = made.public_key->bytes(),
                                                       .algorithm = *made.algorithm},
                                                      challenge->bytes, services.relying_party);
  if (!count) return refuse_field(request, "credentialId", kNotVerified);
  const stores::Passkey passkey{.credential = made.credential->text(),
                                .name = made.name->text(),
                                .public_key = made.public_key->bytes(),
                                .algorithm = *made.algorithm,
                                .sign_count = *count,
                                .created_at = now};
  const auto change = services.accounts.add_passkey(changed_by(request), passkey, challenge->bytes,
                                                    challenge->expires_at, now);
  if (auto refused = refuse_asker(request, change)) return *std::move(refused);
  if (change == Change::kKnown)
    return refuse_field(request, "credentialId", "is known already, or its challenge was used");
  if (change == Change::kTooMany)
    return refuse_field(request, "credentialId", "is one more than the 20 passkeys that a user may have");
  Json json;
  json.begin_object().field("success", true).key("data");
  write_passkey(json, passkey);
  json.end_object();
  return {201, json.take()};
}

Reply remove_passkey(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  if (auto refused = refuse_change(services, request)) return *std::move(refused);
  const auto change = services.accounts.remove_passkey(changed_by(request), request.path_parameter("id"),
                                                       services.clock.now());
  return removal_reply(request, change, "id");
}

Reply set_password(const Services& services, const Request& request) {
  Input input(request);
  const auto password = input.body().required<Password>("password");
  if (!input.finish()) return input.refusal();
  if (auto refused = refuse_change(services, request)) return *std::move(refused);
  const auto change = services.accounts.set_password(
      changed_by(request), hash_password(*password, services.entropy), services.clock.now());
  if (auto refused = refuse_asker(request, change)) return *std::move(refused);
  // The change ended the user's other sign-ins.
  services.sign_in_watch.ask_now();
  return {200, R"({"success":true})"};
}

Reply set_totp(const Services& services, const Request& request) {
  Input input(request);
  const auto code = input.optional_body().optional<TypedText>("code");
  if (!input.finish()) return input.refusal();
  if (auto refused = refuse_change(services, request)) return *std::move(refused);
  return code ? enable_totp(services, request, code->text()) : begin_totp(services, request);
}

Reply remove_totp(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  if (auto refused = refuse_change(services, request)) return *std::move(refused);
  return removal_reply(request, services.accounts.remove_totp(changed_by(request), services.clock.now()),
                       "totp");
}

Reply replace_recovery_codes(const Services& services, const Request& request) {
  Input input(request);
  input.optional_body();
  if (!input.finish()) return input.refusal();
  if (auto refused = refuse_change(services, request)) return *std::move(refused);
  const auto codes = make_recovery_codes(user_of(request).id, services.entropy);
  const auto change =
      services.accounts.replace_recovery_codes(changed_by(request), codes.hashes, services.clock.now());
  if (auto refused = refuse_asker(request, change)) return *std::move(refused);
  if (change == Change::kUnknown)
    return refuse_field(request, "totp", "must be set first: a recovery code stands for its codes");
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  write_recovery_codes(json, codes);
  json.end_object().end_object();
  return {201, json.take()};
}

}  // namespace pixledger::http
