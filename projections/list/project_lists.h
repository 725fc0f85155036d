#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/values/cuid.h"
#include "projections/list/list_version.h"
#include "projections/list/transaction_list.h"

namespace pixledger::projections {

// Customer texts that the lists search; empty after an erasure.
struct SearchedTexts {
  std::string name;
  std::string email;
  std::string phone;
};
SearchedTexts texts_of(const std::optional<domain::CustomerDetails>& details);

// A customer event's change to its project's list.
struct CustomerListed {
  domain::ProjectId project;
  Timestamp created_at;
  SearchedTexts texts;
  domain::Environment environment;
};
struct CustomerTextsListed {
  domain::ProjectId project;
  std::uint32_t customer;
  SearchedTexts texts;
};
struct ChargeListed {
  domain::ProjectId project;
  ListedCharge charge;  // its references must outlive the change
};
struct ChargeStatusListed {
  domain::ProjectId project;
  std::uint32_t charge;
  domain::ChargeStatus status;
};
using ListChange = std::variant<CustomerListed, CustomerTextsListed, ChargeListed, ChargeStatusListed>;
using ListChanges = std::vector<ListChange>;

struct ProjectListVersion {
  domain::ProjectId project;
  std::shared_ptr<const ListVersion> version;
};

// The transaction lists of all projects. Not thread-safe: the caller makes every call under one mutex. The
// versions that it returns are read without a lock.
class ProjectLists {
 public:
  ProjectLists() = default;
  // Continues from a snapshot's lists.
  explicit ProjectLists(std::map<domain::ProjectId, TransactionList> lists);

  void apply(const ListChanges& changes);

  // Returns an empty version for a project without charges and customers.
  std::shared_ptr<const ListVersion> version(const domain::ProjectId& project) const;
  std::vector<ProjectListVersion> versions() const;
  MemoryUse memory_use() const;

 private:
  std::unordered_map<domain::ProjectId, TransactionList> lists_;
};

// The lists of all projects in one file, so that a start need not read the whole log.
struct ListSnapshot {
  std::string stamp;
  std::map<domain::ProjectId, TransactionList> lists;
};

// Replaces `file` atomically; durable on return. Reads the versions only, so the lists may change meanwhile.
// `stamp` is the caller's and identifies the versions' state. Throws std::system_error if the write fails;
// the old file remains then.
void write_lists(const std::filesystem::path& file, std::string_view stamp,
                 std::span<const ProjectListVersion> lists);

// Returns nullopt if the file is missing, damaged, truncated, inconsistent or of another format. Throws
// system errors and std::bad_alloc.
std::optional<ListSnapshot> read_lists(const std::filesystem::path& file);

}  // namespace pixledger::projections
