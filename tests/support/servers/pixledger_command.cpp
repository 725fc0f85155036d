#include "tests/support/servers/pixledger_command.h"

#include <catch2/catch.hpp>
#include <simdjson.h>
#include <sstream>

#include "tests/support/paths.h"

namespace pixledger::tests {

std::filesystem::path built_program(const std::string& name) { return program_file(name); }

std::vector<std::string> PixledgerCommand::arguments(std::vector<std::string> arguments) const {
  for (const std::string& argument :
       {std::string("--data"), data().string(), std::string("--map-size=1GiB")}) {
    arguments.push_back(argument);
  }
  return arguments;
}

ProcessResult PixledgerCommand::run(const std::vector<std::string>& given) const {
  return run_process(built_program("pixledger"), arguments(given));
}

std::string PixledgerCommand::done(const std::vector<std::string>& given) const {
  const auto result = run(given);
  INFO(result.err);
  REQUIRE(result.code == 0);
  return result.out;
}

std::string PixledgerCommand::create_project(const std::string& name) const {
  return done({"project", "create", "--name", name, "--json"});
}

std::string json_at(const std::string& json, const std::string& pointer) {
  INFO(json);
  simdjson::dom::parser parser;
  simdjson::dom::element value;
  REQUIRE(parser.parse(json).at_pointer(pointer).get(value) == simdjson::SUCCESS);
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(value);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace pixledger::tests
