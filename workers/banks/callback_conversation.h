#pragma once

#include <Poco/Net/Context.h>
#include <Poco/Net/StreamSocket.h>
#include <atomic>

#include "workers/banks/callback_desk.h"

namespace Poco::Net {
class HTTPServerRequest;
}

namespace pixledger::workers {

// One request of a bank's, or of somebody who would like to be one, and its answer. Its socket is watched by
// whoever begins it.
class CallbackConversation {
 public:
  // `tls`: null where only proxies may call. `from_proxy`: the socket is that of a proxy, which may speak
  // without TLS and tell of its caller's certificate. `heard` becomes true once the request was read.
  CallbackConversation(CallbackDesk& desk, Poco::Net::Context::Ptr tls, bool from_proxy,
                       std::atomic<bool>& heard)
      : desk_(desk), tls_(std::move(tls)), from_proxy_(from_proxy), heard_(heard) {}

  // Throws Poco::Exception when the caller breaks off, is too slow, or shows no certificate.
  void hold(Poco::Net::StreamSocket socket);

 private:
  struct Identity {
    bool is_verified = false;
    std::string cn{};
  };
  void answer(Poco::Net::StreamSocket& socket, const Identity& identity);
  Identity identity_in(const Poco::Net::HTTPServerRequest& request, const Identity& of_socket) const;

  CallbackDesk& desk_;
  const Poco::Net::Context::Ptr tls_;
  const bool from_proxy_;
  std::atomic<bool>& heard_;
};

}  // namespace pixledger::workers
