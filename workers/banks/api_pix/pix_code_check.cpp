#include "workers/banks/api_pix/pix_code_check.h"

#include <algorithm>
#include <vector>

#include "base/text/ascii.h"
#include "domain/pix/br_code.h"
#include "workers/banks/api_pix/answer_object.h"

namespace pixledger::workers {
namespace {

using Fields = std::vector<domain::BrCodeField>;

constexpr std::string_view kPixGui = "br.gov.bcb.pix";
constexpr std::string_view kReais = "986";

const domain::BrCodeField* find(const Fields& fields, std::string_view id) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

std::string_view value_of(const Fields& fields, std::string_view id) {
  const auto* const field = find(fields, id);
  return field == nullptr ? std::string_view() : std::string_view(field->value);
}

// Templates 26 to 51 hold accounts of payment systems; the one of Pix names it.
const Fields* pix_account(const Fields& fields) {
  for (const auto& field : fields) {
    if (field.id < "26" || field.id > "51") continue;
    if (equal_without_case(value_of(field.fields, "00"), kPixGui)) return &field.fields;
  }
  return nullptr;
}

// Hosts have no case (RFC 3986 §6.2.2.1), paths do.
bool is_same_location(std::string_view left, std::string_view right) {
  const auto left_host = left.substr(0, left.find('/'));
  const auto right_host = right.substr(0, right.find('/'));
  return equal_without_case(left_host, right_host) &&
         left.substr(left_host.size()) == right.substr(right_host.size());
}

bool fits_into_code(const std::string& location) {
  return location.size() <= domain::kLocationSizeMax &&
         std::all_of(location.begin(), location.end(),
                     [](char c) { return is_ascii_printable(c) && c != ' '; });
}

}  // namespace

std::optional<std::string> problem_of_pix_code(std::string_view code, const BankCob& cob) {
  const auto parsed = domain::parse_br_code(code);
  if (const auto* const fault = std::get_if<domain::BrCodeFault>(&parsed))
    return std::string(to_string(fault->error));
  const auto& fields = std::get<Fields>(parsed);
  if (value_of(fields, "53") != kReais) return "is not in reais";
  const auto* const account = pix_account(fields);
  if (account == nullptr) return "is not of Pix";
  const auto location = value_of(*account, "25");
  if (location.empty()) return "has no location";
  if (cob.location && !is_same_location(location, *cob.location))
    return "has another location than the charge";
  const auto* const amount = find(fields, "54");
  if (amount == nullptr) {
    if (!cob.location) return "has neither an amount nor a location that the bank tells";
    return std::nullopt;
  }
  if (parse_bank_amount(amount->value) != cob.amount) return "has another amount than the charge";
  return std::nullopt;
}

std::variant<CheckedPixCode, BadAnswer> choose_pix_code(const BankCob& cob, const MerchantOfCode& merchant) {
  std::optional<std::string> complaint;
  if (cob.pix_code) {
    complaint = problem_of_pix_code(*cob.pix_code, cob);
    if (!complaint)
      return CheckedPixCode{.code = *cob.pix_code, .complaint = std::nullopt, .composed = false};
  }
  if (!cob.location || !fits_into_code(*cob.location))
    return BadAnswer{complaint ? "pixCopiaECola " + *complaint + ", and there is no location to make one from"
                               : "there is neither pixCopiaECola nor a location to make one from"};
  return CheckedPixCode{.code = domain::write_dynamic_br_code({.location = *cob.location,
                                                               .merchant_name = merchant.name,
                                                               .merchant_city = merchant.city,
                                                               .amount = cob.amount}),
                        .complaint = std::move(complaint),
                        .composed = true};
}

}  // namespace pixledger::workers
