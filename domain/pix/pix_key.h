#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace pixledger::domain {

// The address that money is sent to, as the central bank's directory (DICT) writes it: CPF or CNPJ with
// right check digits, phone (+55, area code, 8 or 9 digits), e-mail in lower case (at most 77 characters),
// or a random UUID (EVP) in lower case. Whether the key is registered is not known here.
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

  // What has been recorded stands: once check digits did not count.
  static std::optional<PixKey> parse_stored(std::string_view text);

  // What to tell a user of a text that is none: kPhoneRule where it looks like a phone.
  static std::string_view rule_for(std::string_view text);

  const std::string& text() const { return text_; }

  friend auto operator<=>(const PixKey&, const PixKey&) = default;

 private:
  explicit PixKey(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// The key with stars in its middle, a quarter and at most four characters of each end left: enough to know it
// again, too little to be paid or called.
std::string masked(const PixKey& key);

// A key that cannot be paid, so that scanning a test code never moves money: RFC 2606 reserves `.invalid`,
// hence nobody can have proved to a bank that he receives mail there.
PixKey sandbox_pix_key();

}  // namespace pixledger::domain
