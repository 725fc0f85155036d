#include "workers/banks/api_pix/bank_http.h"

#include <Poco/DateTime.h>
#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeParser.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/SSLException.h>
#include <algorithm>
#include <array>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "base/net/http_client.h"
#include "base/net/http_status.h"
#include "base/process/version.h"
#include "workers/banks/api_pix/bank_credentials.h"
#include "workers/banks/api_pix/tls_fault.h"

namespace pixledger::workers {
namespace {

constexpr BoundedResolver::Limits kQuestions{.questions_max = 32, .of_one_asker_max = 8};

}  // namespace

BankNetwork::BankNetwork(const Resolver& resolver, BankNetworkOptions options)
    : options_(std::move(options)),
      trust_(make_tls_client_context(options_.ca_file)),
      resolver_(resolver, kQuestions) {
  // Certificates that a bank's server leaves out of its chain can be trusted directly, without the authority
  // above.
  X509_STORE_set_flags(SSL_CTX_get_cert_store(trust_->sslContext()), X509_V_FLAG_PARTIAL_CHAIN);
}

std::unique_ptr<BankTransport> BankNetwork::connect(const std::string& certificate_pem,
                                                    const std::string& private_key_pem) {
  return std::make_unique<BankHttp>(*this, certificate_pem, private_key_pem);
}

Poco::Net::Context::Ptr BankNetwork::make_context(const std::string& certificate_pem,
                                                  const std::string& private_key_pem) const {
  auto context = make_trustless_tls_client_context();
  SSL_CTX* const tls = context->sslContext();
  SSL_CTX_set1_cert_store(tls, SSL_CTX_get_cert_store(trust_->sslContext()));
  note_refusals_of(*context);
  if (certificate_pem.empty()) return context;
  const auto chain = read_certificates(certificate_pem);
  const auto key = read_private_key(private_key_pem);
  bool taken = !chain.empty() && key && SSL_CTX_use_certificate(tls, chain.front().get()) == 1;
  for (std::size_t i = 1; taken && i < chain.size(); ++i)
    taken = SSL_CTX_add1_chain_cert(tls, chain[i].get()) == 1;
  taken = taken && SSL_CTX_use_PrivateKey(tls, key.get()) == 1;
  ERR_clear_error();
  if (!taken) throw std::invalid_argument("the client's certificate and key cannot be used");
  return context;
}

namespace {

using std::chrono::steady_clock;

constexpr int kAnswerFieldsMax = 100;

void write_request(Poco::Net::HTTPClientSession& session, const WebhookUrl& url, const HttpCall& call) {
  Poco::Net::HTTPRequest request(call.method, url.path, Poco::Net::HTTPMessage::HTTP_1_1);
  request.set("Host", url.host_header());
  request.set("User-Agent", kUserAgent);
  request.set("Accept", "application/json, application/problem+json");
  if (!call.content_type.empty()) request.setContentType(call.content_type);
  // RFC 9110 §8.6: methods that define a body state its length, even if it is empty.
  if (call.method != "GET" && call.method != "DELETE")
    request.setContentLength64(static_cast<Poco::Int64>(call.body.size()));
  for (const auto& [name, value] : call.headers) request.set(name, value);
  session.sendRequest(request) << call.body << std::flush;
}

std::optional<Timestamp> date_of(const Poco::Net::HTTPResponse& response) {
  Poco::DateTime date;
  int zone = 0;
  const auto text = response.get("Date", "");
  if (!Poco::DateTimeParser::tryParse(Poco::DateTimeFormat::HTTP_FORMAT, text, date, zone))
    return std::nullopt;
  return Timestamp(date.timestamp().epochMicroseconds() / 1000);
}

// The bank rejected the client's certificate. In TLS 1.3 the client learns of it only after it has sent its
// request, which was never processed (RFC 8446 §6.2).
bool refuses_our_certificate(const Poco::Exception& error) {
  if (dynamic_cast<const Poco::Net::SSLException*>(&error) == nullptr) return false;
  constexpr std::array<std::string_view, 6> kAlerts{
      "alert certificate required", "alert bad certificate",     "alert unknown ca",
      "alert certificate expired",  "alert certificate revoked", "alert certificate unknown",
  };
  const auto text = error.displayText();
  return std::any_of(kAlerts.begin(), kAlerts.end(),
                     [&](std::string_view alert) { return text.find(alert) != std::string::npos; });
}

// Returns why TLS failed, and adds to `failure` what was wrong with the bank's certificates.
TlsFault tls_fault_in(const Poco::Exception& error, std::string& failure) {
  if (dynamic_cast<const Poco::Net::CertificateValidationException*>(&error) != nullptr &&
      last_refusal().code == 0)
    return TlsFault::kOtherName;
  const auto fault = tls_fault_of(error.displayText(), last_refusal());
  if (last_refusal().code != 0) failure += ": " + to_string(last_refusal());
  return fault;
}

}  // namespace

// The progress of a call.
struct BankHttp::Progress {
  bool sent = false;      // the first byte may have left
  bool complete = false;  // the answer was read to its end
  std::optional<Answered> answer;
};

BankHttp::BankHttp(BankNetwork& network, const std::string& certificate_pem,
                   const std::string& private_key_pem)
    : network_(network),
      pool_(network.make_context(certificate_pem, private_key_pem), network.options().connect_timeout) {}

CallResult BankHttp::call(const HttpCall& call) {
  const auto deadline = steady_clock::now() + network_.options().call_timeout;
  auto resolved = resolve(call.url, deadline);
  if (auto* const failed = std::get_if<NotSent>(&resolved)) return std::move(*failed);
  const auto& target = std::get<PinnedTarget>(resolved);

  Progress progress;
  std::string failure;
  auto fault = TlsFault::kNone;
  forget_refusal();
  {
    DeadlineWatch::Watched watched(network_.watch(), deadline);
    try {
      attempt(target, call, watched, progress);
    } catch (const Poco::Exception& error) {
      failure = watched.expired() ? "timeout" : describe_failure(error);
      if (!watched.expired()) fault = tls_fault_in(error, failure);
      if (!progress.answer && refuses_our_certificate(error))
        return NotSent{"the bank refused the client's certificate", true};
    } catch (const std::exception& error) {
      failure = printable_failure(error.what());  // out of descriptors or memory
    }
  }
  if (!progress.sent) return NotSent{failure, false, fault};
  if (!progress.answer) return OutcomeUnknown{failure};
  if (progress.complete || progress.answer->status >= kBadRequest) return *std::move(progress.answer);
  const bool too_long = progress.answer->body.size() > kBankAnswerBytesMax;
  return OutcomeUnknown{too_long ? "the answer is longer than 8 MiB"
                                 : "the answer broke off" + (failure.empty() ? "" : ": " + failure)};
}

std::variant<PinnedTarget, NotSent> BankHttp::resolve(std::string_view url,
                                                      steady_clock::time_point deadline) {
  if (auto problem = problem_of_bank_url(url, network_.options().allow_http))
    return NotSent{"the URL " + *std::move(problem)};
  PinnedTarget target{std::get<WebhookUrl>(parse_webhook_url(url)), {}};
  if (const auto address = target.url.address()) {
    target.addresses.push_back(*address);
    return target;
  }
  try {
    target.addresses = network_.resolver().resolve(target.url.host, deadline, target.url.host);
  } catch (const ResolveTimeout&) {
    return NotSent{"the name server does not answer"};
  }
  if (target.addresses.empty()) return NotSent{"the host does not resolve to an address"};
  return target;
}

void BankHttp::attempt(const PinnedTarget& target, const HttpCall& call, DeadlineWatch::Watched& watched,
                       Progress& progress) {
  if (auto idle = pool_.take_idle(target)) {
    watched.use_socket(idle->socket.impl()->sockfd());
    try {
      return exchange(std::move(idle), target.url, call, progress);
    } catch (const Poco::Exception& error) {
      const bool repeatable = call.method == "GET" && !progress.answer;
      if (!repeatable || watched.expired() || !was_closed(error)) throw;
    }
  }
  exchange(pool_.open(target, watched), target.url, call, progress);
}

void BankHttp::exchange(std::unique_ptr<TargetConnection> connection, const WebhookUrl& url,
                        const HttpCall& call, Progress& progress) {
  auto& session = *connection->session;
  progress.sent = true;
  write_request(session, url, call);
  Poco::Net::HTTPResponse response;
  response.setFieldLimit(kAnswerFieldsMax);
  auto* body = &session.receiveResponse(response);
  while (is_interim(response.getStatus())) body = &session.receiveResponse(response);
  auto& answer = progress.answer.emplace();
  answer.status = static_cast<int>(response.getStatus());
  answer.retry_after = response.get("Retry-After", "");
  answer.date = date_of(response);
  const bool ended = read_body(*body, kBankAnswerBytesMax, answer.body);
  // A body that ends early looks complete to POCO.
  const bool promised = !response.hasContentLength() ||
                        response.getContentLength64() == static_cast<Poco::Int64>(answer.body.size());
  progress.complete = ended && promised;
  const bool is_http = response.getStatus() != Poco::Net::HTTPResponse::HTTP_SWITCHING_PROTOCOLS;
  if (progress.complete && is_http && response.getKeepAlive() && !session.has_unread())
    pool_.keep(std::move(connection));
}

std::optional<std::string> problem_of_bank_url(std::string_view url, bool allow_http) {
  const auto parsed = parse_webhook_url(url);
  if (const auto* const refused = std::get_if<TargetRefused>(&parsed)) return refused->reason;
  if (!std::get<WebhookUrl>(parsed).https && !allow_http) return "must begin with https://";
  return std::nullopt;
}

}  // namespace pixledger::workers
