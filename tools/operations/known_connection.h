#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/platform/json.h"
#include "base/process/command_line.h"
#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/project.h"
#include "eventstore/log/log.h"

// Connections as `pixledger connection` finds and shows them; never a secret.
namespace pixledger::tools {

struct KnownConnection {
  domain::ProjectId project;
  domain::Connection connection;
  bool is_default;
  std::optional<domain::BankConnection> bank;  // of those of the provider api-pix, where it was asked for
};

// A project's, as they were added; without their banks.
std::vector<KnownConnection> connections_of(const domain::Project& project);

// By its id or alias, with its bank. nullopt: the project has none. Throws UsageError where both environments
// have that alias and none is given.
std::optional<KnownConnection> find_named_connection(const eventstore::Log& log,
                                                     const domain::Project& project, const std::string& name,
                                                     std::optional<domain::Environment> environment);

// --project, --connection and --env, with which commands name one.
struct ConnectionNaming {
  std::string project;
  std::string connection;
  std::optional<std::string> environment;  // live or test
};
void add_naming_options(CommandLine& command, ConnectionNaming& naming);

// The connection of that name. nullopt after it was told that there is none. Throws UsageError as above, and
// for an id that is none.
std::optional<KnownConnection> named_connection(const eventstore::Log& log, const ConnectionNaming& naming);

// The members of the object that is open. A connection to a bank has more; its bank's only where it is known.
void write_connection_fields(Json& json, const KnownConnection& known);

// The same for people.
std::vector<std::pair<std::string, std::string>> facts_of(const KnownConnection& known);

}  // namespace pixledger::tools
