#include "tools/operations/banks/check_steps.h"

#include <algorithm>
#include <optional>

namespace pixledger::tools {

using Outcome = CheckStep::Outcome;

std::string to_line(const CheckStep& step) {
  const auto with_advice = [&](const char* outcome) {
    return step.name + ": " + outcome + ": " + step.found + (step.advice.empty() ? "" : "; " + step.advice);
  };
  switch (step.outcome) {
    case Outcome::kOk:
      return with_advice("ok");
    case Outcome::kFailed:
      return with_advice("failed");
    case Outcome::kUnknown:
      return with_advice("unknown");
    case Outcome::kNotTried:
      break;
  }
  return step.name + ": " + step.found;
}

void write_step(Json& json, const CheckStep& step) {
  json.begin_object().field("step", step.name);
  if (step.outcome == Outcome::kOk || step.outcome == Outcome::kFailed)
    json.field("ok", step.outcome == Outcome::kOk);
  else
    json.null("ok");
  json.field("found", step.found)
      .field("advice", step.advice.empty() ? std::nullopt : std::optional(step.advice))
      .end_object();
}

bool CheckSteps::all_ok() const {
  return std::all_of(steps_.begin(), steps_.end(), [](const CheckStep& step) {
    return step.outcome == Outcome::kOk || step.outcome == Outcome::kUnknown;
  });
}

bool CheckSteps::add(CheckStep step) {
  steps_.push_back(std::move(step));
  if (tell_) tell_(steps_.back());
  return steps_.back().outcome == Outcome::kOk;
}

}  // namespace pixledger::tools
