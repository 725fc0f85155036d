#include "domain/decisions/pix_code_rule.h"

#include <catch2/catch.hpp>

#include "domain/pix/br_code.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::domain;
using namespace pixledger::tests;

namespace {

const PixKey kKey = parsed<PixKey>("loja@example.com");
const PixKey kOther = parsed<PixKey>("outra@example.com");

std::string code(const ChargeCreated& charge, const PixKey& key) {
  return write_br_code({.key = key,
                        .merchant_name = "Loja",
                        .merchant_city = "Recife",
                        .amount = charge.amount,
                        .txid = charge.id.text()});
}

ChargeCreated charge_with_code(Environment environment, const PixKey& key) {
  auto charge = sample_charge(environment);
  charge.pix_code = code(charge, key);
  return charge;
}

// The code with its checksum recomputed.
std::string sealed(std::string code) {
  code.resize(code.size() - 4);
  char checksum[5];
  std::snprintf(checksum, sizeof checksum, "%04X", static_cast<unsigned>(crc16_ccitt_false(code)));
  return code + checksum;
}

}  // namespace

TEST_CASE("a Pix code pays the key that its project had, or in the sandbox the key that has no owner") {
  const auto live = charge_with_code(Environment::kLive, kKey);
  CHECK_FALSE(broken_pix_code_rule(live, kKey));
  for (const auto& key : {std::optional(kOther), std::optional<PixKey>()})
    CHECK(broken_pix_code_rule(live, key) == "its Pix code pays another key than the project's at that time");
  for (const auto& key : {std::optional(kKey), std::optional<PixKey>()}) {
    CHECK_FALSE(broken_pix_code_rule(charge_with_code(Environment::kSandbox, sandbox_pix_key()), key));
    CHECK(broken_pix_code_rule(charge_with_code(Environment::kSandbox, kKey), key));
  }
}

TEST_CASE("a Pix code asks for its charge's amount under its charge's id") {
  auto other_amount = charge_with_code(Environment::kLive, kKey);
  other_amount.amount = other_amount.amount + Cents(1);
  CHECK(broken_pix_code_rule(other_amount, kKey) == "its Pix code asks for another amount");
  auto other_charge = charge_with_code(Environment::kLive, kKey);
  other_charge.id = parsed<ChargeId>("c0000000000000000000000aa");
  CHECK(broken_pix_code_rule(other_charge, kKey) == "its Pix code is that of another charge");
}

TEST_CASE("an invalid Pix code, or one with another account, is no charge's code") {
  auto charge = charge_with_code(Environment::kLive, kKey);
  const auto good = charge.pix_code;
  for (const std::string& bad : {std::string(), std::string("000201"), good.substr(1), good + "x"}) {
    charge.pix_code = bad;
    CHECK(broken_pix_code_rule(charge, kKey) == "its Pix code is invalid");
  }
  // A second account in front of the first.
  const auto second =
      "2635"
      "0014br.gov.bcb.pix"
      "0113a@example.com";
  charge.pix_code = sealed(good.substr(0, 6) + second + "27" + good.substr(8));
  CHECK(broken_pix_code_rule(charge, kKey) ==
        "its Pix code pays another key than the project's at that time");
}
