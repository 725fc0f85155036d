#include "web/site/page_language.h"

#include "base/http/message/header_items.h"
#include "base/text/ascii.h"

namespace pixledger::web {

std::optional<Language> language_of_tag(std::string_view tag) {
  const auto primary = tag.substr(0, tag.find('-'));
  if (equal_without_case(primary, "pt")) return Language::kPortuguese;
  if (equal_without_case(primary, "en")) return Language::kEnglish;
  return std::nullopt;
}

Language preferred_language(const http::Headers& headers) {
  const auto accepted = headers.joined("Accept-Language");
  std::string_view ranges = accepted;
  auto best = Language::kPortuguese;
  int its_weight = 0;
  while (!ranges.empty()) {
    auto parameters = http::next_item(ranges, ',');
    const auto language = language_of_tag(http::next_item(parameters, ';'));
    const int weight = http::weight_of(parameters);
    if (!language || weight <= its_weight) continue;
    best = *language;
    its_weight = weight;
  }
  return best;
}

}  // namespace pixledger::web
