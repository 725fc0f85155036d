#include "domain/values/contact.h"

#include <array>
#include <cstddef>

#include "base/text/ascii.h"
#include "base/text/text.h"

namespace pixledger::domain {

std::optional<Phone> Phone::parse(std::string_view text) {
  if (text.size() < 10 || text.size() > 15 || !all_ascii_digits(text)) return std::nullopt;
  return Phone(std::string(text));
}

std::optional<TypedPhone> TypedPhone::parse(std::string_view text) {
  constexpr std::string_view kBrazil = "55";
  constexpr std::size_t kWithAreaCodeMin = 10;
  auto digits = bare_code(text);
  if (!digits || digits->size() < 8 || digits->size() > 15 || !all_ascii_digits(*digits)) return std::nullopt;
  if (digits->size() >= kBrazil.size() + kWithAreaCodeMin && digits->starts_with(kBrazil))
    digits->erase(0, kBrazil.size());
  return TypedPhone{*std::move(digits)};
}

namespace {

constexpr std::string_view kCodes =
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV "
    "BW BY "
    "BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI "
    "FJ FK "
    "FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO "
    "IQ IR "
    "IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG "
    "MH MK "
    "ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK "
    "PL PM "
    "PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC "
    "TD TF "
    "TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW";

static_assert(kCodes.size() == 249 * 3 - 1, "ISO 3166-1 assigns 249 codes");

constexpr std::size_t index_of(char first, char second) {
  return static_cast<std::size_t>(first - 'A') * 26 + static_cast<std::size_t>(second - 'A');
}

constexpr std::array<bool, 26 * 26> kAssigned = [] {
  std::array<bool, 26 * 26> assigned{};
  for (std::size_t i = 0; i < kCodes.size(); i += 3) assigned[index_of(kCodes[i], kCodes[i + 1])] = true;
  return assigned;
}();

}  // namespace

std::optional<CountryCode> CountryCode::parse(std::string_view text) {
  if (text.size() != 2) return std::nullopt;
  const char code[] = {to_ascii_upper(text[0]), to_ascii_upper(text[1])};
  if (!is_ascii_upper(code[0]) || !is_ascii_upper(code[1])) return std::nullopt;
  if (!kAssigned[index_of(code[0], code[1])]) return std::nullopt;
  return CountryCode(std::string(code, 2));
}

}  // namespace pixledger::domain
