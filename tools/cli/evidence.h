#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pixledger::tools {

// Two signed states of one ledger that contradict each other, as they were found.
struct Evidence {
  std::string ledger_id;
  std::string older;
  std::string newer;
  std::optional<std::string> consistency{};  // that relates them
};

// Writes each into a file of its own, in a new directory in the first of `places` where that can be done, and
// durably. Returns that directory; the same evidence has the same name. Throws std::runtime_error where it
// can be kept nowhere.
std::filesystem::path save_evidence(const Evidence& evidence,
                                    const std::vector<std::filesystem::path>& places);

// For people: what it means, and where it lies.
std::string words_on_two_histories(const std::filesystem::path& saved, bool consistency_may_be_wrong);

}  // namespace pixledger::tools
