#pragma once

#include <string>
#include <string_view>

#include "base/values/timestamp.h"
#include "web/common/payer_session.h"
#include "web/site/pages/page.h"

namespace pixledger::web {

// What stands around the content of a page.
struct PageFrame {
  int status = 200;
  std::string title;
  std::string_view state;                 // for `data-state`
  const PayerSession* session = nullptr;  // null: a page of none
  Html main_attributes{};                 // further ones of <main>
  Html content{};
  int refresh_s = 0;  // without JavaScript the page comes again after so long; 0: it does not
  bool has_script = false;
  bool follows = false;  // what its session comes to is shown in its place
};

http::Reply framed(PageFrame frame, const PageRequest& request);

// As a shop's clock shows it: "31/01/2026 às 09:00" or "31 Jan 2026, 09:00". A zone that the system does not
// know counts as UTC, and is then told.
std::string local_time(Timestamp moment, std::string_view zone, Language language);

// "R$ 1.234,56" or "R$ 1,234.56".
std::string money_text(domain::Cents amount, Language language);

}  // namespace pixledger::web
