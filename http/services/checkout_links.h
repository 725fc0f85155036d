#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/platform/sha256.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
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

}  // namespace pixledger::http
