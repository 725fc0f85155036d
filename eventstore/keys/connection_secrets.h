#pragma once

#include <string>

#include "base/platform/clock_and_entropy.h"
#include "domain/values/cuid.h"
#include "domain/values/sealed_secret.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::eventstore {

// What a bank is spoken to with. Empty: there is none.
struct ConnectionSecrets {
  std::string client_secret{};
  std::string certificate_pem{};  // the client's, and the chain behind it
  std::string private_key_pem{};  // the certificate's
  std::string callback_secret{};  // the last part of the path that the bank calls back
  std::string app_key{};          // which the bank asks for beside the client's secret

  friend bool operator==(const ConnectionSecrets&, const ConnectionSecrets&) = default;
};

// Sealed for this connection: nobody can move them to another one.
domain::SealedSecret seal(const domain::ConnectionId& connection, const ConnectionSecrets& secrets,
                          const Keyring& keyring, Entropy& entropy);

// Throws KeyringError when the keyring cannot open them, or when they are of a newer release.
ConnectionSecrets unseal(const domain::ConnectionId& connection, const domain::SealedSecret& sealed,
                         const Keyring& keyring);

// 64 hex characters of 256 random bits, good for a path.
std::string new_callback_secret(Entropy& entropy);

}  // namespace pixledger::eventstore
