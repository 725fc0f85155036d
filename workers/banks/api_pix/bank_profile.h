#pragma once

#include <span>
#include <string>
#include <string_view>

#include "domain/aggregates/bank_connection.h"
#include "domain/pix/pix_key.h"
#include "domain/values/cents.h"

namespace pixledger::workers {

struct BankError;

// The requests to a bank.
enum class BankOperation {
  kToken,
  kPutCob,
  kGetCob,
  kRemoveCob,
  kListPix,
  kGetPix,
  kPutRefund,
  kGetRefund,
  kPutCallback,
  kGetCallback,
  kDeleteCallback,
};

// The name in metrics and messages: "put_cob".
constexpr std::string_view to_string(BankOperation operation) {
  switch (operation) {
    case BankOperation::kToken:
      return "token";
    case BankOperation::kPutCob:
      return "put_cob";
    case BankOperation::kGetCob:
      return "get_cob";
    case BankOperation::kRemoveCob:
      return "remove_cob";
    case BankOperation::kListPix:
      return "list_pix";
    case BankOperation::kGetPix:
      return "get_pix";
    case BankOperation::kPutRefund:
      return "put_refund";
    case BankOperation::kGetRefund:
      return "get_refund";
    case BankOperation::kPutCallback:
      return "put_callback";
    case BankOperation::kGetCallback:
      return "get_callback";
    case BankOperation::kDeleteCallback:
      return "delete_callback";
  }
  return "";
}

// Whether the bank may have changed something if no answer comes.
constexpr bool changes_something(BankOperation operation) {
  switch (operation) {
    case BankOperation::kToken:
    case BankOperation::kGetCob:
    case BankOperation::kListPix:
    case BankOperation::kGetPix:
    case BankOperation::kGetRefund:
    case BankOperation::kGetCallback:
      return false;
    case BankOperation::kPutCob:
    case BankOperation::kRemoveCob:
    case BankOperation::kPutRefund:
    case BankOperation::kPutCallback:
    case BankOperation::kDeleteCallback:
      return true;
  }
  return true;
}

// Whether the subject may have been paid, so that the bank knows the payer's name.
constexpr bool is_about_a_payer(BankOperation operation) {
  switch (operation) {
    case BankOperation::kGetCob:
    case BankOperation::kRemoveCob:
    case BankOperation::kListPix:
    case BankOperation::kGetPix:
    case BankOperation::kPutRefund:
    case BankOperation::kGetRefund:
      return true;
    case BankOperation::kToken:
    case BankOperation::kPutCob:
    case BankOperation::kPutCallback:
    case BankOperation::kGetCallback:
    case BankOperation::kDeleteCallback:
      return false;
  }
  return true;
}

// Each bank's deviations from the API Pix, as data: the code above knows no bank by name. Sources of every
// fact are in bank_profile.cpp.

enum class TokenBody { kForm, kJson };

struct BankUrls {
  std::string_view base;   // without a slash at its end; empty: unknown, the operator must set it
  std::string_view token;  // likewise
};

// A resource with another version in its path than the rest.
struct VersionedPath {
  BankOperation operation;
  std::string_view base_end;     // if the base URL ends so …
  std::string_view replacement;  // … it ends so for this operation
};

struct BankProfile {
  std::string_view name;   // "efi", as operators write it
  std::string_view title;  // "Efí", for people
  BankUrls live;
  BankUrls test;  // what the bank calls homologation or sandbox
  domain::TokenAuth token_auth = domain::TokenAuth::kBasic;
  TokenBody token_body = TokenBody::kForm;
  bool token_takes_scope = true;
  bool grant_type_in_query = false;           // of the token's request, instead of in its body
  std::string_view app_key_parameter = {};    // of each request's query; empty: none
  std::string_view client_id_header = {};     // of each request; empty: none
  std::string_view correlation_header = {};   // a fresh UUID in each request; empty: none
  std::string_view other_code_field = {};     // beside pixCopiaECola; empty: none
  std::span<const VersionedPath> versions{};  //
  // Types of errors (BankError::type) that mean "not found", beside the document's.
  std::span<const std::string_view> not_found_codes{};
  // Endings of error types that mean "that id is used" although the status is not 409.
  std::span<const std::string_view> duplicate_endings{};
  // In its test environment the bank pays charges up to this amount by itself, and static codes cannot be
  // paid; 0: it does not.
  domain::Cents test_pays_up_to{0};
  // The bank is known to report payments of static codes with a txid, so a static code may replace one that
  // the bank does not make in time.
  bool reports_static_codes = false;
};

// In the order for listings; `generic`, the last, is the document's own behaviour.
std::span<const BankProfile> bank_profiles();

// Returns whether an error of that type (BankError::type) says that the operation's subject does not exist:
// by the document ("PixNaoEncontrado", "CobNaoEncontrada"), in any spelling ("cobranca_nao_encontrada"), or
// by a bank's own code. An error about something else that is missing, such as an account, a key or an
// application, does not count.
bool means_not_found(const BankProfile& profile, BankOperation operation, std::string_view type);
// The same; for reads also by the error's text for people (BankError::missing).
bool means_not_found(const BankProfile& profile, BankOperation operation, const BankError& error);

// nullptr: no such bank.
const BankProfile* find_bank_profile(std::string_view name);

// Returns the base URL of this operation: `base_url`, without a slash at its end, changed by
// BankProfile::versions.
std::string base_url_for(const BankProfile& profile, std::string_view base_url, BankOperation operation);

// All scopes that are used here.
inline constexpr std::string_view kUsualScopes =
    "cob.write cob.read pix.write pix.read webhook.write webhook.read";

// Everything that one connection to a bank needs, including secrets. It stays in memory, and nothing here can
// be printed or logged.
struct BankAccess {
  const BankProfile* profile;  // one of bank_profiles()
  std::string base_url;        // what `/cob/{txid}` is appended to
  std::string token_url;
  domain::TokenAuth token_auth = domain::TokenAuth::kBasic;
  std::string scopes = std::string(kUsualScopes);  // separated by blanks
  std::string client_id;
  std::string client_secret = {};       // empty if the certificate is enough
  std::string certificate_pem = {};     // the client's, then its issuers; empty: none
  std::string private_key_pem = {};     // of the first certificate
  std::string psp_app_key = {};         // for BankProfile::app_key_parameter
  domain::PixKey pix_key;               // that of the account
  int rate = domain::kBankRateDefault;  // requests a second

  friend bool operator==(const BankAccess&, const BankAccess&) = default;
};

}  // namespace pixledger::workers
