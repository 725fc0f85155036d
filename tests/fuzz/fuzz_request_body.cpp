#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/http/json/json_body.h"
#include "http/api/common/customer_fields.h"

namespace {

using namespace pixledger;
using namespace pixledger::http;

Request with_body(const std::string& body) {
  Request request;
  request.body.reserve(body.size() + kBodyPaddingBytes);
  request.body = body;
  return request;
}

}  // namespace

// The body of a creation. Its canonical form does not depend on the blanks behind it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Violations violations;
  const auto request = with_body(std::string(reinterpret_cast<const char*>(data), size));
  std::string canonical;
  {
    const auto body = JsonBody::parse(request, violations);
    if (!body) {
      assert(!violations.empty());
      return 0;
    }
    const auto customer = read_customer_of_charge(body->root(violations));
    assert(customer || !violations.empty());
    body->refuse_unknown(violations);
    canonical = body->canonical();
  }
  const auto again = with_body(request.body + " \n\t");
  const auto body = JsonBody::parse(again, violations);
  assert(body && body->canonical() == canonical);
  return 0;
}
