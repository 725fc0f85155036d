#include <cassert>
#include <cstddef>
#include <cstdint>

#include "http/api/common/list_filters.h"
#include "http/routing/page.h"

// The query of a list. What is not a violation is within its bounds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pixledger::http;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Query query(text);
  Violations violations;
  const auto page = read_page(query, violations);
  const auto filters = read_transaction_filters(query, violations);
  assert(page.number >= 1 && page.limit >= 1 && page.limit <= kPageLimitMax);
  if (!violations.empty()) return 0;
  const auto& wanted = filters.query;
  assert(!wanted.amount_min || wanted.amount_min->value() >= 0);
  assert(!wanted.search || !wanted.search->empty());
  return 0;
}
