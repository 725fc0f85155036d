#include "stores/banks/open_breakers.h"

#include <fstream>
#include <sstream>
#include <system_error>

#include "base/platform/durable_files.h"

namespace pixledger::stores {

void write_open_breakers(const std::filesystem::path& directory, const std::set<std::string>& connections) {
  const auto file = directory / kOpenBreakersFile;
  auto beside = file;
  beside += ".new";
  {
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    for (const auto& connection : connections) stream << connection << '\n';
    stream.close();
    if (!stream) fail_on(beside, "write");
  }
  std::filesystem::rename(beside, file);
}

std::set<std::string> read_open_breakers(const std::filesystem::path& directory) {
  std::istringstream lines(read_if_there(directory / kOpenBreakersFile).value_or(""));
  std::set<std::string> connections;
  for (std::string line; std::getline(lines, line);) connections.insert(line);
  return connections;
}

}  // namespace pixledger::stores
