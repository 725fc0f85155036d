#pragma once

#include "domain/aggregates/project.h"
#include "http/routing/input.h"

namespace pixledger::http {

inline constexpr std::string_view kConnectionRule =
    "is not an enabled connection of this project and environment";

// What the project's settings refuse of a body, so that its sender learns of all at once. A body without
// violations of its own is left to the decision first, which judges the same: it may repeat a request that
// was accepted under other settings.
void add_violations_of_creation(const domain::Project& project, domain::Environment environment,
                                const Input& input, Violations& violations);
void add_violations_of_customer(const domain::Project& project, const Input& input, Violations& violations);

// The check digits of a document that a payer has typed, whatever the store verifies.
void add_violations_of_payer(const Input& input, Violations& violations);

}  // namespace pixledger::http
