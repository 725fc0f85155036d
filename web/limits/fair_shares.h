#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

namespace pixledger::web {

// Places that projects and their users share: each user and each project may have so many, and where all are
// taken a newcomer gets that of the project which has most. For one thread.
class FairShares {
 public:
  struct Limits {
    std::size_t most;
    std::size_t of_project;
    std::size_t of_user;
  };
  struct Holder {
    std::string project;  // may be empty: of no project
    std::string user;
  };
  // What came of asking for a place. `yields`: the holder's id that has to give its place up for it, which it
  // has lost already.
  struct Taken {
    bool is_granted = false;
    std::optional<std::uint64_t> yields{};
  };

  explicit FairShares(const Limits& limits) : limits_(limits) {}

  // Ids grow, so that the lowest of a project has been there for longest.
  Taken take(std::uint64_t id, const Holder& holder);
  // Nothing happens where it has none.
  void give_back(std::uint64_t id);

  std::size_t taken() const { return holders_.size(); }

 private:
  std::optional<std::uint64_t> oldest_of_largest(std::size_t than) const;

  const Limits limits_;
  std::map<std::uint64_t, Holder> holders_;
  std::unordered_map<std::string, std::set<std::uint64_t>> of_project_;  // never empty
  std::unordered_map<std::string, std::size_t> of_user_;                 // never 0
};

}  // namespace pixledger::web
