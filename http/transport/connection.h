#pragma once

#include <Poco/Net/StreamSocket.h>
#include <Poco/Net/TCPServerConnection.h>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/transport/connection_registry.h"
#include "http/transport/reply_budget.h"
#include "http/transport/reply_bytes.h"
#include "http/transport/request_head.h"
#include "http/transport/request_ids.h"
#include "http/transport/server.h"

namespace pixledger::http {

inline constexpr std::string_view kTooManyConnections = "There are too many connections; try again.";

// What all connections of a server share; it outlives them.
struct ServerContext {
  const ServerOptions options;
  const ServerServices services;
  ConnectionRegistry registry;
  ReplyBudget replies{options.reply_bytes_max};
  std::atomic<bool> stopping{false};
  std::atomic<std::uint64_t> refused_connections{0};

  HeadLimits head_limits() const { return {options.head_bytes_max, options.header_count_max}; }
  bool is_tls() const { return !options.tls_cert_file.empty(); }
};

// Serves the requests of one connection, one after the other, on the thread that runs it. Requests that were
// sent ahead (pipelined) wait in its buffer.
class Connection final : public Poco::Net::TCPServerConnection {
 public:
  Connection(const Poco::Net::StreamSocket& socket, ServerContext& context);

  void run() override;

 private:
  // The peer has gone, or is idle, and nothing was asked that could be answered.
  enum class Arrival { kComplete, kRefused, kGone };

  bool serve_one();
  // Nothing of a request is there yet.
  void await_request();
  Arrival receive_head();
  Arrival receive_body();
  Arrival receive_chunks();
  Arrival refuse(const Refusal& refusal);
  // The peer stopped in the middle of a request.
  Arrival refuse_incomplete();

  void begin_request();
  // Once the head is there: who calls, directly or through a trusted proxy.
  void name_caller();
  // Reads more into the buffer; false at the end of the stream.
  bool receive_more();
  std::size_t receive(char* to, std::size_t bytes_max);
  std::string_view buffered() const;

  bool caller_has_gone();
  Reply answer();
  // 503 where the reply would be too much beside what is being sent.
  Reply answer_within_budget();
  Reply answer_or_fault();
  void send_continue();
  enum class Then { kKeepAlive, kClose };
  void send(Reply reply, Then then);
  void send_bytes(std::string_view bytes);
  void close();
  void linger();

  ServerContext& context_;
  ConnectionRegistry::Watch watch_;
  RequestIds request_ids_;
  DateText date_;
  std::optional<domain::IpAddress> peer_;
  bool peer_is_trusted_ = false;
  bool is_new_ = true;  // nothing has been asked yet

  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what was received and not yet used
  std::size_t end_ = 0;

  Request request_;
  Framing framing_;
  Refusal refusal_{};
  std::string reply_bytes_;
  ReplyBudget::Share reply_share_;
};

}  // namespace pixledger::http
