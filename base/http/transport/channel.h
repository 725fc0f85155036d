#pragma once

#include <Poco/Net/StreamSocket.h>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct ssl_st;      // SSL
struct ssl_ctx_st;  // SSL_CTX

namespace pixledger::http {

// The result of a non-blocking call.
struct Transfer {
  enum class Kind {
    kDone,    // `bytes` bytes, at least one; or the handshake is complete
    kBlocks,  // retry when the socket is ready
    kEnded,   // the peer sends no more
    kBroken   // the connection is unusable
  };
  Kind kind;
  std::size_t bytes = 0;
  bool drained = false;  // for a read: no more bytes were available
};

// The byte stream of one connection, with or without TLS. No call blocks. Not thread-safe.
class Channel {
 public:
  // `tls` null: plain. The socket must be connected and non-blocking.
  Channel(Poco::Net::StreamSocket socket, ssl_ctx_st* tls);
  // The client's side: the server must present a certificate for `host`, a name or an address, that the
  // context trusts. The handshake may begin once the socket is connected.
  Channel(Poco::Net::StreamSocket socket, ssl_ctx_st* tls, const std::string& host);
  ~Channel();

  bool is_tls() const { return tls_ != nullptr; }
  // The peer may begin without TLS: the handshake then only looks at its first byte.
  void allow_plain() { may_be_plain_ = true; }
  // The common name of the peer's verified certificate, possibly empty. nullopt without a certificate.
  std::optional<std::string> peer_name() const;
  int socket() const;

  // With TLS, call first until it returns kDone.
  Transfer handshake();
  Transfer read(char* to, std::size_t bytes_max);
  // Reads and discards bytes below TLS.
  Transfer drop(char* to, std::size_t bytes_max);
  // `more`: further bytes follow at once, so the kernel may merge packets.
  Transfer write(std::string_view bytes, bool more);
  // Bytes that the peer has not acknowledged (SIOCOUTQ).
  std::size_t unacknowledged() const;
  // Makes closing the socket discard unacknowledged bytes and reset the connection. Otherwise the system
  // keeps them for minutes.
  void discard_unacknowledged();
  // Ends the sending direction; with TLS after a close alert.
  void end_sending();

 private:
  struct FreeTls {
    void operator()(ssl_st* tls) const;
  };
  Transfer tls_result(int result);
  Transfer receive(char* to, std::size_t bytes_max);

  Poco::Net::StreamSocket socket_;
  std::unique_ptr<ssl_st, FreeTls> tls_;
  bool may_be_plain_ = false;
};

}  // namespace pixledger::http
