#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pixledger::domain {

// An address that receives money, in the form of the central bank's directory (DICT): a CPF or CNPJ with
// valid check digits, phone (+55, area code, 8 or 9 digits), e-mail in lower case (at most 77 characters), or
// random UUID (EVP) in lower case. Does not check that the key is registered.
class PixKey {
 public:
  static constexpr std::string_view kRule =
      "must be a Pix key: a CPF or CNPJ without punctuation and with right check digits, a phone such as "
      "+5511987654321, an e-mail address of at most 77 characters, or a UUID";
  static constexpr std::string_view kPhoneRule =
      "must be a CPF or CNPJ with right check digits, or, where it is a phone, be written with +55 and the "
      "area code, such as +5511987654321";

  // Accepts any case.
  static std::optional<PixKey> parse(std::string_view text);

  // Accepts recorded keys with invalid check digits: older releases did not check them.
  static std::optional<PixKey> parse_stored(std::string_view text);

  // The error for an invalid key: kPhoneRule if the text looks like a phone.
  static std::string_view rule_for(std::string_view text);

  const std::string& text() const { return text_; }

  friend auto operator<=>(const PixKey&, const PixKey&) = default;

 private:
  explicit PixKey(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// The key with its middle replaced by stars. Keeps a quarter, at most four characters, of each end:
// recognizable, but neither payable nor callable.
std::string masked(const PixKey& key);

// A key that no bank can have registered, so scanning a test code never moves money: RFC 2606 reserves
// `.invalid`, and banks verify e-mail keys by mail.
PixKey sandbox_pix_key();

}  // namespace pixledger::domain
