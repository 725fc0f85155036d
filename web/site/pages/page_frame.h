#pragma once

#include <string>

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

}  // namespace pixledger::web
