#pragma once

#include "domain/aggregates/event.h"
#include "domain/rules/rule_list.h"

namespace pixledger::domain {

// As broken_rule, of a project's events and of those of its connections to banks; nullptr before the first.
Problem broken_project_rule(const Project* project, const RecordedEvent& recorded, const ProjectEvent& event);
Problem broken_bank_rule(const BankConnection* connection, const RecordedEvent& recorded,
                         const BankConnectionEvent& event);

}  // namespace pixledger::domain
