#include "workers/providers/api_pix/callback_body.h"

#include <set>
#include <simdjson.h>
#include <string_view>

namespace pixledger::workers {
namespace {

constexpr std::size_t kDepthMax = 32;

class Named {
 public:
  void add(simdjson::dom::element payment) {
    std::string_view text;
    if (!payment.is_object() || payment["endToEndId"].get(text) != simdjson::SUCCESS) return;
    auto id = domain::EndToEndId::parse(text);
    if (id && seen_.insert(*id).second) ids_.push_back(*std::move(id));
  }
  std::vector<domain::EndToEndId> take() { return std::move(ids_); }

 private:
  std::set<domain::EndToEndId> seen_;
  std::vector<domain::EndToEndId> ids_;
};

}  // namespace

std::optional<std::vector<domain::EndToEndId>> read_callback(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.allocate(body.size(), kDepthMax) != simdjson::SUCCESS ||
      parser.parse(body).get(root) != simdjson::SUCCESS || !root.is_object())
    return std::nullopt;
  Named named;
  simdjson::dom::element pix;
  if (root["pix"].get(pix) != simdjson::SUCCESS) return named.take();
  simdjson::dom::array list;
  if (pix.get(list) != simdjson::SUCCESS) {
    named.add(pix);  // some send one without its list
  } else {
    for (const auto payment : list) named.add(payment);
  }
  return named.take();
}

}  // namespace pixledger::workers
