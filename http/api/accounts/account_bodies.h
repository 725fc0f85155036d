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

// Bodies of requests and replies about sign-ins.

// Bytes from a browser, limited only by the body's size.
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

// A text that a user typed or copied.
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

// The result of a browser's navigator.credentials.get().
struct PasskeyInput {
  std::string challenge_id;
  std::string credential;  // base64url
  std::string authenticator_data;
  std::string client_data;
  std::string signature;
  std::string user_handle;
};

// A password with a TOTP code or a recovery code.
struct PasswordInput {
  std::string password;
  std::optional<std::string> totp{};
  std::optional<std::string> recovery_code{};
};

// nullopt if absent or invalid. Sign-in requires the user handle; confirmation knows the user.
enum class UserHandle { kRequired, kOptional };
std::optional<PasskeyInput> read_passkey(const JsonObject& body, UserHandle handle);
// Reads the password and its code; `recovery`: whether a recovery code is accepted.
enum class Recovery { kTaken, kNotTaken };
std::optional<PasswordInput> read_password(const JsonObject& body, Recovery recovery);

// "passkey", "password", "recovery_code", "invitation".
std::string_view sign_in_method_name(stores::SignInMethod method);

// Writes the members of a sign-in's reply: its end, its user, and the user's roles by project.
void write_sign_in(Json& json, const Services& services, const stores::SignIn& sign_in);

// Writes an item of a list.
void write_listed_sign_in(Json& json, const stores::SignIn& sign_in, const domain::SignInId& current);

void write_passkey(Json& json, const stores::Passkey& passkey);

}  // namespace pixledger::http
