#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/net/deadline_watch.h"
#include "base/net/http_client.h"
#include "base/net/http_url.h"
#include "base/net/resolver.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/periodic.h"
#include "base/process/logging.h"
#include "base/process/service_options.h"
#include "base/trace/trace_context.h"

namespace pixledger {

// Numbered as in OTLP.
enum class SpanKind { kInternal = 1, kServer = 2, kClient = 3 };

// One of the attributes that docs/how-to/operate/traces.md lists, which hold no personal data.
struct SpanAttribute {
  std::string_view key;  // a literal
  std::variant<std::string, std::int64_t> value;
};

// An operation that has ended.
struct Span {
  using Time = std::chrono::steady_clock::time_point;

  std::string trace_id;
  std::string id;
  std::string parent_id;  // empty: it begins the trace
  std::string name;
  SpanKind kind;
  Time began;
  Time ended;
  std::vector<SpanAttribute> attributes;
  bool has_failed = false;
};

// The body of a post: OTLP 1.x in JSON. `unix_ns` tells when the steady clock showed `steady`.
std::string otlp_json(std::string_view service, const std::vector<Span>& spans, std::int64_t unix_ns,
                      Span::Time steady);

// Sends spans to a collector of OpenTelemetry by OTLP/HTTP, on its own thread, at most kPostSpans a post.
// What does not fit into the queue, and what the collector does not take, is dropped and counted.
// Thread-safe.
class SpanExporter {
 public:
  static constexpr std::size_t kQueueSpansMax = 2'048;
  static constexpr std::size_t kPostSpans = 512;
  static constexpr std::chrono::milliseconds kEvery{5'000};

  // `service`: the program's name. Clock, entropy and logger outlive it. Throws UsageError if the file of
  // headers is unusable. The options must be valid, with an endpoint.
  SpanExporter(const OtlpOptions& options, std::string service, const Clock& clock, Entropy& entropy,
               Logger& logger);
  // Sends what is left if the collector took the last post.
  ~SpanExporter();
  SpanExporter(const SpanExporter&) = delete;
  SpanExporter& operator=(const SpanExporter&) = delete;

  // Null without an endpoint.
  static std::unique_ptr<SpanExporter> open(const OtlpOptions& options, std::string service,
                                            const Clock& clock, Entropy& entropy, Logger& logger);

  // Never blocks.
  void add(Span span);
  // Whether a request that no caller traces is in the sample.
  bool takes_sample();

  // Since the start. A span that waits counts nowhere.
  std::uint64_t sent() const { return sent_.load(std::memory_order_relaxed); }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  std::vector<Span> take();
  // Returns whether the collector took all.
  bool post_waiting();
  void post(const std::string& body);

  const std::string service_;
  const Clock& clock_;
  Entropy& entropy_;
  Logger& logger_;
  WebhookUrl url_;
  const std::vector<std::pair<std::string, std::string>> headers_;
  const double sample_;
  std::atomic<std::uint64_t> sent_{0};
  std::atomic<std::uint64_t> dropped_{0};
  AtMostEvery fault_due_{std::chrono::minutes(10)};
  const SystemResolver system_resolver_;
  BoundedResolver resolver_;
  DeadlineWatch watch_;
  HttpClient client_;
  std::mutex mutex_;
  std::deque<Span> queue_;
  std::atomic<bool> took_last_{false};
  std::unique_ptr<Periodic> poster_;
};

}  // namespace pixledger
