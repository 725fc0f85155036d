#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "domain/aggregates/checkout_session.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

// An absent field does not filter; times are inclusive.
struct CheckoutQuery {
  std::optional<domain::Environment> environment{};
  std::optional<domain::CheckoutStatus> status{};
  std::optional<domain::ExternalId> external_id{};  // the merchant's id, or the session's id if the merchant
                                                    // gave none
  std::optional<Timestamp> from{};
  std::optional<Timestamp> to{};
};

struct CheckoutPage {
  std::vector<domain::CheckoutSession> items;
  std::size_t total = 0;
};

// Lists a project's sessions, newest first. An external id is looked up by index. Without times the scan
// stops at the page's end; otherwise it visits every session. Calls `check` repeatedly; an exception from it
// ends the scan.
CheckoutPage list_checkout_sessions(const ViewDatabase& views, const domain::ProjectId& project,
                                    const CheckoutQuery& query, std::size_t offset, std::size_t limit,
                                    const std::function<void()>& check);

}  // namespace pixledger::projections
