#include "workers/banks/api_pix/bank_http.h"

#include <Poco/DateTime.h>
#include <Poco/DateTimeFormat.h>
#include <Poco/DateTimeParser.h>
#include <algorithm>
#include <array>
#include <openssl/err.h>
#include <openssl/ssl.h>
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

OutgoingRequest request_of(const HttpCall& call, steady_clock::time_point deadline) {
  OutgoingRequest request{
      .method = call.method,
      .headers = {{"User-Agent", kUserAgent}, {"Accept", "application/json, application/problem+json"}},
      .body = call.body,
      .answer_bytes_max = kBankAnswerBytesMax,
      .deadline = deadline,
      .is_repeatable = call.method == "GET"};
  if (!call.content_type.empty()) request.headers.emplace_back("Content-Type", call.content_type);
  request.headers.insert(request.headers.end(), call.headers.begin(), call.headers.end());
  return request;
}

std::optional<Timestamp> date_of(const Poco::Net::MessageHeader& headers) {
  Poco::DateTime date;
  int zone = 0;
  const auto text = headers.get("Date", "");
  if (!Poco::DateTimeParser::tryParse(Poco::DateTimeFormat::HTTP_FORMAT, text, date, zone))
    return std::nullopt;
  return Timestamp(date.timestamp().epochMicroseconds() / 1000);
}

// The bank rejected the client's certificate. In TLS 1.3 the client learns of it only after it has sent its
// request, which was never processed (RFC 8446 §6.2).
bool is_our_certificate_refused(const SendFailure& failure) {
  constexpr std::array<std::string_view, 6> kAlerts{
      "alert certificate required", "alert bad certificate",     "alert unknown ca",
      "alert certificate expired",  "alert certificate revoked", "alert certificate unknown",
  };
  return failure.cause == SendFailure::Cause::kTls &&
         std::any_of(kAlerts.begin(), kAlerts.end(),
                     [&](std::string_view alert) { return failure.reason.find(alert) != std::string::npos; });
}

CallResult result_of(const SendFailure& failure) {
  if (is_our_certificate_refused(failure)) return NotSent{"the bank refused the client's certificate", true};
  const auto& refusal = last_refusal();  // what was wrong with the bank's certificates
  const auto reason = failure.reason + (refusal.code == 0 ? "" : ": " + to_string(refusal));
  if (failure.was_sent) return OutcomeUnknown{reason};
  const bool is_other_name = failure.cause == SendFailure::Cause::kCertificate && refusal.code == 0;
  return NotSent{reason, false, is_other_name ? TlsFault::kOtherName : tls_fault_of(failure.reason, refusal)};
}

CallResult result_of(IncomingAnswer answer) {
  using Body = IncomingAnswer::Body;
  if (answer.status < kBadRequest && answer.body_state == Body::kTooLong)
    return OutcomeUnknown{"the answer is longer than 8 MiB"};
  if (answer.status < kBadRequest && answer.body_state == Body::kBrokenOff)
    return OutcomeUnknown{"the answer broke off"};
  return Answered{answer.status, std::move(answer.body), answer.headers.get("Retry-After", ""),
                  date_of(answer.headers)};
}

}  // namespace

BankHttp::BankHttp(BankNetwork& network, const std::string& certificate_pem,
                   const std::string& private_key_pem)
    : network_(network),
      client_(network.watch(), network.make_context(certificate_pem, private_key_pem),
              network.options().connect_timeout) {}

CallResult BankHttp::call(const HttpCall& call) {
  const auto deadline = steady_clock::now() + network_.options().call_timeout;
  auto resolved = resolve(call.url, deadline);
  if (auto* const failed = std::get_if<NotSent>(&resolved)) return std::move(*failed);
  forget_refusal();
  auto sent = client_.send(std::get<PinnedTarget>(resolved), request_of(call, deadline));
  return std::visit([](auto& result) { return result_of(std::move(result)); }, sent);
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

std::optional<std::string> problem_of_bank_url(std::string_view url, bool allow_http) {
  const auto parsed = parse_webhook_url(url);
  if (const auto* const refused = std::get_if<TargetRefused>(&parsed)) return refused->reason;
  if (!std::get<WebhookUrl>(parsed).https && !allow_http) return "must begin with https://";
  return std::nullopt;
}

}  // namespace pixledger::workers
