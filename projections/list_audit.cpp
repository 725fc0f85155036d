#include "projections/list_audit.h"

#include <fstream>
#include <iterator>
#include <map>

#include "projections/list/list_snapshot.h"

namespace pixledger::projections {
namespace {

namespace fs = std::filesystem;

using Versions = std::map<domain::ProjectId, std::shared_ptr<const ListVersion>>;

Versions by_project(const ProjectLists& lists) {
  Versions versions;
  for (auto& [project, version] : lists.versions()) versions.emplace(project, version);
  return versions;
}

// What a snapshot of that list alone holds. Two lists of the same rows are saved as the same bytes.
bool is_same(const ProjectListVersion& saved, const ProjectListVersion& made, const fs::path& scratch) {
  write_lists(scratch / "saved", "", {&saved, 1});
  write_lists(scratch / "made", "", {&made, 1});
  std::ifstream one(scratch / "saved", std::ios::binary);
  std::ifstream other(scratch / "made", std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(one), {}, std::istreambuf_iterator<char>(other), {});
}

}  // namespace

std::optional<std::string> difference_in_lists(const fs::path& file, const ViewRead& rows,
                                               const ViewCursor& cursor, const eventstore::Log& log,
                                               const fs::path& scratch) {
  if (!read_lists(file)) return std::nullopt;
  const auto saved_lists = load_lists(file, rows, cursor, log);
  const auto made_lists = load_lists(scratch / "none", rows, cursor, log);
  const auto saved = by_project(saved_lists);
  const auto made = by_project(made_lists);
  if (saved.size() != made.size()) return "the saved lists are of other projects than the rows";
  for (const auto& [project, version] : saved) {
    const auto found = made.find(project);
    if (found == made.end() || !is_same({project, version}, {project, found->second}, scratch))
      return "the saved lists of project " + project.text() + " are not those of its rows";
  }
  return std::nullopt;
}

}  // namespace pixledger::projections
