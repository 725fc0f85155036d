#include "base/http/transport/connection_set.h"

#include <bit>
#include <limits>
#include <utility>

#include "base/http/transport/connection.h"

namespace pixledger::http {
namespace {

constexpr int kCharactersPerNumber = 12;  // 36^12 < 2^64
constexpr int kNumbers = 2;

}  // namespace

RequestIds::RequestIds(const std::function<void(std::span<std::byte>)>& entropy) {
  entropy(std::as_writable_bytes(std::span(state_)));
  state_[0] |= 1;  // the generator's state must not be all zeros
}

std::uint64_t RequestIds::random() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

void RequestIds::next(std::string& id) {
  id = "req_";
  for (int number = 0; number < kNumbers; ++number) {
    std::uint64_t rest = random();
    for (int i = 0; i < kCharactersPerNumber; ++i, rest /= 36)
      id += "0123456789abcdefghijklmnopqrstuvwxyz"[rest % 36];
  }
}

namespace {

constexpr std::size_t kSpareExchangesMax = 64;
constexpr std::size_t kKeptBodyCapacity = 8 * 1024;
// The most connections examined when making room, to bound the delay for others.
constexpr int kLookedAtMax = 2'048;

}  // namespace

ConnectionSet::ConnectionSet(std::shared_ptr<EventLoop> loop, ServerContext& context)
    : loop_(std::move(loop)), context_(context), request_ids_(context.services.entropy) {}

ConnectionSet::~ConnectionSet() = default;

Connection& ConnectionSet::emplace(Poco::Net::StreamSocket socket, const Peer& peer) {
  const int descriptor = socket.impl()->sockfd();
  auto& connection = connections_.emplace_back(*this, std::move(socket), peer);
  connection.self_ = std::prev(connections_.end());
  try {
    loop_->poller().add(descriptor, connection);
  } catch (...) {
    connections_.pop_back();
    throw;
  }
  return connection;
}

void ConnectionSet::add(Poco::Net::StreamSocket socket, const Peer& peer) {
  Connection* added = nullptr;
  try {
    added = &emplace(std::move(socket), peer);
  } catch (...) {
    context_.counts.remove(peer.counted());
    throw;
  }
  auto& connection = *added;
  connection.is_counted_ = true;
  if (context_.stopping)
    connection.cut();
  else
    connection.begin();
}

bool ConnectionSet::add_in_place(const Poco::Net::StreamSocket& socket, const Peer& peer,
                                 ConnectionCounts::Verdict verdict, Room room) {
  if (!make_room(verdict == ConnectionCounts::Verdict::kAddressFull ? &peer : nullptr, room)) return false;
  context_.counts.add_replacement(peer.counted());
  add(socket, peer);
  return true;
}

void ConnectionSet::refuse(const Poco::Net::StreamSocket& socket, const Peer& peer) {
  context_.counts.note(RoomEnding::kNewcomer);
  // With TLS it only closes the connection, because a reply needs a handshake.
  if (!context_.tls && may_linger()) return emplace(socket, peer).refuse_newcomer();
  if (auto* observer = context_.services.observer) observer->connection_refused();
}

bool ConnectionSet::may_end(const Connection& connection, const Peer* of) const {
  if (loop_->now() - connection.accepted_at() < context_.options.slow_after) return false;
  return !of || ConnectionCounts::are_same(of->counted(), connection.peer().counted());
}

Connection* ConnectionSet::find_longest(Place place, const Peer* of) {
  const auto began_before = loop_->now() - context_.options.slow_after;
  int looked_at = 0;
  auto& list = places_[static_cast<std::size_t>(place)];
  for (auto* found = list.front(); found && looked_at++ < kLookedAtMax; found = List::after(found->place_)) {
    if (place == Place::kArriving && found->placed_at() > began_before) return nullptr;
    if (may_end(*found, of)) return found;
  }
  return nullptr;
}

Connection* ConnectionSet::find_slowest_reader(const Peer* of) {
  Connection* slowest = nullptr;
  double its_rate = std::numeric_limits<double>::infinity();
  int looked_at = 0;
  auto& list = places_[static_cast<std::size_t>(Place::kSending)];
  for (auto* found = list.front(); found && looked_at++ < kLookedAtMax; found = List::after(found->place_)) {
    if (found->placed_at() > loop_->now() - context_.options.slow_after || !may_end(*found, of)) continue;
    const double rate = found->send_rate(loop_->now());
    if (rate >= its_rate) continue;
    slowest = found;
    its_rate = rate;
  }
  return slowest;
}

bool ConnectionSet::make_room(const Peer* of, Room room) {
  if (room == Room::kOfIdle) {
    auto* const idle = find_longest(Place::kIdle, of);
    if (idle) idle->end_for(RoomEnding::kIdle);
    return idle != nullptr;
  }
  if (auto* slow = find_longest(Place::kArriving, of)) {
    slow->end_for(RoomEnding::kSlowRequest);
    return true;
  }
  auto* const slowest = find_slowest_reader(of);
  if (slowest) slowest->end_for(RoomEnding::kSlowReader);
  return slowest != nullptr;
}

void ConnectionSet::put(Connection& connection, Place place) {
  connection.placed_at_ = loop_->now();
  places_[static_cast<std::size_t>(place)].push_back(connection.place_);
}

void ConnectionSet::stop_receiving() {
  for (auto at = connections_.begin(); at != connections_.end();) (at++)->stop_receiving();
}

void ConnectionSet::cut_all() {
  for (auto at = connections_.begin(); at != connections_.end();) (at++)->cut();
}

std::shared_ptr<Exchange> ConnectionSet::new_exchange() {
  if (spare_exchanges_.empty()) {
    spare_exchanges_.push_back(std::make_shared<Exchange>());
    spare_exchanges_.back()->loop = loop_;
  }
  auto exchange = std::move(spare_exchanges_.back());
  spare_exchanges_.pop_back();
  exchange->has_ended = false;
  exchange->caller_has_gone.store(false, std::memory_order_relaxed);
  exchange->allowed_more = {};
  auto& request = exchange->request;
  request.method = Method::kOther;
  request.path.clear();
  request.query.clear();
  request.is_lenient = false;
  request.headers.clear();
  request.body.clear();
  request.route_pattern = {};
  request.route_number = 0;
  request.path_parameters.clear();
  request.arrival.reset();
  request.is_from_proxy = false;
  request.certificate_name.reset();
  request.sign_in.reset();
  request.trace.reset();
  request.caller.reset();
  request.reply_headers.clear();
  request_ids_.next(request.request_id);
  return exchange;
}

void ConnectionSet::take_back(std::shared_ptr<Exchange> exchange) {
  if (exchange.use_count() > 1 || exchange->was_shared || spare_exchanges_.size() >= kSpareExchangesMax)
    return;
  if (exchange->request.body.capacity() > kKeptBodyCapacity) exchange->request.body = {};
  exchange->body_share.release();
  spare_exchanges_.push_back(std::move(exchange));
}

void ConnectionSet::go_on_in_next_turn(Connection& connection) {
  if (!next_turn_.front()) loop_->post([this] { run_next_turn(); });
  next_turn_.push_back(connection.turn_);
}

void ConnectionSet::run_next_turn() {
  List due;
  due.take_all(next_turn_);
  while (auto* connection = due.front()) {
    connection->turn_.unlink();
    connection->go_on();
  }
}

void ConnectionSet::remove(Connection& connection) {
  connection.turn_.unlink();
  loop_->poller().remove(connection.channel_.socket());
  if (removed_.empty()) loop_->at_end_of_turn([this] { removed_.clear(); });
  removed_.splice(removed_.end(), connections_, connection.self_);
}

}  // namespace pixledger::http
