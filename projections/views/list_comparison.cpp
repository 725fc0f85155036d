#include "projections/views/list_comparison.h"

#include <array>
#include <fstream>
#include <map>
#include <string_view>

#include "projections/list/list_snapshot.h"

namespace pixledger::projections {
namespace {

namespace fs = std::filesystem;

using Versions = std::map<domain::ProjectId, std::shared_ptr<const ListVersion>>;

Versions by_project(const std::vector<ProjectListVersion>& lists) {
  Versions versions;
  for (const auto& [project, version] : lists) versions.emplace(project, version);
  return versions;
}

bool have_same_bytes(const fs::path& one, const fs::path& other) {
  std::ifstream these(one, std::ios::binary);
  std::ifstream those(other, std::ios::binary);
  std::array<char, 1 << 16> some, others;
  const auto read = [](std::ifstream& in, auto& buffer) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    return std::string_view(buffer.data(), static_cast<std::size_t>(in.gcount()));
  };
  while (true) {
    const auto here = read(these, some);
    if (here != read(those, others)) return false;
    if (here.empty()) return true;
  }
}

// What a snapshot of that list alone holds. Two lists of the same rows are saved as the same bytes.
bool is_same(const ProjectListVersion& saved, const ProjectListVersion& made, const fs::path& scratch) {
  write_lists(scratch / "saved", "", {&saved, 1});
  write_lists(scratch / "made", "", {&made, 1});
  return have_same_bytes(scratch / "saved", scratch / "made");
}

}  // namespace

std::optional<std::string> difference_between_lists(const std::vector<ProjectListVersion>& some,
                                                    const std::vector<ProjectListVersion>& others,
                                                    const fs::path& scratch) {
  const auto these = by_project(some);
  const auto those = by_project(others);
  if (these.size() != those.size()) return "they are of other projects";
  for (const auto& [project, version] : these) {
    const auto found = those.find(project);
    if (found == those.end() || !is_same({project, version}, {project, found->second}, scratch))
      return "project " + project.text();
  }
  return std::nullopt;
}

}  // namespace pixledger::projections
