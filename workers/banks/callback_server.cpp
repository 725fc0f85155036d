#include "workers/banks/callback_server.h"

#include <chrono>
#include <exception>
#include <openssl/crypto.h>
#include <span>
#include <utility>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/transport/exchange.h"
#include "base/http/transport/served_certificate.h"
#include "base/net/http_status.h"
#include "workers/banks/api_pix/bank_answers.h"

namespace pixledger::workers {
namespace {

constexpr std::string_view kNoConnection = "none";

// Compares in constant time.
bool is_secret(std::string_view told, std::string_view secret) {
  return !secret.empty() && told.size() == secret.size() &&
         CRYPTO_memcmp(told.data(), secret.data(), secret.size()) == 0;
}

// "[PREFIX]/<connection>/<secret>[/pix]", as `connection callback register` makes it from any base.
struct CallbackPath {
  std::optional<domain::ConnectionId> connection;
  std::string_view secret;

  explicit CallbackPath(std::string_view path) {
    constexpr std::string_view kSuffix = "/pix";
    if (path.ends_with(kSuffix)) path.remove_suffix(kSuffix.size());
    const auto slash = path.rfind('/');
    if (slash == std::string_view::npos) return;
    secret = path.substr(slash + 1);
    path = path.substr(0, slash);
    const auto before = path.rfind('/');
    if (before != std::string_view::npos) connection = domain::ConnectionId::parse(path.substr(before + 1));
  }
};

}  // namespace

int CallbackHandler::refuse(int status, const std::string& connection, std::string_view result) {
  parts_.meters.on_callback(connection, result);
  if (refusal_due_.due())
    parts_.logger.warning("a callback was refused", {{"connection", connection}, {"result", result}});
  return status;
}

std::optional<int> CallbackHandler::refusal_of(const CallbackHead& head) {
  const CallbackPath path(head.path);
  std::optional<CallbackTerms> terms;
  try {
    if (path.connection) terms = parts_.banks.callback_of(*path.connection);
  } catch (const eventstore::LogUnavailable&) {
    return refuse(kServiceUnavailable, std::string(kNoConnection), "fault");
  }
  if (!terms) return refuse(kNotFound, std::string(kNoConnection), "not_found");
  const auto& connection = path.connection->text();
  if (!is_secret(path.secret, terms->secret)) return refuse(kNotFound, connection, "not_found");
  if (head.method != "POST") return refuse(kMethodNotAllowed, connection, "wrong_method");
  if (terms->cn && *terms->cn != head.cn) return refuse(kForbidden, connection, "wrong_certificate");
  return std::nullopt;
}

int CallbackHandler::store(const std::string& path, const std::string& body) {
  const auto id = CallbackPath(path).connection.value();
  const auto& connection = id.text();
  const auto payments = read_callback(body);
  if (!payments) return refuse(kBadRequest, connection, "no_json");
  if (payments->empty()) {
    parts_.meters.on_callback(connection, "empty");
    return kOk;
  }
  if (const auto fault = keep(id, *payments)) return refuse(kServiceUnavailable, connection, *fault);
  parts_.meters.on_callback(connection, "stored");
  parts_.when_kept();
  return kOk;
}

void CallbackHandler::note_too_large(const std::string& path) {
  refuse(kTooLarge, CallbackPath(path).connection.value().text(), "too_large");
}

void CallbackHandler::note_failed(std::string_view result) {
  parts_.meters.on_callback(std::string(kNoConnection), result);
}

// Stores the payments before the answer, as the bank may not call again. Returns why that failed, or nullopt.
std::optional<std::string_view> CallbackHandler::keep(const domain::ConnectionId& connection,
                                                      const std::vector<domain::EndToEndId>& ids) {
  const auto now = parts_.clock.now();
  try {
    if (!parts_.database.keep_payments(connection, ids, stores::ReadReason::kCalledBack, now, now))
      return "no_room";
    parts_.database.note_called_back(connection, now);
    return std::nullopt;
  } catch (const std::exception&) {
    return "fault";
  }
}

namespace {

constexpr std::chrono::milliseconds kSilenceMax{10'000};
// A loop waits for the disk when it stores, which databases do one at a time anyway; others go on reading.
constexpr std::size_t kLoops = 4;
constexpr std::string_view kPlainText = "text/plain";

http::ServerOptions server_options(const CallbackServerOptions& options) {
  http::ServerOptions given;
  given.host = options.listen.host;
  given.port = options.listen.port;
  given.loops = kLoops;
  given.max_connections = CallbackServer::kCallsMax;
  given.max_connections_per_address = CallbackServer::kOfAddressMax;
  given.slow_after = std::chrono::milliseconds(0);
  given.idle_timeout = kSilenceMax;
  given.head_deadline = kSilenceMax;
  given.request_deadline = kSilenceMax;
  given.body_bytes_max = kCallbackBytesMax;
  given.tls_cert_file = options.tls.certificate;
  given.tls_key_file = options.tls.key;
  given.tls_client_ca_files = options.tls.client_cas;
  given.trusted_proxies = options.proxies;
  given.proxies_may_omit_tls = true;
  return given;
}

// Returns the common name of the caller's certificate, or nullopt if none was verified: what the connection
// showed, or what a proxy reports. The proxy's headers are ignored from any other peer.
std::optional<std::string> verified_name(const http::Request& request) {
  if (request.certificate_name || !request.is_from_proxy) return request.certificate_name;
  // If a header occurs twice, one may be the caller's own.
  const auto only = [&](std::string_view name) {
    return request.headers.count(name) == 1 ? request.headers.find(name).value_or("") : std::string_view();
  };
  if (only("X-Client-Cert-Verified") != "SUCCESS") return std::nullopt;
  return std::string(only("X-Client-Cert-CN"));
}

http::Reply reply(int status) { return {.status = status, .body = {}, .content_type = kPlainText}; }

}  // namespace

CallbackServer::CallbackServer(const CallbackServerOptions& options, CallbackHandler& handler,
                               const Clock& clock, Entropy& entropy)
    : handler_(handler), server_(server_options(options), services(clock, entropy)) {
  server_.begin_draining();  // one request a connection
  server_.start();
}

http::ServerServices CallbackServer::services(const Clock& clock, Entropy& entropy) {
  http::ServerServices services;
  services.admit = [this](http::Request& request) -> std::optional<http::Reply> {
    auto name = verified_name(request);
    if (!name) {
      handler_.note_failed("no_certificate");
      return reply(kForbidden);
    }
    const auto refusal = handler_.refusal_of({.method = std::string(http::method_name(request.method)),
                                              .path = request.path,
                                              .cn = *std::move(name)});
    if (!refusal) return std::nullopt;
    return reply(*refusal);
  };
  services.application = [this](const http::Responder& responder) {
    const auto& request = responder.request();
    responder(reply(handler_.store(request.path, request.body)));
  };
  services.entropy = [&entropy](std::span<std::byte> bytes) { entropy.fill(bytes); };
  services.unix_time_s = [&clock] { return clock.now().millis() / 1000; };
  services.log_fault = [this](const http::Request&, std::string_view) { handler_.note_failed("fault"); };
  services.observer = this;
  return services;
}

void CallbackServer::request_refused(const http::Request& request, int status) {
  // Only accepted heads may have a body, so the path is a connection's.
  if (status == kTooLarge) return handler_.note_too_large(request.path);
  // It took another's room, or got none.
  handler_.note_failed(status == kServiceUnavailable ? "no_room" : "broken_off");
}

std::optional<Timestamp> CallbackServer::read_anew() {
  auto* const certificate = server_.certificate();
  if (!certificate) return std::nullopt;
  certificate->read_anew();
  return Timestamp(certificate->ends_at_unix_s() * 1000);
}

void CallbackServer::stop() { server_.stop(std::chrono::milliseconds(0)); }

}  // namespace pixledger::workers
