#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/pix/pix_key.h"
#include "eventstore/log/log.h"

namespace pixledger::tools {

// The Pix keys that projects and their connections to banks have had, each project's stream read once as long
// as there are not very many. Not for several threads. The log outlives it.
class ProjectKeys {
 public:
  struct Known {
    std::optional<domain::PixKey> key;  // none: it had none
    bool is_of_bank;                    // the connection was one of the project's to a bank
  };

  explicit ProjectKeys(const eventstore::Log& log) : log_(log) {}

  // Before that position: the connection's own, where it is one to a bank, else the project's. nullopt when
  // the project's stream cannot tell: it has gaps, or no such project. Throws what reading damaged events
  // throws.
  std::optional<Known> before(Position position, const domain::ProjectId& project,
                              const domain::ConnectionId& connection);

 private:
  struct Change {
    Position position;
    std::optional<domain::PixKey> key;
    std::map<std::string, domain::PixKey> of_connections;  // by their ids
  };

  std::vector<Change> read(const domain::ProjectId& project) const;

  const eventstore::Log& log_;
  std::map<std::string, std::vector<Change>> changes_;
};

}  // namespace pixledger::tools
