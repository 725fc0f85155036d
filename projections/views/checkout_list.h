#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "domain/aggregates/checkout_session.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

// What absent does not matter; times are inclusive.
struct CheckoutQuery {
  std::optional<domain::Environment> environment{};
  std::optional<domain::CheckoutStatus> status{};
  std::optional<domain::ExternalId> external_id{};  // the merchant's, or the session's id where it gave none
  std::optional<Timestamp> from{};
  std::optional<Timestamp> to{};
};

struct CheckoutPage {
  std::vector<domain::CheckoutSession> items;
  std::size_t total = 0;
};

// A project's sessions, newest first. Those of an external id are looked up; without times it looks no
// further than the page's end; else it looks at each. `check` is asked again and again, and what it throws
// gives up.
CheckoutPage list_checkout_sessions(const ViewDatabase& views, const domain::ProjectId& project,
                                    const CheckoutQuery& query, std::size_t offset, std::size_t limit,
                                    const std::function<void()>& check);

}  // namespace pixledger::projections
