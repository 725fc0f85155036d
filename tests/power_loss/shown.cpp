#include "tests/power_loss/shown.h"

#include <algorithm>
#include <utility>

namespace pixledger::tests {
namespace {

// What stands between the first `before` and the next `after`, or "".
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const auto start = text.find(before);
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start + before.size());
  const auto end = text.find(after);
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end);
}

// The text of a note in JSON, without its signatures.
std::string note_text(std::string_view json) {
  std::string text;
  for (auto lines = json; !lines.empty() && lines.substr(0, 2) != "\\n";) {
    const auto end = lines.find("\\n");
    text.append(lines.substr(0, end)).append("\n");
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 2);
  }
  return text;
}

}  // namespace

void Shown::apply(const Record& record) {
  if (record.kind == kRecordMark) take_mark(record.data);
  if (record.kind == kRecordTold) take_sent(record.data);
  if (record.kind == kRecordRemove && record.path.ends_with(".eml"))
    removed_emails_.emplace(record.path.substr(record.path.rfind('/') + 1));
  // A file in the outbox is sent: others may read it there.
  if (record.kind == kRecordRename && record.to.ends_with(".eml")) are_emails_ = true;
}

void Shown::take_mark(std::string_view text) {
  const auto name = text.substr(0, text.find(' '));
  const std::string value(text.substr(std::min(text.size(), name.size() + 1)));
  if (name == "project") project_ = value;
  if (name == "channel") channel_ = value;
  if (name == "key") test_key_ = value;
  if (name == "erasing" || name == "erased") is_erasing_ = name == "erasing";
  if (name == "erased") erased_ = value;
  if (name == "emails") are_emails_ = true;
  if (name == "removed") removed_emails_.insert(value);
}

void Shown::take_sent(std::string_view text) {
  if (text.starts_with("POST ")) are_webhooks_ = true;
  auto id = between(text, R"("transactionId":")", "\"");
  if (id.empty()) id = between(text, R"("data":{"id":")", "\"");
  if (const auto note = between(text, R"("checkpoint":")", "\""); !note.empty()) {
    if (const auto head = eventstore::parse_checkpoint_text(note_text(note)))
      heads_.emplace(head->size, *head);
  }
  if (id.empty() || id.front() != 'c') return;
  const bool is_paid = text.find(R"("status":"paid")") != std::string_view::npos;
  charges_[std::string(id)] |= is_paid;
  if (text.starts_with("HTTP/1.1 20")) take_answer(text, std::string(id), is_paid);
}

void Shown::take_answer(std::string_view text, const std::string& id, bool is_paid) {
  std::string label(between(text, "X-Request-Id: ", "\r\n"));
  if (!label.starts_with(kLabelPrefix)) return;
  const bool is_payment = label.ends_with(kPaySuffix);
  if (is_payment) label.resize(label.size() - std::string_view(kPaySuffix).size());
  auto& charge = asked_[label];
  charge.label = label;
  charge.id = id;
  charge.status = 201;
  charge.pay_asked = true;  // whether it was is not known here
  if (is_payment && is_paid) charge.pay_status = 200;
}

std::vector<AskedCharge> Shown::asked() const {
  std::vector<AskedCharge> asked;
  for (const auto& [label, charge] : asked_) asked.push_back(charge);
  return asked;
}

}  // namespace pixledger::tests
