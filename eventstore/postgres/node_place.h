#pragma once

#include <string>

#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// Where a node is, for PostgreSQL to tell two that go by one name apart, and to know one again that was
// renamed: its directory's path and, since machines and containers have the same paths, a number that was
// drawn for the directory when it was first used, and which file of which file system has that. A copy of the
// whole directory has the same number in another file. Throws what the file system does.
std::string place_of(const SharedNode& node);

// What of it is compared: all that follows the path, which is for people and may be written in several ways.
// Of letters, digits, dots and colons.
std::string mark_of_place(const std::string& place);

// The path, for people.
std::string directory_of_place(const std::string& place);

}  // namespace pixledger::eventstore
