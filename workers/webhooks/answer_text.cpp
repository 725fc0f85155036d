#include "workers/webhooks/answer_text.h"

#include "base/text/text.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::workers {
namespace {

constexpr unsigned char kDel = 0x7f;

bool is_control(unsigned char c) { return c < 0x20 || c == kDel; }

// How many bytes the character takes that begins so (RFC 3629 §3).
std::size_t size_after(unsigned char lead) {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

}  // namespace

std::string answer_text(std::string_view body) {
  std::string text;
  while (!body.empty()) {
    const auto lead = static_cast<unsigned char>(body.front());
    std::string_view character = body.substr(0, size_after(lead));
    std::string_view kept = character;
    if (is_control(lead)) {
      kept = " ";
    } else if (!is_clean_text(character)) {
      character = body.substr(0, 1);
      kept = "?";
    }
    if (text.size() + kept.size() > stores::kAnswerBytesKept) break;
    text += kept;
    body.remove_prefix(character.size());
  }
  return text;
}

}  // namespace pixledger::workers
