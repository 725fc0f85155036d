#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/http/transport/exchange.h"
#include "http/dispatch/worker_pool.h"
#include "http/routing/answer.h"

namespace pixledger::http {

struct Services;

// Replies that are made piece by piece. Each piece takes its project's turn on the pool once most of the
// earlier ones have been read. No pieces are made after the client has gone. Thread-safe.
class StreamingReplies {
 public:
  // Each keeps a piece or two in memory. Slow readers of many projects leave room for others.
  static constexpr std::size_t kMax = 256;
  static constexpr std::size_t kHeavyMax = 8;  // those with Pieces::is_heavy
  static constexpr std::size_t kOfProjectMax = 2;
  using LogFault = std::function<void(const Request&, std::string_view)>;

  // Pool and services outlive every reply.
  StreamingReplies(WorkerPool& pool, const Services& services, LogFault log_fault)
      : pool_(pool), services_(services), log_fault_(std::move(log_fault)) {}

  // Starts a reply of these pieces, in the turns of `line`. nullopt if the limit of all streams, of heavy
  // ones or of the line is reached. Requires responder.share() before.
  std::optional<Reply> begin(const Responder& responder, std::string line, std::shared_ptr<Pieces> pieces);

  std::size_t under_way() const;

 private:
  class Body;
  class Place;

  void leave(const std::string& line, bool is_heavy);

  WorkerPool& pool_;
  const Services& services_;
  const LogFault log_fault_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::size_t> lines_;
  std::size_t under_way_ = 0;
  std::size_t heavy_ = 0;
};

}  // namespace pixledger::http
