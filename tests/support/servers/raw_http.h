#pragma once

#include <Poco/Net/StreamSocket.h>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace pixledger::tests {

struct RawReply {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string head;                            // as received
  std::string body;

  // Returns "" if the header is missing.
  std::string header(const std::string& lower_case_name) const;
};

// A client that sends exactly the bytes it is told, for what no proper client would send.
// Throws std::runtime_error when the peer closes in the middle of a reply or is silent for too long.
class RawConnection {
 public:
  enum class Security { kPlain, kTls };

  // To 127.0.0.1. With TLS the server's certificate is not verified.
  explicit RawConnection(std::uint16_t port, Security security = Security::kPlain);

  void send(std::string_view bytes);
  // No more bytes will come; replies can still be read.
  void finish_sending();

  RawReply read_reply();
  // To HEAD: the head alone, whatever length it states.
  RawReply read_reply_without_body();
  // Of a reply in chunks, read on by read_chunk(), which is empty at its end.
  RawReply read_stream_head() { return read_head(); }
  std::string read_chunk();
  // Until the peer closes.
  std::string read_to_end();
  // Waits until the peer closes; false when it sends something instead.
  bool is_closed_by_peer();

 private:
  RawReply read_head();
  bool receive_more();

  Poco::Net::StreamSocket socket_;
  std::string received_;
};

// One request on a connection of its own.
RawReply exchange(std::uint16_t port, std::string_view bytes);

}  // namespace pixledger::tests
