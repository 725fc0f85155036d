#pragma once

#include "domain/api_key.h"
#include "domain/blocklist.h"
#include "domain/command.h"
#include "domain/customer.h"
#include "domain/decision.h"
#include "domain/project.h"

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
