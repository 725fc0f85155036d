#pragma once

#include <string>
#include <string_view>

namespace pixledger::workers {

// What is kept of a receiver's answer: the beginning, at most stores::kAnswerBytesKept bytes, as UTF-8
// on one line. Bytes that are not UTF-8 become '?', control characters become spaces.
std::string answer_text(std::string_view body);

}  // namespace pixledger::workers
