#pragma once

#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::eventstore {

// What opens a checkout session's page: its id, a point and 128 bits of a code that only the keyring's holder
// can make. The same at every time, so that it is kept nowhere.
std::string checkout_token(const Keyring& keyring, const domain::CheckoutSessionId& session);

// The session's page, where `pay_url` is that of all of them.
std::string checkout_link(std::string_view pay_url, const Keyring& keyring,
                          const domain::CheckoutSessionId& session);

}  // namespace pixledger::eventstore
