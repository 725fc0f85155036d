#include "domain/aggregates/checkout_session.h"

#include <utility>

#include "base/text/enum_names.h"

namespace pixledger::domain {
namespace {

constexpr EnumNames<CheckoutLocale::kPtBr, CheckoutLocale::kEn> kLocaleNames{"pt-BR", "en"};
constexpr EnumNames<CheckoutStatus::kOpen, CheckoutStatus::kCancelled> kStatusNames{"open", "complete",
                                                                                    "expired", "cancelled"};
constexpr EnumNames<PageState::kForm, PageState::kPartiallyRefunded> kPageStateNames{
    "form",    "waiting",   "processing", "paid",     "review",
    "expired", "cancelled", "failed",     "refunded", "partially_refunded"};

CheckoutSession created(const CheckoutSessionCreated& event, Timestamp at) {
  auto session = made_of_same_fields<CheckoutSession>(event);
  session.status = CheckoutStatus::kOpen;
  session.created_at = session.updated_at = at;
  return session;
}

// Applies every event but the first, and requires an existing session.
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

std::string_view to_string(CheckoutLocale locale) { return kLocaleNames.of(locale); }

std::optional<CheckoutLocale> parse_checkout_locale(std::string_view text) {
  return kLocaleNames.parse(text);
}

std::string_view to_string(CheckoutStatus status) { return kStatusNames.of(status); }

std::optional<CheckoutStatus> parse_checkout_status(std::string_view text) {
  return kStatusNames.parse(text);
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

std::string_view to_string(PageState state) { return kPageStateNames.of(state); }

std::optional<PageState> parse_page_state(std::string_view text) { return kPageStateNames.parse(text); }

bool is_paid(PageState state) {
  return state == PageState::kPaid || state == PageState::kRefunded || state == PageState::kPartiallyRefunded;
}

}  // namespace pixledger::domain
