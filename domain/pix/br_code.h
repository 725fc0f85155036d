// The text behind a Pix QR code ("BR Code"): EMV tag-length-value fields with a checksum. Sources: Banco
// Central do Brasil, Manual de Padrões para Iniciação do Pix; EMVCo, Merchant-Presented QR Code
// Specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/pix/pix_key.h"
#include "domain/values/cents.h"

namespace pixledger::domain {

inline constexpr std::size_t kBrCodeSizeMax = 512;

// Marks a template as Pix (its field 00).
inline constexpr std::string_view kPixGui = "br.gov.bcb.pix";

// Replaces a merchant's name or city if none of its characters survives conversion to ASCII.
inline constexpr std::string_view kFallbackMerchantName = "RECEBEDOR";
inline constexpr std::string_view kFallbackMerchantCity = "BRASIL";

struct BrCodeFields {
  PixKey key;
  std::string merchant_name;    // Any text; written as ASCII, cut to 25 characters.
  std::string merchant_city;    // Any text; written as ASCII, cut to 15 characters.
  std::optional<Cents> amount;  // 0.01 to 9,999,999,999.99 reais; absent: the payer chooses.
  std::string txid;             // 1 to 25 characters of [A-Za-z0-9].
};

// Writes a static BR Code. Invalid amounts and txids are bugs and assert.
std::string write_br_code(const BrCodeFields& fields);

// The longest location that fits into a code: field 26 holds 99 characters.
inline constexpr std::size_t kLocationSizeMax = 77;

struct DynamicBrCodeFields {
  std::string location;       // Where the payer's bank reads what is to be paid, without a scheme: 1 to
                              // kLocationSizeMax printable ASCII characters.
  std::string merchant_name;  // As in BrCodeFields.
  std::string merchant_city;
  std::optional<Cents> amount;  // Only displayed; the amount at the location is binding.
};

// Writes a dynamic BR Code for one payment. Its txid is `***`: the location holds the real one. Invalid
// locations and amounts are bugs and assert.
std::string write_dynamic_br_code(const DynamicBrCodeFields& fields);

// One field of a code: a template (ids 26 to 51, 62, 80 to 99) has `fields`, any other has `value`.
struct BrCodeField {
  std::string id;
  std::string value;
  std::vector<BrCodeField> fields;
};

enum class BrCodeError {
  kTooLong,          // More than kBrCodeSizeMax characters.
  kNotPrintable,     // A character outside printable ASCII.
  kBadHeader,        // No two-digit id and length where a field must start.
  kBadLength,        // Zero, or beyond the end of the code or of its template.
  kDuplicateId,      // The same id twice on one level.
  kNoFormat,         // The first field is not 00 with value 01.
  kNoChecksum,       // Field 63 is missing or not four characters long.
  kChecksumNotLast,  // Something follows field 63.
  kWrongChecksum,    // Field 63 is not the checksum in upper-case hexadecimal.
};

struct BrCodeFault {
  BrCodeError error;
  std::size_t position;  // Offset in the code, from 0.
};

// The error as a predicate, to follow "the code ": "ends within a field".
std::string_view to_string(BrCodeError error);

// The fields in their order, or the first fault.
using ParsedBrCode = std::variant<std::vector<BrCodeField>, BrCodeFault>;

// Parses any BR Code, static or dynamic. Checks form and checksum, not which fields are present.
ParsedBrCode parse_br_code(std::string_view code);

// CRC-16/CCITT-FALSE: polynomial 0x1021, initially 0xFFFF, not reflected. "123456789" gives 0x29B1.
std::uint16_t crc16_ccitt_false(std::string_view bytes);

}  // namespace pixledger::domain
