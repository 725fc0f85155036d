#pragma once

#include <Poco/Net/StreamSocket.h>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/http/transport/channel.h"
#include "base/http/transport/connection_limits.h"
#include "base/http/transport/event_loop.h"
#include "base/http/transport/exchange.h"
#include "base/http/transport/message_reader.h"
#include "base/http/transport/reply_bytes.h"
#include "base/http/transport/timer_wheel.h"
#include "base/values/ip_address.h"

namespace pixledger::http {

class ConnectionSet;

// The peer of a connection.
struct Peer {
  std::optional<IpAddress> address;  // absent with a zone (fe80::1%eth0)
  std::string text;                  // the text, if there is no address
  bool is_trusted_proxy = false;

  // The address for the connection limits.
  std::optional<IpAddress> counted() const { return is_trusted_proxy ? std::nullopt : address; }
};

// One connection of a server: reads requests one after the other, dispatches each, and sends its reply.
// Pipelined requests wait in its buffer. It does not read while it processes or sends, so a peer occupies at
// most one request and one reply of memory. Used only on its loop's thread.
class Connection final : public PollHandler {
 public:
  using Clock = EventLoop::Clock;

  Connection(ConnectionSet& set, Poco::Net::StreamSocket socket, Peer peer);
  ~Connection() override;

  void on_ready(SocketReadiness ready) override;
  // Call once it is polled: reads what has already arrived.
  void begin();
  // Replies to the current request; see Responder.
  void answer(Reply reply);
  // See Responder.
  void prepared();
  // A streamed reply has more bytes.
  void go_on() { pump(); }

  // Ends the connection to make room.
  void end_for(RoomEnding ending);
  // Replies 503 and ends; before any request.
  void refuse_newcomer();
  void stop_receiving();
  void cut();

  Clock::time_point accepted_at() const { return accepted_at_; }
  Clock::time_point placed_at() const { return placed_at_; }
  const Peer& peer() const { return peer_; }
  // Bytes per second of the reply that the peer accepted, averaged since sending began.
  double send_rate(Clock::time_point now) const;

 private:
  friend class ConnectionSet;

  enum class Phase {
    kHandshake,
    kIdle,       // nothing of a request has arrived
    kHead,       // a part of the head has arrived
    kPreparing,  // the head is complete; admission needs data that is still missing
    kPrepared,
    kBody,
    kWorking,
    kStreaming,  // the reply is produced while it is sent
    kLingering,  // answered, sending has ended; discards what still arrives
    kClosed
  };
  static constexpr std::chrono::seconds kLookAtWorkEvery{1};

  // Reading.
  void pump();
  void go_on_in_next_turn();
  bool shake_hands();
  bool receive();
  void read_from(std::string_view bytes);
  // These return the number of bytes consumed.
  std::size_t serve_from(std::string_view bytes);
  std::size_t read_head(std::string_view bytes);
  std::size_t judge(std::string_view rest);
  std::size_t admit(std::string_view rest);
  // The refusal of a body of this length.
  std::optional<Refusal> refusal_of_length();
  std::size_t refuse_by_head(Reply reply, std::string_view rest);
  std::size_t read_body(std::string_view bytes);
  std::size_t read_chunks(std::string_view bytes);
  bool is_reading() const {
    return phase_ == Phase::kIdle || phase_ == Phase::kHead || phase_ == Phase::kPrepared ||
           phase_ == Phase::kBody;
  }
  // Whether the handshake or a request has begun and is not complete.
  bool is_arriving() const {
    return phase_ == Phase::kHandshake || phase_ == Phase::kPreparing ||
           (is_reading() && phase_ != Phase::kIdle);
  }
  bool may_serve_more() const;
  void begin_request();
  void refuse(const Refusal& refusal);
  void note_end_of_stream();
  void note_hang_up();
  bool drop_received();

  // Answering.
  using Judge = std::function<std::optional<Reply>(Request&)>;
  std::optional<Reply> refusal_by(const Judge& judge);
  void serve();
  Reply fault_reply(std::string_view what);
  void note_arrival();
  void note_answer(const Reply& reply);
  void note_answer(int status);
  void send_reply(Reply reply);
  void append_body(Reply reply);
  void begin_stream(std::shared_ptr<BodySource> source, BodyFraming framing);
  bool pull_source();
  bool flush();
  void block();
  void unblock();
  std::uint64_t taken() const;
  void give_up();
  void forget_exchange();
  void end();
  void close();
  void uncount();

  // Time.
  void set_deadline(Clock::time_point deadline);
  void on_timer();
  void on_deadline();
  void look_at_work();
  void look_at_reader();
  void enter(Phase phase);
  void set_place();

  ConnectionSet& set_;
  Channel channel_;
  const Peer peer_;
  const Clock::time_point accepted_at_;
  std::list<Connection>::iterator self_;  // in the set's list
  ListHook<Connection> place_{*this};     // the list that says which connections can make room
  ListHook<Connection> turn_{*this};      // the list of connections to continue in the next turn
  Clock::time_point placed_at_;
  Timer timer_;
  Clock::time_point timer_due_{};
  Clock::time_point deadline_{};
  Phase phase_ = Phase::kIdle;

  bool readable_ = true;
  bool writable_ = true;
  bool peer_ended_ = false;
  bool is_counted_ = false;
  bool is_new_ = true;  // before any request
  bool is_pumping_ = false;
  bool is_serving_ = false;  // inside a call of the application
  bool is_blocked_ = false;  // there are bytes to send, and the peer does not accept them
  bool closes_ = false;      // after everything is sent
  bool lingers_ = false;     // then, because the peer may still be sending
  bool chunks_reply_ = false;

  std::string received_;      // not consumed yet
  bool may_parse_ = false;    // may contain a whole request
  bool needs_bytes_ = false;  // cannot continue without more bytes
  Clock::time_point request_began_{};
  Clock::time_point arrived_at_{};
  Clock::time_point prepared_from_{};  // when preparation began, if the request was complete then
  Framing framing_;
  std::optional<ChunkedBody> chunks_;
  std::shared_ptr<Exchange> exchange_;
  std::shared_ptr<Exchange> served_;  // answered while the application still holds it
  int served_this_turn_ = 0;

  std::string out_;  // to send, from out_begin_ on
  std::size_t out_begin_ = 0;
  std::string large_body_;
  std::string_view rest_;  // of a body, to send after out_
  ByteBudget::Share share_;
  std::shared_ptr<BodySource> source_;
  std::uint64_t sent_bytes_ = 0;
  std::uint64_t taken_at_block_ = 0;
  std::uint64_t taken_at_last_look_ = 0;
};

}  // namespace pixledger::http
