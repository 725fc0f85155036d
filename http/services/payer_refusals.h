#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>

#include "domain/values/cuid.h"

namespace pixledger::http {

// How often payers of a checkout session were refused. Each refusal is recorded in the ledger for good, and
// whoever has a session's link may try any number of documents: beyond kMax the session is refused without
// asking the ledger. Counted since the process began. Thread-safe.
//
// Memory is bounded: beyond kSessionsMax the session that was refused first is forgotten.
class PayerRefusals {
 public:
  static constexpr std::uint32_t kMax = 10;
  static constexpr std::size_t kSessionsMax = 65'536;

  void note(const domain::CheckoutSessionId& session);
  bool too_many(const domain::CheckoutSessionId& session) const;
  std::size_t sessions_known() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> refusals_;  // by session id
  std::deque<std::string> in_order_;                         // of the first refusal
};

}  // namespace pixledger::http
