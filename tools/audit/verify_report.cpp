#include "tools/audit/verify_report.h"

#include <iostream>

#include "base/platform/json.h"
#include "projections/generations/generation_directory.h"
#include "tools/cli/table.h"

namespace pixledger::tools {
namespace {

std::vector<projections::KeptGeneration> kept_read_models(const CommandContext& context) {
  return projections::find_kept_generations(context.common.data.views());
}

bool is_of_meaning(const VerifyReport& report) { return report.options.depth == VerificationDepth::kMeaning; }

void write_json(const CommandContext& context, const VerifyReport& report) {
  const auto equal_if = [](bool is_equal) {
    return is_equal ? std::optional<std::string>("equal") : std::nullopt;
  };
  const auto& result = report.result;
  const auto& against = report.options.against;
  Json json;
  json.begin_object().field("consistent", true).field("events", result.events);
  if (is_of_meaning(report))
    json.field("streams", result.streams)
        .field("claims", result.claims)
        .field("readModels", equal_if(report.has_read_models));
  if (report.shared != SharedRows::kNone) json.field("shared", equal_if(report.shared == SharedRows::kEqual));
  json.field("personal", result.personal)
      .field("erased", result.erased)
      .field("rootHash", to_hex(result.root))
      .field("proves", against ? "consistency and continuity" : "consistency");
  if (against) json.field("continues", against->size);
  json.key("keptReadModels").begin_array();
  for (const auto& kept : kept_read_models(context)) json.value(kept.path.string());
  json.end_array().end_object();
  std::cout << json.take_line();
}

void print_what_it_proves(const VerifyReport& report) {
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
  std::vector<std::pair<std::string, std::string>> facts{{"events", std::to_string(result.events)}};
  if (is_of_meaning(report)) {
    facts.emplace_back("streams", std::to_string(result.streams));
    facts.emplace_back("unique names", std::to_string(result.claims));
    facts.emplace_back("read models", report.has_read_models ? "equal" : "not compared: none to go by");
  }
  if (report.shared != SharedRows::kNone)
    facts.emplace_back("PostgreSQL",
                       report.shared == SharedRows::kEqual ? "equal" : "not compared: it does not tell");
  facts.emplace_back("with personal data", std::to_string(result.personal));
  facts.emplace_back("erased", std::to_string(result.erased));
  facts.emplace_back("root hash", to_hex(result.root));
  std::cout << "The ledger is consistent.\n\n";
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
