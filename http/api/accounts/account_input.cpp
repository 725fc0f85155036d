#include "http/api/accounts/account_input.h"

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

}  // namespace pixledger::http
