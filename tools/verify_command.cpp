#include <algorithm>
#include <array>
#include <iostream>
#include <optional>

#include "eventstore/lmdb_file_check.h"
#include "tools/commands.h"
#include "tools/json.h"
#include "tools/run_apart.h"
#include "tools/table.h"
#include "tools/verifier.h"

namespace pixledger::tools {
namespace {

void write_verification(Json& json, const Verification& result, VerificationDepth depth) {
  json.begin_object().field("consistent", !result.finding);
  if (result.finding) {
    json.field("position", result.finding->position.value())
        .field("problem", result.finding->problem)
        .end_object();
    return;
  }
  json.field("events", result.events);
  if (depth == VerificationDepth::kMeaning)
    json.field("streams", result.streams).field("claims", result.claims);
  json.field("personal", result.personal)
      .field("erased", result.erased)
      .field("rootHash", eventstore::to_hex(result.root))
      .field("proves", "consistency")
      .end_object();
}

void print_verification(const Verification& result, VerificationDepth depth) {
  if (result.finding) {
    std::cout << "The ledger is damaged. The first bad position is " << result.finding->position.value()
              << ": " << result.finding->problem << ".\n";
    return;
  }
  std::vector<std::pair<std::string, std::string>> facts{{"events", std::to_string(result.events)}};
  if (depth == VerificationDepth::kMeaning) {
    facts.emplace_back("streams", std::to_string(result.streams));
    facts.emplace_back("unique names", std::to_string(result.claims));
  }
  facts.emplace_back("with personal data", std::to_string(result.personal));
  facts.emplace_back("erased", std::to_string(result.erased));
  facts.emplace_back("root hash", eventstore::to_hex(result.root));
  std::cout << "The ledger is consistent.\n\n";
  print_facts(std::cout, facts);
  std::cout << "\nThis proves consistency: nothing in the ledger contradicts anything else in it"
            << (depth == VerificationDepth::kStructure ? ", as far as events need not be understood" : "")
            << ".\nIt does not prove authenticity: to know that this is the same ledger as before, compare "
               "the root\n"
               "hash with one kept elsewhere.\n";
}

// What is wrong with the files as a whole, so that no position can be named.
int say_damaged(const Tool& tool, const std::string& problem) {
  if (tool.json) {
    std::cout << Json()
                     .begin_object()
                     .field("consistent", false)
                     .field("position", std::optional<std::string>())
                     .field("problem", problem)
                     .end_object()
                     .take_line();
  } else {
    std::cout << "The ledger is damaged: " << problem << ".\n";
  }
  return kExitNo;
}

// LMDB's codes that only a damaged file explains.
bool is_damage(const eventstore::LmdbError& error) {
  constexpr std::array kDamage{MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_INVALID,     MDB_INCOMPATIBLE,
                               MDB_NOTFOUND,  MDB_CURSOR_FULL,   MDB_BAD_VALSIZE, MDB_BAD_DBI};
  return std::find(kDamage.begin(), kDamage.end(), error.code()) != kDamage.end();
}

int verify_here(const Tool& tool, VerificationDepth depth) {
  const auto log = tool.open_log();
  const auto result = verify_log(log, depth);
  if (tool.json) {
    Json json;
    write_verification(json, result, depth);
    std::cout << json.take_line();
  } else {
    print_verification(result, depth);
  }
  return result.finding ? kExitNo : kExitDone;
}

int verify_or_say_damaged(const Tool& tool, VerificationDepth depth) {
  try {
    return verify_here(tool, depth);
  } catch (const eventstore::LmdbError& error) {
    if (!is_damage(error)) throw;
    return say_damaged(tool, error.what());
  } catch (const eventstore::LmdbFileDamaged& error) {
    return say_damaged(tool, error.what());
  } catch (const eventstore::LogCorrupt& error) {
    return say_damaged(tool, error.what());
  }
}

// LMDB trusts its pages, so a damaged one may crash whoever reads it.
int verify(const Tool& tool, bool structure_only) {
  const auto depth = structure_only ? VerificationDepth::kStructure : VerificationDepth::kMeaning;
  const auto code = run_apart([&] { return verify_or_say_damaged(tool, depth); });
  return code ? *code : say_damaged(tool, "its files cannot be read (reading them crashed)");
}

}  // namespace

void add_verify_command(CLI::App& program, Tool& tool) {
  const auto structure_only = std::make_shared<bool>(false);
  CLI::App* command = add_command(program, tool, "verify", "Read the whole ledger and check every invariant",
                                  [&tool, structure_only] { return verify(tool, *structure_only); });
  command->add_flag("--structure-only", *structure_only,
                    "Hashes and positions only, without what the events mean");
  add_json_option(*command, tool);
}

}  // namespace pixledger::tools
