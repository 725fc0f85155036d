#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "domain/values/cuid.h"
#include "projections/list/list_version.h"
#include "projections/list/transaction_list.h"

// The lists of all projects in one file, so that a start need not read the whole log.

namespace pixledger::projections {

struct ProjectListVersion {
  domain::ProjectId project;
  std::shared_ptr<const ListVersion> version;
};

struct ListSnapshot {
  std::string stamp;
  std::map<domain::ProjectId, TransactionList> lists;
};

// Replaces `file` so that a reader sees the old or the new one, durable on return. Reads the versions only,
// so the lists may go on meanwhile. `stamp` is the caller's: it says what the versions are the state of.
// Throws std::system_error when it cannot be written; the old file is still there then.
void write_lists(const std::filesystem::path& file, std::string_view stamp,
                 std::span<const ProjectListVersion> lists);

// Nothing when there is no such file, or it is damaged, cut short, of another format or inconsistent.
// Throws std::bad_alloc only.
std::optional<ListSnapshot> read_lists(const std::filesystem::path& file);

}  // namespace pixledger::projections
