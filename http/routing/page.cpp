#include "http/routing/page.h"

namespace pixledger::http {

Page read_page(Input& input) {
  Page page;
  page.number = input.integer("page", 1, kPageNumberMax).value_or(page.number);
  page.limit = input.integer("limit", 1, kPageLimitMax).value_or(page.limit);
  return page;
}

namespace {

Json& begin_meta(Json& json, const Page& page, std::size_t total) {
  json.key("meta").begin_object();
  json.field("total", total);
  json.field("page", page.number);
  json.field("limit", page.limit);
  json.field("totalPages", (total + page.limit - 1) / page.limit);
  return json;
}

}  // namespace

void write_meta(Json& json, const Page& page, std::size_t total) {
  begin_meta(json, page, total).end_object();
}

void write_meta(Json& json, const Page& page, std::size_t total, const TimeZone& zone) {
  begin_meta(json, page, total).field("timezone", zone.name()).end_object();
}

}  // namespace pixledger::http
