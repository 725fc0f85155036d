#pragma once

#include "domain/aggregates/api_key.h"
#include "domain/decisions/command.h"
#include "eventstore/log/log.h"

namespace pixledger::http {

// Who called: what the key says, and how far the log was when the request arrived. A reply shows at least
// that much.
struct Caller {
  domain::ApiKeyId key;
  domain::ProjectId project;
  domain::Environment environment;
  eventstore::Head arrival;
  // Of a payer, for whom the pages' server asks: their session, which stands for the key.
  std::optional<domain::CheckoutSessionId> payer_of{};

  // A test key sees and touches the sandbox alone.
  bool sandbox_only() const { return environment == domain::Environment::kSandbox; }
  domain::Caller on_behalf() const { return {project, sandbox_only()}; }
};

}  // namespace pixledger::http
