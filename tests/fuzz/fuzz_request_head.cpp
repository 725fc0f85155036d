#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/http/transport/message_reader.h"

// The request line and headers. A head that is accepted has a path, and its length is what was measured.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pixledger::http;
  constexpr HeadLimits kLimits{16 * 1024, 64};
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto end = find_head_end(bytes, kLimits);
  assert(end.head_bytes <= bytes.size());
  if (end.refusal || end.head_bytes == 0) return 0;
  Request request;
  Framing framing;
  if (parse_head(std::string_view(bytes).substr(0, end.head_bytes), kLimits, request, framing)) return 0;
  assert(!request.path.empty());
  assert(!(framing.chunked && framing.content_bytes != 0));
  return 0;
}
