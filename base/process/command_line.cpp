#include "base/process/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/process/options.h"

namespace pixledger {
namespace {

Option checked(CLI::Option* option, CLI::Validator rule, InHelp in_help) {
  if (in_help == InHelp::kHidden) rule.description("");
  return Option(option->check(std::move(rule)));
}

}  // namespace

Option Option::required() const { return Option(option_->required()); }
Option Option::flag_alone() const {
  option_->configurable(false);
  return *this;
}

Option Option::show_default() const { return Option(option_->capture_default_str()); }

Option Option::one_of(const std::vector<std::string>& values, InHelp in_help) const {
  return checked(option_, CLI::IsMember(values), in_help);
}
Option Option::range(std::int64_t least, std::int64_t most, InHelp in_help) const {
  return checked(option_, CLI::Range(least, most), in_help);
}
Option Option::range(std::uint64_t least, std::uint64_t most, InHelp in_help) const {
  return checked(option_, CLI::Range(least, most), in_help);
}
Option Option::range(double least, double most, InHelp in_help) const {
  return checked(option_, CLI::Range(least, most), in_help);
}
Option Option::check(std::string (*rule)(const std::string&)) const { return Option(option_->check(rule)); }

bool Option::is_given() const { return option_->count() > 0; }

CommandLine::CommandLine(const std::string& description, const std::string& name)
    : app_(std::make_shared<CLI::App>(description, name)) {}

Option CommandLine::add_option(const std::string& names, std::string& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, std::filesystem::path& value,
                               const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, std::int64_t& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, std::uint32_t& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, std::uint64_t& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, double& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, std::optional<std::string>& value,
                               const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, std::optional<std::int32_t>& value,
                               const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, std::optional<std::int64_t>& value,
                               const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::add_option(const std::string& names, std::vector<std::string>& values,
                               const std::string& help) {
  return Option(app_->add_option(names, values, help));
}
Option CommandLine::add_list_option(const std::string& names, std::vector<std::string>& values,
                                    const std::string& help) {
  return Option(
      app_->add_option(names, values, help + " (comma-separated)")->delimiter(',')->allow_extra_args(false));
}
Option CommandLine::add_flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

Option CommandLine::option(const std::string& name) const { return Option(app_->get_option(name)); }

CommandLine CommandLine::add_command(const std::string& name, const std::string& help,
                                     std::function<void()> chosen, const std::string& footer) {
  CLI::App* command = app_->add_subcommand(name, help);
  if (chosen) command->callback(std::move(chosen));
  command->footer(footer);
  return CommandLine(std::shared_ptr<CLI::App>(app_, command));
}

void CommandLine::require_command() { app_->require_subcommand(1); }

namespace {

// The names of a program's own options, without --help, which every command has.
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
    // Without an environment variable: only given values are passed on.
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
    // CLI11 expects the last argument first.
    program.app().parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return arguments;
}

}  // namespace pixledger
