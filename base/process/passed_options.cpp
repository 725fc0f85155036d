#include "base/process/passed_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/process/options.h"

namespace pixledger {
namespace {

// The names of a program's own options: not --help, which every command has.
std::vector<std::string> names_of(CommandLine& program) {
  std::vector<std::string> names;
  for (const CLI::Option* option : program.app().get_options()) {
    if (option->get_configurable()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

bool is_flag(const CLI::Option& option) { return option.get_expected_min() == 0; }

}  // namespace

void PassedOptions::take(CommandLine& command, CommandLine& program) {
  CLI::App& app = command.app();
  for (const std::string& name : names_of(program)) {
    if (app.get_option_no_throw(name) != nullptr) continue;
    const CLI::Option& original = *program.app().get_option(name);
    // Without a variable: what was given stays with the option.
    CLI::Option* option = is_flag(original)
                              ? app.add_flag(name)
                              : app.add_option(name, [](const CLI::results_t&) { return true; });
    option->description(original.get_description());
    taken_[name] = option;
    if (is_flag(original)) continue;
    option->type_name(original.get_type_name())
        ->expected(original.get_expected_min(), original.get_expected_max())
        ->delimiter(original.get_delimiter())
        ->allow_extra_args(original.get_allow_extra_args());
  }
}

std::vector<std::string> PassedOptions::arguments_for(CommandLine& program) const {
  std::vector<std::string> arguments;
  for (const std::string& name : names_of(program)) {
    const auto found = taken_.find(name);
    if (found == taken_.end() || found->second->empty()) continue;
    if (is_flag(*found->second)) {
      if (found->second->as<bool>()) arguments.push_back(name);
      continue;
    }
    for (const std::string& value : found->second->results())
      arguments.insert(arguments.end(), {name, value});
  }
  try {
    // CLI11 takes the last argument first.
    program.app().parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return arguments;
}

}  // namespace pixledger
