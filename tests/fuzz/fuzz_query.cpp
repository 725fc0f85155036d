#include <cassert>
#include <cstddef>
#include <cstdint>

#include "http/api/common/list_filters.h"
#include "http/routing/input.h"

// The query of a list. What is not a violation is within its bounds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pixledger::http;
  Request request;
  request.query.assign(reinterpret_cast<const char*>(data), size);
  Input input(request);
  const auto page = read_page(input);
  const auto filters = read_transaction_filters(input.query(), {}, input.violations());
  assert(page.number >= 1 && page.limit >= 1 && page.limit <= kPageLimitMax);
  if (!input.finish()) return 0;
  const auto& wanted = filters.query;
  assert(!wanted.amount_min || wanted.amount_min->value() >= 0);
  assert(!wanted.search || !wanted.search->empty());
  return 0;
}
