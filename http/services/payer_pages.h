#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/project.h"
#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::http {

// The digest that identifies the page server's key.
struct WebKey {
  Digest hash;  // SHA-256 of the text
};

// The links to payers' pages and back to the store. Stateless, so thread-safe.
class CheckoutLinks {
 public:
  // `pay_url`: of the pages; empty: there are none. The keyring outlives it.
  CheckoutLinks(const eventstore::Keyring& keyring, std::string pay_url, std::optional<WebKey> web_key);

  bool has_pages() const { return !pay_url_.empty(); }
  // The session's page. Its token is the id and a code of 128 bits that only the keyring's holder can make.
  std::string url_of(const domain::CheckoutSessionId& session) const;
  // nullopt unless the token is the session's.
  std::optional<domain::CheckoutSessionId> session_of(std::string_view token) const;

  // Returns `url` with session, transaction, status and t, and a signature over these as they are written
  // there. Each project has its own key: a signature for one store proves nothing to another.
  std::string signed_return(const std::string& url, const domain::CheckoutSession& session,
                            const domain::Charge& charge, Timestamp now) const;
  // The public key of these signatures: base64 of 32 bytes.
  std::string return_public_key(const domain::ProjectId& project) const;

  // Whether the text is the page server's key; false without one.
  bool is_web_key(std::string_view text) const;

 private:
  const eventstore::Keyring& keyring_;
  const std::string pay_url_;
  const std::optional<WebKey> web_key_;
};

// Opens the page server's key, a text in a file; creates it with mode 0600 if missing. Throws
// std::runtime_error with the file's name, also if other users can read it.
WebKey open_web_key(const std::filesystem::path& file, Entropy& entropy);

// A logo without its image.
struct LogoDigest {
  std::string sha256;  // hex
  std::size_t bytes;
};

// Caches the digests of stores' logos. Every open payer's page asks for one, and decoding and hashing an
// image is the slowest part of the reply. Thread-safe.
class LogoDigests {
 public:
  static constexpr std::size_t kStoresMax = 10'000;

  LogoDigest of(const domain::ProjectId& project, const domain::StoreLogo& logo);
  // The number of images decoded.
  std::size_t computed() const;

 private:
  struct Known {
    std::size_t text_hash;
    LogoDigest digest;
  };

  mutable std::mutex mutex_;
  std::unordered_map<domain::ProjectId, Known> known_;
  std::size_t computed_ = 0;
};

// Counts refusals of payers by checkout session, since the process began. Each refusal is recorded in the
// ledger permanently, and a link's holder may try any number of documents. Beyond kMax the session is refused
// without the ledger. Thread-safe.
//
// Memory is bounded: beyond kSessionsMax the session with the oldest first refusal is evicted.
class PayerRefusals {
 public:
  static constexpr std::uint32_t kMax = 10;
  static constexpr std::size_t kSessionsMax = 65'536;

  void note(const domain::CheckoutSessionId& session);
  bool too_many(const domain::CheckoutSessionId& session) const;
  std::size_t sessions_known() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> refusals_;  // by session id
  std::deque<std::string> in_order_;                         // by first refusal
};

}  // namespace pixledger::http
