#include "tools/commands/webhook_receiver.h"

#include <Poco/Net/HTTPRequestHandler.h>
#include <Poco/Net/HTTPRequestHandlerFactory.h>
#include <Poco/Net/HTTPServer.h>
#include <Poco/Net/HTTPServerRequest.h>
#include <Poco/Net/HTTPServerResponse.h>
#include <Poco/Net/NetException.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <array>
#include <atomic>
#include <istream>
#include <mutex>
#include <sstream>
#include <stdexcept>

#include "base/platform/sha256.h"
#include "stores/deliveries/webhook_signature.h"

namespace pixledger::tools {
namespace {

constexpr std::size_t kWebhookBytesMax = 1024 * 1024;

// What was sent must not move the terminal's cursor.
std::string printable(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = ' ';
  }
  return text;
}

std::string read_webhook(std::istream& input) {
  std::string body;
  std::array<char, 4096> chunk{};
  while (body.size() <= kWebhookBytesMax && (input.read(chunk.data(), chunk.size()) || input.gcount() > 0)) {
    body.append(chunk.data(), static_cast<std::size_t>(input.gcount()));
  }
  if (body.size() > kWebhookBytesMax) throw std::runtime_error("the body is too large");
  return body;
}

struct Shared {
  Shared(const std::string& secret, const Clock& its_clock, std::ostream& its_out)
      : key(secret), clock(its_clock), out(its_out) {}

  const HmacSha256 key;
  const Clock& clock;
  std::ostream& out;
  std::mutex out_mutex;
  std::atomic<std::uint64_t> valid{0};
  std::atomic<std::uint64_t> invalid{0};
};

class Handler final : public Poco::Net::HTTPRequestHandler {
 public:
  explicit Handler(Shared& shared) : shared_(shared) {}

  void handleRequest(Poco::Net::HTTPServerRequest& request,
                     Poco::Net::HTTPServerResponse& response) override {
    response.setKeepAlive(false);
    const std::string body = read_webhook(request.stream());
    const bool valid = is_signed(request, body);
    print(request, body, valid);
    using Poco::Net::HTTPResponse;
    response.setStatusAndReason(valid ? HTTPResponse::HTTP_OK : HTTPResponse::HTTP_UNAUTHORIZED);
    response.setContentLength(0);
    response.send().flush();
    ++(valid ? shared_.valid : shared_.invalid);
  }

 private:
  // During a rotation's grace the old secrets and the new one are all right.
  bool is_signed(const Poco::Net::HTTPServerRequest& request, const std::string& body) const {
    const auto verifies = [&](const char* header) {
      std::istringstream signatures(request.get(header, ""));
      for (std::string signature; signatures >> signature;) {
        if (stores::verify_webhook(signature, shared_.key, body, shared_.clock.now())) return true;
      }
      return false;
    };
    return verifies("X-Webhook-Signature") || verifies("X-Webhook-Signature-Next") ||
           verifies("X-Webhook-Signature-Between");
  }

  void print(const Poco::Net::HTTPServerRequest& request, const std::string& body, bool valid) {
    const std::lock_guard lock(shared_.out_mutex);
    shared_.out << "webhook " << printable(request.get("X-Webhook-Event", "(no event)")) << ", attempt "
                << printable(request.get("X-Webhook-Attempt", "?")) << ", id "
                << printable(request.get("X-Webhook-Id", "?"))
                << "\nsignature: " << (valid ? "valid" : "invalid") << "\n"
                << printable(body) << "\n"
                << std::flush;
  }

  Shared& shared_;
};

class Factory final : public Poco::Net::HTTPRequestHandlerFactory {
 public:
  explicit Factory(Shared& shared) : shared_(shared) {}
  Poco::Net::HTTPRequestHandler* createRequestHandler(const Poco::Net::HTTPServerRequest&) override {
    return new Handler(shared_);
  }

 private:
  Shared& shared_;
};

Poco::Net::ServerSocket listen_on(const HostPort& listen) {
  try {
    return Poco::Net::ServerSocket(Poco::Net::SocketAddress(listen.host, listen.port));
  } catch (const Poco::Exception& error) {
    throw std::runtime_error("cannot listen on " + listen.text() + ": " + error.displayText());
  }
}

}  // namespace

class WebhookReceiver::Impl {
 public:
  Impl(const HostPort& listen, const std::string& secret, const Clock& clock, std::ostream& out)
      : shared_(secret, clock, out),
        socket_(listen_on(listen)),
        server_(new Factory(shared_), socket_, new Poco::Net::HTTPServerParams) {
    server_.start();
  }
  ~Impl() { server_.stopAll(true); }

  std::uint16_t port() const { return socket_.address().port(); }
  const Shared& shared() const { return shared_; }

 private:
  Shared shared_;
  Poco::Net::ServerSocket socket_;
  Poco::Net::HTTPServer server_;
};

WebhookReceiver::WebhookReceiver(const HostPort& listen, const std::string& secret, const Clock& clock,
                                 std::ostream& out)
    : impl_(std::make_unique<Impl>(listen, secret, clock, out)) {}

WebhookReceiver::~WebhookReceiver() = default;

std::uint16_t WebhookReceiver::port() const { return impl_->port(); }
std::uint64_t WebhookReceiver::valid() const { return impl_->shared().valid; }
std::uint64_t WebhookReceiver::invalid() const { return impl_->shared().invalid; }

}  // namespace pixledger::tools
