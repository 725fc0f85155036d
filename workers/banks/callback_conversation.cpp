#include "workers/banks/callback_conversation.h"

#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/HTTPServerResponseImpl.h>
#include <Poco/Net/HTTPServerSession.h>
#include <Poco/Net/SecureStreamSocket.h>
#include <Poco/Net/X509Certificate.h>
#include <Poco/String.h>
#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "base/net/http_status.h"

namespace pixledger::workers {
namespace {

using Poco::Net::HTTPResponse;

constexpr unsigned char kTlsHandshake = 0x16;
constexpr std::chrono::seconds kSilenceMax{10};
// So much of what nobody wants is read, that its sender hears why.
constexpr std::size_t kDrainedMax = 4 * 1024 * 1024;

Poco::Timespan silence_max() { return {static_cast<long>(kSilenceMax.count()), 0}; }

// Whether the caller begins with TLS. Waits for its first byte.
bool speaks_tls(Poco::Net::StreamSocket& socket) {
  unsigned char first = 0;
  socket.setReceiveTimeout(silence_max());
  return socket.impl()->receiveBytes(&first, 1, MSG_PEEK) == 1 && first == kTlsHandshake;
}

// The rest of the request; nullopt: there is too much of it.
std::optional<std::string> read_body(Poco::Net::HTTPServerRequestImpl& request,
                                     Poco::Net::HTTPServerResponseImpl& response) {
  const auto announced = request.getContentLength64();
  if (announced > static_cast<std::int64_t>(kCallbackBytesMax)) return std::nullopt;
  if (request.getExpectContinue()) response.sendContinue();
  std::string body;
  std::array<char, 8192> part{};
  auto& stream = request.stream();
  while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
    body.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (body.size() > kCallbackBytesMax) return std::nullopt;
  }
  if (announced >= 0 && body.size() < static_cast<std::size_t>(announced))
    throw Poco::IOException("the caller broke off");
  return body;
}

void drain(std::istream& stream) {
  std::array<char, 8192> part{};
  for (std::size_t drained = 0; drained < kDrainedMax; drained += part.size()) {
    stream.read(part.data(), part.size());
    if (stream.gcount() == 0) return;
  }
}

}  // namespace

void CallbackConversation::hold(Poco::Net::StreamSocket socket) {
  if (!tls_ || (from_proxy_ && !speaks_tls(socket))) return answer(socket, {});
  auto secure = Poco::Net::SecureStreamSocket::attach(socket, tls_);
  secure.setReceiveTimeout(silence_max());
  secure.setSendTimeout(silence_max());
  secure.completeHandshake();
  answer(secure, {.is_verified = true, .cn = secure.peerCertificate().commonName()});
  secure.shutdown();
}

// A proxy's word on the certificate that its caller has shown. Whoever else writes these headers is not
// asked.
CallbackConversation::Identity CallbackConversation::identity_in(const Poco::Net::HTTPServerRequest& request,
                                                                 const Identity& of_socket) const {
  if (of_socket.is_verified || !from_proxy_) return of_socket;
  // One that came beside the proxy's own is its caller's.
  const auto only = [&](const char* name) {
    std::string value;
    int times = 0;
    for (auto at = request.find(name); at != request.end() && Poco::icompare(at->first, name) == 0; ++at) {
      value = at->second;
      ++times;
    }
    return times == 1 ? value : std::string();
  };
  return {.is_verified = only("X-Client-Cert-Verified") == "SUCCESS", .cn = only("X-Client-Cert-CN")};
}

void CallbackConversation::answer(Poco::Net::StreamSocket& socket, const Identity& of_socket) {
  Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;
  params->setKeepAlive(false);
  params->setTimeout(silence_max());
  Poco::Net::HTTPServerSession session(socket, params);
  Poco::Net::HTTPServerResponseImpl response(session);
  Poco::Net::HTTPServerRequestImpl request(response, session, params);
  response.setVersion(request.getVersion());
  response.setKeepAlive(false);
  const auto identity = identity_in(request, of_socket);
  int status = kForbidden;
  if (identity.is_verified)
    status =
        desk_.answer({.method = request.getMethod(), .target = request.getURI(), .cn = identity.cn}, [&] {
          auto body = read_body(request, response);
          heard_ = true;
          return body;
        });
  else
    desk_.note_failed("no_certificate");
  response.setStatusAndReason(static_cast<HTTPResponse::HTTPStatus>(status));
  response.setContentLength(0);
  response.send().flush();
  drain(request.stream());
}

}  // namespace pixledger::workers
