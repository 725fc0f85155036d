#include "domain/aggregates/checkout_session.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pixledger::domain {
namespace {

constexpr std::array<std::string_view, 4> kStatusNames = {"open", "complete", "expired", "cancelled"};

CheckoutSession created(const CheckoutSessionCreated& event, Timestamp at) {
  return {.id = event.id,
          .project = event.project,
          .environment = event.environment,
          .amount = event.amount,
          .product = event.product,
          .quantity = event.quantity,
          .expiration_days = event.expiration_days,
          .origin_host = event.origin_host,
          .external_id = event.external_id,
          .success_url = event.success_url,
          .cancel_url = event.cancel_url,
          .locale = event.locale,
          .webhook_version = event.webhook_version,
          .has_channel = event.has_channel,
          .expires_at = event.expires_at,
          .metadata = event.metadata.value_or(Metadata()),
          .created_at = at,
          .updated_at = at};
}

// Every event but the first finds the session that it changes; the caller guarantees it.
struct ChangeSession {
  CheckoutSession& session;

  void operator()(const CheckoutSessionCreated&) const {}
  void operator()(const CheckoutChargeAdded& event) const {
    session.charges.push_back({event.charge, event.customer});
  }
  void operator()(const CheckoutSessionCompleted& event) const {
    session.status = CheckoutStatus::kComplete;
    if (!session.paid) session.paid = event.charge;
  }
  void operator()(const CheckoutSessionCancelled&) const { session.status = CheckoutStatus::kCancelled; }
  void operator()(const CheckoutSessionExpired&) const { session.status = CheckoutStatus::kExpired; }
};

}  // namespace

std::string_view to_string(CheckoutLocale locale) { return locale == CheckoutLocale::kEn ? "en" : "pt-BR"; }

std::optional<CheckoutLocale> parse_checkout_locale(std::string_view text) {
  if (text == "pt-BR") return CheckoutLocale::kPtBr;
  if (text == "en") return CheckoutLocale::kEn;
  return std::nullopt;
}

std::string_view to_string(CheckoutStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

std::optional<CheckoutStatus> parse_checkout_status(std::string_view text) {
  const auto found = std::find(kStatusNames.begin(), kStatusNames.end(), text);
  if (found == kStatusNames.end()) return std::nullopt;
  return static_cast<CheckoutStatus>(found - kStatusNames.begin());
}

bool is_overdue(const CheckoutSession& session, Timestamp now) {
  return session.status == CheckoutStatus::kOpen && now >= session.expires_at;
}

CheckoutStatus status_at(const CheckoutSession& session, Timestamp now) {
  return is_overdue(session, now) ? CheckoutStatus::kExpired : session.status;
}

const CheckoutCharge* newest_charge(const CheckoutSession& session) {
  return session.charges.empty() ? nullptr : &session.charges.back();
}

ChannelId channel_of(const CheckoutSessionId& session) { return *ChannelId::parse(session.text()); }

Environment environment_of(const CheckoutEvent& event) {
  return std::visit([](const auto& any) { return any.environment; }, event);
}

std::optional<CheckoutSession> apply(std::optional<CheckoutSession> session, const CheckoutEvent& event,
                                     Timestamp at) {
  if (const auto* first = std::get_if<CheckoutSessionCreated>(&event)) return created(*first, at);
  if (!session) return std::nullopt;
  std::visit(ChangeSession{*session}, event);
  session->updated_at = at;
  return session;
}

namespace {

constexpr std::array<std::string_view, 10> kPageStateNames = {
    "form",    "waiting",   "processing", "paid",     "review",
    "expired", "cancelled", "failed",     "refunded", "partially_refunded"};

}  // namespace

std::string_view to_string(PageState state) { return kPageStateNames[static_cast<std::size_t>(state)]; }

std::optional<PageState> parse_page_state(std::string_view text) {
  const auto* const found = std::find(kPageStateNames.begin(), kPageStateNames.end(), text);
  if (found == kPageStateNames.end()) return std::nullopt;
  return static_cast<PageState>(found - kPageStateNames.begin());
}

bool is_paid(PageState state) {
  return state == PageState::kPaid || state == PageState::kRefunded || state == PageState::kPartiallyRefunded;
}

}  // namespace pixledger::domain
