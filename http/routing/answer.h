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

// What an operation comes to: a reply, a command that is to be executed first, a wait for what will be
// recorded, or a reply that is made piece by piece. None of them needs a thread meanwhile.
using Answer = std::variant<Reply, Submission, std::shared_ptr<Subscription>, std::shared_ptr<Pieces>>;

// A command, and how its result is answered; which may be by another command.
struct Submission {
  eventstore::Request command;
  // Runs once the result is durable. Keeps no view into anything that ends with the operation; the request
  // stays until it is answered.
  std::function<Answer(const eventstore::Result&)> answer;
};

// A long reply, of which the next piece is made once there is room for it. Each is asked for on whatever
// thread, one at a time, and ends within some tens of milliseconds: what others do takes its turn between.
class Pieces {
 public:
  virtual ~Pieces() = default;

  // Without a body.
  virtual Reply head() const = 0;
  enum class Then {
    kMore,
    kEnd,
    kCut  // it cannot be completed: its reader is to see that
  };
  // Appends a piece, maybe an empty one. May throw: a fault, which cuts the reply.
  virtual Then append_to(std::string& text) = 0;
  // Whether it keeps more than a piece or two in memory: of those there may be few at a time.
  virtual bool is_heavy() const { return false; }
};

// A request that waits for what its project will record: looks once and again until it has an answer. One
// thread looks; begin() runs before or beside that, on another.
class Subscription {
 public:
  using Clock = std::chrono::steady_clock;
  struct Owner {
    std::optional<domain::ProjectId> project;  // absent: whatever project records something
    domain::Environment of_key;
  };

  explicit Subscription(Owner owner) : owner_(std::move(owner)) {}
  virtual ~Subscription() = default;
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  const Owner& owner() const { return owner_; }
  // When it is to look again if there is no news.
  virtual Clock::time_point next_look() const = 0;

  // The answer that is given as soon as the wait begins, such as a stream's head; nothing: it comes later.
  virtual std::optional<Reply> begin() = 0;
  // For how long it may take until the answer that comes later.
  virtual std::chrono::milliseconds wait_max() const = 0;
  struct Looked {
    std::optional<Answer> reply;  // the answer that comes later; may be by a command, too
    bool has_ended = false;       // it need not look any more
  };
  // What is answered at once where there is no room to wait; nothing: that there is none.
  virtual std::optional<Answer> without_waiting() { return std::nullopt; }
  enum class Time { kGoesOn, kIsOver };
  // May throw: a fault, after which it does not look any more.
  virtual Looked look(Time time) = 0;

 private:
  const Owner owner_;
};

}  // namespace pixledger::http
