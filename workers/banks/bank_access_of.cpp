#include "workers/banks/bank_access_of.h"

#include <stdexcept>

#include "eventstore/keys/connection_secrets.h"

namespace pixledger::workers {
namespace {

TokenAuth token_auth_of(domain::TokenAuth auth) {
  switch (auth) {
    case domain::TokenAuth::kBasic:
      return TokenAuth::kBasic;
    case domain::TokenAuth::kBody:
      return TokenAuth::kBody;
    case domain::TokenAuth::kNone:
      return TokenAuth::kNone;
  }
  throw std::invalid_argument("it asks for tokens in an unknown way");
}

}  // namespace

BankAccess bank_access_of(const domain::Connection& connection,
                          const domain::BankConfiguration& configuration,
                          const eventstore::Keyring& keyring) {
  const auto* profile = find_bank_profile(configuration.psp);
  if (!profile) throw std::invalid_argument("this release does not know the bank " + configuration.psp);
  auto secrets = eventstore::unseal(connection.id, configuration.secrets, keyring);
  return {.profile = profile,
          .base_url = configuration.base_url,
          .token_url = configuration.token_url,
          .token_auth = token_auth_of(configuration.token_auth),
          .scopes = configuration.scopes,
          .client_id = configuration.client_id,
          .client_secret = std::move(secrets.client_secret),
          .certificate_pem = std::move(secrets.certificate_pem),
          .private_key_pem = std::move(secrets.private_key_pem),
          .psp_app_key = std::move(secrets.app_key),
          .pix_key = connection.api_pix->pix_key,
          .rate = static_cast<int>(configuration.rate)};
}

}  // namespace pixledger::workers
