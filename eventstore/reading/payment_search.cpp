#include "eventstore/reading/payment_search.h"

#include <string>
#include <utility>

#include "base/text/ascii.h"
#include "domain/aggregates/event.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::eventstore {
namespace {

// Letter, institution and minute of the id, which must be upper case.
constexpr std::size_t kCapitalsSize = 21;

struct Claimed {
  domain::EndToEndId payment;
  StreamName holder;
};

// Searches the claims that begin with the prefix and end with the payment's id.
std::optional<Claimed> find_in_any_case(const Log& log, const std::string& prefix,
                                        const domain::EndToEndId& typed) {
  for (const auto& [claim, holder] : log.claims_with_prefix(prefix)) {
    const std::string_view text = claim.text();
    if (text.size() < typed.text().size()) continue;
    const auto name = text.substr(text.size() - typed.text().size());
    if (!equal_without_case(name, typed.text())) continue;
    if (auto payment = domain::EndToEndId::parse(name)) return Claimed{*std::move(payment), holder};
  }
  return std::nullopt;
}

// `exact`: the claim of the payment with exactly that id.
std::optional<Claimed> find_claimed(const Log& log, const ClaimName& exact, const domain::EndToEndId& typed) {
  if (auto holder = log.claim_holder(exact)) return Claimed{typed, *std::move(holder)};
  const auto& id = typed.text();
  const auto before_id = exact.text().substr(0, exact.text().size() - id.size());
  return find_in_any_case(log, before_id + to_upper_case(id.substr(0, kCapitalsSize)), typed);
}

std::optional<domain::EndToEndId> parse_typed(std::string_view typed) {
  auto parsed = domain::TypedEndToEndId::parse(typed);
  return parsed ? std::optional(std::move(parsed->id)) : std::nullopt;
}

}  // namespace

std::optional<ChargePayment> find_charge_payment(const Log& log, std::string_view typed) {
  const auto id = parse_typed(typed);
  auto found = id ? find_claimed(log, domain::end_to_end_claim(*id), *id) : std::nullopt;
  auto charge = found ? domain::ChargeId::parse(found->holder.key()) : std::nullopt;
  if (!charge) return std::nullopt;
  return ChargePayment{std::move(found->payment), *std::move(charge)};
}

std::optional<domain::Charge> charge_of_payment(const Log& log, const domain::EndToEndId& payment) {
  const auto stream = log.claim_holder(domain::end_to_end_claim(payment));
  return stream ? fold_as<domain::Charge>(log, *stream) : std::nullopt;
}

std::optional<domain::EndToEndId> find_unmatched_payment(const Log& log, std::string_view typed,
                                                         const std::optional<domain::ProjectId>& project) {
  const auto id = parse_typed(typed);
  if (!id) return std::nullopt;
  auto found = project ? find_claimed(log, domain::unmatched_claim(*project, *id), *id)
                       : find_in_any_case(log, domain::unmatched_claim_prefix(), *id);
  return found ? std::optional(std::move(found->payment)) : std::nullopt;
}

}  // namespace pixledger::eventstore
