#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pixledger::tools {

// Two signed states of one ledger that contradict each other, byte for byte.
struct Evidence {
  std::string ledger_id;
  std::string older;
  std::string newer;
  std::optional<std::string> consistency{};  // that relates them
};

// Writes each file durably into a new directory, in the first of `places` that allows it. Returns that
// directory; equal evidence has the same name. Throws std::runtime_error if no place allows it.
std::filesystem::path save_evidence(const Evidence& evidence,
                                    const std::vector<std::filesystem::path>& places);

// Explains to people what the evidence means and where it is.
std::string words_on_two_histories(const std::filesystem::path& saved, bool consistency_may_be_wrong);

}  // namespace pixledger::tools
