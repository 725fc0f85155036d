#pragma once

#include <string>

#include "domain/pix/pix_key.h"
#include "workers/banks/api_pix/bank_profile.h"

namespace pixledger::workers {

// The scopes of everything that is asked of a bank here.
inline constexpr std::string_view kUsualScopes =
    "cob.write cob.read pix.write pix.read webhook.write webhook.read";

constexpr int kRateMin = 1;
constexpr int kRateMax = 1'000;
constexpr int kRateUsual = 10;

// All that one connection to a bank needs, secrets included: it is held in memory alone, and nothing here has
// a form to be printed or logged in.
struct BankAccess {
  const BankProfile* profile;  // one of bank_profiles()
  std::string base_url;        // what `/cob/{txid}` is appended to
  std::string token_url;
  TokenAuth token_auth = TokenAuth::kBasic;
  std::string scopes = std::string(kUsualScopes);  // separated by blanks
  std::string client_id;
  std::string client_secret = {};    // empty where the certificate says it all
  std::string certificate_pem = {};  // the client's, then those that it was issued by; empty: none
  std::string private_key_pem = {};  // of the first certificate
  std::string psp_app_key = {};      // for BankProfile::app_key_parameter
  domain::PixKey pix_key;            // that of the account
  int rate = kRateUsual;             // requests a second, kRateMin to kRateMax

  friend bool operator==(const BankAccess&, const BankAccess&) = default;
};

}  // namespace pixledger::workers
