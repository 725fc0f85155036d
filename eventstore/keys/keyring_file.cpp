#include "eventstore/keys/keyring_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>

#include "base/platform/sha256.h"
#include "eventstore/keys/keyring_error.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kKeyringFirstLine = "pixledger keyring 1\n";
constexpr std::string_view kKeyringOfAnyFormat = "pixledger keyring ";
constexpr std::string_view kEndPrefix = "end ";
constexpr std::string_view kEndKeyLabel = "pixledger keyring end";
constexpr std::size_t kEndLineBytes = kEndPrefix.size() + 64 + 1;
constexpr std::size_t kIdBytes = 8;

std::string_view name_of(KeyKind kind) {
  switch (kind) {
    case KeyKind::kData:
      return "data";
    case KeyKind::kHmac:
      return "hmac";
    case KeyKind::kSign:
      return "sign";
  }
  return {};
}

std::optional<KeyKind> kind_of(std::string_view name) {
  for (const KeyKind kind : {KeyKind::kData, KeyKind::kHmac, KeyKind::kSign}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

std::string random_bytes(std::size_t length, Entropy& entropy) {
  std::string bytes(length, '\0');
  entropy.fill(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::string associated_with(std::string_view id, std::string_view kind) {
  return std::string(id) + ' ' + std::string(kind);
}

std::string end_line(std::string_view lines, const Key256& master) {
  Key256 end_key;
  end_key.bytes = HmacSha256(master.view()).mac(kEndKeyLabel);
  const Digest code = HmacSha256(end_key.view()).mac(lines);
  return std::string(kEndPrefix) + to_hex(code) + '\n';
}

[[noreturn]] void refuse_newer(const std::string& name) {
  throw KeyringError(name + " was written by a newer release: use that one, or a later one");
}

// Takes what comes before the next `end` off the front of `text`, and `end` too.
std::string_view take_field(char end, std::string_view& text) {
  const std::size_t length = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(std::min(length + 1, text.size()));
  return taken;
}

KeyringEntry read_entry(std::string_view line, const Aes256Gcm& master, const std::string& name) {
  KeyringEntry entry{};
  entry.id = take_field(' ', line);
  const std::string_view kind_name = take_field(' ', line);
  const std::optional<KeyKind> kind = kind_of(kind_name);
  if (!kind) refuse_newer(name);
  entry.kind = *kind;
  const std::string_view created_at = take_field(' ', line);
  std::int64_t millis = 0;
  std::from_chars(created_at.data(), created_at.data() + created_at.size(), millis);
  entry.created_at = Timestamp(millis);

  const std::string wrapped = bytes_from_hex(line).value_or("");
  const std::string_view nonce = std::string_view(wrapped).substr(0, kGcmNonceBytes);
  const std::string_view sealed = std::string_view(wrapped).substr(nonce.size());
  std::optional<std::string> key = master.open(nonce, sealed, associated_with(entry.id, kind_name));
  if (!key || key->size() != entry.key.bytes.size())
    throw KeyringError(name + " is damaged at key " + entry.id);
  std::copy(key->begin(), key->end(), entry.key.bytes.begin());
  wipe(*key);
  return entry;
}

}  // namespace

KeyringEntry make_keyring_entry(KeyKind kind, Timestamp now, Entropy& entropy) {
  return {to_hex(random_bytes(kIdBytes, entropy)), kind, now, Key256::random(entropy)};
}

std::string write_keyring_file(const std::vector<KeyringEntry>& entries, const Key256& master,
                               Entropy& entropy) {
  const Aes256Gcm cipher(master);
  std::string text(kKeyringFirstLine);
  for (const KeyringEntry& entry : entries) {
    const std::string nonce = random_bytes(kGcmNonceBytes, entropy);
    const std::string_view kind = name_of(entry.kind);
    const std::string sealed = cipher.seal(nonce, entry.key.view(), associated_with(entry.id, kind));
    text += associated_with(entry.id, kind);
    text += ' ' + std::to_string(entry.created_at.millis()) + ' ' + to_hex(nonce + sealed) + '\n';
  }
  return text + end_line(text, master);
}

std::optional<std::vector<KeyringEntry>> read_keyring_file(std::string_view text, const Key256& master,
                                                           const std::string& name) {
  // Before the code at the end: another format may have another end.
  const bool is_ours = text.substr(0, kKeyringFirstLine.size()) == kKeyringFirstLine;
  if (!is_ours && text.substr(0, kKeyringOfAnyFormat.size()) == kKeyringOfAnyFormat) refuse_newer(name);
  if (!is_ours || text.size() < kKeyringFirstLine.size() + kEndLineBytes) return std::nullopt;
  const std::size_t length = text.size() - kEndLineBytes;
  if (!equal_in_constant_time(text.substr(length), end_line(text.substr(0, length), master)))
    return std::nullopt;

  text = text.substr(kKeyringFirstLine.size(), length - kKeyringFirstLine.size());
  const Aes256Gcm cipher(master);
  std::vector<KeyringEntry> entries;
  while (!text.empty()) entries.push_back(read_entry(take_field('\n', text), cipher, name));
  return entries;
}

}  // namespace pixledger::eventstore
