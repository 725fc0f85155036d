#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/text/ascii.h"
#include "base/text/text.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_result.h"

namespace {

using namespace pixledger;
using namespace pixledger::workers;

template <class T>
void check(const ParsedAnswer<T>& parsed) {
  if (const auto* const bad = std::get_if<BadAnswer>(&parsed)) assert(!bad->reason.empty());
}

// Reported errors are short, and contain neither an address nor a long number.
void check_reason(const std::string& reason) {
  assert(count_characters(reason) <= 140);
  assert(reason.find('@') == std::string::npos);
  std::size_t digits = 0;
  for (const char c : reason) {
    digits = is_ascii_digit(c) ? digits + 1 : 0;
    assert(digits < 5);
  }
}

}  // namespace

// Any bytes as any answer. A code that is given to a payer asks for the charge's payment, whatever the bank
// wrote.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  const auto cob = parse_cob(body, "brcode");
  check(cob);
  if (const auto* const charge = std::get_if<BankCob>(&cob);
      charge != nullptr && charge->amount.value() > 0) {
    const auto chosen = choose_pix_code(*charge, {"Loja", "RECIFE"});
    if (const auto* const code = std::get_if<CheckedPixCode>(&chosen))
      assert(!problem_of_pix_code(code->code, *charge));
  }
  check(parse_payment(body));
  check(parse_refund(body));
  check(parse_pix_page(body));
  check(parse_token(body));
  check(parse_callback(body));
  const auto error = read_bank_error(400, body, ErrorText::kRead);
  assert(error.reasons.size() <= 8);
  for (const auto& reason : error.reasons) check_reason(reason);
  return 0;
}
