#include "eventstore/postgres/kept_copy.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/data_directory.h"
#include "base/platform/durable_files.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAsked = "ledger.keep";
constexpr std::string_view kKept = "ledger.kept-";

bool is_asked_for(const fs::path& directory) {
  return fs::exists(directory / kAsked) && fs::exists(DataDirectory{directory}.ledger());
}

// "20261126T045900.123Z", which sorts by time.
std::string name_of_now() {
  auto text = to_iso8601(SystemClock().now());
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return std::string(kKept) + text;
}

}  // namespace

void ask_to_keep_copy(const fs::path& directory, const fs::path& trust) {
  std::error_code missing;
  fs::rename(trust, directory / kAsked, missing);
  if (missing) std::ofstream(directory / kAsked).flush();
  try {
    sync_directory(directory);
  } catch (const std::system_error&) {
    // The note exists all the same, unless the machine stops now.
  }
}

void refuse_full_of_copies(const fs::path& directory) {
  if (!is_asked_for(directory) || kept_copies(directory).size() < kKeptCopiesMax) return;
  throw std::runtime_error("the copy of the shared ledger in " + directory.string() +
                           " has a history that PostgreSQL does not have, as have " +
                           std::to_string(kKeptCopiesMax) + " others that lie beside it (" +
                           std::string(kKept) +
                           "…): take those elsewhere first, see docs/how-to/operate/lost-commits.md");
}

void put_copy_away(const fs::path& directory) {
  const auto ledger = DataDirectory{directory}.ledger();
  if (is_asked_for(directory)) {
    sync_file(ledger / "data.mdb");
    fs::rename(ledger, directory / name_of_now());
    sync_directory(directory);
  } else {
    fs::remove_all(ledger);
  }
  fs::remove(directory / kAsked);
}

std::vector<fs::path> kept_copies(const fs::path& directory) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(directory))
    if (entry.path().filename().string().starts_with(kKept)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace pixledger::eventstore
