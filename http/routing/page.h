#pragma once

#include <cstddef>

#include "base/platform/json.h"
#include "base/platform/time_zone.h"
#include "http/routing/input.h"

namespace pixledger::http {

constexpr std::size_t kPageLimitMax = 100;
constexpr std::size_t kPageNumberMax = 1'000'000'000;

// Which part of a list a caller asks for.
struct Page {
  std::size_t number = 1;
  std::size_t limit = 10;

  // How many items come before it.
  std::size_t offset() const { return (number - 1) * limit; }
};

// The query parameters `page` and `limit`; adds a violation for each that is not what it has to be.
Page read_page(Input& input);

// The member `meta`, into the object that is open. totalPages is 0 for an empty list.
void write_meta(Json& json, const Page& page, std::size_t total);
// The meta of a list that dates can filter; it names the zone of those dates.
void write_meta(Json& json, const Page& page, std::size_t total, const TimeZone& zone);

}  // namespace pixledger::http
