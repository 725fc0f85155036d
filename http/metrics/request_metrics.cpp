#include "http/metrics/request_metrics.h"

#include <algorithm>
#include <cassert>

#include "http/metrics/metrics_page.h"

namespace pixledger::http {
namespace {

constexpr std::array kKnownStatuses = {200, 201, 202, 204, 400, 401, 403, 404, 405, 408, 409,
                                       413, 414, 415, 422, 424, 429, 431, 499, 500, 503, 505};

constexpr std::array kUnmatchedMethods = {Method::kGet,   Method::kHead,   Method::kPost,    Method::kPut,
                                          Method::kPatch, Method::kDelete, Method::kOptions, Method::kOther};

// Inclusive upper bounds.
constexpr std::array<std::int64_t, 15> kBoundsUs = {100,     250,     500,       1'000,     2'500,
                                                    5'000,   10'000,  25'000,    50'000,    100'000,
                                                    250'000, 500'000, 1'000'000, 2'500'000, 10'000'000};

// Maps a status to its index in kKnownStatuses, or to the index after the last.
constexpr auto kStatusIndex = [] {
  std::array<std::uint8_t, 600> table{};
  for (auto& index : table) index = static_cast<std::uint8_t>(kKnownStatuses.size());
  for (std::size_t i = 0; i < kKnownStatuses.size(); ++i)
    table[static_cast<std::size_t>(kKnownStatuses[i])] = static_cast<std::uint8_t>(i);
  return table;
}();

std::size_t index_of(int status) {
  const auto place = static_cast<std::size_t>(status);
  return place < kStatusIndex.size() ? kStatusIndex[place] : kKnownStatuses.size();
}

void add_one(std::atomic<std::uint64_t>& number) { number.fetch_add(1, std::memory_order_relaxed); }

std::uint64_t read(const std::atomic<std::uint64_t>& number) {
  return number.load(std::memory_order_relaxed);
}

std::string_view method_label(Method method) {
  return method == Method::kOther ? "other" : method_name(method);
}

}  // namespace

RequestMetrics::RequestMetrics(const std::vector<Route>& routes)
    : cells_(std::make_unique<Cell[]>(routes.size() + kUnmatchedMethods.size())), routes_(routes.size()) {
  static_assert(kStatuses == kKnownStatuses.size() + 1 && kBuckets == kBoundsUs.size() + 1);
  for (const Route& route : routes) labels_.push_back({method_name(route.method), route.pattern});
  for (const Method method : kUnmatchedMethods) labels_.push_back({method_label(method), "unmatched"});
}

RequestMetrics::Cell& RequestMetrics::cell_of(const Request& request) {
  if (request.route_number > 0) {
    assert(request.route_number <= routes_);
    return cells_[request.route_number - 1];
  }
  const auto method = std::find(kUnmatchedMethods.begin(), kUnmatchedMethods.end(), request.method);
  return cells_[routes_ + static_cast<std::size_t>(method - kUnmatchedMethods.begin())];
}

void RequestMetrics::request_arrived() { in_flight_.fetch_add(1, std::memory_order_relaxed); }

void RequestMetrics::request_answered(const Request& request, int status, std::chrono::nanoseconds took) {
  in_flight_.fetch_sub(1, std::memory_order_relaxed);
  const auto took_us = (took.count() + 999) / 1000;
  const auto bound = std::lower_bound(kBoundsUs.begin(), kBoundsUs.end(), took_us);
  auto& cell = cell_of(request);
  add_one(cell.by_status[index_of(status)]);
  add_one(cell.by_duration[static_cast<std::size_t>(bound - kBoundsUs.begin())]);
  cell.nanoseconds.fetch_add(static_cast<std::uint64_t>(took.count()), std::memory_order_relaxed);
}

void RequestMetrics::request_refused(const Request& request, int status) {
  add_one(cell_of(request).by_status[index_of(status)]);
}

std::vector<prometheus::MetricFamily> RequestMetrics::Collect() const {
  Families families{Metrics::kHttpRequestsTotal, Metrics::kHttpRequestDurationSeconds};
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    const Cell& cell = cells_[i];
    const std::string method(labels_[i].method), route(labels_[i].route);
    for (std::size_t status = 0; status < kStatuses; ++status) {
      const auto count = read(cell.by_status[status]);
      if (count == 0) continue;
      const bool is_known = status < kKnownStatuses.size();
      families.add(Metrics::kHttpRequestsTotal, static_cast<double>(count),
                   {method, route, is_known ? std::to_string(kKnownStatuses[status]) : "other"});
    }
    std::array<std::uint64_t, kBuckets> counts{};
    std::transform(cell.by_duration.begin(), cell.by_duration.end(), counts.begin(), read);
    if (std::all_of(counts.begin(), counts.end(), [](auto count) { return count == 0; })) continue;
    families.add_histogram(Metrics::kHttpRequestDurationSeconds, kBoundsUs, 1e6, counts,
                           static_cast<double>(read(cell.nanoseconds)) / 1e9, {method, route});
  }
  families.add(Metrics::kHttpRequestsInFlight,
               static_cast<double>(in_flight_.load(std::memory_order_relaxed)));
  return families.take();
}

AccessMetrics::AccessMetrics(prometheus::Registry& registry)
    : rate_limited_live(counter(registry, Metrics::kRateLimitedRequestsTotal, {"live"})),
      rate_limited_test(counter(registry, Metrics::kRateLimitedRequestsTotal, {"test"})),
      failed_authentications(counter(registry, Metrics::kFailedAuthenticationsTotal)),
      limited_failed_authentications(counter(registry, Metrics::kLimitedFailedAuthenticationsTotal)) {}

}  // namespace pixledger::http
