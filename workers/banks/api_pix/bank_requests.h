// The requests of the API Pix as text. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/values/timestamp.h"
#include "domain/pix/payment_ids.h"
#include "domain/pix/pix_key.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "workers/banks/api_pix/bank_profile.h"
#include "workers/banks/api_pix/bank_transport.h"

namespace pixledger::workers {

// How much of its text a charge gets: banks refuse texts that the document allows.
enum class PayerText {
  kWhole,  // in printable ASCII, cut to 140 characters
  kPlain,  // its letters, digits and blanks, cut to 40
  kNone
};

// A charge for the bank. Contains nothing about the payer.
struct CobOrder {
  domain::Txid txid;
  domain::Cents amount;           // 0.01 to 9,999,999,999.99 reais
  domain::PixKey key;             // of the receiving account
  std::int64_t expires_in_s = 0;  // from when the bank makes it; 1 or more
  std::string text_for_payer;     // UTF-8; see PayerText; empty: none
};

struct RefundOrder {
  domain::EndToEndId payment;
  std::string id;  // 1 to 35 letters and digits
  domain::Cents amount;
};

// Payments that the bank processed from `begin` to `end`, both sent in whole seconds (Santander refuses
// milliseconds): begin is rounded down, end up.
struct PixWindow {
  Timestamp begin;
  Timestamp end;
};
constexpr int kItemsPerPage = 100;  // the document's default

// The part after the base URL, and the body.
struct BankRequest {
  BankOperation operation;
  std::string method;
  std::string path;   // "/cob/p…"
  std::string query;  // without its question mark; empty: none
  std::string body;   // JSON; empty: none
};

BankRequest put_cob_request(const CobOrder& order, PayerText text = PayerText::kWhole);
BankRequest get_cob_request(const domain::Txid& txid);
BankRequest remove_cob_request(const domain::Txid& txid);
BankRequest list_pix_request(const PixWindow& window, std::int64_t page);
BankRequest get_pix_request(const domain::EndToEndId& id);
BankRequest put_refund_request(const RefundOrder& order);
BankRequest get_refund_request(const domain::EndToEndId& payment, std::string_view id);
BankRequest put_callback_request(const domain::PixKey& key, std::string_view url);
BankRequest get_callback_request(const domain::PixKey& key);
BankRequest delete_callback_request(const domain::PixKey& key);

// Returns the request as sent. `correlation_id` is for BankProfile::correlation_header.
HttpCall to_http(const BankAccess& access, const BankRequest& request, std::string_view token,
                 std::string_view correlation_id);
// The request for a token.
HttpCall token_call(const BankAccess& access);

}  // namespace pixledger::workers
