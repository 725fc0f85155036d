#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "domain/pix/pix_key.h"
#include "domain/values/cuid.h"
#include "eventstore/log/log.h"

namespace pixledger::workers {

// Whether a bank means that key: case, punctuation and a phone's +55 may differ.
bool is_key(const domain::PixKey& key, std::string_view written);
// Whether it says a key at all: what is masked or left empty says none.
bool is_legible_key(std::string_view written);

// The Pix keys of connections to banks, those that they had before included: codes outlive the key that they
// were made for. Reads of a project's stream what is new since the last question. Thread-safe.
class ConnectionKeys {
 public:
  // The log outlives it.
  explicit ConnectionKeys(const eventstore::Log& log) : log_(log) {}

  // Whether it has or had that key, as a bank writes it. False for what is no connection to a bank.
  bool has(const domain::ProjectId& project, const domain::ConnectionId& connection, std::string_view key);
  // In the order in which it had them; the last is today's.
  std::vector<domain::PixKey> all(const domain::ProjectId& project, const domain::ConnectionId& connection);

 private:
  using Keys = std::map<domain::ConnectionId, std::vector<domain::PixKey>>;
  struct Known {
    std::uint32_t version = 0;  // of the project's stream: read up to there
    Keys keys{};
  };
  void refresh(const domain::ProjectId& project, Known& known) const;

  const eventstore::Log& log_;
  std::mutex mutex_;
  std::map<domain::ProjectId, Known> known_;
};

}  // namespace pixledger::workers
