#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/platform/json.h"

namespace pixledger::tools {

// One thing that `pixledger connection check` has looked at.
struct CheckStep {
  enum class Outcome {
    kOk,
    kFailed,
    kUnknown,   // nothing is known to be wrong, and nothing shows that it works
    kNotTried,  // since an earlier one failed
  };
  std::string name;  // "token"
  Outcome outcome;
  std::string found;
  std::string advice = {};  // what to do; empty: nothing
};

// "token: failed: 401 invalid_client; see …", one line.
std::string to_line(const CheckStep& step);
// A member of the list that is open.
void write_step(Json& json, const CheckStep& step);

// The steps as they are made; each is told as soon as it is known.
class CheckSteps {
 public:
  using Tell = std::function<void(const CheckStep&)>;
  explicit CheckSteps(Tell tell) : tell_(std::move(tell)) {}

  // Both return whether the step is well.
  bool ok(const std::string& name, std::string found) {
    return add({name, CheckStep::Outcome::kOk, std::move(found)});
  }
  bool failed(const std::string& name, std::string found, std::string advice) {
    return add({name, CheckStep::Outcome::kFailed, std::move(found), std::move(advice)});
  }
  void unknown(const std::string& name, std::string found, std::string advice) {
    add({name, CheckStep::Outcome::kUnknown, std::move(found), std::move(advice)});
  }
  void not_tried(const std::string& name) { add({name, CheckStep::Outcome::kNotTried, "not tried"}); }

  const std::vector<CheckStep>& all() const { return steps_; }
  // Whether no step has failed and each was tried. An unknown step keeps from nothing.
  bool all_ok() const;

 private:
  bool add(CheckStep step);

  const Tell tell_;
  std::vector<CheckStep> steps_;
};

}  // namespace pixledger::tools
