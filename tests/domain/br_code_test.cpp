#include "domain/pix/br_code.h"

#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <simdjson.h>
#include <string>
#include <utility>

#include "tests/support/paths.h"

namespace pixledger::domain {
namespace {

using Fields = std::vector<BrCodeField>;

const BrCodeField* find(const Fields& fields, std::string_view id) {
  for (const auto& field : fields) {
    if (field.id == id) return &field;
  }
  return nullptr;
}

// Returns the value at "59", or inside a template at "26.01", or "".
std::string value_of(const ParsedBrCode& parsed, std::string_view path) {
  const auto* fields = std::get_if<Fields>(&parsed);
  if (fields == nullptr) return "";
  const BrCodeField* field = find(*fields, path.substr(0, 2));
  if (field != nullptr && path.size() > 2) field = find(field->fields, path.substr(3));
  return field != nullptr ? field->value : "";
}

std::optional<BrCodeError> error_of(std::string_view code) {
  const ParsedBrCode parsed = parse_br_code(code);
  const auto* fault = std::get_if<BrCodeFault>(&parsed);
  return fault != nullptr ? std::optional(fault->error) : std::nullopt;
}

// Ends a code with its field 63.
std::string sealed(std::string code) {
  code += "6304";
  const unsigned crc = crc16_ccitt_false(code);
  for (const int shift : {12, 8, 4, 0}) code += "0123456789ABCDEF"[(crc >> shift) & 15];
  return code;
}

bool equals(const Fields& fields, simdjson::dom::object expected) {
  if (fields.size() != expected.size()) return false;
  for (const auto [id, value] : expected) {
    const BrCodeField* field = find(fields, id);
    if (field == nullptr) return false;
    if (value.is_object()) {
      if (!equals(field->fields, value.get_object().value())) return false;
    } else if (field->value != value.get_string().value() || !field->fields.empty()) {
      return false;
    }
  }
  return true;
}

const PixKey kKey = *PixKey::parse("123e4567-e12b-12d1-a456-426655440000");

}  // namespace

TEST_CASE("the checksum has the check value of CRC-16/CCITT-FALSE") {
  CHECK(crc16_ccitt_false("123456789") == 0x29b1);
  CHECK(crc16_ccitt_false("") == 0xffff);
}

TEST_CASE("published payloads are read as their authors say") {
  simdjson::dom::parser parser;
  std::size_t count = 0;
  const simdjson::dom::array vectors =
      parser.load(pixledger::tests::source_file("tests/vectors/brcode.json")).get_array();
  for (const simdjson::dom::element vector : vectors) {
    const std::string name(vector["name"].get_string().value());
    CAPTURE(name);
    const ParsedBrCode parsed = parse_br_code(vector["payload"].get_string().value());
    const auto* fields = std::get_if<Fields>(&parsed);
    CHECK((fields != nullptr) == vector["valid"].get_bool().value());
    if (fields != nullptr) CHECK(equals(*fields, vector["fields"].get_object().value()));
    ++count;
  }
  CHECK(count == 19);
}

TEST_CASE("a static code with amount is written byte for byte") {
  CHECK(write_br_code({kKey, "Fulano de Tal", "BRASILIA", std::nullopt, "T004330"}) ==
        "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano "
        "de Tal"
        "6008BRASILIA62110507T00433063040006");
  const ParsedBrCode parsed =
      parse_br_code(write_br_code({kKey, "Padaria São João", "São Paulo", Cents(12345), "PEDIDO12345"}));
  CHECK(value_of(parsed, "54") == "123.45");
  CHECK(value_of(parsed, "59") == "Padaria Sao Joao");
  CHECK(value_of(parsed, "60") == "Sao Paulo");
}

TEST_CASE("accents go before the cut, and no space is left at the ends") {
  const ParsedBrCode parsed = parse_br_code(write_br_code(
      {kKey, "  Ação Âmbar Éter Ígneo Ótica e Filhos", "São José dosss Campos", Cents(1), "x"}));
  CHECK(value_of(parsed, "59") == "Acao Ambar Eter Igneo Oti");
  CHECK(value_of(parsed, "60") == "Sao Jose dosss");
}

TEST_CASE("characters that the code cannot carry are spelt out before the cut") {
  const ParsedBrCode parsed = parse_br_code(
      write_br_code({kKey, "Groß & Łuk – “Ørsted” ½ … Æ", "Łódź\u00a0– ßßßßßß", Cents(1), "x"}));
  CHECK(value_of(parsed, "59") == "Gross & Luk - \"Orsted\" 1/");
  CHECK(value_of(parsed, "60") == "Lodz - ssssssss");
}

TEST_CASE("a name without any ASCII character gives way to a stand-in") {
  const ParsedBrCode parsed = parse_br_code(write_br_code({kKey, "東京", " ", std::nullopt, "x"}));
  CHECK(value_of(parsed, "59") == kFallbackMerchantName);
  CHECK(value_of(parsed, "60") == kFallbackMerchantCity);
}

TEST_CASE("the longest key, amount and txid fit") {
  const auto key = PixKey::parse(std::string(64, 'a').append("@example.comm"));
  REQUIRE(key->text().size() == 77);
  const std::string code = write_br_code(
      {*key, std::string(80, 'n'), std::string(80, 'c'), Cents(999'999'999'999), std::string(25, 'z')});
  CHECK(value_of(parse_br_code(code), "26.01") == key->text());
  CHECK(value_of(parse_br_code(code), "54") == "9999999999.99");
  CHECK(value_of(parse_br_code(code), "62.05") == std::string(25, 'z'));
}

TEST_CASE("every written code is read back with its fields") {
  REQUIRE(rc::check([](const std::string& name, const std::string& city) {
    const Cents amount(*rc::gen::inRange<std::int64_t>(1, 100'000'000'000));
    const auto txid = *rc::gen::suchThat(
        rc::gen::resize(25, rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcXYZ0189")))),
        [](const std::string& text) { return !text.empty() && text.size() <= 25; });
    const std::string code = write_br_code({kKey, name, city, amount, txid});
    const ParsedBrCode parsed = parse_br_code(code);
    return code.size() <= kBrCodeSizeMax && value_of(parsed, "26.01") == kKey.text() &&
           value_of(parsed, "54") == to_decimal(amount) && value_of(parsed, "62.05") == txid;
  }));
}

TEST_CASE("one changed character is always noticed") {
  const std::string code = write_br_code({kKey, "Loja", "Recife", Cents(100), "abc"});
  for (std::size_t i = 0; i < code.size(); ++i) {
    std::string changed = code;
    changed[i] = changed[i] == '1' ? '2' : '1';
    CAPTURE(i);
    CHECK(error_of(changed));
  }
}

TEST_CASE("each fault of a code has its own error and its position") {
  const auto position_of = [](const std::string& code) {
    return std::get<BrCodeFault>(parse_br_code(code)).position;
  };
  CHECK(error_of("") == BrCodeError::kNoFormat);
  CHECK(error_of(sealed("000202")) == BrCodeError::kNoFormat);
  CHECK(error_of(sealed("5802BR000201")) == BrCodeError::kNoFormat);
  CHECK(error_of("000201") == BrCodeError::kNoChecksum);
  CHECK(error_of("0002016302AB") == BrCodeError::kNoChecksum);
  CHECK(error_of(sealed("000201") + "5802BR") == BrCodeError::kChecksumNotLast);
  CHECK(error_of("00020163040000") == BrCodeError::kWrongChecksum);
  CHECK(position_of("00020163040000") == 10);
  CHECK(error_of("0002015") == BrCodeError::kBadHeader);
  CHECK(error_of("0002015x02BR") == BrCodeError::kBadHeader);
  CHECK(position_of("0002015x02BR") == 6);
  CHECK(error_of("0002015800") == BrCodeError::kBadLength);
  CHECK(error_of("0002015803BR") == BrCodeError::kBadLength);
  CHECK(position_of("0002015803BR") == 8);
  CHECK(error_of(sealed("0002015802BR5802BR")) == BrCodeError::kDuplicateId);
  CHECK(error_of(sealed("00020162060504ab")) == BrCodeError::kBadLength);
  CHECK(error_of(sealed("00020162080503abc9")) == BrCodeError::kBadHeader);
  CHECK(position_of(sealed("00020162080503abc9")) == 17);
  CHECK(error_of("000201\n") == BrCodeError::kNotPrintable);
  CHECK(position_of("000201\n") == 6);
  CHECK(error_of("000201\xc3\xa3") == BrCodeError::kNotPrintable);
  CHECK(error_of(std::string(513, '0')) == BrCodeError::kTooLong);
}

TEST_CASE("a template that is only known elsewhere keeps its inner fields") {
  const ParsedBrCode parsed = parse_br_code(sealed("00020180060102xy9906050212"));
  CHECK(value_of(parsed, "80.01") == "xy");
  CHECK(value_of(parsed, "99.05") == "12");
  CHECK(value_of(parse_br_code(sealed("0002012506abcdef")), "25") == "abcdef");
}

TEST_CASE("the reader survives any text") {
  REQUIRE(rc::check([](const std::string& text) { return error_of(text).has_value(); }));
  REQUIRE(rc::check([] {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("00112268")));
    return error_of("000201" + text).has_value();
  }));
}

TEST_CASE("a dynamic code names the location and leaves the txid to it") {
  const auto code = write_dynamic_br_code({.location = "pix.example.com/8b3da2f39a4140d1a91abd93113bd441",
                                           .merchant_name = "Fulano de Tal",
                                           .merchant_city = "BRASILIA",
                                           .amount = std::nullopt});
  // The example of the manual.
  CHECK(code ==
        "00020101021226700014br.gov.bcb.pix2548pix.example.com/"
        "8b3da2f39a4140d1a91abd93113bd4415204000053039865802"
        "BR5913Fulano de Tal6008BRASILIA62070503***630464E4");
}

TEST_CASE("a dynamic code takes the longest location there is, and an amount") {
  const std::string location = "pix.example.com/" + std::string(kLocationSizeMax - 16, 'a');
  const auto parsed = parse_br_code(write_dynamic_br_code(
      {.location = location, .merchant_name = "Loja", .merchant_city = "RECIFE", .amount = Cents(123456)}));
  CHECK(value_of(parsed, "26.25") == location);
  CHECK(value_of(parsed, "54") == "1234.56");
  CHECK(value_of(parsed, "62.05") == "***");
}

}  // namespace pixledger::domain
