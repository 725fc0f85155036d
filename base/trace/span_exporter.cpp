#include "base/trace/span_exporter.h"

#include <algorithm>
#include <fstream>
#include <span>
#include <stdexcept>

#include "base/net/http_status.h"
#include "base/platform/json.h"
#include "base/process/options.h"
#include "base/process/version.h"
#include "base/text/ascii.h"

namespace pixledger {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kConnectMax{1'000};
constexpr std::chrono::milliseconds kPostMax{2'000};
constexpr std::size_t kResolversMax = 2;
constexpr std::size_t kAnswerBytesMax = 4 * 1024;
constexpr std::string_view kPath = "/v1/traces";
constexpr int kStatusError = 2;

WebhookUrl url_of(const OtlpOptions& options) {
  const auto url = HttpUrl::parse(options.endpoint).value();
  return {.https = url.is_tls,
          .host = url.host,
          .port = url.port,
          .path = url.path.ends_with(kPath) ? url.path : url.path + std::string(kPath)};
}

bool is_header(std::string_view name, std::string_view value) {
  const auto is_name = [](char c) { return is_ascii_alnum(c) || c == '-' || c == '_'; };
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  return !name.empty() && !value.empty() && std::all_of(name.begin(), name.end(), is_name) &&
         std::all_of(value.begin(), value.end(), is_printable);
}

// One "Name: value" a line.
std::vector<std::pair<std::string, std::string>> read_headers(const std::string& file) {
  std::vector<std::pair<std::string, std::string>> headers;
  if (file.empty()) return headers;
  std::ifstream stream(file);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const auto colon = std::min(line.find(':'), line.size());
    const auto value = line.find_first_not_of(' ', std::min(colon + 1, line.size()));
    std::pair<std::string, std::string> header{line.substr(0, colon),
                                               value == std::string::npos ? "" : line.substr(value)};
    if (!is_header(header.first, header.second))
      throw UsageError("--otlp-headers-file: line " + std::to_string(number) + " of " + file +
                       " must be NAME: VALUE in printable ASCII");
    headers.push_back(std::move(header));
  }
  if (!stream.eof()) throw UsageError("--otlp-headers-file: " + file + " cannot be read");
  return headers;
}

void write_attribute(Json& json, std::string_view key, const std::variant<std::string, std::int64_t>& value) {
  json.begin_object().field("key", key).key("value").begin_object();
  if (const auto* const text = std::get_if<std::string>(&value))
    json.field("stringValue", *text);
  else
    json.field("intValue", std::to_string(std::get<std::int64_t>(value)));
  json.end_object().end_object();
}

}  // namespace

std::string otlp_json(std::string_view service, const std::vector<Span>& spans, std::int64_t unix_ns,
                      Span::Time steady) {
  const auto time_of = [&](Span::Time time) {
    return std::to_string(unix_ns + std::chrono::nanoseconds(time - steady).count());
  };
  Json json;
  json.begin_object().key("resourceSpans").begin_array().begin_object();
  json.key("resource").begin_object().key("attributes").begin_array();
  write_attribute(json, "service.name", std::string(service));
  json.end_array().end_object();
  json.key("scopeSpans").begin_array().begin_object();
  json.key("scope").begin_object().field("name", "pixledger").field("version", kReleaseVersion).end_object();
  json.key("spans").begin_array();
  for (const auto& span : spans) {
    json.begin_object().field("traceId", span.trace_id).field("spanId", span.id);
    if (!span.parent_id.empty()) json.field("parentSpanId", span.parent_id);
    json.field("name", span.name)
        .field("kind", static_cast<int>(span.kind))
        .field("startTimeUnixNano", time_of(span.began))
        .field("endTimeUnixNano", time_of(span.ended));
    json.key("attributes").begin_array();
    for (const auto& attribute : span.attributes) write_attribute(json, attribute.key, attribute.value);
    json.end_array();
    if (span.has_failed) json.key("status").begin_object().field("code", kStatusError).end_object();
    json.end_object();
  }
  json.end_array().end_object().end_array().end_object().end_array().end_object();
  return json.take();
}

SpanExporter::SpanExporter(const OtlpOptions& options, std::string service, const Clock& clock,
                           Entropy& entropy, Logger& logger)
    : service_(std::move(service)),
      clock_(clock),
      entropy_(entropy),
      logger_(logger),
      url_(url_of(options)),
      headers_(read_headers(options.headers_file)),
      sample_(options.sample),
      resolver_(system_resolver_, kResolversMax),
      client_(watch_, make_tls_client_context({}), kConnectMax),
      poster_(std::make_unique<Periodic>(kEvery, kEvery, [this] {
        while (post_waiting()) continue;
      })) {}

SpanExporter::~SpanExporter() {
  poster_.reset();
  while (took_last_ && post_waiting()) continue;
}

std::unique_ptr<SpanExporter> SpanExporter::open(const OtlpOptions& options, std::string service,
                                                 const Clock& clock, Entropy& entropy, Logger& logger) {
  if (options.endpoint.empty()) return nullptr;
  return std::make_unique<SpanExporter>(options, std::move(service), clock, entropy, logger);
}

void SpanExporter::add(Span span) {
  bool is_post_full = false;
  {
    const std::lock_guard lock(mutex_);
    if (queue_.size() == kQueueSpansMax) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    queue_.push_back(std::move(span));
    is_post_full = queue_.size() == kPostSpans;
  }
  if (is_post_full) poster_->wake();
}

bool SpanExporter::takes_sample() {
  constexpr double kAll = 18'446'744'073'709'551'616.0;  // 2^64
  std::uint64_t dice = 0;
  entropy_.fill(std::as_writable_bytes(std::span(&dice, 1)));
  return static_cast<double>(dice) < sample_ * kAll;
}

std::vector<Span> SpanExporter::take() {
  const std::lock_guard lock(mutex_);
  const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(std::min(queue_.size(), kPostSpans));
  std::vector<Span> spans(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return spans;
}

bool SpanExporter::post_waiting() {
  const auto spans = take();
  if (spans.empty()) return false;
  constexpr std::int64_t kNsPerMs = 1'000'000;
  took_last_ = false;
  try {
    post(otlp_json(service_, spans, clock_.now().millis() * kNsPerMs, steady_clock::now()));
    took_last_ = true;
    sent_.fetch_add(spans.size(), std::memory_order_relaxed);
  } catch (const std::exception& error) {
    dropped_.fetch_add(spans.size(), std::memory_order_relaxed);
    if (fault_due_.due())
      logger_.warning("spans could not be sent, and are dropped",
                      {{"fault", printable_failure(error.what())}});
  }
  return took_last_;
}

void SpanExporter::post(const std::string& body) {
  const auto deadline = steady_clock::now() + kPostMax;
  PinnedTarget target{url_, {}};
  if (const auto address = url_.address())
    target.addresses.push_back(*address);
  else
    target.addresses = resolver_.resolve(url_.host, deadline);
  if (target.addresses.empty()) throw std::runtime_error("the host does not resolve to an address");
  OutgoingRequest request{.method = "POST",
                          .headers = headers_,
                          .body = body,
                          .answer_bytes_max = kAnswerBytesMax,
                          .deadline = deadline,
                          .is_repeatable = true};  // spans have ids
  request.headers.insert(request.headers.end(),
                         {{"User-Agent", kUserAgent}, {"Content-Type", "application/json"}});
  const auto sent = client_.send(target, request);
  if (const auto* const failure = std::get_if<SendFailure>(&sent)) throw std::runtime_error(failure->reason);
  const int status = std::get<IncomingAnswer>(sent).status;
  if (status < kOk || status >= kFirstRedirect)
    throw std::runtime_error("the collector answered HTTP " + std::to_string(status));
}

}  // namespace pixledger
