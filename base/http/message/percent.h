#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pixledger::http {

// What '+' stands for: itself in a path, a blank in a query.
enum class Plus { kIsPlus, kIsBlank };

// Percent-decodes one path segment or query value (RFC 3986 §2.1). Nothing when an escape is broken or the
// bytes are not UTF-8.
std::optional<std::string> percent_decode(std::string_view text, Plus plus);

}  // namespace pixledger::http
