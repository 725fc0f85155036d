#pragma once

#include <Poco/Net/StreamSocket.h>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/http/transport/connection.h"
#include "base/http/transport/connection_limits.h"
#include "base/http/transport/event_loop.h"
#include "base/http/transport/exchange.h"
#include "base/http/transport/message_reader.h"
#include "base/http/transport/reply_bytes.h"
#include "base/http/transport/server.h"

namespace pixledger::http {

// Generates request ids: "req_" and 24 characters of [0-9a-z]. They distinguish requests in logs and protect
// nothing. So a fast generator (xoshiro256**, Blackman and Vigna), seeded once from real entropy, is enough.
// Not thread-safe: each ConnectionSet has its own.
class RequestIds {
 public:
  explicit RequestIds(const std::function<void(std::span<std::byte>)>& entropy);

  // Writes the next id into `id`, reusing its storage.
  void next(std::string& id);

 private:
  std::uint64_t random();

  std::array<std::uint64_t, 4> state_;
};

inline constexpr std::string_view kTooManyConnections = "There are too many connections; try again.";

// Shared by all loops of a server; must outlive them.
struct ServerContext {
  const ServerOptions options;
  const ServerServices services;
  ssl_ctx_st* const tls;  // null: no TLS
  ConnectionCounts counts{options.max_connections, options.max_connections_per_address};
  ByteBudget replies{options.reply_bytes_max};
  ByteBudget large_bodies{options.large_bodies_max};
  std::atomic<bool> draining{false};
  std::atomic<bool> stopping{false};

  HeadLimits head_limits() const { return {options.head_bytes_max, options.header_count_max}; }
};

// Creates and owns the connections of one loop. Used only on the loop's thread.
class ConnectionSet {
 public:
  ConnectionSet(std::shared_ptr<EventLoop> loop, ServerContext& context);
  ~ConnectionSet();
  ConnectionSet(const ConnectionSet&) = delete;
  ConnectionSet& operator=(const ConnectionSet&) = delete;

  // Takes ownership of a connection that is already counted. On failure, uncounts it and throws.
  void add(Poco::Net::StreamSocket socket, const Peer& peer);
  // Which connections may be ended to make room: slow requests and readers, or idle ones.
  enum class Room { kOfSlow, kOfIdle };
  // Adds it in the place of another connection, of the same address if that has too many. Returns false if
  // this loop has none of that kind.
  bool add_in_place(const Poco::Net::StreamSocket& socket, const Peer& peer,
                    ConnectionCounts::Verdict verdict, Room room);
  // Refuses a connection with 503: the whole server has no room.
  void refuse(const Poco::Net::StreamSocket& socket, const Peer& peer);
  // Ends connections that are idle or whose request is incomplete; the others end after their reply.
  void stop_receiving();
  void cut_all();

  // The following is for connections.
  EventLoop& loop() { return *loop_; }
  ServerContext& context() { return context_; }

  // The lists from which connections are chosen to make room.
  enum class Place { kArriving, kSending, kIdle };
  void put(Connection& connection, Place place);

  std::shared_ptr<Exchange> new_exchange();
  // Keeps it for the next request, unless another thread still uses it.
  void take_back(std::shared_ptr<Exchange> exchange);
  RequestIds& request_ids() { return request_ids_; }
  std::string_view date() { return date_.at(context_.services.unix_time_s()); }
  std::array<char, 32 * 1024>& scratch() { return scratch_; }
  // Whether one more connection may linger, which occupies a descriptor.
  bool may_linger() const { return lingering_ * static_cast<int>(context_.options.loops) < kLingeringMax; }
  void note_lingering(int change) { lingering_ += change; }
  // Continues it after other connections had their turn.
  void go_on_in_next_turn(Connection& connection);
  // Destroys it at the end of this turn.
  void remove(Connection& connection);

 private:
  static constexpr int kLingeringMax = 512;  // for all loops together
  using List = IntrusiveList<Connection>;

  Connection& emplace(Poco::Net::StreamSocket socket, const Peer& peer);
  // `of`: only connections of this peer's address; null: all.
  bool make_room(const Peer* of, Room room);
  Connection* find_longest(Place place, const Peer* of);
  Connection* find_slowest_reader(const Peer* of);
  bool may_end(const Connection& connection, const Peer* of) const;
  void run_next_turn();

  const std::shared_ptr<EventLoop> loop_;
  ServerContext& context_;
  RequestIds request_ids_;
  DateText date_;
  std::array<char, 32 * 1024> scratch_;
  std::vector<std::shared_ptr<Exchange>> spare_exchanges_;
  int lingering_ = 0;
  std::list<Connection> connections_;
  std::list<Connection> removed_;
  std::array<List, 3> places_;  // the longest there first
  List next_turn_;
};

}  // namespace pixledger::http
