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

// Connections as `pixledger connection` finds and shows them, without secrets.
namespace pixledger::tools {

struct KnownConnection {
  domain::ProjectId project;
  domain::Connection connection;
  bool is_default;
  std::optional<domain::BankConnection> bank;  // for provider api-pix, if requested
};

// A project's connections in order of creation, without their banks.
std::vector<KnownConnection> connections_of(const domain::Project& project);

// Finds by id or alias, with its bank. Nullopt if the project has no such connection. Throws UsageError if
// both environments have that alias and no environment is given.
std::optional<KnownConnection> find_named_connection(const eventstore::Log& log,
                                                     const domain::Project& project, const std::string& name,
                                                     std::optional<domain::Environment> environment);

// --project, --connection and --env, which identify a connection.
struct ConnectionNaming {
  std::string project;
  std::string connection;
  std::optional<std::string> environment;  // live or test
};
void add_naming_options(CommandLine& command, ConnectionNaming& naming);

// The connection of that name; nullopt, with a message, if there is no such connection. Throws UsageError as
// above, and for an invalid id.
std::optional<KnownConnection> named_connection(const eventstore::Log& log, const ConnectionNaming& naming);

// Writes members of the open object. A bank connection has more; the bank's only if known.
void write_connection_fields(Json& json, const KnownConnection& known);

// The same for people.
std::vector<std::pair<std::string, std::string>> facts_of(const KnownConnection& known);

}  // namespace pixledger::tools
