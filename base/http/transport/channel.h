#pragma once

#include <Poco/Net/StreamSocket.h>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct ssl_st;      // SSL
struct ssl_ctx_st;  // SSL_CTX

namespace pixledger::http {

// What came of a call that does not block.
struct Transfer {
  enum class Kind {
    kDone,    // so many bytes, at least one; or the handshake is over
    kBlocks,  // nothing now: again when the socket is ready
    kEnded,   // the peer sends no more
    kBroken   // nothing can be sent or received any more
  };
  Kind kind;
  std::size_t bytes = 0;
  bool drained = false;  // of a read: there was no more than that
};

// The bytes of one connection, with or without TLS, none of whose calls block. For one thread.
class Channel {
 public:
  // `tls` null: without. The socket is connected and non-blocking.
  Channel(Poco::Net::StreamSocket socket, ssl_ctx_st* tls);
  // The same from a client's side: the server has to show a certificate for `host`, a name or an address,
  // that the context trusts. The handshake may begin once the socket is connected.
  Channel(Poco::Net::StreamSocket socket, ssl_ctx_st* tls, const std::string& host);
  ~Channel();

  bool is_tls() const { return tls_ != nullptr; }
  int socket() const;

  // With TLS, before anything else: kDone once.
  Transfer handshake();
  Transfer read(char* to, std::size_t bytes_max);
  // Reads what nobody wants, TLS or not.
  Transfer drop(char* to, std::size_t bytes_max);
  // `more` follows at once: the kernel may put it into the same packet.
  Transfer write(std::string_view bytes, bool more);
  // What the peer has not acknowledged yet, in bytes (SIOCOUTQ).
  std::size_t unacknowledged() const;
  // Takes back, when the socket is closed, what the peer has not acknowledged, and resets the connection:
  // else the system keeps it for minutes.
  void discard_unacknowledged();
  // Says that no more will be sent; with TLS by its closing alert.
  void end_sending();

 private:
  struct FreeTls {
    void operator()(ssl_st* tls) const;
  };
  Transfer tls_result(int result);
  Transfer receive(char* to, std::size_t bytes_max);

  Poco::Net::StreamSocket socket_;
  std::unique_ptr<ssl_st, FreeTls> tls_;
};

}  // namespace pixledger::http
