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

// A client that sends exactly the given bytes, for requests that no proper client sends.
// Throws std::runtime_error if the peer closes in the middle of a reply or is silent for too long.
class RawConnection {
 public:
  enum class Security { kPlain, kTls };

  // Connects to 127.0.0.1. With TLS the server's certificate is not verified.
  explicit RawConnection(std::uint16_t port, Security security = Security::kPlain);

  void send(std::string_view bytes);
  // Shuts down sending; replies can still be read.
  void finish_sending();

  RawReply read_reply();
  // Reads a reply to HEAD: the head alone, whatever length it states.
  RawReply read_reply_without_body();
  // Reads the head of a chunked reply. read_chunk() reads on, and returns "" at the end.
  RawReply read_stream_head() { return read_head(); }
  std::string read_chunk();
  // Reads until the peer closes.
  std::string read_to_end();
  // Waits until the peer closes. Returns false if it sends something instead.
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
