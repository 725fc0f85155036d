#include "projections/list/list_snapshot.h"

#include <system_error>
#include <utility>

#include "base/platform/checked_file.h"
#include "projections/list/list_encoding.h"

namespace pixledger::projections {
namespace {

// The number changes with the format, and with search_form(), in whose form the texts are.
constexpr std::string_view kFormat = "pixledger transaction lists 6";
// Tells a file of another byte order.
constexpr std::uint32_t kByteOrder = 0x01020304;

ListSnapshot read_all(CheckedFileReader& in) {
  if (in.text() != kFormat || in.value<std::uint32_t>() != kByteOrder) throw DamagedFile();
  ListSnapshot snapshot;
  snapshot.stamp = in.text();
  for (auto left = in.value<std::uint64_t>(); left > 0; --left) {
    auto project = domain::ProjectId::parse(in.text());
    if (!project) throw DamagedFile();
    TransactionList list(read_list(in));
    if (!snapshot.lists.emplace(*std::move(project), std::move(list)).second) throw DamagedFile();
  }
  in.finish();
  return snapshot;
}

}  // namespace

void write_lists(const std::filesystem::path& file, std::string_view stamp,
                 std::span<const ProjectListVersion> lists) {
  CheckedFileWriter out(file);
  out.text(kFormat);
  out.value(kByteOrder);
  out.text(stamp);
  out.value<std::uint64_t>(lists.size());
  for (const auto& [project, version] : lists) {
    out.text(project.text());
    write_list(out, *version);
  }
  out.finish();
}

std::optional<ListSnapshot> read_lists(const std::filesystem::path& file) {
  try {
    CheckedFileReader in(file);
    return read_all(in);
  } catch (const DamagedFile&) {
    return std::nullopt;
  } catch (const std::system_error& refused) {
    // A file is missing, or something else stands in its place.
    if (refused.code() != std::errc::no_such_file_or_directory && refused.code() != std::errc::is_a_directory)
      throw;
    return std::nullopt;
  }
}

}  // namespace pixledger::projections
