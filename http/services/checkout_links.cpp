#include "http/services/checkout_links.h"

#include "base/text/base64.h"
#include "base/text/base64url.h"
#include "eventstore/keys/checkout_token.h"
#include "eventstore/keys/ed25519.h"

namespace pixledger::http {
namespace {

eventstore::Ed25519Key return_key(const eventstore::Keyring& keyring, const domain::ProjectId& project) {
  eventstore::Key256 seed;
  seed.bytes = keyring.code_of_checkout("return", project.text());
  return eventstore::Ed25519Key(seed);
}

}  // namespace

CheckoutLinks::CheckoutLinks(const eventstore::Keyring& keyring, std::string pay_url,
                             std::optional<WebKey> web_key)
    : keyring_(keyring), pay_url_(std::move(pay_url)), web_key_(web_key) {}

std::string CheckoutLinks::url_of(const domain::CheckoutSessionId& session) const {
  return eventstore::checkout_link(pay_url_, keyring_, session);
}

std::optional<domain::CheckoutSessionId> CheckoutLinks::session_of(std::string_view token) const {
  auto id = domain::CheckoutSessionId::parse(token.substr(0, token.find('.')));
  if (!id || !equal_in_constant_time(token, eventstore::checkout_token(keyring_, *id))) return std::nullopt;
  return id;
}

std::string CheckoutLinks::signed_return(const std::string& url, const domain::CheckoutSession& session,
                                         const domain::Charge& charge, Timestamp now) const {
  const auto text = "session=" + session.id.text() + "&transaction=" + charge.id.text() +
                    "&status=" + std::string(domain::to_string(charge.status)) +
                    "&t=" + std::to_string(now.millis() / 1000);
  const auto key = return_key(keyring_, session.project);
  const char joint = url.find('?') == std::string::npos ? '?' : '&';
  return url + joint + text + "&sig=" + to_base64url(key.sign(text));
}

std::string CheckoutLinks::return_public_key(const domain::ProjectId& project) const {
  const auto key = return_key(keyring_, project).public_key();
  return to_base64({reinterpret_cast<const char*>(key.data()), key.size()});
}

bool CheckoutLinks::is_web_key(std::string_view text) const {
  if (!web_key_) return false;
  const auto hash = sha256(text);
  return equal_in_constant_time(bytes_of(hash), bytes_of(web_key_->hash));
}

}  // namespace pixledger::http
