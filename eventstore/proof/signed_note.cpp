#include "eventstore/proof/signed_note.h"

#include <algorithm>
#include <cassert>

#include "base/platform/sha256.h"
#include "base/text/base64.h"

namespace pixledger::eventstore {
namespace {

constexpr char kEd25519Algorithm = 1;
constexpr std::size_t kNoteKeyIdBytes = 4;
constexpr std::string_view kSignaturePrefix = "\xe2\x80\x94 ";  // an em dash

std::string_view view_of(const Ed25519PublicKey& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

bool is_plain_text(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n'; });
}

// Visible ASCII except plus: narrower than the specification, and all that pixledger makes.
bool is_key_name(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~' && c != '+'; });
}

struct Split {
  std::string_view text;
  std::string_view signatures;
};

std::optional<Split> split_note(std::string_view note) {
  const auto gap = note.rfind("\n\n");
  if (note.size() > kNoteBytesMax || gap == std::string_view::npos || note.back() != '\n')
    return std::nullopt;
  const Split parts{note.substr(0, gap + 1), note.substr(gap + 2)};
  if (parts.signatures.empty() || !is_plain_text(note)) return std::nullopt;
  return parts;
}

struct SignatureLine {
  std::string_view name;
  std::string_view signature;  // in base64, preceded by the key's id
};

// Takes the line off the front. Returns nullopt if it is no signature.
std::optional<SignatureLine> take_signature(std::string_view& lines) {
  auto line = lines.substr(0, lines.find('\n'));
  lines.remove_prefix(line.size() + 1);
  if (line.substr(0, kSignaturePrefix.size()) != kSignaturePrefix) return std::nullopt;
  line.remove_prefix(kSignaturePrefix.size());
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return SignatureLine{line, ""};
  return SignatureLine{line.substr(0, blank), line.substr(blank + 1)};
}

}  // namespace

NoteVerifier::NoteVerifier(std::string name, const Ed25519PublicKey& key)
    : name_(std::move(name)), key_(key) {
  assert(is_key_name(name_));
}

std::optional<NoteVerifier> NoteVerifier::parse(std::string_view line) {
  const auto first = line.find('+');
  const auto second = line.find('+', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  const auto name = line.substr(0, first);
  const auto id = bytes_from_hex(line.substr(first + 1, second - first - 1));
  const auto key = bytes_from_base64(line.substr(second + 1));
  if (!is_key_name(name) || !id || !key || key->size() != 1 + kEd25519PublicKeyBytes ||
      key->front() != kEd25519Algorithm)
    return std::nullopt;
  Ed25519PublicKey public_key;
  std::copy(key->begin() + 1, key->end(), public_key.begin());
  NoteVerifier verifier(std::string(name), public_key);
  if (verifier.key_id() != *id) return std::nullopt;
  return verifier;
}

std::string NoteVerifier::key_id() const {
  const auto digest =
      sha256({name_, "\n", std::string_view(&kEd25519Algorithm, sizeof kEd25519Algorithm), view_of(key_)});
  return std::string(bytes_of(digest).substr(0, kNoteKeyIdBytes));
}

std::string NoteVerifier::line() const {
  return name_ + '+' + to_hex(key_id()) + '+' +
         to_base64(std::string(1, kEd25519Algorithm) + std::string(view_of(key_)));
}

std::optional<std::string> NoteVerifier::open(std::string_view note) const {
  auto parts = split_note(note);
  if (!parts) return std::nullopt;
  const auto id = key_id();
  bool signed_by_this_key = false;
  while (!parts->signatures.empty()) {
    const auto line = take_signature(parts->signatures);
    if (!line) return std::nullopt;
    if (line->name != name_) continue;
    const auto bytes = bytes_from_base64(line->signature);
    if (!bytes) return std::nullopt;
    if (bytes->substr(0, kNoteKeyIdBytes) != id) continue;
    if (!verify_ed25519(key_, parts->text, std::string_view(*bytes).substr(kNoteKeyIdBytes)))
      return std::nullopt;
    signed_by_this_key = true;
  }
  if (!signed_by_this_key) return std::nullopt;
  return std::string(parts->text);
}

std::vector<std::string> named_signers(std::string_view note) {
  std::vector<std::string> signers;
  auto parts = split_note(note);
  while (parts && !parts->signatures.empty()) {
    const auto line = take_signature(parts->signatures);
    if (!line) return {};
    const auto bytes = bytes_from_base64(line->signature);
    if (!is_key_name(line->name) || !bytes || bytes->size() <= kNoteKeyIdBytes) continue;
    signers.push_back(std::string(line->name) + '+' + to_hex(bytes->substr(0, kNoteKeyIdBytes)));
  }
  return signers;
}

std::string sign_note(std::string_view text, const std::string& name, const Ed25519Key& key) {
  assert(!text.empty() && text.back() == '\n' && is_plain_text(text));
  const NoteVerifier verifier(name, key.public_key());
  return std::string(text) + '\n' + std::string(kSignaturePrefix) + name + ' ' +
         to_base64(verifier.key_id() + key.sign(text)) + '\n';
}

}  // namespace pixledger::eventstore
