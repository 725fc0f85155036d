#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/clock.h"
#include "base/process/at_most_every.h"
#include "base/process/logging.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"

namespace pixledger::workers {

constexpr std::size_t kCallbackBytesMax = 256 * 1024;

// A request that says to be a bank's, as far as its head tells. Whoever sent it has shown a certificate of an
// authority that is trusted to.
struct CallbackHead {
  std::string method;
  std::string target;  // path and query
  std::string cn;      // the certificate's common name; empty: it has none
};

// Judges callbacks of banks, and keeps which payments they name until those have been read at the bank: that
// one has called proves nothing. Thread-safe.
class CallbackHandler {
 public:
  // All outlive it. `when_kept` is called after there is more to read.
  struct Parts {
    const Clock& clock;
    Logger& logger;
    BankDirectory& banks;
    stores::ProviderRepository& database;
    BankMeters& meters;
    std::function<void()> when_kept;
  };
  explicit CallbackHandler(Parts parts) : parts_(std::move(parts)) {}

  // The rest of the request; nullopt: it is longer than kCallbackBytesMax.
  using ReadBody = std::function<std::optional<std::string>()>;

  // The status that is answered: 200 once what it names is stored; 404 for a path that is no connection's
  // with its secret, 405, 403 for another's certificate, 413, 400 for what is no JSON object, 503 where no
  // more is kept of that connection for now. Nothing is stored but with 200. `read_body` is called once at
  // most, for what may be taken.
  int answer(const CallbackHead& head, const ReadBody& read_body);

  // Counts one that never came to answer(): it showed no certificate, or broke off.
  void note_failed(std::string_view result) { parts_.meters.on_callback("none", result); }

 private:
  std::optional<std::string_view> keep(const domain::ConnectionId& connection,
                                       const std::vector<domain::EndToEndId>& ids);
  int refuse(int status, const std::string& connection, std::string_view result);

  const Parts parts_;
  AtMostEvery refusal_due_{std::chrono::seconds(1)};
};

}  // namespace pixledger::workers
