#include "eventstore/keys/checkout_token.h"

#include "base/text/base64url.h"

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kCodeBytes = 16;

}  // namespace

std::string checkout_token(const Keyring& keyring, const domain::CheckoutSessionId& session) {
  const auto code = keyring.code_of_checkout("token", session.text());
  return session.text() + "." + to_base64url(bytes_of(code).substr(0, kCodeBytes));
}

std::string checkout_link(std::string_view pay_url, const Keyring& keyring,
                          const domain::CheckoutSessionId& session) {
  while (pay_url.ends_with('/')) pay_url.remove_suffix(1);
  return std::string(pay_url) + "/pay/" + checkout_token(keyring, session);
}

}  // namespace pixledger::eventstore
