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

// What the text of the pages' server's key is known by.
struct WebKey {
  Digest hash;  // SHA-256 of the text
};

// What payers' pages are reached by and come back with. Stateless, so thread-safe.
class CheckoutLinks {
 public:
  // `pay_url`: of the pages; empty: nobody serves them. The keyring outlives it.
  CheckoutLinks(const eventstore::Keyring& keyring, std::string pay_url, std::optional<WebKey> web_key);

  bool has_pages() const { return !pay_url_.empty(); }
  // The session's page. Its token is the id and 128 bits of a code that only the keyring's holder can make.
  std::string url_of(const domain::CheckoutSessionId& session) const;
  // Nothing unless the token is that session's.
  std::optional<domain::CheckoutSessionId> session_of(std::string_view token) const;

  // `url` with session, transaction, status and t, and the signature over these as they stand in it. Each
  // project has a key of its own: what is signed for one store proves nothing to another.
  std::string signed_return(const std::string& url, const domain::CheckoutSession& session,
                            const domain::Charge& charge, Timestamp now) const;
  // What such signatures are checked with: base64 of 32 bytes.
  std::string return_public_key(const domain::ProjectId& project) const;

  // The text of a key that the pages' server sends; false without one.
  bool is_web_key(std::string_view text) const;

 private:
  const eventstore::Keyring& keyring_;
  const std::string pay_url_;
  const std::optional<WebKey> web_key_;
};

// What the server of payers' pages shows itself with: a text in a file, which is made with mode 0600 where
// there is none and kept where there is, unless it lets everybody in. Throws std::runtime_error that names
// the file.
WebKey open_web_key(const std::filesystem::path& file, Entropy& entropy);

// A logo's image, without the image.
struct LogoDigest {
  std::string sha256;  // hex
  std::size_t bytes;
};

// Remembers the digests of the stores' logos: each page that a payer has open asks for one, and to decode and
// hash an image takes longer than all the rest of that answer. Thread-safe.
class LogoDigests {
 public:
  static constexpr std::size_t kStoresMax = 10'000;

  LogoDigest of(const domain::ProjectId& project, const domain::StoreLogo& logo);
  // How many images were decoded.
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

// How often payers of a checkout session were refused. Each refusal is recorded in the ledger for good, and
// whoever has a session's link may try any number of documents: beyond kMax the session is refused without
// asking the ledger. Counted since the process began. Thread-safe.
//
// Memory is bounded: beyond kSessionsMax the session that was refused first is forgotten.
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
  std::deque<std::string> in_order_;                         // of the first refusal
};

}  // namespace pixledger::http
