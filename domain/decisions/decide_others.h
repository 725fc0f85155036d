#pragma once

#include "domain/aggregates/api_key.h"
#include "domain/aggregates/blocklist.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about projects, connections, keys, blocklists and customers. Pure; guards in documented
// order.
namespace pixledger::domain {

Decision decide(const CreateProject&, const Context&);
Decision decide(const Project* project, const ChangeStoreSettings&, const Context&);
Decision decide(const Project* project, const AddConnection&, const Context&);

Decision decide(const Project* project, const IssueApiKey&, const Context&);
Decision decide(const ApiKey* old_key, const RollApiKey&, const Context&);
Decision decide(const ApiKey* key, const RevokeApiKey&, const Context&);

Decision decide(const Blocklist* blocklist, const AddBlocklistEntry&, const Context&);
Decision decide(const Blocklist* blocklist, const RemoveBlocklistEntry&, const Context&);

Decision decide(const Project* project, const Customer* customer, const SaveCustomer&, const Context&);
Decision decide(const Customer* customer, const BlockCustomer&, const Context&);
Decision decide(const Customer* customer, const UnblockCustomer&, const Context&);
Decision decide(const Customer* customer, const EraseCustomer&, const Context&);

}  // namespace pixledger::domain
