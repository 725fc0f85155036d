#include "base/trace/trace_context.h"

#include <algorithm>
#include <vector>

#include "base/platform/sha256.h"
#include "base/text/ascii.h"

namespace pixledger {
namespace {

// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
constexpr std::size_t kTraceIdAt = 3;
constexpr std::size_t kTraceIdSize = 32;
constexpr std::size_t kParentIdAt = 36;
constexpr std::size_t kParentIdSize = 16;
constexpr std::size_t kFlagsAt = 53;
constexpr std::size_t kSize = 55;
constexpr int kSampled = 1;

constexpr std::size_t kMembersMax = 32;
constexpr std::size_t kKeySizeMax = 256;
constexpr std::size_t kTenantSizeMax = 241;
constexpr std::size_t kSystemSizeMax = 14;
constexpr std::size_t kValueSizeMax = 256;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

bool is_lower_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return is_lower_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

bool is_key_part(std::string_view text, std::size_t size_max) {
  return !text.empty() && text.size() <= size_max && std::all_of(text.begin(), text.end(), [](char c) {
    return is_lower(c) || is_ascii_digit(c) || c == '_' || c == '-' || c == '*' || c == '/';
  });
}

// vendor, or tenant@system.
bool is_key(std::string_view text) {
  const auto at = text.find('@');
  if (at == std::string_view::npos) return is_key_part(text, kKeySizeMax) && is_lower(text.front());
  const auto tenant = text.substr(0, at);
  const auto system = text.substr(at + 1);
  return is_key_part(tenant, kTenantSizeMax) &&
         (is_lower(tenant.front()) || is_ascii_digit(tenant.front())) &&
         is_key_part(system, kSystemSizeMax) && is_lower(system.front());
}

bool is_value(std::string_view text) {
  return !text.empty() && text.size() <= kValueSizeMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~' && c != '='; });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The list without blanks around its members and without empty ones; "" if it is invalid.
std::string valid_state(std::string_view list) {
  if (list.size() > kTraceStateBytesMax) return {};
  std::string state;
  std::vector<std::string_view> keys;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    const auto member = trimmed(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
    if (member.empty()) continue;
    const auto equals = std::min(member.find('='), member.size());
    const auto key = member.substr(0, equals);
    if (equals == member.size() || !is_key(key) || !is_value(member.substr(equals + 1))) return {};
    if (std::find(keys.begin(), keys.end(), key) != keys.end() || keys.size() == kMembersMax) return {};
    keys.push_back(key);
    if (!state.empty()) state += ',';
    state += member;
  }
  return state;
}

}  // namespace

std::optional<TraceContext> parse_trace_context(std::string_view traceparent, std::string_view tracestate) {
  if (traceparent.size() < kSize) return std::nullopt;
  const auto version = traceparent.substr(0, kTraceIdAt - 1);
  const auto trace_id = traceparent.substr(kTraceIdAt, kTraceIdSize);
  const auto parent_id = traceparent.substr(kParentIdAt, kParentIdSize);
  const auto flags = traceparent.substr(kFlagsAt, kSize - kFlagsAt);
  for (const auto field : {kTraceIdAt, kParentIdAt, kFlagsAt})
    if (traceparent[field - 1] != '-') return std::nullopt;
  if (!is_lower_hex(version) || version == "ff" || !is_id(trace_id) || !is_id(parent_id) ||
      !is_lower_hex(flags))
    return std::nullopt;
  // A later version may add fields.
  if (traceparent.size() > kSize && (version == "00" || traceparent[kSize] != '-')) return std::nullopt;
  return TraceContext{.trace_id = std::string(trace_id),
                      .parent_id = std::string(parent_id),
                      .is_sampled = (hex_digit(flags[1]) & kSampled) != 0,
                      .state = valid_state(tracestate)};
}

std::string traceparent_of(const TraceContext& context, std::string_view span_id) {
  return "00-" + context.trace_id + '-' + std::string(span_id) + (context.is_sampled ? "-01" : "-00");
}

std::string new_trace_id(Entropy& entropy) { return to_hex(entropy.bytes(kTraceIdSize / 2)); }

std::string new_span_id(Entropy& entropy) { return to_hex(entropy.bytes(kParentIdSize / 2)); }

}  // namespace pixledger
