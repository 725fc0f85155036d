#include <cassert>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "workers/banks/api_pix/bank_answers.h"

using namespace pixledger;

// Any bytes as a bank's callback. What it names is an end-to-end id, once, and nothing else is taken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  const auto ids = pixledger::workers::read_callback(body);
  if (!ids) return 0;
  std::set<std::string> seen;
  for (const auto& id : *ids) {
    assert(pixledger::domain::EndToEndId::parse(id.text()));
    assert(seen.insert(id.text()).second);
    assert(body.size() >= id.text().size() * ids->size());
  }
  return 0;
}
