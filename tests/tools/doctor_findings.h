#pragma once

#include <string>

// The findings of `pixledger doctor --json`.
namespace pixledger::tests {

// The severity of a check, and its finding.
inline std::string of(const std::string& json, const std::string& check) {
  const auto start = json.find("{\"check\":\"" + check + "\",\"severity\":\"");
  if (start == std::string::npos) return "";
  const auto from = json.find("\"severity\":\"", start) + 12;
  return json.substr(from, json.find("\"advice\"", from) - from);
}

// The advice for it.
inline std::string advice_on(const std::string& json, const std::string& check) {
  const auto start = json.find("{\"check\":\"" + check + "\",\"severity\":\"problem\"");
  if (start == std::string::npos) return "";
  const auto from = json.find("\"advice\":", start);
  return json.substr(from, json.find('}', from) - from);
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline bool is(const std::string& json, const std::string& check, const std::string& severity) {
  return of(json, check).rfind(severity + "\"", 0) == 0;
}

}  // namespace pixledger::tests
