#pragma once

#include <string>
#include <string_view>

#include "base/values/timestamp.h"
#include "web/session/payer_session.h"

namespace pixledger::web {

// As a shop's clock shows it: "31/01/2026 às 09:00" or "31 Jan 2026, 09:00". A zone that the system does not
// know counts as UTC, and is then told.
std::string local_time(Timestamp moment, std::string_view zone, Language language);

// "R$ 1.234,56" or "R$ 1,234.56".
std::string money_text(domain::Cents amount, Language language);

}  // namespace pixledger::web
