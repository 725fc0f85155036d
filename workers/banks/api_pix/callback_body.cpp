#include "workers/banks/api_pix/callback_body.h"

#include <set>
#include <utility>

#include "workers/banks/api_pix/answer_object.h"

namespace pixledger::workers {
namespace {

class Named {
 public:
  void add(simdjson::dom::element payment) {
    const auto text = AnswerObject::if_readable([&] { return end_to_end_text(AnswerObject(payment, "")); });
    auto id = domain::EndToEndId::parse(text.value_or(""));
    if (id && seen_.insert(*id).second) ids_.push_back(*std::move(id));
  }
  std::vector<domain::EndToEndId> take() { return std::move(ids_); }

 private:
  std::set<domain::EndToEndId> seen_;
  std::vector<domain::EndToEndId> ids_;
};

}  // namespace

std::optional<std::vector<domain::EndToEndId>> read_callback(const std::string& body) {
  try {
    const AnswerDocument document(body);
    const auto element = document.element();
    Named named;
    simdjson::dom::array bare;
    if (element.get(bare) == simdjson::SUCCESS) {
      for (const auto payment : bare) named.add(payment);
      return named.take();
    }
    const auto root = document.root();
    // Some send one without its list, or without all of this.
    const auto payments = AnswerObject::if_readable([&] { return root.list("pix", body.size()); });
    if (payments) {
      for (const auto payment : *payments) named.add(payment);
    } else {
      named.add(element);
    }
    return named.take();
  } catch (const UnusableAnswer&) {
    return std::nullopt;
  }
}

}  // namespace pixledger::workers
