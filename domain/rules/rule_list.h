#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "domain/aggregates/event.h"

namespace pixledger::domain {

// What the rules of events are written with.

using Problem = std::optional<std::string>;

struct Rule {
  bool holds;
  const char* otherwise;
};

// The rules are listed in the order in which they are checked; the first that fails is the answer.
inline Problem first_broken(std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules) {
    if (!rule.holds) return rule.otherwise;
  }
  return std::nullopt;
}

inline constexpr const char* kNotFirst = "its stream has begun already";
inline constexpr const char* kNothingThere = "its stream has not begun";
inline constexpr const char* kCounted = "that had gone back before";
inline constexpr const char* kOtherStream = "it belongs to another stream or project";

// Why an event may not come next in its charge's stream; nothing when it may.
Problem broken_charge_rule(const Charge* charge, const RecordedEvent& recorded, const ChargeEvent& event);

// Why an event may not come next in its checkout session's stream; nothing when it may.
Problem broken_checkout_rule(const CheckoutSession* session, const RecordedEvent& recorded,
                             const CheckoutEvent& event);

// As broken_rule, of a project's events and of those of its connections to banks; nullptr before the first.
Problem broken_project_rule(const Project* project, const RecordedEvent& recorded, const ProjectEvent& event);
Problem broken_bank_rule(const BankConnection* connection, const RecordedEvent& recorded,
                         const BankConnectionEvent& event);

// As broken_rule, of the events of a payment that fitted no charge; nullptr before the first.
Problem broken_payment_rule(const UnmatchedPayment* payment, const RecordedEvent& recorded,
                            const PaymentEvent& event);

// Why an event may not come next in its team's stream; nothing when it may.
Problem broken_team_rule(const Team* team, const TeamEvent& event);

}  // namespace pixledger::domain
