#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/receipt.h"

namespace pixledger::tools {

// A receipt that somebody brings, as JSON: what write_receipt makes, or a whole answer of the API with that
// as its `data`. Any bytes are safe.
class ReceiptFile {
 public:
  // Nothing when it is not a receipt. An object that has a name twice is none either: readers would differ
  // about what it says.
  static std::optional<ReceiptFile> parse(std::string_view text);

  const eventstore::Receipt& receipt() const { return receipt_; }

  // Whether what it shows to people is what its bytes say: `events` are the receipt's, decoded.
  bool shows(const std::vector<domain::RecordedEvent>& events) const;

 private:
  explicit ReceiptFile(eventstore::Receipt receipt) : receipt_(std::move(receipt)) {}

  eventstore::Receipt receipt_;
  std::vector<std::string> shown_;  // the JSON of each `event`
};

}  // namespace pixledger::tools
