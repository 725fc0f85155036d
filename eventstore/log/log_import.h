#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

#include "eventstore/log/log_snapshot.h"

namespace pixledger::eventstore {

// An event as a log keeps it, and the names that it states.
struct AppendedEvent {
  const StreamName& stream;
  std::uint32_t version;      // the stream's next
  std::string_view leaf;      // envelope and digest of the personal bytes
  std::string_view personal;  // empty: none, or erased
  const std::vector<ClaimName>& claims;
};

// The event's version, or a name that it states, exists already.
class ImportConflict : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A log in the making from another's contents. Index, names and tree are derived from the events, as when
// they were first written. Nothing counts or is durable before finish().
class LogImport {
 public:
  virtual ~LogImport() = default;

  // The event that follows the last one. Throws ImportConflict.
  virtual void append(const AppendedEvent& event) = 0;
  virtual void add(const IdempotencyEntry& entry) = 0;
  // To be called once, last, with the position of the last event as the end's. Durable on return. Returns the
  // root of the tree.
  virtual Digest finish(const LogIdentity& identity, const LogEnd& end) = 0;
};

}  // namespace pixledger::eventstore
