#include "base/crypto/age.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "base/text/base64.h"

namespace pixledger {
namespace {

using AgeCause = AgeError::Cause;

constexpr std::string_view kMagic = "age-encryption.org/v1\n";
constexpr std::string_view kKeyStanza = "-> X25519 ";
constexpr std::size_t kHeaderBytesMax = 64 * 1024;
constexpr std::size_t kLineColumns = 64;
constexpr std::size_t kFileKeyBytes = 16;
constexpr std::size_t kPayloadNonceBytes = 16;
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kChunkBytes = 64 * 1024;
constexpr std::size_t kSealedChunkBytes = kChunkBytes + kTagBytes;

[[noreturn]] void fail_damaged() { throw AgeError(AgeCause::kDamaged, "is damaged or cut short"); }

void require_crypto(bool succeeded) {
  if (!succeeded) throw std::runtime_error("OpenSSL failed at the encryption of age");
}

unsigned char* writable(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

// The bytes of a key in Bech32 (BIP 173); nullopt if `text`, in lower case, is no key with this prefix.
std::optional<std::string> key_from_bech32(std::string_view prefix, std::string_view text) {
  constexpr std::string_view kDigits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  constexpr std::size_t kChecksumDigits = 6;
  constexpr std::size_t kKeyDigits = 52;  // of 5 bits
  constexpr std::array<std::uint32_t, 5> kGenerator = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd,
                                                       0x2a1462b3};
  if (text.size() != prefix.size() + kKeyDigits + kChecksumDigits || !text.starts_with(prefix))
    return std::nullopt;
  std::uint32_t checksum = 1;
  const auto check = [&](std::size_t digit) {
    const auto top = checksum >> 25;
    checksum = (checksum & 0x1ffffff) << 5 ^ static_cast<std::uint32_t>(digit);
    for (std::size_t i = 0; i < kGenerator.size(); ++i) checksum ^= (top >> i & 1) * kGenerator[i];
  };
  const auto name = prefix.substr(0, prefix.size() - 1);
  for (const char c : name) check(static_cast<std::uint8_t>(c) >> 5);
  check(0);
  for (const char c : name) check(static_cast<std::uint8_t>(c) & 31);
  std::string key;
  std::size_t bits = 0;
  for (std::size_t i = prefix.size(), held = 0; i < text.size(); ++i) {
    const auto digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    check(digit);
    bits = (bits << 5 | digit) & 0xfff;
    held += 5;
    if (held < 8 || key.size() == kKeyBytes) continue;
    held -= 8;
    key += static_cast<char>(bits >> held);
  }
  return checksum == 1 ? std::optional(key) : std::nullopt;
}

// age writes base64 without padding.
std::string to_unpadded_base64(std::string_view bytes) {
  auto text = to_base64(bytes);
  text.resize(std::min(text.find('='), text.size()));
  return text;
}

// Of so many bytes.
std::string from_unpadded_base64(std::string_view text, std::size_t size) {
  auto bytes = bytes_from_base64(std::string(text).append((4 - text.size() % 4) % 4, '='));
  if (!bytes || bytes->size() != size || text.ends_with('=')) fail_damaged();
  return *std::move(bytes);
}

// HKDF-SHA-256 (RFC 5869) for an output of one block.
AgeSecret derive_key(std::string_view secret, std::string_view salt, std::string_view info) {
  const AgeSecret extracted(std::string(bytes_of(HmacSha256(salt).mac(secret))));
  return AgeSecret(std::string(bytes_of(HmacSha256(extracted.bytes).mac({info, "\1"}))));
}

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Key secret_key(std::string_view bytes) {
  Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, unsigned_bytes(bytes), bytes.size()),
          &EVP_PKEY_free);
  require_crypto(key != nullptr);
  return key;
}

AgeRecipient recipient_of(const AgeSecret& secret) {
  AgeRecipient recipient{std::string(kKeyBytes, '\0')};
  auto length = kKeyBytes;
  require_crypto(
      EVP_PKEY_get_raw_public_key(secret_key(secret.bytes).get(), writable(recipient.key), &length) == 1);
  return recipient;
}

// The key that wraps a file's key, by X25519 (RFC 7748 §6.1) between one side's secret and the other's public
// key. nullopt if their product would be known to everybody.
std::optional<AgeSecret> wrapping_key(const AgeSecret& own, std::string_view other, std::string_view share,
                                      std::string_view recipient) {
  const Key secret = secret_key(own.bytes);
  const Key peer(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, unsigned_bytes(other), other.size()),
                 &EVP_PKEY_free);
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(
      EVP_PKEY_CTX_new(secret.get(), nullptr), &EVP_PKEY_CTX_free);
  require_crypto(peer && context && EVP_PKEY_derive_init(context.get()) == 1 &&
                 EVP_PKEY_derive_set_peer(context.get(), peer.get()) == 1);
  AgeSecret shared(std::string(kKeyBytes, '\0'));
  auto length = kKeyBytes;
  if (EVP_PKEY_derive(context.get(), writable(shared.bytes), &length) != 1) return std::nullopt;
  return derive_key(shared.bytes, std::string(share).append(recipient), "age-encryption.org/v1/X25519");
}

std::string header_mac(const AgeSecret& file_key, std::string_view header) {
  return std::string(bytes_of(HmacSha256(derive_key(file_key.bytes, {}, "header").bytes).mac(header)));
}

// The 88 bits of a chunk's number, then whether it is the last. A wrapping key serves once, with 0.
std::string nonce_of(std::uint64_t chunk, bool is_last) {
  std::string nonce(12, '\0');
  for (std::size_t i = 0; i < sizeof chunk; ++i) nonce[10 - i] = static_cast<char>(chunk >> 8 * i);
  nonce.back() = is_last ? '\1' : '\0';
  return nonce;
}

// ChaCha20-Poly1305 (RFC 8439) without associated data; the tag is at the end.
struct ChaCha {
  ChaCha(const AgeSecret& key, const std::string& nonce, bool encrypts)
      : context(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free) {
    require_crypto(context && EVP_CipherInit_ex(context.get(), EVP_chacha20_poly1305(), nullptr,
                                                unsigned_bytes(key.bytes), unsigned_bytes(nonce),
                                                encrypts ? 1 : 0) == 1);
  }
  // Puts as much to the beginning of `to`; false if the tag does not fit.
  bool transform(std::string_view from, std::string& to) const {
    int length = 0;
    return EVP_CipherUpdate(context.get(), writable(to), &length, unsigned_bytes(from),
                            static_cast<int>(from.size())) == 1 &&
           EVP_CipherFinal_ex(context.get(), writable(to) + length, &length) == 1;
  }
  bool tag(int command, char* bytes) const {
    return EVP_CIPHER_CTX_ctrl(context.get(), command, kTagBytes, bytes) == 1;
  }

  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context;
};

std::string seal(const AgeSecret& key, const std::string& nonce, std::string_view plain) {
  const ChaCha cipher(key, nonce, true);
  std::string sealed(plain.size() + kTagBytes, '\0');
  require_crypto(cipher.transform(plain, sealed) &&
                 cipher.tag(EVP_CTRL_AEAD_GET_TAG, sealed.data() + plain.size()));
  return sealed;
}

// nullopt unless it is as sealed.
std::optional<std::string> unseal(const AgeSecret& key, const std::string& nonce, std::string_view sealed) {
  if (sealed.size() < kTagBytes) return std::nullopt;
  const ChaCha cipher(key, nonce, false);
  std::string tag(sealed.substr(sealed.size() - kTagBytes));
  sealed.remove_suffix(kTagBytes);
  std::string plain(sealed.size(), '\0');
  require_crypto(cipher.tag(EVP_CTRL_AEAD_SET_TAG, tag.data()));
  return cipher.transform(sealed, plain) ? std::optional(plain) : std::nullopt;
}

std::string make_head(const AgeSecret& file_key, const std::vector<AgeRecipient>& recipients,
                      Entropy& entropy) {
  assert(!recipients.empty() && recipients.size() <= AgeEncryption::kRecipientsMax);
  std::string head(kMagic);
  for (const auto& recipient : recipients) {
    const AgeSecret ephemeral(entropy.bytes(kKeyBytes));
    const auto share = recipient_of(ephemeral).key;
    const auto key = wrapping_key(ephemeral, recipient.key, share, recipient.key);
    if (!key) throw AgeError(AgeCause::kKey, "is not encrypted: a recipient's key is unsafe");
    head.append(kKeyStanza).append(to_unpadded_base64(share)).append("\n");
    head.append(to_unpadded_base64(seal(*key, nonce_of(0, false), file_key.bytes))).append("\n");
  }
  head += "---";
  const auto mac = to_unpadded_base64(header_mac(file_key, head));
  return head.append(" ").append(mac).append("\n").append(entropy.bytes(kPayloadNonceBytes));
}

// The next line; removes it from `text`. Without a line feed the file is damaged.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  if (end == std::string_view::npos) fail_damaged();
  const auto line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// The key of a file with these stanzas. Other kinds than ours are skipped.
AgeSecret unwrap_file_key(std::string_view stanzas, const std::vector<AgeIdentity>& identities) {
  bool has_ours = false;
  while (!stanzas.empty()) {
    const auto first = take_line(stanzas);
    if (!first.starts_with("-> ")) fail_damaged();
    std::string body;
    std::string_view line;
    do {
      line = take_line(stanzas);
      body += line;
    } while (line.size() >= kLineColumns);
    if (!first.starts_with(kKeyStanza)) continue;
    has_ours = true;
    const auto share = from_unpadded_base64(first.substr(kKeyStanza.size()), kKeyBytes);
    const auto sealed = from_unpadded_base64(body, kFileKeyBytes + kTagBytes);
    for (const auto& [secret, recipient] : identities) {
      const auto key = wrapping_key(secret, share, share, recipient.key);
      if (!key) fail_damaged();
      if (auto file_key = unseal(*key, nonce_of(0, false), sealed)) return AgeSecret(*std::move(file_key));
    }
  }
  if (!has_ours)
    throw AgeError(AgeCause::kKey,
                   "is not encrypted to an age1… key, and nothing else is supported (pass phrases, "
                   "ssh keys, plugins)");
  throw AgeError(AgeCause::kKey, identities.empty()
                                     ? "is encrypted, and no identity is given"
                                     : "is encrypted to other keys than those of the identities");
}

}  // namespace

AgeSecret::~AgeSecret() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

std::optional<AgeRecipient> AgeRecipient::parse(std::string_view text) {
  auto key = key_from_bech32("age1", text);
  return key ? std::optional(AgeRecipient{*std::move(key)}) : std::nullopt;
}

std::vector<AgeIdentity> parse_age_identities(std::string_view content) {
  std::vector<AgeIdentity> identities;
  for (std::size_t number = 1; !content.empty(); ++number) {
    auto line = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(line.size() + 1, content.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    // Keys are in capitals alone.
    const AgeSecret lower(std::any_of(line.begin(), line.end(), is_ascii_lower) ? "" : to_lower_case(line));
    auto key = key_from_bech32("age-secret-key-1", lower.bytes);
    if (!key)
      throw AgeError(AgeCause::kKey,
                     "is not a file of age-keygen: line " + std::to_string(number) +
                         " must be AGE-SECRET-KEY-1…; ssh keys, plugins and pass phrases are not "
                         "supported");
    AgeSecret secret(*std::move(key));
    identities.push_back({secret, recipient_of(secret)});
  }
  if (identities.empty()) throw AgeError(AgeCause::kKey, "holds no AGE-SECRET-KEY-1… of age-keygen");
  return identities;
}

AgeEncryption::AgeEncryption(const std::vector<AgeRecipient>& recipients, Entropy& entropy)
    : AgeEncryption(AgeSecret(entropy.bytes(kFileKeyBytes)), recipients, entropy) {}

AgeEncryption::AgeEncryption(const AgeSecret& file_key, const std::vector<AgeRecipient>& recipients,
                             Entropy& entropy)
    : head_(make_head(file_key, recipients, entropy)),
      payload_key_(derive_key(file_key.bytes, head_.substr(head_.size() - kPayloadNonceBytes), "payload")) {}

std::uint64_t AgeEncryption::file_bytes(std::uint64_t plain_bytes) const {
  const auto chunks = plain_bytes == 0 ? 1 : (plain_bytes - 1) / kChunkBytes + 1;
  return head_.size() + plain_bytes + chunks * kTagBytes;
}

std::string AgeEncryption::range(std::uint64_t plain_bytes, std::uint64_t offset, std::size_t length,
                                 const Read& read) const {
  assert(offset + length <= file_bytes(plain_bytes));
  const auto last = plain_bytes == 0 ? 0 : (plain_bytes - 1) / kChunkBytes;
  std::string bytes;
  if (offset < head_.size()) bytes = head_.substr(static_cast<std::size_t>(offset), length);
  while (bytes.size() < length) {
    const auto at = offset + bytes.size() - head_.size();
    const auto chunk = at / kSealedChunkBytes;
    const auto from = chunk * kChunkBytes;
    const auto plain_length = std::min<std::uint64_t>(plain_bytes - from, kChunkBytes);
    const auto sealed = seal(payload_key_, nonce_of(chunk, chunk == last),
                             read(from, static_cast<std::size_t>(plain_length)));
    bytes.append(sealed, static_cast<std::size_t>(at % kSealedChunkBytes), length - bytes.size());
  }
  return bytes;
}

bool AgeDecryption::read_head() {
  constexpr std::string_view kLastLine = "\n--- ";
  const std::string_view begin(buffer_);
  if (begin.starts_with("-----BEGIN AGE"))
    throw AgeError(AgeCause::kKey, "is armored text; only age's binary format is supported");
  if (begin.substr(0, kMagic.size()) != kMagic.substr(0, begin.size()))
    throw AgeError(AgeCause::kDamaged, "is not a file of age");
  const auto stanzas_end = begin.find(kLastLine);
  const auto end = stanzas_end == begin.npos ? begin.npos : begin.find('\n', stanzas_end + kLastLine.size());
  if (std::min(end, begin.size()) > kHeaderBytesMax) fail_damaged();
  if (end == begin.npos || begin.size() - end <= kPayloadNonceBytes) return false;
  if (stanzas_end < kMagic.size()) fail_damaged();
  const auto file_key = unwrap_file_key(begin.substr(0, stanzas_end + 1).substr(kMagic.size()), identities_);
  const auto mac =
      from_unpadded_base64(begin.substr(0, end).substr(stanzas_end + kLastLine.size()), kDigestBytes);
  if (!equal_in_constant_time(mac, header_mac(file_key, begin.substr(0, stanzas_end + kLastLine.size() - 1))))
    fail_damaged();
  payload_key_.emplace(derive_key(file_key.bytes, begin.substr(end + 1, kPayloadNonceBytes), "payload"));
  buffer_.erase(0, end + 1 + kPayloadNonceBytes);
  return true;
}

std::string AgeDecryption::open(bool is_last, std::string_view sealed) {
  auto plain = unseal(*payload_key_, nonce_of(chunk_, is_last), sealed);
  // Only an empty plaintext has an empty chunk.
  if (!plain || (plain->empty() && chunk_ > 0)) fail_damaged();
  ++chunk_;
  return *std::move(plain);
}

std::string AgeDecryption::update(std::string_view bytes) {
  buffer_ += bytes;
  if (!payload_key_ && !read_head()) return {};
  std::string plain;
  std::size_t used = 0;
  // A full chunk may be the last, which only the end of the file tells.
  for (; buffer_.size() - used > kSealedChunkBytes; used += kSealedChunkBytes)
    plain += open(false, std::string_view(buffer_).substr(used, kSealedChunkBytes));
  buffer_.erase(0, used);
  return plain;
}

std::string AgeDecryption::finish() {
  if (!payload_key_) fail_damaged();
  return open(true, buffer_);
}

std::string age_encrypt(std::string_view plain, const std::vector<AgeRecipient>& recipients,
                        Entropy& entropy) {
  const AgeEncryption encryption(recipients, entropy);
  return encryption.range(plain.size(), 0, static_cast<std::size_t>(encryption.file_bytes(plain.size())),
                          [plain](std::uint64_t offset, std::size_t length) {
                            return std::string(plain.substr(static_cast<std::size_t>(offset), length));
                          });
}

std::string age_decrypt(std::string_view file, const std::vector<AgeIdentity>& identities) {
  AgeDecryption decryption(identities);
  auto plain = decryption.update(file);
  return plain += decryption.finish();
}

}  // namespace pixledger
