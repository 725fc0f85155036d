#pragma once

#include <string>

#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// Where a node is, for PostgreSQL to tell two that go by one name apart: its directory's path, and a number
// that was drawn for that directory when it was first used, since machines and containers have the same
// paths. Throws what the file system does.
std::string place_of(const SharedNode& node);

}  // namespace pixledger::eventstore
