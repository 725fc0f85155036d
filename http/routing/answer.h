#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/http/message/reply.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "eventstore/executor/executor.h"

namespace pixledger::http {

class Pieces;
struct Submission;
class Subscription;

// The outcome of an operation: a reply, a command to execute first, a wait for events, or a reply in pieces.
// None of them holds a thread meanwhile.
using Answer = std::variant<Reply, Submission, std::shared_ptr<Subscription>, std::shared_ptr<Pieces>>;

// A command, and what to answer to its result, which may be another command.
struct Submission {
  eventstore::Request command;
  // Runs once the result is durable. Must keep no view into anything that ends with the operation; the
  // request lives until it is answered.
  std::function<Answer(const eventstore::Result&)> answer;
};

// A long reply, made piece by piece as there is room. Any thread may ask for the next piece, one at a time. A
// piece takes at most some tens of milliseconds, so that others get their turn.
class Pieces {
 public:
  virtual ~Pieces() = default;

  // The reply without its body.
  virtual Reply head() const = 0;
  enum class Then {
    kMore,
    kEnd,
    kCut  // the reply cannot be completed; its reader must see that
  };
  // Appends a piece, maybe an empty one. May throw: a fault, which cuts the reply.
  virtual Then append_to(std::string& text) = 0;
  // Whether it keeps more than a piece or two in memory; few such replies may run at a time.
  virtual bool is_heavy() const { return false; }
};

// A request that waits for events of its project. One thread calls look() until there is an answer; begin()
// runs before or at the same time on another thread.
class Subscription {
 public:
  using Clock = std::chrono::steady_clock;
  struct Owner {
    std::optional<domain::ProjectId> project;  // absent: all projects
    domain::Environment of_key;
  };

  explicit Subscription(Owner owner) : owner_(std::move(owner)) {}
  virtual ~Subscription() = default;
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  const Owner& owner() const { return owner_; }
  // When to look again without news.
  virtual Clock::time_point next_look() const = 0;

  // The reply that is sent as soon as the wait begins, such as a stream's head. nullopt: the reply comes
  // later.
  virtual std::optional<Reply> begin() = 0;
  // How long the later reply may take.
  virtual std::chrono::milliseconds wait_max() const = 0;
  struct Looked {
    std::optional<Answer> reply;  // the later reply; may be a command, too
    bool has_ended = false;       // need not look any more
  };
  // The reply if there is no room to wait; nullopt: a refusal.
  virtual std::optional<Answer> without_waiting() { return std::nullopt; }
  enum class Time { kGoesOn, kIsOver };
  // May throw: a fault, after which it is not called again.
  virtual Looked look(Time time) = 0;

 private:
  const Owner owner_;
};

}  // namespace pixledger::http
