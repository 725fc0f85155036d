#include "tests/support/servers/exposition.h"

#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace pixledger::tests {
namespace {

const std::string kName = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const std::string kLabel = R"([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\[\\"n])*")";

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

class Checker {
 public:
  void line(const std::string& line) {
    std::smatch match;
    if (std::regex_match(line, match, help_)) {
      begin_family(match[1]);
      return;
    }
    if (std::regex_match(line, match, type_)) {
      if (match[1] != family_) begin_family(match[1]);
      if (!kind_.empty()) problem("a second TYPE", line);
      kind_ = match[2];
      if (kind_ == "counter" && !ends_with(family_, "_total")) problem("a counter without _total", line);
      return;
    }
    if (std::regex_match(line, match, sample_)) {
      sample(match[1], match[2], std::stod(match[3]), line);
      return;
    }
    problem("no valid line", line);
  }

  std::vector<std::string> finish() {
    begin_family("");
    return std::move(problems_);
  }

 private:
  struct Buckets {
    double last = 0;
    bool has_infinity = false;
    double infinity = 0;
    double count = -1;
    bool has_sum = false;
  };

  void problem(const std::string& what, const std::string& line) { problems_.push_back(what + ": " + line); }

  void begin_family(const std::string& name) {
    for (const auto& [labels, buckets] : histograms_) {
      if (!buckets.has_infinity || !buckets.has_sum || buckets.infinity != buckets.count)
        problem("an incomplete histogram", family_ + labels);
    }
    histograms_.clear();
    kind_.clear();
    family_ = name;
    if (!families_.insert(name).second) problem("a family that comes twice", name);
  }

  void sample(const std::string& name, const std::string& labels, double value, const std::string& line) {
    if (!series_.insert(name + labels).second) problem("a series that comes twice", line);
    if (kind_ != "histogram") {
      if (name != family_ || kind_.empty()) problem("a sample outside its family", line);
      return;
    }
    static const std::regex bound(R"(,?le="([^"]*)\")");
    std::smatch match;
    const bool has_bound = std::regex_search(labels, match, bound);
    auto rest = std::regex_replace(labels, bound, "");
    if (rest == "{}") rest.clear();
    auto& buckets = histograms_[rest];
    if (name == family_ + "_bucket" && has_bound) {
      if (value < buckets.last) problem("a bucket that shrinks", line);
      buckets.last = value;
      if (match[1] == "+Inf") {
        buckets.has_infinity = true;
        buckets.infinity = value;
      }
    } else if (name == family_ + "_count") {
      buckets.count = value;
    } else if (name == family_ + "_sum") {
      buckets.has_sum = true;
    } else {
      problem("a sample outside its family", line);
    }
  }

  const std::regex help_{"# HELP (" + kName + ") .+"};
  const std::regex type_{"# TYPE (" + kName + ") (counter|gauge|histogram|summary|untyped)"};
  const std::regex sample_{"(" + kName + R"()(\{)" + kLabel + "(?:," + kLabel +
                           R"()*\})? ([+-]?(?:Inf|NaN|[0-9.]+(?:e[+-]?[0-9]+)?)))"};
  std::string family_;
  std::string kind_;
  std::set<std::string> families_;
  std::set<std::string> series_;
  std::map<std::string, Buckets> histograms_;
  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> exposition_problems(const std::string& page) {
  Checker checker;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) checker.line(line);
  auto problems = checker.finish();
  if (page.empty() || page.back() != '\n') problems.push_back("the page does not end with a line feed");
  return problems;
}

}  // namespace pixledger::tests
