#pragma once

#include "domain/aggregates/api_key.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about API keys. Pure; guards in documented order.
namespace pixledger::domain {

Decision decide(const Project* project, const IssueApiKey&, const Context&);
Decision decide(const ApiKey* old_key, const RollApiKey&, const Context&);
Decision decide(const ApiKey* key, const RevokeApiKey&, const Context&);

}  // namespace pixledger::domain
