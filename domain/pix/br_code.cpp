#include "domain/pix/br_code.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "base/text/ascii.h"
#include "base/text/enum_names.h"
#include "base/text/text.h"

namespace pixledger::domain {
namespace {

constexpr EnumNames<BrCodeError::kTooLong, BrCodeError::kWrongChecksum> kErrorTexts{
    "is too long",
    "holds a character that is not printable ASCII",
    "has something else where a field must begin",
    "ends within a field",
    "has a field twice",
    "does not begin as a BR Code",
    "has no checksum",
    "goes on after its checksum",
    "has a wrong checksum"};

constexpr std::size_t kMerchantNameMax = 25;
constexpr std::size_t kMerchantCityMax = 15;
constexpr std::int64_t kWrittenCentsMax = 999'999'999'999;  // 13 characters as text, the most of field 54
constexpr std::size_t kHeaderSize = 4;
constexpr std::size_t kChecksumSize = 4;
// Sizes of the codes that write_br_code makes.
constexpr std::size_t kUsualFields = 10;
constexpr std::size_t kUsualInnerFields = 2;

constexpr std::array<std::uint16_t, 256> kCrcTable = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}();

std::string checksum_of(std::string_view text) {
  const unsigned crc = crc16_ccitt_false(text);
  std::string checksum;
  for (int shift = 12; shift >= 0; shift -= 4) checksum.push_back("0123456789ABCDEF"[(crc >> shift) & 0xf]);
  return checksum;
}

void append_field(std::string& code, std::string_view id, std::string_view value) {
  assert(!value.empty() && value.size() <= 99);
  code.append(id);
  code.push_back(static_cast<char>('0' + value.size() / 10));
  code.push_back(static_cast<char>('0' + value.size() % 10));
  code.append(value);
}

// ASCII first and cut second: cutting UTF-8 bytes could end inside a character.
std::string merchant_text(std::string_view text, std::size_t size_max, std::string_view fallback) {
  std::string ascii = to_printable_ascii(text);
  ascii.erase(0, ascii.find_first_not_of(' '));
  ascii.resize(std::min(ascii.size(), size_max));
  ascii.erase(ascii.find_last_not_of(' ') + 1);
  return ascii.empty() ? std::string(fallback) : ascii;
}

[[maybe_unused]] bool is_txid(std::string_view text) {
  return !text.empty() && text.size() <= 25 && std::all_of(text.begin(), text.end(), is_ascii_alnum);
}

std::string beginning_of_code() {
  std::string code;
  append_field(code, "00", "01");
  return code;
}

// Appends the fields after the account, common to static and dynamic codes.
void append_rest(std::string& code, std::optional<Cents> amount, std::string_view merchant_name,
                 std::string_view merchant_city, std::string_view txid) {
  append_field(code, "52", "0000");
  append_field(code, "53", "986");
  if (amount) {
    assert(amount->value() > 0 && amount->value() <= kWrittenCentsMax);
    append_field(code, "54", to_decimal(*amount));
  }
  append_field(code, "58", "BR");
  append_field(code, "59", merchant_text(merchant_name, kMerchantNameMax, kFallbackMerchantName));
  append_field(code, "60", merchant_text(merchant_city, kMerchantCityMax, kFallbackMerchantCity));
  std::string additional_data;
  append_field(additional_data, "05", txid);
  append_field(code, "62", additional_data);
  code.append("6304");
  code.append(checksum_of(code));
}

bool is_template(std::string_view id) {
  return (id >= "26" && id <= "51") || id == "62" || (id >= "80" && id <= "99");
}

bool contains_id(const std::vector<BrCodeField>& fields, std::string_view id) {
  return std::any_of(fields.begin(), fields.end(), [id](const BrCodeField& field) { return field.id == id; });
}

enum class Level { kCode, kTemplate };

// Parses one level; `start` is the offset of `text` in the whole code.
ParsedBrCode parse_fields(std::string_view text, std::size_t start, Level level) {
  std::vector<BrCodeField> fields;
  fields.reserve(level == Level::kCode ? kUsualFields : kUsualInnerFields);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::string_view header = text.substr(at, kHeaderSize);
    if (header.size() < kHeaderSize || !all_ascii_digits(header)) {
      return BrCodeFault{BrCodeError::kBadHeader, start + at};
    }
    const std::string_view id = header.substr(0, 2);
    const auto size = static_cast<std::size_t>((header[2] - '0') * 10 + (header[3] - '0'));
    const std::size_t value_at = at + kHeaderSize;
    if (size == 0 || size > text.size() - value_at)
      return BrCodeFault{BrCodeError::kBadLength, start + at + 2};
    if (contains_id(fields, id)) return BrCodeFault{BrCodeError::kDuplicateId, start + at};

    const std::string_view value = text.substr(value_at, size);
    BrCodeField& field = fields.emplace_back();
    field.id = id;
    if (level == Level::kCode && is_template(id)) {
      ParsedBrCode inner = parse_fields(value, start + value_at, Level::kTemplate);
      if (const auto* fault = std::get_if<BrCodeFault>(&inner)) return *fault;
      field.fields = std::get<std::vector<BrCodeField>>(std::move(inner));
    } else {
      field.value = value;
    }
    at = value_at + size;
  }
  return fields;
}

// Checks the first and last fields of a well-formed code.
std::optional<BrCodeFault> find_frame_fault(const std::vector<BrCodeField>& fields, std::string_view code) {
  if (fields.empty() || fields.front().id != "00" || fields.front().value != "01") {
    return BrCodeFault{BrCodeError::kNoFormat, 0};
  }
  if (!contains_id(fields, "63")) return BrCodeFault{BrCodeError::kNoChecksum, code.size()};
  if (fields.back().id != "63") return BrCodeFault{BrCodeError::kChecksumNotLast, code.size()};
  const std::string& checksum = fields.back().value;
  if (checksum.size() != kChecksumSize) return BrCodeFault{BrCodeError::kNoChecksum, code.size()};
  const std::size_t checksum_at = code.size() - kChecksumSize;
  if (checksum != checksum_of(code.substr(0, checksum_at))) {
    return BrCodeFault{BrCodeError::kWrongChecksum, checksum_at};
  }
  return std::nullopt;
}

}  // namespace

std::string write_br_code(const BrCodeFields& fields) {
  assert(is_txid(fields.txid));
  std::string account;
  append_field(account, "00", kPixGui);
  append_field(account, "01", fields.key.text());
  std::string code = beginning_of_code();
  append_field(code, "26", account);
  append_rest(code, fields.amount, fields.merchant_name, fields.merchant_city, fields.txid);
  return code;
}

std::string write_dynamic_br_code(const DynamicBrCodeFields& fields) {
  assert(!fields.location.empty() && fields.location.size() <= kLocationSizeMax);
  assert(std::all_of(fields.location.begin(), fields.location.end(), is_ascii_printable));
  std::string account;
  append_field(account, "00", kPixGui);
  append_field(account, "25", fields.location);
  std::string code = beginning_of_code();
  append_field(code, "01", "12");
  append_field(code, "26", account);
  append_rest(code, fields.amount, fields.merchant_name, fields.merchant_city, "***");
  return code;
}

std::string_view to_string(BrCodeError error) { return kErrorTexts.of(error); }

ParsedBrCode parse_br_code(std::string_view code) {
  if (code.size() > kBrCodeSizeMax) return BrCodeFault{BrCodeError::kTooLong, kBrCodeSizeMax};
  const auto* unprintable = std::find_if_not(code.begin(), code.end(), is_ascii_printable);
  if (unprintable != code.end()) {
    return BrCodeFault{BrCodeError::kNotPrintable, static_cast<std::size_t>(unprintable - code.begin())};
  }
  ParsedBrCode parsed = parse_fields(code, 0, Level::kCode);
  const auto* fields = std::get_if<std::vector<BrCodeField>>(&parsed);
  if (fields == nullptr) return parsed;
  if (const auto fault = find_frame_fault(*fields, code)) return *fault;
  return parsed;
}

std::uint16_t crc16_ccitt_false(std::string_view bytes) {
  unsigned crc = 0xffff;
  for (const char c : bytes) {
    const unsigned index = (crc >> 8) ^ static_cast<unsigned char>(c);
    crc = ((crc << 8) & 0xffff) ^ kCrcTable[index];
  }
  return static_cast<std::uint16_t>(crc);
}

}  // namespace pixledger::domain
