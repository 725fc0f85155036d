#pragma once

#include <string>
#include <string_view>

#include "base/values/timestamp.h"
#include "web/common/payer_session.h"
#include "web/site/pages/page.h"

namespace pixledger::web {

// The parts around a page's content.
struct PageFrame {
  int status = 200;
  std::string title;
  std::string_view state;                 // for `data-state`
  const PayerSession* session = nullptr;  // null: no session
  Html main_attributes{};                 // further attributes of <main>
  Html content{};
  int refresh_s = 0;  // without JavaScript the page reloads after this; 0: never
  bool has_script = false;
  bool follows = false;  // is updated when its session changes
};

http::Reply framed(PageFrame frame, const PageRequest& request);

// A local time: "31/01/2026 às 09:00" or "31 Jan 2026, 09:00". An unknown zone counts as UTC and is then
// named.
std::string local_time(Timestamp moment, std::string_view zone, Language language);

// "R$ 1.234,56" or "R$ 1,234.56".
std::string money_text(domain::Cents amount, Language language);

}  // namespace pixledger::web
