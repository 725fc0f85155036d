#include "tests/support/servers/https_receiver.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerParams.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerRequestImpl.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/RejectCertificateHandler.h>
#include <Poco/Net/SecureServerSocket.h>
#include <Poco/StreamCopier.h>
#include <Poco/String.h>
#include <chrono>

namespace pixledger::tests {
namespace {

constexpr std::chrono::seconds kPatience{20};
constexpr int kThreads = 64;

Poco::Net::HTTPServerParams::Ptr server_params() {
  Poco::Net::HTTPServerParams::Ptr params = new Poco::Net::HTTPServerParams;
  params->setKeepAlive(true);
  params->setMaxThreads(kThreads);
  return params;
}

// `client_ca_file`: empty if clients need no certificate.
Poco::Net::Context::Ptr server_context(const CertificateFiles& certificate,
                                       const std::string& client_ca_file) {
  Poco::Net::Context::Params params;
  params.privateKeyFile = certificate.key_file;
  params.certificateFile = certificate.cert_file;
  params.caLocation = client_ca_file;
  params.verificationMode =
      client_ca_file.empty() ? Poco::Net::Context::VERIFY_NONE : Poco::Net::Context::VERIFY_STRICT;
  Poco::Net::Context::Ptr context = new Poco::Net::Context(Poco::Net::Context::TLS_SERVER_USE, params);
  context->enableExtendedCertificateVerification(false);  // a client's certificate names no host
  context->setInvalidCertificateHandler(new Poco::Net::RejectCertificateHandler(true));
  return context;
}

Poco::Net::SocketAddress any_port() { return {"127.0.0.1", 0}; }

// A listening socket of each kind.
Poco::Net::ServerSocket tls_socket(const CertificateFiles& certificate, const std::string& client_ca_file) {
  return Poco::Net::SecureServerSocket(any_port(), 64, server_context(certificate, client_ca_file));
}
Poco::Net::ServerSocket plain_socket() { return Poco::Net::ServerSocket(any_port()); }

}  // namespace

class ReceiverHandler final : public Poco::Net::HTTPRequestHandler {
 public:
  explicit ReceiverHandler(HttpsReceiver& receiver) : receiver_(receiver) {}

  void handleRequest(Poco::Net::HTTPServerRequest& request,
                     Poco::Net::HTTPServerResponse& response) override {
    ReceivedWebhook webhook;
    webhook.method = request.getMethod();
    webhook.path = request.getURI();
    for (const auto& [name, value] : request) webhook.headers[Poco::toLower(name)] = value;
    Poco::StreamCopier::copyToString(request.stream(), webhook.body);
    const auto answer = receiver_.answer(std::move(webhook));
    if (answer.never) return;
    response.setStatus(static_cast<Poco::Net::HTTPResponse::HTTPStatus>(answer.status));
    for (const auto& [name, value] : answer.headers) response.set(name, value);
    auto& socket = static_cast<Poco::Net::HTTPServerRequestImpl&>(request).socket();
    if (answer.broken_off && answer.body.empty()) return socket.shutdown();
    response.setContentLength(static_cast<std::streamsize>(answer.body.size() + (answer.broken_off ? 1 : 0)));
    response.send() << answer.body << std::flush;
    if (answer.broken_off) socket.shutdown();
  }

 private:
  HttpsReceiver& receiver_;
};

namespace {

class HandlerFactory final : public Poco::Net::HTTPRequestHandlerFactory {
 public:
  explicit HandlerFactory(HttpsReceiver& receiver) : receiver_(receiver) {}
  Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest&) override {
    return new ReceiverHandler(receiver_);
  }

 private:
  HttpsReceiver& receiver_;
};

}  // namespace

HttpsReceiver::HttpsReceiver(const CertificateFiles& certificate, Script script)
    : HttpsReceiver(certificate, "", std::move(script)) {}

HttpsReceiver::HttpsReceiver(const CertificateFiles& certificate, const std::string& client_ca_file,
                             Script script)
    : script_(std::move(script)),
      server_(std::make_unique<Poco::Net::HTTPServer>(
          new HandlerFactory(*this), tls_socket(certificate, client_ca_file), server_params())) {
  server_->start();
}

HttpsReceiver::HttpsReceiver(Script script)
    : script_(std::move(script)),
      server_(std::make_unique<Poco::Net::HTTPServer>(new HandlerFactory(*this), plain_socket(),
                                                      server_params())) {
  server_->start();
}

HttpsReceiver::~HttpsReceiver() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  server_->stopAll(true);
}

std::uint16_t HttpsReceiver::port() const { return server_->port(); }

int HttpsReceiver::connections() const { return server_->totalConnections(); }

ReceiverAnswer HttpsReceiver::answer(ReceivedWebhook webhook) {
  std::size_t nth = 0;
  {
    const std::lock_guard lock(mutex_);
    received_.push_back(webhook);
    nth = received_.size();
  }
  changed_.notify_all();
  const auto answer = script_ ? script_(webhook, nth) : ReceiverAnswer{};
  if (answer.never) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ending_; });
  }
  return answer;
}

std::vector<ReceivedWebhook> HttpsReceiver::wait_for(std::size_t count) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kPatience, [&] { return received_.size() >= count; });
  return received_;
}

std::vector<ReceivedWebhook> HttpsReceiver::received() const {
  const std::lock_guard lock(mutex_);
  return received_;
}

}  // namespace pixledger::tests
