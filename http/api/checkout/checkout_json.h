#pragma once

#include <optional>
#include <string>

#include "base/platform/json.h"
#include "domain/aggregates/checkout_session.h"

namespace pixledger::http {

// A session as its merchant sees it.
struct CheckoutShown {
  const domain::CheckoutSession& session;
  const std::string& url;
  const domain::Channel* channel;  // of its own; nullptr without one
  Timestamp now;                   // says whether it has expired
};

// Members of the object that is open.
void write_checkout(Json& json, const CheckoutShown& shown);

}  // namespace pixledger::http
