#include "tools/audit/verdict.h"

#include <iostream>
#include <string_view>

#include "eventstore/platform/json.h"

namespace pixledger::tools {
namespace {

struct Verdict {
  std::string_view part;
  std::string_view says;
  std::string_view advice;
};

Verdict verdict_on(Part part) {
  switch (part) {
    case Part::kLedger:
      return {"ledger", "The ledger is damaged",
              "Leave it as it is, and restore the last backup into another directory: pixledger restore FROM "
              "--data NEW"};
    case Part::kCheckpoint:
      return {
          "checkpoint", "The ledger does not continue the checkpoint",
          "Nothing in the ledger contradicts itself, so it was rewritten, cut off or restored from an older "
          "backup, or the checkpoint is of another ledger or epoch. Find out which before you trust it"};
    case Part::kErasure:
      return {"erasure", "The erasure of a customer is not finished",
              "Run it again: pixledger customer erase --id CUSTOMER --reason R"};
    case Part::kReadModels:
      return {"read models", "The ledger is sound, but the read models are not what it says",
              "Build them again, next to a running server: pixledger projections rebuild"};
  }
  return {"ledger", "The ledger is damaged", ""};
}

// Otherwise it is about the whole.
bool is_placed(const Finding& finding) { return finding.position != domain::Position(); }

void print_text(const Finding& finding, const Verdict& verdict) {
  std::cout << verdict.says;
  if (finding.part == Part::kLedger && is_placed(finding))
    std::cout << ". The first bad position is " << finding.position.value();
  std::cout << ": " << finding.problem << ".\n" << verdict.advice << ".\n";
}

void print_json(const Finding& finding, const Verdict& verdict) {
  std::cout << eventstore::Json()
                   .begin_object()
                   .field("consistent", false)
                   .field("part", verdict.part)
                   .field("position",
                          is_placed(finding) ? std::optional(finding.position.value()) : std::nullopt)
                   .field("problem", finding.problem)
                   .field("advice", verdict.advice)
                   .end_object()
                   .take_line();
}

}  // namespace

int say_found(const CommandContext& context, const Finding& finding) {
  const auto verdict = verdict_on(finding.part);
  if (context.json) {
    print_json(finding, verdict);
  } else {
    print_text(finding, verdict);
  }
  return kExitNo;
}

}  // namespace pixledger::tools
