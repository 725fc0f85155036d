#pragma once

#include "domain/aggregates/project.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// The decisions about projects and their connections. Pure; guards in documented order.
namespace pixledger::domain {

Decision decide(const CreateProject&, const Context&);
Decision decide(const Project* project, const ChangeStoreSettings&, const Context&);
Decision decide(const Project* project, const AddConnection&, const Context&);
Decision decide(const Project* project, const SetDefaultConnection&, const Context&);

}  // namespace pixledger::domain
