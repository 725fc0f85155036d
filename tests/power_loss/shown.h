#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/proof/checkpoint.h"
#include "tests/crash/load.h"
#include "tests/power_loss/recording.h"

namespace pixledger::tests {

// What programs have told anybody up to a moment of a recording. It must hold whatever happens to their disk.
class Shown {
 public:
  // The next record has happened.
  void apply(const Record& record);

  // Marks of the test: commands that have ended with exit code 0.
  const std::string& project() const { return project_; }
  const std::string& channel() const { return channel_; }
  const std::string& test_key() const { return test_key_; }

  // Charges by their ids in an answer or a webhook, and whether that said that they were paid.
  const std::map<std::string, bool>& charges() const { return charges_; }
  // The same for answers to the load, as its client saw them.
  std::vector<AskedCharge> asked() const;
  // Tree heads, also those of receipts, by their sizes.
  const std::map<std::uint64_t, eventstore::Checkpoint>& heads() const { return heads_; }
  // The document of an erased customer, which is in their name, e-mail address and files; "" before.
  const std::string& erased() const { return erased_; }
  // The command that erases them has begun and not ended.
  bool is_erasing() const { return is_erasing_; }
  // Names of e-mails that an erasure has removed.
  const std::set<std::string>& removed_emails() const { return removed_emails_; }
  bool are_webhooks() const { return are_webhooks_; }
  bool are_emails() const { return are_emails_; }

 private:
  void take_mark(std::string_view text);
  void take_sent(std::string_view text);
  void take_answer(std::string_view text, const std::string& id, bool is_paid);

  std::string project_;
  std::string channel_;
  std::string test_key_;
  std::map<std::string, bool> charges_;
  std::map<std::string, AskedCharge> asked_;  // by label
  std::map<std::uint64_t, eventstore::Checkpoint> heads_;
  std::string erased_;
  bool is_erasing_ = false;
  std::set<std::string> removed_emails_;
  bool are_webhooks_ = false;
  bool are_emails_ = false;
};

}  // namespace pixledger::tests
