#include "http/services/checkout_links.h"

#include <algorithm>

#include "eventstore/platform/base64.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kTokenBytes = 16;

std::string base64url(std::string_view bytes) {
  auto text = eventstore::to_base64(bytes);
  while (!text.empty() && text.back() == '=') text.pop_back();
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

}  // namespace

CheckoutLinks::CheckoutLinks(const eventstore::Keyring& keyring, std::string pay_url,
                             std::optional<WebKey> web_key)
    : keyring_(keyring),
      pay_url_(std::move(pay_url)),
      return_key_(keyring.code_of_checkout("return", "")),
      web_key_(web_key) {}

std::string CheckoutLinks::token_of(const domain::CheckoutSessionId& session) const {
  const auto code = keyring_.code_of_checkout("token", session.text());
  return session.text() + "." + base64url(eventstore::bytes_of(code).substr(0, kTokenBytes));
}

std::string CheckoutLinks::url_of(const domain::CheckoutSessionId& session) const {
  return pay_url_ + "/pay/" + token_of(session);
}

std::optional<domain::CheckoutSessionId> CheckoutLinks::session_of(std::string_view token) const {
  auto id = domain::CheckoutSessionId::parse(token.substr(0, token.find('.')));
  if (!id || !eventstore::equal_in_constant_time(token, token_of(*id))) return std::nullopt;
  return id;
}

std::string CheckoutLinks::signed_return(const std::string& url, const domain::CheckoutSessionId& session,
                                         const domain::ChargeId& charge, domain::ChargeStatus status,
                                         domain::Timestamp now) const {
  const auto text = "session=" + session.text() + "&transaction=" + charge.text() +
                    "&status=" + std::string(domain::to_string(status)) +
                    "&t=" + std::to_string(now.millis() / 1000);
  const char joint = url.find('?') == std::string::npos ? '?' : '&';
  return url + joint + text + "&sig=" + base64url(return_key_.sign(text));
}

std::string CheckoutLinks::return_public_key() const {
  const auto& key = return_key_.public_key();
  return eventstore::to_base64({reinterpret_cast<const char*>(key.data()), key.size()});
}

bool CheckoutLinks::is_web_key(std::string_view text) const {
  if (!web_key_) return false;
  const auto hash = eventstore::sha256(text);
  return eventstore::equal_in_constant_time(eventstore::bytes_of(hash), eventstore::bytes_of(web_key_->hash));
}

}  // namespace pixledger::http
