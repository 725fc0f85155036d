#include <iostream>

#include "tools/commands.h"
#include "tools/json.h"
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

int verify(const Tool& tool, bool structure_only) {
  const auto depth = structure_only ? VerificationDepth::kStructure : VerificationDepth::kMeaning;
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
