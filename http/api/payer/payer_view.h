#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/json.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/page_state.h"
#include "domain/aggregates/project.h"
#include "http/services/services.h"

// A checkout session as its payer's page shows it.
namespace pixledger::http {

struct PayerView {
  std::shared_ptr<const domain::CheckoutSession> session;
  std::shared_ptr<const domain::Charge> charge;  // that the page is about; null before the first
  std::optional<domain::Customer> customer;      // the charge's; those who were erased have no details
  domain::PageState state;
  std::uint64_t version;  // grows with every event of the session and its charges
  bool may_have_another_charge;
};
// Nothing when there is no such session.
std::optional<PayerView> payer_view(const Services& services, const domain::CheckoutSessionId& id);

// Whether the charge's wait for its bank's code is over and nobody has said so yet.
bool code_wait_is_over(const PayerView& view, Timestamp now);

// The whole answer.
std::string payer_json(const Services& services, const PayerView& view, const domain::Project& project);

}  // namespace pixledger::http
