#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/http/json/json_body.h"
#include "base/platform/json.h"
#include "base/text/base64.h"
#include "base/values/internet_address.h"
#include "http/services/services.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {

// What people who sign in send.

// Bytes as browsers give them, of any number up to the body's limit.
class Base64UrlBytes {
 public:
  static constexpr std::string_view kRule = "must be base64url without padding";

  static std::optional<Base64UrlBytes> parse(std::string_view text) {
    auto bytes = bytes_from_base64url(text);
    if (!bytes) return std::nullopt;
    return Base64UrlBytes(std::string(text), *std::move(bytes));
  }

  const std::string& text() const { return text_; }
  const std::string& bytes() const { return bytes_; }

 private:
  Base64UrlBytes(std::string text, std::string bytes) : text_(std::move(text)), bytes_(std::move(bytes)) {}

  std::string text_;
  std::string bytes_;
};

// Something that somebody typed, or copied.
class TypedText {
 public:
  static constexpr std::string_view kRule = "must be a text of 1 to 800 bytes";

  static std::optional<TypedText> parse(std::string_view text) {
    if (text.empty() || text.size() > 800) return std::nullopt;
    return TypedText(std::string(text));
  }

  const std::string& text() const { return text_; }

 private:
  explicit TypedText(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// What a browser's navigator.credentials.get() gives.
struct PasskeyInput {
  std::string challenge_id;
  std::string credential;  // base64url
  std::string authenticator_data;
  std::string client_data;
  std::string signature;
  std::string user_handle;
};

// A password and what goes with it: one of both.
struct PasswordInput {
  std::string password;
  std::optional<std::string> totp{};
  std::optional<std::string> recovery_code{};
};

// nullopt where there is none, or violations.
// Who signs in is named by the user handle; who confirms is known.
enum class UserHandle { kRequired, kOptional };
std::optional<PasskeyInput> read_passkey(const JsonObject& body, UserHandle handle);
// Asks for the password and what goes with it; `recovery`: which may be a recovery code.
enum class Recovery { kTaken, kNotTaken };
std::optional<PasswordInput> read_password(const JsonObject& body, Recovery recovery);

// "passkey", "password", "recovery_code", "invitation".
std::string_view sign_in_method_name(stores::SignInMethod method);

// The members of a sign-in's answer: until when it is good, whose it is, what they may do where.
void write_sign_in(Json& json, const Services& services, const stores::SignIn& sign_in);

// One of a list.
void write_listed_sign_in(Json& json, const stores::SignIn& sign_in, const domain::SignInId& current);

void write_passkey(Json& json, const stores::Passkey& passkey);

}  // namespace pixledger::http
