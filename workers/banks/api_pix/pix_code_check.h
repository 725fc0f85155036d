#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "workers/banks/api_pix/bank_answers.h"

namespace pixledger::workers {

// Who is paid, as codes write it (see domain::BrCodeFields).
struct MerchantOfCode {
  std::string name;
  std::string city;
};

// The code that a payer is given.
struct CheckedPixCode {
  std::string code;
  std::optional<std::string> complaint;  // why the bank's own was not used: "has a wrong checksum"; an alarm
  bool composed = false;                 // made here from the charge's location
};

// Why a bank's code does not ask for this charge's payment, to be read after "the code "; nullopt: it does.
// It is a BR Code in reais whose account is a location: the charge's, where the bank tells one. An amount in
// it is the charge's; without one the location must be known and equal, since nothing else ties it to the
// charge.
std::optional<std::string> problem_of_pix_code(std::string_view code, const BankCob& cob);

// The bank's code where it holds, else one made from the charge's location; BadAnswer: neither is there.
std::variant<CheckedPixCode, BadAnswer> choose_pix_code(const BankCob& cob, const MerchantOfCode& merchant);

}  // namespace pixledger::workers
