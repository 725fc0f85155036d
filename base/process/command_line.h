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

// How programs declare their options and commands. CLI11 does the work, out of sight: its one header takes
// seconds of every file that includes it, so only base/process does.
namespace pixledger {

// Whether --help tells a rule; where the help text does in words, it would say it twice.
enum class InHelp { kShown, kHidden };

// A declared option, to say more about it; for as long as its command line lives. Copies are the same option.
class Option {
 public:
  Option() = default;
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  Option show_default() const;  // what the variable holds now, in --help
  Option one_of(const std::vector<std::string>& values, InHelp in_help = InHelp::kHidden) const;
  Option range(std::int64_t least, std::int64_t most, InHelp in_help = InHelp::kShown) const;
  Option range(std::uint64_t least, std::uint64_t most, InHelp in_help = InHelp::kShown) const;
  Option range(double least, double most, InHelp in_help = InHelp::kShown) const;
  // `rule` returns "" for a value that is right, else what it must be (option_rules.h).
  Option check(std::string (*rule)(const std::string& value)) const;

  // No variable and no key of a file: what another program means by the name must not count here.
  Option flag_alone() const;

  bool is_given() const;  // after parsing

 private:
  CLI::Option* option_ = nullptr;
};

// The options and commands of a program, or of one of its commands. Copies are the same one. The variables
// that options are declared with outlive the parsing; what is not given leaves them as they are.
class CommandLine {
 public:
  // A program's; without a name it has that of the executable.
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

  // One that has been declared.
  Option option(const std::string& name) const;

  // `chosen` is called when the command line names the command.
  CommandLine add_command(const std::string& name, const std::string& help, std::function<void()> chosen = {},
                          const std::string& footer = "");
  // One of the commands must be named.
  void require_command();

  CLI::App& app() { return *app_; }

 private:
  explicit CommandLine(std::shared_ptr<CLI::App> app) : app_(std::move(app)) {}

  std::shared_ptr<CLI::App> app_;
};

// The options of programs that a command starts: it takes them all and passes on what it was given.
class PassedOptions {
 public:
  // Declares for `command` what `program` has and the command has not yet. Both outlive this.
  void take(CommandLine& command, CommandLine& program);

  // What the command was given of the options that were taken and `program` has, as arguments for it. Throws
  // UsageError where the program would not take them.
  std::vector<std::string> arguments_for(CommandLine& program) const;

 private:
  std::map<std::string, CLI::Option*> taken_;  // by name, "--listen"
};

}  // namespace pixledger
