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

// Payers' pages as pure functions of the API's data and the request. All links are relative, so a proxy may
// serve the pages below another path.
namespace pixledger::web {

// The context of a page.
struct PageRequest {
  Language language = Language::kPortuguese;
  bool names_language = false;  // the URL has ?lang=
  std::string token{};          // the session's; may be empty on a page without session
  int depth = 0;                // segments after "/pay/TOKEN" in its path
  bool is_embedded = false;     // shown in a frame of a shop's page
  std::string shop_origin{};    // of that page if it is allowed; else empty
  bool says_paid = false;       // the payer asked whether the payment has arrived
  Timestamp now{};
};

// The payer's data in the form, shown again, and its invalid fields.
struct FormEntry {
  std::string name{}, document{}, email{}, phone{};
  std::vector<std::string> wrong{};  // "name", "document", "email", "phone"
};

// A session's page in any state.
struct PaymentPage {
  int status = 200;
  const Message* problem = nullptr;  // why the request was not carried out
  const FormEntry* entry = nullptr;
  bool is_problem_all = false;  // shows the problem without the state's actions
};
http::Reply payment_page(const PayerSession& session, const PageRequest& request,
                         const PaymentPage& shown = {});
// Requires a paid session.
http::Reply receipt_page(const PayerSession& session, const PageRequest& request);

// A page without session: 404, 429, 503 and the like. `retries`: reloads itself.
struct PlainPage {
  int status;
  const Message& title;
  const Message& text;
  bool retries = false;
  std::string_view again{};          // where a button posts the form again: "/customer"
  const FormEntry* entry = nullptr;  // the form's data
};
http::Reply plain_page(const PlainPage& page, const PageRequest& request);

// A relative link from this page to another of the session: "TOKEN/receipt".
std::string session_link(const PageRequest& request, std::string_view what, bool keeps_frame = false);

// The label of a charge's refunded amount.
const Message& refunded_label(const PayerSession::Charge& charge);

// The script's path after "/pay/".
const std::string& script_path();

}  // namespace pixledger::web
