#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/targets/target.h"

namespace pixledger::tests {

// What every target does. The target must be empty; it is empty again afterwards.
inline void check_target_contract(Target& target) {
  const auto names = [&target](const std::string& prefix) {
    std::vector<std::string> found;
    for (const auto& object : target.list(prefix)) found.push_back(object.name);
    return found;
  };
  using Names = std::vector<std::string>;

  // Nothing is there, and asking for it is no fault.
  CHECK(names("").empty());
  CHECK(names("events/").empty());
  CHECK_FALSE(target.read("LEDGER", 0, 10));
  CHECK_FALSE(read_whole(target, "events/1-2-1"));
  target.remove("events/1-2-1");

  // What is written is read, whole and in parts.
  write_text(target, "LEDGER", "abcdef");
  write_text(target, "events/1-2-1", "one and two");
  write_text(target, "events/3-3-1.age", "");
  write_text(target, "state/1-3/workers/a.sqlite", "state");
  CHECK(read_whole(target, "LEDGER") == "abcdef");
  CHECK(read_whole(target, "events/3-3-1.age") == "");
  CHECK(target.read("LEDGER", 2, 3) == "cde");
  CHECK(target.read("LEDGER", 4, 10) == "ef");
  CHECK(target.read("LEDGER", 6, 10) == "");
  CHECK(names("") == Names{"LEDGER", "events/1-2-1", "events/3-3-1.age", "state/1-3/workers/a.sqlite"});
  CHECK(names("state/1-3/") == Names{"state/1-3/workers/a.sqlite"});
  CHECK(target.list("events/") == std::vector<TargetObject>{{"events/1-2-1", 11}, {"events/3-3-1.age", 0}});

  // A replaced object is the new one alone, also if that is shorter.
  write_text(target, "LEDGER", "xy");
  CHECK(read_whole(target, "LEDGER") == "xy");

  // A large one comes in several parts.
  std::string large(std::size_t{33} << 20, '\0');
  for (std::size_t at = 0; at < large.size(); at += 509) large[at] = static_cast<char>(at / 509);
  write_text(target, "events/4-9-1", large);
  CHECK(read_whole(target, "events/4-9-1") == large);
  CHECK(target.read("events/4-9-1", large.size() - 7, 100) == large.substr(large.size() - 7));

  // A source that fails leaves what was there.
  const ObjectSource failing{2 << 20, [](std::uint64_t offset, std::size_t length) {
                               if (offset > 0) throw std::runtime_error("the source fails");
                               return std::string(length, 'x');
                             }};
  CHECK_THROWS_WITH(target.write("LEDGER", failing), "the source fails");
  CHECK(read_whole(target, "LEDGER") == "xy");
  CHECK(names("state/") == Names{"state/1-3/workers/a.sqlite"});

  for (const auto& object : target.list("")) target.remove(object.name);
  CHECK(names("").empty());
  CHECK_FALSE(read_whole(target, "LEDGER"));
}

}  // namespace pixledger::tests
