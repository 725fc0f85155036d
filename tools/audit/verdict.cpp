#include "tools/audit/verdict.h"

#include <iostream>
#include <string>
#include <string_view>

#include "base/platform/json.h"
#include "eventstore/postgres/node_file.h"
#include "projections/generations/generation_directory.h"
#include "tools/cli/terminal.h"

namespace pixledger::tools {
namespace {

constexpr std::string_view kKeepFirst =
    "Before anything is started or built again, stop the programs and keep a copy of the whole data "
    "directory "
    "(cp -a DATA KEPT): the read models may be the only trace of another past";
constexpr std::string_view kRebuild = "pixledger projections rebuild";

// With write access to rows one can recompute the batches' roots, but not in a copy that has followed, while
// that copy is kept.
constexpr std::string_view kAdviceOnShared =
    "Stop all programs of all nodes, and keep each data directory (cp -a DATA KEPT) before anything is "
    "started: a copy may be what is left of the ledger, and a start may fetch it anew. Compare with a "
    "checkpoint or receipt that was kept elsewhere (pixledger verify --against CHECKPOINT), on other nodes, "
    "too. Where the copies continue it, PostgreSQL's rows were changed or damaged: back one up (pixledger "
    "backup DIR --data KEPT --copy-alone), and restore that into an empty database: pixledger restore DIR "
    "--data NEW --ledger URI --ledger-owner URI";

struct Verdict {
  std::string_view part;
  std::string_view says;
  std::string advice;
};

// A rewritten ledger has all its hashes recomputed, so only data kept elsewhere shows which side is wrong.
// The finding's position is the read models' position, if known.
std::string advice_on_read_models(const Finding& finding, std::optional<std::uint64_t> continues) {
  const auto keep = std::string(kKeepFirst);
  const auto rebuild = std::string(kRebuild);
  if (!continues)
    return "Either may be wrong: the read models damaged, or the ledger rewritten. " + keep +
           ". Then compare the ledger with a checkpoint or receipt that was kept elsewhere: pixledger verify "
           "--against CHECKPOINT. If the ledger does not continue it, the ledger was rewritten. If it does, "
           "and "
           "the checkpoint is newer than what differs, the read models are wrong: " +
           rebuild;
  if (finding.position == Position() || *continues < finding.position.value())
    return "The first " + std::to_string(*continues) +
           " events are those that the checkpoint was signed for; of what differs in later ones, either may "
           "be "
           "wrong. " +
           keep + ". Then compare the ledger with a newer checkpoint";
  return "The ledger has the events that the checkpoint was signed for, so the read models are wrong. " +
         keep + ". Then build them again: " + rebuild;
}

// A restore begins an epoch: a node's copy has other copies, and the source database.
std::string advice_on_ledger(const DataDirectory& data) {
  if (!eventstore::node_of(data))
    return "Leave it as it is, and restore the last backup into another directory: pixledger restore FROM "
           "--data NEW";
  return "It is this node's copy. Stop the node's programs, remove " + data.ledger().string() +
         " and start them: the copy is fetched anew. Only where verify finds the same in that one, and on "
         "another node, is the shared database itself wrong; then stop all nodes and restore the last backup "
         "into an empty database: pixledger restore FROM --data NEW --ledger URI --ledger-owner URI";
}

Verdict verdict_on(const Finding& finding, const DataDirectory& data,
                   std::optional<std::uint64_t> continues) {
  switch (finding.part) {
    case Part::kLedger:
      return {"ledger", "The ledger is damaged", advice_on_ledger(data)};
    case Part::kCheckpoint:
      return {
          "checkpoint", "The ledger does not continue the checkpoint",
          "Nothing in the ledger contradicts itself, so it was rewritten, cut off or restored from an older "
          "backup, or the checkpoint is of another ledger or epoch. Find out which before you trust it"};
    case Part::kShared:
      return {"shared", "This node's copy is consistent, but PostgreSQL does not have the same",
              std::string(kAdviceOnShared)};
    case Part::kErasure:
      return {"erasure", "The erasure of a customer is not finished",
              "Run it again: pixledger customer erase --id CUSTOMER --reason R"};
    case Part::kReadModels:
      return {"read models",
              "Nothing in the ledger contradicts itself, but the read models are not what it says",
              advice_on_read_models(finding, continues)};
    case Part::kAccounts:
      return {"accounts", "The ledger is consistent, but the accounts of people who sign in are damaged",
              "Stop the server, and restore " + data.accounts().string() +
                  " from a backup, or delete it and invite everybody anew (pixledger user invite)"};
  }
  return {"ledger", "The ledger is damaged", ""};
}

// Otherwise the finding is about the whole.
bool is_placed(const Finding& finding) { return finding.position != Position(); }

void print_text(const Finding& finding, const Verdict& verdict) {
  std::cout << verdict.says;
  if (is_placed(finding) && finding.part == Part::kLedger)
    std::cout << ". The first bad position is " << finding.position.value();
  if (is_placed(finding) && finding.part == Part::kShared)
    std::cout << ". The first difference is at position " << finding.position.value();
  std::cout << ": " << finding.problem << ".\n" << verdict.advice << ".\n";
}

void print_json(const Finding& finding, const Verdict& verdict,
                const std::optional<std::filesystem::path>& evidence) {
  Json json;
  json.begin_object()
      .field("consistent", false)
      .field("part", verdict.part)
      .field("position", is_placed(finding) ? std::optional(finding.position.value()) : std::nullopt)
      .field("problem", finding.problem)
      .field("advice", verdict.advice);
  if (evidence) json.field("twoHistories", true).field("evidence", evidence->string());
  std::cout << json.end_object().take_line();
}

}  // namespace

int say_found(const CommandContext& context, const Finding& finding, std::optional<std::uint64_t> continues,
              const std::optional<std::filesystem::path>& evidence) {
  const auto verdict = verdict_on(finding, context.common.data, continues);
  if (context.json) {
    print_json(finding, verdict, evidence);
  } else {
    print_text(finding, verdict);
  }
  return kExitNo;
}

namespace {

std::vector<projections::KeptGeneration> kept_read_models(const CommandContext& context) {
  return projections::find_kept_generations(context.common.data.views());
}

bool is_of_meaning(const VerifyReport& report) { return report.options.depth == VerificationDepth::kMeaning; }

std::uint64_t newer_events(const Verification& result) { return result.events - result.trusted; }

std::string_view what_it_proves(const VerifyOptions& options) {
  if (options.only_newer) return "continuity, and consistency since";
  return options.against ? "consistency and continuity" : "consistency";
}

void write_json(const CommandContext& context, const VerifyReport& report) {
  const auto equal_if = [](bool is_equal) {
    return is_equal ? std::optional<std::string>("equal") : std::nullopt;
  };
  const auto& result = report.result;
  const auto& against = report.options.against;
  const bool only_newer = report.options.only_newer;
  Json json;
  json.begin_object().field("consistent", true).field("events", result.events);
  if (only_newer)
    json.key("since").begin_object().field("size", result.trusted).field("events", newer_events(result));
  if (is_of_meaning(report)) json.field("streams", result.streams).field("claims", result.claims);
  json.field("personal", result.personal).field("erased", result.erased);
  if (only_newer) json.end_object();
  if (is_of_meaning(report)) json.field("readModels", equal_if(report.has_read_models));
  if (report.shared != SharedRows::kNone) json.field("shared", equal_if(report.shared == SharedRows::kEqual));
  json.field("rootHash", to_hex(result.root)).field("proves", what_it_proves(report.options));
  if (against) json.field("continues", against->size);
  json.key("keptReadModels").begin_array();
  for (const auto& kept : kept_read_models(context)) json.value(kept.path.string());
  json.end_array().end_object();
  std::cout << json.take_line();
}

void print_what_it_proves(const VerifyReport& report) {
  if (report.options.only_newer) {
    std::cout
        << "\nThis proves that the tree continues the checkpoint's, and that nothing after its first "
        << report.result.trusted
        << "\nevents contradicts anything else that was read. What is stored of those may have changed:\n"
           "--against reads it, too.\n";
    return;
  }
  std::cout << "\nThis proves consistency: nothing in the ledger contradicts anything else in it"
            << (is_of_meaning(report) ? "" : ", as far as events need not be understood") << ".\n";
  if (report.options.against) {
    std::cout << "It continues the checkpoint: the first " << report.options.against->size
              << " events are those for which it was signed.\n";
  } else {
    std::cout << "It does not prove authenticity: to know that this is the same ledger as before, compare it "
                 "with\na checkpoint that was kept elsewhere (--against).\n";
  }
}

void print_text(const VerifyReport& report) {
  const auto& result = report.result;
  const bool only_newer = report.options.only_newer;
  std::vector<std::pair<std::string, std::string>> facts{{"events", std::to_string(result.events)}};
  if (only_newer) facts.emplace_back("after checkpoint", std::to_string(newer_events(result)));
  if (is_of_meaning(report)) {
    facts.emplace_back("streams", std::to_string(result.streams));
    facts.emplace_back("unique names", std::to_string(result.claims));
    facts.emplace_back("read models", report.has_read_models ? "equal"
                                      : only_newer           ? "not compared"
                                                             : "not compared: none to go by");
  }
  if (report.shared != SharedRows::kNone)
    facts.emplace_back("PostgreSQL",
                       report.shared == SharedRows::kEqual ? "equal" : "not compared: it does not tell");
  facts.emplace_back("with personal data", std::to_string(result.personal));
  facts.emplace_back("erased", std::to_string(result.erased));
  facts.emplace_back("root hash", to_hex(result.root));
  std::cout << (only_newer ? "What came after the checkpoint is consistent.\n\n"
                           : "The ledger is consistent.\n\n");
  print_facts(std::cout, facts);
  print_what_it_proves(report);
}

}  // namespace

void tell_verified(const CommandContext& context, const VerifyReport& report) {
  if (context.json) {
    write_json(context, report);
  } else {
    print_text(report);
  }
}

void tell_of_kept(const CommandContext& context) {
  for (const auto& kept : kept_read_models(context))
    std::cerr << "pixledger: read models that disagreed with the ledger are kept in " << kept.path.string()
              << ": " << kept.why << "\n";
}

}  // namespace pixledger::tools
