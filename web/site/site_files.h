#pragma once

#include <optional>
#include <string_view>

#include "base/http/message/reply.h"
#include "web/site/pages/page.h"
#include "web/site/site_routes.h"

namespace pixledger::web {

// The files that all pages share: the page's script, named after what is in it, the shops' button, and the
// icon that there is none of.
http::Reply site_file(const SiteRoute& route, const PageRequest& page);

// As it is answered, of the types that a logo may have.
std::optional<std::string_view> logo_type(std::string_view type);

}  // namespace pixledger::web
