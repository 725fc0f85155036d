#include "tools/operations/banks/check_steps.h"

#include <algorithm>

namespace pixledger::tools {

std::string to_line(const CheckStep& step) {
  if (!step.ok) return step.name + ": " + step.found;
  if (*step.ok) return step.name + ": ok: " + step.found;
  return step.name + ": failed: " + step.found + (step.advice.empty() ? "" : "; " + step.advice);
}

void write_step(Json& json, const CheckStep& step) {
  json.begin_object().field("step", step.name);
  if (step.ok)
    json.field("ok", *step.ok);
  else
    json.null("ok");
  json.field("found", step.found)
      .field("advice", step.advice.empty() ? std::nullopt : std::optional(step.advice))
      .end_object();
}

bool CheckSteps::all_ok() const {
  return std::all_of(steps_.begin(), steps_.end(), [](const CheckStep& step) { return step.ok == true; });
}

bool CheckSteps::add(CheckStep step) {
  steps_.push_back(std::move(step));
  if (tell_) tell_(steps_.back());
  return steps_.back().ok == true;
}

}  // namespace pixledger::tools
