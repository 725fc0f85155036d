#include "eventstore/postgres/pg_values.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

void add_hex(std::string& text, std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 0xf];
  }
}

}  // namespace

pqxx::binarystring binary(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

std::string bytes_in(const pqxx::field& field) { return pqxx::binarystring(field).str(); }

Digest digest_of(const pqxx::field& field) {
  const auto bytes = bytes_in(field);
  if (bytes.size() != sizeof(Digest)) throw SharedLedgerDamaged("a digest is not 32 bytes long");
  return digest_from_bytes(bytes);
}

std::string literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string bytea_array(const std::vector<std::string_view>& elements) {
  std::size_t size = 2;
  for (const auto& element : elements) size += 2 * element.size() + 8;
  std::string text;
  text.reserve(size);
  text += '{';
  for (const auto& element : elements) {
    text += text.size() == 1 ? "\"\\\\x" : ",\"\\\\x";
    add_hex(text, element);
    text += '"';
  }
  return text + '}';
}

std::string bigint_array(const std::vector<std::uint64_t>& elements) {
  std::string text = "{";
  for (const auto element : elements) text += (text.size() == 1 ? "" : ",") + std::to_string(element);
  return text + '}';
}

}  // namespace pixledger::eventstore
