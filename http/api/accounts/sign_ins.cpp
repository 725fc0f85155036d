#include <algorithm>
#include <optional>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/text/base64.h"
#include "base/text/text.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/keys/tokens.h"
#include "http/accounts/one_time_codes.h"
#include "http/accounts/passkeys.h"
#include "http/accounts/passwords.h"
#include "http/api/accounts/account_bodies.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/front/rate_limit.h"
#include "http/routing/input.h"
#include "http/services/services.h"
#include "http/services/sign_in_watch.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {
namespace {

// Limits of failed sign-ins.

constexpr std::string_view kTooManyOfAddress =
    "Too many sign-ins have failed from this address; see Retry-After.";

// 429 after too many failures from the request's address.
std::optional<Reply> refuse_address(const Services& services, const Request& request) {
  const auto wait_s = services.failed_sign_ins.wait_of(request.caller_address, services.clock.boot_millis());
  if (!wait_s) return std::nullopt;
  ++services.sign_in_counts.limited;
  return too_many(request, kTooManyOfAddress, *wait_s);
}

// Counts a failure of the request's address: 401 ERR_AUTH_011, or 429.
Reply fail_for_address(const Services& services, const Request& request) {
  const auto wait_s = services.failed_sign_ins.note(request.caller_address, services.clock.boot_millis());
  return wait_s ? too_many(request, kTooManyOfAddress, *wait_s) : sign_in_failed(request);
}

// The user of the credentials, and what is used up when they take effect.
struct Judged {
  domain::UserId user;
  stores::CredentialShown shown;
};

// Stands for an unknown user.
domain::UserId nobody() { return *domain::UserId::parse("cnobodysaccount"); }
std::string no_secret() { return std::string(20, '\0'); }

// nullopt if the passkey is unknown or did not sign this. `whose`: what the challenge is bound to.
std::optional<Judged> judge_passkey(const Services& services, const PasskeyInput& input,
                                    ChallengePurpose purpose, std::string_view whose) {
  const auto challenge =
      find_challenge(input.challenge_id, purpose, whose, services.keyring, services.clock.now());
  const auto found = services.accounts.find_passkey(input.credential);
  if (!challenge || !found) return std::nullopt;
  // Absent if the browser was given the list of passkeys (Web Authentication, Level 2, §7.2 step 6).
  const bool names_user = purpose == ChallengePurpose::kConfirm && input.user_handle.empty();
  if (!names_user && input.user_handle != found->user.text()) return std::nullopt;
  const auto& passkey = found->passkey;
  const auto count = verify_assertion(
      {.client_data = input.client_data,
       .authenticator_data = input.authenticator_data,
       .signature = input.signature},
      {.public_key = passkey.public_key, .algorithm = passkey.algorithm, .sign_count = passkey.sign_count},
      challenge->bytes, services.relying_party);
  if (!count) return std::nullopt;
  return Judged{.user = found->user,
                .shown = stores::PasskeyShown{.credential = passkey.credential,
                                              .count_before = passkey.sign_count,
                                              .count = *count,
                                              .challenge = challenge->bytes,
                                              .challenge_expires_at = challenge->expires_at}};
}

// nullopt if either is wrong. Does the same work for unknown accounts, accounts without a password, and
// whichever is wrong. Hashes a password.
std::optional<Judged> judge_password(const Services& services,
                                     const std::optional<stores::PasswordAccount>& account,
                                     const PasswordInput& input) {
  const auto user = account ? account->user : nobody();
  const auto hash = account ? account->password_hash : std::nullopt;
  // Before the password is hashed, which is expensive: recovery codes have no rate limit, since they cannot
  // be guessed.
  const auto code = input.recovery_code ? recovery_code_hash(user, *input.recovery_code) : std::nullopt;
  if (!input.totp && (!code || !services.accounts.has_recovery_code(user, *code))) return std::nullopt;
  const bool is_right = is_password(hash, input.password);
  if (input.totp) {
    const bool has_totp = account && account->totp;
    const auto secret = has_totp ? unseal_totp(user, account->totp->sealed, services.keyring) : no_secret();
    const auto step =
        find_totp_step(secret, *input.totp, has_totp ? account->totp->last_step : 0, services.clock.now());
    if (!is_right || !has_totp || !step) return std::nullopt;
    return Judged{.user = user, .shown = stores::TotpShown{.password_hash = *hash, .step = *step}};
  }
  if (!is_right) return std::nullopt;
  return Judged{.user = user, .shown = stores::RecoveryCodeShown{.password_hash = *hash, .code = *code}};
}

using stores::AccountRepository;

constexpr std::size_t kUserAgentCharactersMax = 200;
constexpr std::string_view kTooManyOfAccount =
    "Too many sign-ins with this e-mail address have failed from here; see Retry-After. A passkey or a "
    "recovery code still signs in.";
constexpr std::string_view kTooManyConfirmations =
    "Too many confirmations of this account have failed; see Retry-After. A passkey still confirms.";
constexpr std::string_view kSignsInTooOften = "This user signs in too often; see Retry-After.";
constexpr std::string_view kOneOfAll =
    "must be sent, or email and password with totp or recoveryCode, or invitation: one of them";

domain::SignInId new_sign_in_id(Entropy& entropy) {
  return *domain::SignInId::parse("c" + to_hex(entropy.bytes(12)));
}

std::string user_agent_of(const Request& request) {
  const auto header = request.headers.find("User-Agent").value_or(std::string_view());
  if (!is_clean_text(header)) return {};
  return std::string(first_characters(header, kUserAgentCharactersMax));
}

stores::NewSignIn new_sign_in(const Services& services, const Request& request,
                              const eventstore::NewUserToken& token) {
  return {.id = new_sign_in_id(services.entropy),
          .token_hash = token.hash,
          .address = request.caller_address,
          .user_agent = user_agent_of(request)};
}

// The sign-in of the caller's token; nullopt if it has ended since the guard admitted it.
std::optional<stores::SignIn> current_of(const Services& services, const Request& request) {
  const auto& user = request.caller->user.value();
  auto all = services.accounts.sign_ins(user.id, services.clock.now());
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& sign_in) { return sign_in.id == user.sign_in; });
  return found == all.end() ? std::nullopt : std::optional(std::move(*found));
}

Reply sign_in_reply(const Services& services, int status, const stores::SignIn& sign_in,
                    const std::string* token) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  if (token) json.field("token", *token);
  write_sign_in(json, services, sign_in);
  json.end_object().end_object();
  return {status, json.take()};
}

Reply fail(const Services& services, const Request& request) {
  ++services.sign_in_counts.failed;
  return fail_for_address(services, request);
}

std::optional<Reply> refuse_if_to_wait(const Services& services, const Request& request,
                                       std::optional<std::int64_t> wait_ms, std::string_view message) {
  if (!wait_ms) return std::nullopt;
  ++services.sign_in_counts.limited;
  return too_many(request, message, (*wait_ms + 999) / 1'000);
}

// Counts as a failure of both until the attempt succeeds.
std::optional<Reply> refuse_account(const Services& services, const Request& request,
                                    const EmailAddress& email, const stores::AttemptFrom& from) {
  const auto wait_ms = services.accounts.begin_attempt(email, from, services.clock.now());
  return refuse_if_to_wait(services, request, wait_ms, kTooManyOfAccount);
}

std::optional<Reply> refuse_confirmation(const Services& services, const Request& request,
                                         const domain::UserId& user) {
  const auto wait_ms = services.accounts.begin_confirmation(user, services.clock.now());
  return refuse_if_to_wait(services, request, wait_ms, kTooManyConfirmations);
}

struct SignInInput {
  std::optional<PasskeyInput> passkey{};
  std::optional<EmailAddress> email{};
  std::optional<PasswordInput> password{};
  std::optional<TypedText> invitation{};
};

SignInInput read_sign_in(Input& input) {
  const auto body = input.body();
  SignInInput read;
  read.passkey = read_passkey(body, UserHandle::kRequired);
  read.email = body.optional<EmailAddress>("email");
  read.password = read_password(body, Recovery::kTaken);
  read.invitation = body.optional<TypedText>("invitation");
  const int kinds =
      (read.passkey ? 1 : 0) + (read.email && read.password ? 1 : 0) + (read.invitation ? 1 : 0);
  const bool is_half = read.email.has_value() != read.password.has_value();
  if (input.violations().empty() && (kinds != 1 || is_half))
    input.violations().push_back({"passkey", std::string(kOneOfAll)});
  return read;
}

stores::AttemptFrom attempt_from(const Services& services, const Request& request,
                                 const std::optional<stores::PasswordAccount>& account) {
  stores::AttemptFrom from{.network = line_of(request)};
  if (account)
    from.known_device = known_device(request.headers.find(kDeviceHeader).value_or(""), account->user,
                                     services.keyring, services.clock.now());
  return from;
}

// One-time codes can be guessed. Recovery codes and passkeys cannot, so they have no limit. A known device is
// exempt from the limit of its address.
std::optional<Reply> refuse_guesses(const Services& services, const Request& request, const SignInInput& read,
                                    const stores::AttemptFrom& from) {
  if (read.password->recovery_code) return std::nullopt;
  if (!from.known_device) {
    if (auto refused = refuse_address(services, request)) return refused;
  }
  return refuse_account(services, request, *read.email, from);
}

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

void write_passkeys(Json& json, JsonKey name, const Services& services, const domain::UserId& user) {
  json.key(name).begin_array();
  for (const auto& passkey : services.accounts.passkeys(user))
    json.begin_object().field("type", "public-key").field("id", passkey.credential).end_object();
  json.end_array();
}

// Writes the further options of navigator.credentials.create().
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

bool names_password(const Request& request) {
  Violations violations;
  const auto body = JsonBody::parse(request, violations);
  return body && body->root(violations).optional<TypedText>("password").has_value();
}

Reply create_sign_in(const Services& services, const Request& request) {
  Input input(request);
  const auto read = read_sign_in(input);
  if (!input.finish()) return input.refusal();
  const auto now = services.clock.now();
  const auto token = eventstore::make_sign_in_token(services.entropy);
  const auto made = new_sign_in(services, request, token);
  std::optional<domain::UserId> user;
  if (read.invitation) {
    if (auto refused = refuse_address(services, request)) return *std::move(refused);
    const auto hash = sha256(read.invitation->text());
    user = services.accounts.use_invitation(hash, made, now);
    if (!user) return fail(services, request);
  } else {
    const auto account = read.password ? services.accounts.password_account(*read.email) : std::nullopt;
    const auto from = attempt_from(services, request, account);
    if (read.password) {
      if (auto refused = refuse_guesses(services, request, read, from)) return *std::move(refused);
    }
    const auto judged = read.password ? judge_password(services, account, *read.password)
                                      : judge_passkey(services, *read.passkey, ChallengePurpose::kSignIn, {});
    if (!judged) return fail(services, request);
    const auto signing_in = services.accounts.add_sign_in(judged->user, judged->shown, from, made, now);
    if (signing_in == AccountRepository::SigningIn::kNotGood) return fail(services, request);
    if (signing_in == AccountRepository::SigningIn::kTooMany)
      return too_many(request, kSignsInTooOften, stores::kNewSignInsMs / 1'000);
    user = judged->user;
  }
  const auto sign_in = services.accounts.find_sign_in(token.hash, now);
  if (!sign_in) return sign_in_failed(request);
  // A new sign-in may end the user's oldest one; an invitation ends all.
  services.sign_in_watch.ask_now();
  ++services.sign_in_counts.made;
  auto reply = sign_in_reply(services, 201, *sign_in, &token.text);
  const auto marks = request.headers.find(kDeviceHeader).value_or("");
  if (!known_device(marks, *user, services.keyring, now))
    reply.headers.push_back(
        {kDeviceHeader, remember_device(marks, *user, services.keyring, services.entropy, now)});
  return reply;
}

Reply get_current_sign_in(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto sign_in = current_of(services, request);
  return sign_in ? sign_in_reply(services, 200, *sign_in, nullptr) : sign_in_failed(request);
}

Reply end_current_sign_in(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto& user = request.caller->user.value();
  services.accounts.end_sign_in(user.id, user.sign_in, services.clock.now());
  services.sign_in_watch.ask_now();
  return {200, R"({"success":true})"};
}

Reply confirm_current_sign_in(const Services& services, const Request& request) {
  Input input(request);
  const auto body = input.body();
  const auto passkey = read_passkey(body, UserHandle::kOptional);
  const auto password = read_password(body, Recovery::kNotTaken);
  if (input.violations().empty() && passkey.has_value() == password.has_value())
    input.violations().push_back({"passkey", "must be sent, or password and totp: one of both"});
  if (!input.finish()) return input.refusal();
  // Guesses are counted by user: others behind the address must not block a signed-in user.
  const auto& caller = request.caller->user.value();
  std::optional<Judged> judged;
  if (password) {
    if (auto refused = refuse_confirmation(services, request, caller.id)) return *std::move(refused);
    judged = judge_password(services, services.accounts.password_account(caller.id), *password);
  } else {
    judged = judge_passkey(services, *passkey, ChallengePurpose::kConfirm, caller.sign_in.text());
  }
  const auto now = services.clock.now();
  if (!judged || judged->user != caller.id ||
      !services.accounts.confirm_sign_in(caller.id, caller.sign_in, judged->shown, now))
    return fail(services, request);
  ++services.sign_in_counts.made;
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("confirmedAt", now).end_object().end_object();
  return {200, json.take()};
}

Reply list_sign_ins(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto& user = request.caller->user.value();
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& sign_in : services.accounts.sign_ins(user.id, services.clock.now()))
    write_listed_sign_in(json, sign_in, user.sign_in);
  json.end_array().end_object();
  return {200, json.take()};
}

Reply end_sign_in(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::SignInId>();
  if (!input.finish()) return input.refusal();
  if (!services.accounts.end_sign_in(request.caller->user.value().id, *id, services.clock.now()))
    return transport_error_reply(request, 404, "You have no such sign-in.");
  services.sign_in_watch.ask_now();
  return {200, R"({"success":true})"};
}

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
  // Before a device creates a passkey that would be refused.
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
