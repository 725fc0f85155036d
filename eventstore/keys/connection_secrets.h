#pragma once

#include <string>

#include "base/platform/clock_and_entropy.h"
#include "domain/values/cuid.h"
#include "domain/values/sealed_secret.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::eventstore {

// The secrets of a connection to a bank. Empty: none.
struct ConnectionSecrets {
  std::string client_secret{};
  std::string certificate_pem{};  // the client's, and its chain
  std::string private_key_pem{};  // the certificate's
  std::string callback_secret{};  // the last part of the path of the bank's callbacks
  std::string app_key{};          // required by the bank beside the client's secret

  friend bool operator==(const ConnectionSecrets&, const ConnectionSecrets&) = default;
};

// Seals the secrets for this connection: they cannot be moved to another one.
domain::SealedSecret seal(const domain::ConnectionId& connection, const ConnectionSecrets& secrets,
                          const Keyring& keyring, Entropy& entropy);

// Throws KeyringError if the keyring cannot open them, or a newer release sealed them.
ConnectionSecrets unseal(const domain::ConnectionId& connection, const domain::SealedSecret& sealed,
                         const Keyring& keyring);

// 64 hex characters of 256 random bits, good for a path.
std::string new_callback_secret(Entropy& entropy);

}  // namespace pixledger::eventstore
