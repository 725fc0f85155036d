#include "eventstore/keys/keyring.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "base/platform/sha256.h"
#include "eventstore/keys/aes_gcm.h"
#include "eventstore/keys/keyring_file.h"

namespace pixledger::eventstore {
namespace {

constexpr const char* kIsMissing = " is missing: restore keys/ from its backup";
constexpr std::string_view kLedgerCodeLabel = "pixledger ledger";
constexpr std::string_view kEventIdLabel = "pixledger event id";
constexpr std::string_view kCheckoutLabel = "pixledger checkout";
constexpr std::string_view kAccountLabel = "pixledger account";
constexpr std::string_view kBetween("\0", 1);
constexpr char kSealedFormat = 1;
constexpr std::size_t kKeyIdBytes = 8;
constexpr std::size_t kSealedBytesMin = 1 + kKeyIdBytes + kGcmNonceBytes + kGcmTagBytes;
constexpr std::size_t kNameBytes = 16;

void write_master(KeyDirectory& directory, const std::string& name, const Key256& master) {
  std::string text = to_hex(master.view()) + '\n';
  directory.write(name, text);
  wipe(text);
}

std::optional<Key256> read_master(const KeyDirectory& directory, const std::string& name) {
  std::optional<std::string> text = directory.read(name);
  if (!text) return std::nullopt;
  const std::string_view hex = std::string_view(*text).substr(0, text->find('\n'));
  std::optional<Digest> bytes = digest_from_hex(hex);
  const bool is_one_line = hex.size() + 1 >= text->size();
  wipe(*text);
  if (!bytes || !is_one_line) {
    throw KeyringError(directory.path_of(name).string() +
                       " is damaged: it must be one line of 64 hex digits");
  }
  Key256 master;
  master.bytes = std::exchange(*bytes, {});
  return master;
}

struct UnwrappedKeyring {
  std::vector<KeyringEntry> entries;
  // Whether a rotation was interrupted after it had wrapped the keyring with the new key.
  bool under_next_master;
};

UnwrappedKeyring unwrap(const KeyDirectory& directory) {
  const std::optional<Key256> master = read_master(directory, kMasterFile);
  const std::optional<std::string> text = directory.read(kKeyringFile);
  const std::string keyring_name = directory.path_of(kKeyringFile).string();
  if (!master) throw KeyringError(directory.path_of(kMasterFile).string() + kIsMissing);
  if (!text) throw KeyringError(keyring_name + kIsMissing);

  if (auto entries = read_keyring_file(*text, *master, keyring_name)) return {std::move(*entries), false};
  if (const std::optional<Key256> next = read_master(directory, kNextMasterFile)) {
    if (auto entries = read_keyring_file(*text, *next, keyring_name)) return {std::move(*entries), true};
  }
  throw KeyringError(keyring_name + " is damaged, or " + kMasterFile +
                     " beside it is not the one it belongs to");
}

}  // namespace

std::string Sealed::to_bytes() const {
  const std::optional<std::string> id = bytes_from_hex(data_key_id);
  assert(id && id->size() == kKeyIdBytes && nonce.size() == kGcmNonceBytes);
  return std::string(1, kSealedFormat) + *id + nonce + ciphertext_and_tag;
}

std::optional<Sealed> Sealed::from_bytes(std::string_view bytes) {
  if (bytes.size() < kSealedBytesMin || bytes[0] != kSealedFormat) return std::nullopt;
  return Sealed{to_hex(bytes.substr(1, kKeyIdBytes)),
                std::string(bytes.substr(1 + kKeyIdBytes, kGcmNonceBytes)),
                std::string(bytes.substr(1 + kKeyIdBytes + kGcmNonceBytes))};
}

struct Keyring::Keys {
  struct DataKey {
    std::string id;
    Aes256Gcm cipher;
  };
  // Oldest first; never empty.
  std::vector<DataKey> data;
  HmacSha256 names;
  std::optional<Ed25519Key> signing;
};

Keyring::Keyring(std::unique_ptr<Keys> keys) : keys_(std::move(keys)) {}
Keyring::Keyring(Keyring&&) noexcept = default;
Keyring& Keyring::operator=(Keyring&&) noexcept = default;
Keyring::~Keyring() = default;

void Keyring::create(const std::filesystem::path& keys_dir, Entropy& entropy, Timestamp now) {
  KeyDirectory::make(keys_dir);
  KeyDirectory directory(keys_dir, KeyDirectory::Access::kChange);
  for (const char* name : {kMasterFile, kNextMasterFile, kKeyringFile}) {
    if (directory.read(name)) {
      throw KeyringError("there are keys already: " + directory.path_of(name).string() +
                         " is not overwritten");
    }
  }
  const Key256 master = Key256::random(entropy);
  const std::vector<KeyringEntry> entries = {make_keyring_entry(KeyKind::kData, now, entropy),
                                             make_keyring_entry(KeyKind::kHmac, now, entropy),
                                             make_keyring_entry(KeyKind::kSign, now, entropy)};
  write_master(directory, kMasterFile, master);
  directory.write(kKeyringFile, write_keyring_file(entries, master, entropy));
}

Keyring Keyring::open(const std::filesystem::path& keys_dir) {
  const KeyDirectory directory(keys_dir, KeyDirectory::Access::kRead);
  const UnwrappedKeyring keyring = unwrap(directory);
  std::vector<Keys::DataKey> data;
  std::vector<HmacSha256> hmac;
  std::optional<Ed25519Key> signing;
  for (const KeyringEntry& entry : keyring.entries) {
    switch (entry.kind) {
      case KeyKind::kData:
        data.push_back({entry.id, Aes256Gcm(entry.key)});
        break;
      case KeyKind::kHmac:
        hmac.emplace_back(entry.key.view());
        break;
      case KeyKind::kSign:
        signing.emplace(entry.key);
        break;
    }
  }
  if (data.empty() || hmac.size() != 1) {
    throw KeyringError(directory.path_of(kKeyringFile).string() + " must have data keys and one hmac key");
  }
  return Keyring(std::make_unique<Keys>(Keys{std::move(data), hmac.front(), std::move(signing)}));
}

void Keyring::ensure_signing_key(const std::filesystem::path& keys_dir, Entropy& entropy, Timestamp now) {
  const auto has_signing_key = [](const std::vector<KeyringEntry>& entries) {
    return std::any_of(entries.begin(), entries.end(),
                       [](const KeyringEntry& entry) { return entry.kind == KeyKind::kSign; });
  };
  if (has_signing_key(unwrap(KeyDirectory(keys_dir, KeyDirectory::Access::kRead)).entries)) return;
  KeyDirectory directory(keys_dir, KeyDirectory::Access::kChange);
  UnwrappedKeyring keyring = unwrap(directory);
  if (has_signing_key(keyring.entries)) return;
  if (keyring.under_next_master) directory.rename(kNextMasterFile, kMasterFile);
  keyring.entries.push_back(make_keyring_entry(KeyKind::kSign, now, entropy));
  const Key256 master = read_master(directory, kMasterFile).value();
  directory.write(kKeyringFile, write_keyring_file(keyring.entries, master, entropy));
}

void Keyring::rotate_master_key(const std::filesystem::path& keys_dir, Entropy& entropy) {
  KeyDirectory directory(keys_dir, KeyDirectory::Access::kChange);
  const UnwrappedKeyring keyring = unwrap(directory);
  if (keyring.under_next_master) directory.rename(kNextMasterFile, kMasterFile);
  const Key256 master = Key256::random(entropy);
  write_master(directory, kNextMasterFile, master);
  directory.write(kKeyringFile, write_keyring_file(keyring.entries, master, entropy));
  directory.rename(kNextMasterFile, kMasterFile);
}

Sealed Keyring::seal(std::string_view secret, std::string_view associated, Entropy& entropy) const {
  const Keys::DataKey& key = keys_->data.back();
  Sealed sealed;
  sealed.data_key_id = key.id;
  sealed.nonce = entropy.bytes(kGcmNonceBytes);
  sealed.ciphertext_and_tag = key.cipher.seal(sealed.nonce, secret, associated);
  return sealed;
}

std::string Keyring::unseal(const Sealed& sealed, std::string_view associated) const {
  const auto key = std::find_if(keys_->data.begin(), keys_->data.end(), [&](const Keys::DataKey& candidate) {
    return candidate.id == sealed.data_key_id;
  });
  if (key == keys_->data.end()) {
    throw KeyringError("a secret is sealed with data key " + sealed.data_key_id +
                       ", which this keyring does not have: bring back the keys that belong to the ledger");
  }
  std::optional<std::string> secret = key->cipher.open(sealed.nonce, sealed.ciphertext_and_tag, associated);
  if (!secret) {
    throw KeyringError("a secret sealed with data key " + sealed.data_key_id +
                       " is damaged or belongs elsewhere");
  }
  return std::move(*secret);
}

const Ed25519Key& Keyring::signing_key() const {
  if (!keys_->signing)
    throw KeyringError("these keys have none that signs checkpoints (make it: pixledger checkpoint)");
  return *keys_->signing;
}

std::string Keyring::name_of_document(std::string_view project, std::string_view document) const {
  const Digest code = keys_->names.mac({project, kBetween, document});
  return to_hex(bytes_of(code).substr(0, kNameBytes));
}

domain::DocumentToken Keyring::token_of(const domain::ProjectId& project,
                                        const domain::Document& document) const {
  return *domain::DocumentToken::parse(name_of_document(project.text(), document.text()));
}

Digest Keyring::code_of_ledger(std::string_view ledger_id) const {
  return keys_->names.mac({kLedgerCodeLabel, kBetween, ledger_id});
}

Digest Keyring::code_of_event_id(std::string_view purpose, std::string_view value) const {
  return keys_->names.mac({kEventIdLabel, kBetween, purpose, kBetween, value});
}

Digest Keyring::code_of_checkout(std::string_view purpose, std::string_view value) const {
  return keys_->names.mac({kCheckoutLabel, kBetween, purpose, kBetween, value});
}

Digest Keyring::code_of_account(std::string_view purpose, std::string_view value) const {
  return keys_->names.mac({kAccountLabel, kBetween, purpose, kBetween, value});
}

}  // namespace pixledger::eventstore
