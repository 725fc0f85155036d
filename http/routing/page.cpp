#include "http/routing/page.h"

#include <charconv>
#include <optional>

namespace pixledger::http {
namespace {

void read_number(Input& input, std::string_view name, std::size_t max, std::size_t& number) {
  const auto text = input.parameter(name);
  if (!text) return;
  const char* const end = text->data() + text->size();
  std::size_t value = 0;
  const auto [stop, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stop != end || value < 1 || value > max) {
    input.violations().push_back({std::string(name), "must be an integer from 1 to " + std::to_string(max)});
    return;
  }
  number = value;
}

}  // namespace

Page read_page(Input& input) {
  Page page;
  read_number(input, "page", kPageNumberMax, page.number);
  read_number(input, "limit", kPageLimitMax, page.limit);
  return page;
}

void write_meta(eventstore::Json& json, const Page& page, std::size_t total) {
  json.key("meta").begin_object();
  json.field("total", total);
  json.field("page", page.number);
  json.field("limit", page.limit);
  json.field("totalPages", (total + page.limit - 1) / page.limit);
  json.end_object();
}

}  // namespace pixledger::http
