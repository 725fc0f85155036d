#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/values/ip_address.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/decisions/caller.h"
#include "domain/values/sealed_secret.h"
#include "domain/values/stream_name.h"

namespace pixledger::domain {

struct CheckoutPayer {
  DocumentToken token;  // of details.document
  CustomerDetails details;
};
// The channel that a session gets, of its version; the edge has made its secret for `channel_of` the session.
struct CheckoutChannel {
  std::string url;  // checked at the edge
  SealedSecret secret;
  std::string secret_hint;
  TargetVerdict target = TargetVerdict::kAllowed;
};
// With a payer the first charge comes with it, all or nothing.
struct CreateCheckoutSession {
  CheckoutSessionId id;  // minted by the caller, since the channel's secret is sealed for it
  ProjectId project;
  Environment environment;
  Cents amount;
  ProductName product;
  std::uint32_t quantity = 1;
  std::optional<std::int32_t> expiration_days{};  // absent: the store's pix_expiration_minutes
  OriginHost origin_host;
  std::optional<CheckoutPayer> payer{};
  std::optional<ExternalId> external_id{};
  Metadata metadata{};
  std::optional<PageUrl> success_url{};
  std::optional<PageUrl> cancel_url{};
  std::int32_t expires_in_minutes = kCheckoutMinutesDefault;  // kCheckoutMinutesMin to kCheckoutMinutesMax
  std::optional<CheckoutLocale> locale{};
  WebhookVersion webhook_version = WebhookVersion::kV2;
  std::optional<CheckoutChannel> channel{};
  bool may_await_code = false;  // as of CreateCharge
};
// The session's next charge; does nothing while there is one that may still be paid, or money that came for
// one and is not settled.
struct AddCheckoutCharge {
  CheckoutSessionId session;
  ProjectId project;  // the session's, as its environment
  Environment environment;
  CheckoutPayer payer;
  std::optional<IpAddress> customer_ip;
  // The session's newest charge, as the edge has seen it. Whoever saw another one comes again.
  std::optional<ChargeId> newest;
  bool may_await_code = false;
};
// For these another project's session does not exist. Its charge that waits for its payment is cancelled too.
struct CancelCheckoutSession {
  Caller caller;
  CheckoutSessionId session;
  std::optional<ChargeId> newest;  // as above
};
// Records the end of a session whose time is over; does nothing to another one.
struct ExpireCheckoutSession {
  CheckoutSessionId session;
};

}  // namespace pixledger::domain
