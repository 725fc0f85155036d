#include "http/front/idempotency.h"

#include <algorithm>

#include "base/http/json/error_reply.h"
#include "base/http/message/percent.h"
#include "base/platform/sha256.h"
#include "http/front/caller.h"

namespace pixledger::http {
namespace {

constexpr std::size_t kKeyBytesMax = 255;
constexpr std::string_view kSeparator("\0", 1);

bool is_well_formed(std::string_view key) {
  return !key.empty() && key.size() <= kKeyBytesMax &&
         std::all_of(key.begin(), key.end(), [](char c) { return c >= 0x20 && c <= 0x7e; });
}

// The same for every spelling that the router takes for the same path.
std::string canonical(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return percent_decode(path, Plus::kIsPlus).value_or(std::string(path));
}

}  // namespace

IdempotencyHeader read_idempotency_key(const Request& request, std::string_view canonical_body) {
  const auto header = request.headers.find("Idempotency-Key");
  if (!header) return std::nullopt;
  if (!is_well_formed(*header) || request.headers.count("Idempotency-Key") != 1)
    return error_reply(
        request, {.status = 400,
                  .code = "ERR_IDEMPOTENCY_001",
                  .message = "Idempotency-Key must be sent once, with 1 to 255 printable ASCII characters."});
  const auto& caller = *request.caller;
  const auto key =
      sha256({caller.project.text(), kSeparator, domain::to_string(caller.environment), kSeparator,
              method_name(request.method), kSeparator, canonical(request.path), kSeparator, *header});
  return eventstore::IdempotencyKey{key, sha256(canonical_body)};
}

}  // namespace pixledger::http
