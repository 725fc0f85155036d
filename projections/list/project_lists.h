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

// What the lists show of a customer; empty for one who was erased.
struct CustomerTextPair {
  std::string name;
  std::string email;
};
CustomerTextPair texts_of(const std::optional<domain::CustomerDetails>& details);

// What one event means to its project's list.
struct CustomerListed {
  domain::ProjectId project;
  Timestamp created_at;
  CustomerTextPair texts;
  domain::Environment environment;
};
struct CustomerTextsListed {
  domain::ProjectId project;
  std::uint32_t customer;
  CustomerTextPair texts;
};
struct ChargeListed {
  domain::ProjectId project;
  ListedCharge charge;  // what it refers to outlives the change
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

// The transaction lists of all projects. Not thread-safe: every call is made under one mutex of the caller;
// the versions that it gives are read without.
class ProjectLists {
 public:
  ProjectLists() = default;
  // Goes on from what a snapshot holds.
  explicit ProjectLists(std::map<domain::ProjectId, TransactionList> lists);

  void apply(const ListChanges& changes);

  // Of a project without charges and customers: an empty one.
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

// Replaces `file` so that a reader sees the old or the new one, durable on return. Reads the versions only,
// so the lists may go on meanwhile. `stamp` is the caller's: it says what the versions are the state of.
// Throws std::system_error when it cannot be written; the old file is still there then.
void write_lists(const std::filesystem::path& file, std::string_view stamp,
                 std::span<const ProjectListVersion> lists);

// Nothing when there is no such file, or it is damaged, cut short, of another format or inconsistent.
// Throws what the system refuses, and std::bad_alloc.
std::optional<ListSnapshot> read_lists(const std::filesystem::path& file);

}  // namespace pixledger::projections
