#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/http/message/reply.h"
#include "base/values/timestamp.h"
#include "web/common/payer_session.h"
#include "web/site/pages/html.h"
#include "web/site/pages/messages.h"

// Payers' pages, as pure functions of what the API told and what was asked for. All links are relative, so
// that a proxy may put the pages below a path of its own.
namespace pixledger::web {

// Where a page stands and how it is to be.
struct PageRequest {
  Language language = Language::kPortuguese;
  bool names_language = false;  // its address does (?lang=)
  std::string token{};          // of the session; may be empty on a page of none
  int depth = 0;                // how many segments its address has behind "/pay/TOKEN"
  bool is_embedded = false;     // shown in a frame of a shop's page
  std::string shop_origin{};    // of that page, where it is allowed; else empty
  bool says_paid = false;       // the payer asked to look whether they have paid
  Timestamp now{};
};

// What a payer wrote in the form, to be shown again, and what of it is wrong.
struct FormEntry {
  std::string name{}, document{}, email{}, phone{};
  std::vector<std::string> wrong{};  // "name", "document", "email", "phone"
};

// The page of a session in whatever state it is.
struct PaymentPage {
  int status = 200;
  const Message* problem = nullptr;  // why what was asked was not done
  const FormEntry* entry = nullptr;
  bool is_problem_all = false;  // what else the state would offer is not
};
http::Reply payment_page(const PayerSession& session, const PageRequest& request,
                         const PaymentPage& shown = {});
// Of a session that is paid.
http::Reply receipt_page(const PayerSession& session, const PageRequest& request);

// A page of no session: 404, 429, 503 and the like. `retries`: comes again by itself.
struct PlainPage {
  int status;
  const Message& title;
  const Message& text;
  bool retries = false;
  std::string_view again{};          // where a button sends what was sent once more: "/customer"
  const FormEntry* entry = nullptr;  // what a form had
};
http::Reply plain_page(const PlainPage& page, const PageRequest& request);

// What is asked of the addresses of a session's pages, as a page of this place writes it: "TOKEN/receipt".
std::string session_link(const PageRequest& request, std::string_view what, bool keeps_frame = false);

// What the amount of a charge's refunds is called.
const Message& refunded_label(const PayerSession::Charge& charge);

// Where the script is: behind "/pay/".
const std::string& script_path();

}  // namespace pixledger::web
