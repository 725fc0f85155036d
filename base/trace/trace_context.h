#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/platform/clock_and_entropy.h"

namespace pixledger {

// The place of an operation in a distributed trace (W3C Trace Context, level 1).
struct TraceContext {
  std::string trace_id;   // 32 lower-case hexadecimal digits, not all 0
  std::string parent_id;  // 16: the span that causes what follows; empty: this begins the trace
  bool is_sampled = false;
  std::string state{};  // the value of `tracestate`; empty: none
  // False: begun here for a sample of requests. Then no other system is told of it.
  bool is_callers = true;
};

// A longer `tracestate` is ignored.
inline constexpr std::size_t kTraceStateBytesMax = 512;

// Parses the headers. Returns nullopt if `traceparent` is invalid. An invalid `tracestate` alone is ignored.
// Of a version after 00 only the part that version 00 defines is read.
std::optional<TraceContext> parse_trace_context(std::string_view traceparent,
                                                std::string_view tracestate = {});

// The value of `traceparent` for what this span causes. Of the flags only `sampled` is passed on.
std::string traceparent_of(const TraceContext& context, std::string_view span_id);

// Random ids.
std::string new_trace_id(Entropy& entropy);
std::string new_span_id(Entropy& entropy);

}  // namespace pixledger
