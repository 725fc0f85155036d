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

// Makes request ids: "req_" and 24 characters of [0-9a-z]. They tell requests apart in logs and guard
// nothing, so a fast generator (xoshiro256**, Blackman and Vigna) seeded once from real entropy will do. Not
// for several threads: each connection has its own.
class RequestIds {
 public:
  explicit RequestIds(const std::function<void(std::span<std::byte>)>& entropy);

  // Writes the next id into `id`, whose storage it reuses.
  void next(std::string& id);

 private:
  std::uint64_t random();

  std::array<std::uint64_t, 4> state_;
};

inline constexpr std::string_view kTooManyConnections = "There are too many connections; try again.";

// What all loops of a server share; it outlives them.
struct ServerContext {
  const ServerOptions options;
  const ServerServices services;
  ssl_ctx_st* const tls;  // null: without
  ConnectionCounts counts{options.max_connections, options.max_connections_per_address};
  ByteBudget replies{options.reply_bytes_max};
  ByteBudget large_bodies{options.large_bodies_max};
  std::atomic<bool> draining{false};
  std::atomic<bool> stopping{false};

  HeadLimits head_limits() const { return {options.head_bytes_max, options.header_count_max}; }
};

// The connections of one loop, which makes and ends them. For the loop's thread.
class ConnectionSet {
 public:
  ConnectionSet(std::shared_ptr<EventLoop> loop, ServerContext& context);
  ~ConnectionSet();
  ConnectionSet(const ConnectionSet&) = delete;
  ConnectionSet& operator=(const ConnectionSet&) = delete;

  // Takes over a connection that was counted already, and counts it out where that fails, which throws.
  void add(Poco::Net::StreamSocket socket, const Peer& peer);
  // Who makes room: requests that are slow and readers that are, or those that do nothing.
  enum class Room { kOfSlow, kOfIdle };
  // Takes it over in the place of another, of the same address where that has too many. False when there is
  // none of that kind here.
  bool add_in_place(const Poco::Net::StreamSocket& socket, const Peer& peer,
                    ConnectionCounts::Verdict verdict, Room room);
  // There is no room for it in the whole server: 503.
  void refuse(const Poco::Net::StreamSocket& socket, const Peer& peer);
  // Those that are idle or whose request has not arrived end; the others once they have answered.
  void stop_receiving();
  void cut_all();

  // From here on it is for connections.
  EventLoop& loop() { return *loop_; }
  ServerContext& context() { return context_; }

  // In which of these a connection is tells who can make room.
  enum class Place { kArriving, kSending, kIdle };
  void put(Connection& connection, Place place);

  std::shared_ptr<Exchange> new_exchange();
  // Kept for the next request, unless somebody still works on it.
  void take_back(std::shared_ptr<Exchange> exchange);
  RequestIds& request_ids() { return request_ids_; }
  std::string_view date() { return date_.at(context_.services.unix_time_s()); }
  std::array<char, 32 * 1024>& scratch() { return scratch_; }
  // Whether one more may linger, which takes a descriptor.
  bool may_linger() const { return lingering_ * static_cast<int>(context_.options.loops) < kLingeringMax; }
  void note_lingering(int change) { lingering_ += change; }
  // Others come first.
  void go_on_in_next_turn(Connection& connection);
  // It is destroyed at the end of this turn.
  void remove(Connection& connection);

 private:
  static constexpr int kLingeringMax = 512;  // of all loops
  using List = IntrusiveList<Connection>;

  Connection& emplace(Poco::Net::StreamSocket socket, const Peer& peer);
  // `of`: among those of this peer's address alone; null: among all.
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
  std::array<List, 3> places_;  // those that have been there for longest first
  List next_turn_;
};

}  // namespace pixledger::http
