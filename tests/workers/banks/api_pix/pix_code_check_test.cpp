#include <catch2/catch.hpp>

#include "domain/pix/br_code.h"
#include "tests/support/domain/sample_values.h"
#include "workers/banks/api_pix/bank_answers.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;

namespace {

constexpr const char* kLocation = "pix.example.com/qr/9d36b84fc70b478fb95c12729b90ca25";

BankCob cob(std::optional<std::string> location, std::optional<std::string> code) {
  return {.txid = parsed<domain::Txid>("7978c0c97ea847e78e8849634473c1f1"),
          .amount = domain::Cents(3'700),
          .key = "k",
          .location = std::move(location),
          .pix_code = std::move(code),
          .created_at = {},
          .expires_in_s = {},
          .received = {}};
}

std::string code(const std::string& location, std::optional<domain::Cents> amount) {
  return domain::write_dynamic_br_code(
      {.location = location, .merchant_name = "Banco", .merchant_city = "SP", .amount = amount});
}

std::string problem(const std::string& text, std::optional<std::string> location = kLocation) {
  return problem_of_pix_code(text, cob(std::move(location), std::nullopt)).value_or("");
}

// Ends a code with its field 63.
std::string sealed(std::string text) {
  text += "6304";
  const unsigned crc = domain::crc16_ccitt_false(text);
  for (const int shift : {12, 8, 4, 0}) text += "0123456789ABCDEF"[(crc >> shift) & 15];
  return text;
}

}  // namespace

TEST_CASE("a bank's code is taken when its location is the charge's, with the amount or without any") {
  CHECK(problem(code(kLocation, domain::Cents(3'700))).empty());
  CHECK(problem(code(kLocation, std::nullopt)).empty());
  CHECK(problem(code("PIX.Example.COM/qr/9d36b84fc70b478fb95c12729b90ca25", std::nullopt)).empty());
}

TEST_CASE("without a location from the bank the amount must tie the code to the charge") {
  CHECK(problem(code(kLocation, domain::Cents(3'700)), std::nullopt).empty());
  CHECK(problem(code(kLocation, std::nullopt), std::nullopt) ==
        "has neither an amount nor a location that the bank tells");
}

TEST_CASE("a code of something else is not taken") {
  CHECK(problem(code(kLocation, domain::Cents(3'701))) == "has another amount than the charge");
  CHECK(problem(code("pix.example.com/qr/other", domain::Cents(3'700))) ==
        "has another location than the charge");
  CHECK(problem(code("pix.example.com/QR/9d36b84fc70b478fb95c12729b90ca25", std::nullopt)) ==
        "has another location than the charge");
  const auto static_code = domain::write_br_code({.key = parsed<domain::PixKey>("loja@example.com"),
                                                  .merchant_name = "Loja",
                                                  .merchant_city = "SP",
                                                  .amount = domain::Cents(3'700),
                                                  .txid = "a"});
  CHECK(problem(static_code) == "has no location");
}

TEST_CASE("a code that is damaged or of another kind is not taken") {
  auto damaged = code(kLocation, std::nullopt);
  damaged.back() = damaged.back() == '0' ? '1' : '0';
  CHECK(problem(damaged) == "has a wrong checksum");
  CHECK(problem("") == "does not begin as a BR Code");
  CHECK(problem("x") == "has something else where a field must begin");
  CHECK(problem(std::string(513, '0')) == "is too long");
  CHECK(problem("000201\xc3\xa7") == "holds a character that is not printable ASCII");
  CHECK(problem(sealed("00020126180014br.gov.bcb.pix5303840")) == "is not in reais");
  CHECK(problem(sealed("00020126150011com.example5303986")) == "is not of Pix");
  CHECK(problem(sealed("0002015303986")) == "is not of Pix");
}

TEST_CASE("a payer is given the bank's code where it holds") {
  const auto chosen = choose_pix_code(cob(kLocation, code(kLocation, std::nullopt)), {"Loja", "RECIFE"});
  const auto& taken = std::get<CheckedPixCode>(chosen);
  CHECK(taken.code == code(kLocation, std::nullopt));
  CHECK_FALSE(taken.composed);
  CHECK_FALSE(taken.complaint);
}

TEST_CASE("where the bank's code is missing or bad, one is made from the location, for the merchant") {
  const auto bad = code(kLocation, domain::Cents(1));
  for (const auto& given : {std::optional<std::string>(), std::optional<std::string>(bad)}) {
    const auto chosen = choose_pix_code(cob(kLocation, given), {"Loja São João", "RECIFE"});
    const auto& made = std::get<CheckedPixCode>(chosen);
    CHECK(made.composed);
    CHECK(made.complaint.has_value() == given.has_value());
    CHECK(problem(made.code).empty());
    CHECK(made.code.find("5913Loja Sao Joao6006RECIFE62070503***") != std::string::npos);
    CHECK(made.code.find("540537.00") != std::string::npos);
  }
}

TEST_CASE("without a code and a location there is nothing to be paid") {
  const auto reason = [](const BankCob& charge) {
    return std::get<BadAnswer>(choose_pix_code(charge, {"Loja", "RECIFE"})).reason;
  };
  CHECK(reason(cob(std::nullopt, std::nullopt)) ==
        "there is neither pixCopiaECola nor a location to make one from");
  CHECK(reason(cob(std::string(78, 'a'), std::nullopt)) ==
        "there is neither pixCopiaECola nor a location to make one from");
  CHECK(reason(cob(std::nullopt, "x")) ==
        "pixCopiaECola has something else where a field must begin, and there is "
        "no location to make one from");
}
