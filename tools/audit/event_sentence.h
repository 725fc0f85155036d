#pragma once

#include <string>

#include "domain/aggregates/event.h"

namespace pixledger::tools {

// What happened, for people: "paid 19.90 with E123…". Without personal data, but for the texts that operators
// and merchants gave as reasons.
std::string sentence_of(const domain::Event& event);

}  // namespace pixledger::tools
