#include "tools/cli/evidence.h"

#include <stdexcept>
#include <system_error>

#include "base/platform/durable_files.h"
#include "base/platform/sha256.h"
#include "base/platform/system_refusal.h"

namespace pixledger::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdDigits = 8;

std::string name_of(const Evidence& evidence) {
  const auto content = sha256(evidence.older + evidence.newer);
  return "two-histories-" + evidence.ledger_id.substr(0, kIdDigits) + "-" +
         to_hex(content).substr(0, kIdDigits);
}

void write(const Evidence& evidence, const fs::path& directory) {
  write_durably(directory / "older", evidence.older);
  write_durably(directory / "newer", evidence.newer);
  if (evidence.consistency) write_durably(directory / "consistency", *evidence.consistency);
}

}  // namespace

fs::path save_evidence(const Evidence& evidence, const std::vector<fs::path>& places) {
  std::string problems;
  for (const auto& place : places) {
    const auto directory = (fs::absolute(place) / name_of(evidence)).lexically_normal();
    bool is_new = false;
    try {
      is_new = fs::create_directories(directory);
      write(evidence, directory);
      return directory;
    } catch (const std::system_error& error) {
      std::error_code ignored;
      if (is_new) fs::remove_all(directory, ignored);
      problems += std::string(problems.empty() ? "" : "; ") + text_of_system_error(error);
    }
  }
  throw std::runtime_error(
      "the two contradict each other, which proves that the ledger has had two "
      "histories, and the evidence could not be saved: " +
      problems + ". Keep both files yourself");
}

std::string words_on_two_histories(const fs::path& saved, bool consistency_may_be_wrong) {
  return "Both were signed with the ledger's key, and they contradict each other. This proves that the "
         "ledger "
         "has had two histories: its past was changed, or two ledgers went on under one key" +
         std::string(consistency_may_be_wrong
                         ? ", unless the proof of consistency is not what the ledger has answered"
                         : "") +
         ".\nThe evidence is saved: " + (saved / "older").string() + " and " + (saved / "newer").string() +
         ". Show both to whoever has to know, with the ledger's public key.\n";
}

}  // namespace pixledger::tools
