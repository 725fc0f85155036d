#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

// Declares programs' options and commands. Wraps CLI11, whose one header adds seconds to every file that
// includes it; so only base/process includes it.
namespace pixledger {

// Whether --help shows a rule; hidden if the help text already states it.
enum class InHelp { kShown, kHidden };

// A declared option, valid as long as its command line. Copies refer to the same option.
class Option {
 public:
  Option() = default;
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  Option show_default() const;  // shows the variable's current value in --help
  Option one_of(const std::vector<std::string>& values, InHelp in_help = InHelp::kHidden) const;
  Option range(std::int64_t least, std::int64_t most, InHelp in_help = InHelp::kShown) const;
  Option range(std::uint64_t least, std::uint64_t most, InHelp in_help = InHelp::kShown) const;
  Option range(double least, double most, InHelp in_help = InHelp::kShown) const;
  // `rule` returns "" for a valid value, else the error text (option_rules.h).
  Option check(std::string (*rule)(const std::string& value)) const;

  // Sets it by flag only, not by variable or file, where the name may belong to another program.
  Option flag_alone() const;

  bool is_given() const;  // after parsing

 private:
  CLI::Option* option_ = nullptr;
};

// The options and commands of a program, or of one of its commands. Copies refer to the same object.
// Variables bound to options must outlive the parsing; options that are not given leave them unchanged.
class CommandLine {
 public:
  // A program's; an empty name means the executable's.
  explicit CommandLine(const std::string& description, const std::string& name = "");

  // `names` is "--name", "--name,--other", or "NAME" for a positional.
  Option add_option(const std::string& names, std::string& value, const std::string& help);
  Option add_option(const std::string& names, std::filesystem::path& value, const std::string& help);
  Option add_option(const std::string& names, std::int64_t& value, const std::string& help);
  Option add_option(const std::string& names, std::uint32_t& value, const std::string& help);
  Option add_option(const std::string& names, std::uint64_t& value, const std::string& help);
  Option add_option(const std::string& names, double& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::string>& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::int32_t>& value, const std::string& help);
  Option add_option(const std::string& names, std::optional<std::int64_t>& value, const std::string& help);
  Option add_option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  // An option that may be given several times, or once with commas.
  Option add_list_option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  // "--on" or "--on,!--no-on".
  Option add_flag(const std::string& names, bool& value, const std::string& help);

  // Returns a declared option.
  Option option(const std::string& name) const;

  // `chosen` is called if the command line names the command.
  CommandLine add_command(const std::string& name, const std::string& help, std::function<void()> chosen = {},
                          const std::string& footer = "");
  // Requires one of the commands.
  void require_command();

  CLI::App& app() { return *app_; }

 private:
  explicit CommandLine(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

  std::shared_ptr<CLI::App> app_;
};

// Options that a command accepts on behalf of a program that it starts, and passes on.
class PassedOptions {
 public:
  // Declares on `command` the options of `program` that it lacks. Both must outlive this object.
  void take(CommandLine& command, CommandLine& program);

  // The given options that `program` has, as its arguments. Throws UsageError if the program would reject
  // them.
  std::vector<std::string> arguments_for(CommandLine& program) const;

 private:
  std::map<std::string, CLI::Option*> taken_;  // by name, "--listen"
};

}  // namespace pixledger
