#include "eventstore/process/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eventstore/process/option_rules.h"
#include "eventstore/process/output.h"
#include "eventstore/process/owner.h"

namespace pixledger::eventstore {
namespace {

// The options of the services, any of which may stand in a file that all programs share.
constexpr std::array<std::string_view, 20> kKeysOfServices{
    "listen",    "port-file",      "allow-target",       "allow-http",  "rate-live",
    "rate-test", "metrics-listen", "trusted-proxy",      "tls-cert",    "tls-key",
    "ca-file",   "retry-schedule", "attempt-timeout",    "resume-from", "smtp",
    "smtp-tls",  "smtp-user",      "smtp-password-file", "smtp-from",   "dev"};
// Of programs that a package installed. Those of a checkout must not read it.
constexpr std::string_view kInstalledPrograms = "/usr/bin/pixledger";
constexpr const char* kInstalledConfiguration = "/etc/pixledger/pixledger.toml";
constexpr mode_t kOthersModeBits = 0077;
constexpr std::size_t kMapBytesMin = std::size_t{1} << 20;
constexpr std::size_t kMapBytesMax = std::size_t{1} << 46;  // half of what a process can address

// The file to read unless --config names another; empty for none.
std::string default_configuration() {
  if (const char* file = std::getenv("PIXLEDGER_CONFIG")) return file;
  // Not /proc/self/exe: there may be no /proc.
  const auto* program = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  const bool installed = program != nullptr &&
                         std::string_view(program).substr(0, kInstalledPrograms.size()) == kInstalledPrograms;
  return installed && std::filesystem::exists(kInstalledConfiguration) ? kInstalledConfiguration : "";
}

bool any_command(const CLI::App*) { return true; }

std::string environment_name(std::string_view option) {
  std::string name = "PIXLEDGER_";
  for (const char c : option) {
    if (c == '-') {
      name += '_';
    } else {
      name += (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return name;
}

bool in_environment(std::string_view option) {
  const char* value = std::getenv(environment_name(option).c_str());
  return value != nullptr && *value != '\0';
}

// Only the parts of the command line in use read the environment: a variable meant for one command must not
// be a bad value of another.
void read_environment_when_used(CLI::App& app) {
  app.preparse_callback([&app](std::size_t) {
    for (CLI::Option* option : app.get_options()) {
      const bool configurable = option->get_configurable() && !option->get_lnames().empty();
      if (configurable) option->envname(environment_name(option->get_lnames().front()));
    }
  });
  for (CLI::App* subcommand : app.get_subcommands({})) read_environment_when_used(*subcommand);
}

// CLI11 lets the file win over the environment. Here the environment wins, and a key outside any section is
// also one of the command in use, so that all executables can share a file.
class ConfigurationFile final : public CLI::ConfigTOML {
 public:
  ConfigurationFile(const CLI::App& app, std::vector<std::string>& unknown_keys)
      : app_(app), unknown_keys_(unknown_keys) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    auto entries = CLI::ConfigTOML::from_config(input);
    for (const auto& item : entries) {
      if (!is_known(item)) unknown_keys_.push_back(item.fullname());
    }
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [](const CLI::ConfigItem& item) { return in_environment(item.name); }),
                  entries.end());
    for (auto& item : entries) {
      if (item.parents.empty()) item.parents = owner_of(item.name);
    }
    return entries;
  }

 private:
  // To any program: a section belongs to a command, and only the program that has commands knows which.
  bool is_known(const CLI::ConfigItem& item) const {
    if (item.name == "++" || item.name == "--") return true;  // where CLI11 sees a section begin and end
    if (!item.parents.empty() && app_.get_subcommands(any_command).empty()) return true;
    const bool is_shared =
        std::find(kKeysOfServices.begin(), kKeysOfServices.end(), item.name) != kKeysOfServices.end();
    return is_shared || has_option(app_, "--" + item.name);
  }

  static bool has_option(const CLI::App& app, const std::string& option) {
    if (app.get_option_no_throw(option) != nullptr) return true;
    const auto commands = app.get_subcommands(any_command);
    return std::any_of(commands.begin(), commands.end(),
                       [&](const CLI::App* command) { return has_option(*command, option); });
  }

  // The names of the subcommands in use down to the one that has the option; none when it is the program's
  // own.
  std::vector<std::string> owner_of(const std::string& option) const {
    std::vector<std::string> path;
    const CLI::App* app = &app_;
    while (app->get_option_no_throw("--" + option) == nullptr) {
      const auto in_use = app->get_subcommands();
      if (in_use.empty()) return {};
      app = in_use.front();
      path.push_back(app->get_name());
    }
    return path;
  }

  const CLI::App& app_;
  std::vector<std::string>& unknown_keys_;
};

int report_usage(const std::string& program, const std::string& problem) {
  std::cerr << program << ": " << problem << "\nRun with --help for more information.\n";
  return kExitUsage;
}

// What the command line names where only a command can stand, "" when there is none: CLI11 says of it that an
// argument was not expected, or just that a command is missing.
std::string unknown_command(const CLI::App& app, std::string& program) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().front();
    program += " " + deepest->get_name();
  }
  const auto arguments = app.remaining(true);
  const bool has_commands = !deepest->get_subcommands(any_command).empty();
  if (!has_commands || arguments.empty() || arguments.front().substr(0, 1) == "-") return {};
  return arguments.front();
}

int report_parse_error(const CLI::App& app, std::string program, const CLI::ParseError& error) {
  std::string group = program;
  const auto unknown = unknown_command(app, group);
  if (unknown.empty()) return report_usage(program, error.what());
  std::cerr << program << ": unknown command '" << unknown << "'; see " << group << " --help\n";
  return kExitUsage;
}

// Whose output nobody reads to its end has still done what it does.
int run_body(const std::function<int()>& body) {
  const int code = body();
  try {
    flush_output();
  } catch (const ReaderGone&) {
  }
  return code;
}

void warn_of_unknown_keys(const CommonOptions& options, ProgramKind kind, const std::string& program) {
  SystemClock clock;
  for (const std::string& key : options.unknown_keys) {
    if (kind == ProgramKind::kService) {
      Logger(options.log_format, clock)
          .warning("the configuration file has a key that no program knows", {{"key", key}});
    } else {
      std::cerr << program << ": warning: no program knows the key " << key << " of "
                << options.config.string() << "\n";
    }
  }
}

void report_fault(const CommonOptions& options, ProgramKind kind, const std::string& program,
                  const std::string& problem) {
  if (kind == ProgramKind::kService) {
    SystemClock clock;
    Logger(options.log_format, clock).error(problem);
  } else {
    std::cerr << program << ": " << problem << "\n";
  }
}

}  // namespace

LmdbOptions CommonOptions::lmdb() const {
  LmdbOptions lmdb;
  lmdb.map_bytes = map_bytes;
  return lmdb;
}

void add_common_options(CommandLine& line, CommonOptions& options) {
  CLI::App& app = line.app();
  options.log_format = ::isatty(STDERR_FILENO) != 0 ? LogFormat::kText : LogFormat::kJson;

  app.fallthrough();
  app.set_version_flag("--version", std::string("pixledger ") + PIXLEDGER_VERSION);
  app.add_option("--data", options.data.root, "Data directory")
      ->capture_default_str()
      ->check([](const std::string& path) { return std::string(path.empty() ? "must not be empty" : ""); });
  app.add_option_function<std::string>(
         "--log-format",
         [&options](const std::string& name) {
           options.log_format = name == "text" ? LogFormat::kText : LogFormat::kJson;
         },
         "json or text; text on a terminal unless given")
      ->check(CLI::IsMember({"json", "text"}).description(""));
  app.add_option("--map-size", options.map_bytes,
                 "Address space for each store, such as 64GiB; 1TiB unless given")
      ->transform(CLI::AsSizeValue(false).description("BYTES"))
      ->check(CLI::Range(kMapBytesMin, kMapBytesMax).description(""));

  const std::string file = default_configuration();
  options.config = file;
  app.set_config("--config", file, "TOML file with any of these options", !file.empty())
      ->each([&options](const std::string& given) { options.config = given; });
  app.config_formatter(std::make_shared<ConfigurationFile>(app, options.unknown_keys));
}

int run_main(CommandLine& line, const CommonOptions& options, int argc, const char* const* argv,
             ProgramKind kind, const std::function<int()>& body) {
  CLI::App& app = line.app();
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  if (app.get_name().empty()) app.name(program);
  read_environment_when_used(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::FileError&) {
    // CLI11 reads no other file, and does not say which option named it.
    const auto problem = must_not_be_a_directory(options.config.string());
    return report_usage(
        program, "--config: " + (problem.empty() ? "cannot read " + options.config.string() : problem));
  } catch (const CLI::ParseError& error) {
    return report_parse_error(app, program, error);
  }
  warn_of_unknown_keys(options, kind, program);
  // What is written may hold secrets and personal data.
  ::umask(kOthersModeBits);
  if (kind == ProgramKind::kCommand) ::signal(SIGPIPE, SIG_IGN);
  try {
    become_owner_of(options.data.root);
    return run_body(body);
  } catch (const ReaderGone&) {
    return kExitDone;
  } catch (const UsageError& error) {
    return report_usage(program, error.what());
  } catch (const std::exception& error) {
    report_fault(options, kind, program, error.what());
    return kExitFault;
  }
}

}  // namespace pixledger::eventstore
