#include "base/process/options.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <grp.h>
#include <iostream>
#include <pwd.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "base/platform/process_limits.h"
#include "base/process/configuration.h"
#include "base/process/option_rules.h"
#include "base/process/output.h"
#include "base/process/version.h"

namespace pixledger {
namespace {

// Installed programs only: those of a checkout must not read the system's file.
constexpr std::string_view kInstalledPrograms = "/usr/bin/pixledger";
constexpr const char* kInstalledConfiguration = "/etc/pixledger/pixledger.toml";
constexpr mode_t kPrivateUmask = 0077;
constexpr std::size_t kMapBytesMin = std::size_t{1} << 20;
constexpr std::size_t kMapBytesMax = std::size_t{1} << 46;  // half of a process's address space

// The file to read unless --config names another; "" for none.
std::string default_configuration() {
  if (const char* file = std::getenv("PIXLEDGER_CONFIG")) return file;
  // Does not use /proc/self/exe: /proc may be missing.
  const auto* program = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  const bool installed = program != nullptr &&
                         std::string_view(program).substr(0, kInstalledPrograms.size()) == kInstalledPrograms;
  return installed && std::filesystem::exists(kInstalledConfiguration) ? kInstalledConfiguration : "";
}

bool every_command(const CLI::App*) { return true; }

// Only the commands in use read the environment: a variable for one command must not be an invalid value of
// another.
void read_environment_when_used(CLI::App& app) {
  app.preparse_callback([&app](std::size_t) {
    for (CLI::Option* option : app.get_options()) {
      const bool configurable = option->get_configurable() && !option->get_lnames().empty();
      if (configurable) option->envname(environment_name(option->get_lnames().front()));
    }
  });
  for (CLI::App* subcommand : app.get_subcommands({})) read_environment_when_used(*subcommand);
}

// Reports errors of the command line or the configuration: as a log line if the program logs in JSON,
// otherwise as plain text.
class UsageReport {
 public:
  UsageReport(std::string program, bool logs_in_json) : program_(std::move(program)), logs_(logs_in_json) {}

  void tell(const std::string& problem, const std::string& hint = {}) const {
    if (logs_) {
      SystemClock clock;
      Logger logger(LogFormat::kJson, clock);
      logger.error("the options are wrong", {{"problem", problem}, {"program", program_}});
    } else {
      std::cerr << program_ << ": " << problem << "\n" << hint;
    }
  }
  int refuse(const std::string& problem) const {
    tell(problem, "Run with --help for more information.\n");
    return kExitUsage;
  }

 private:
  std::string program_;
  bool logs_;
};

// The unknown word in the place of a command, or "". CLI11 only reports an unexpected argument or a missing
// command.
std::string unknown_command(const CLI::App& app, std::string& program) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().front();
    program += " " + deepest->get_name();
  }
  const auto arguments = app.remaining(true);
  const bool has_commands = !deepest->get_subcommands(every_command).empty();
  if (!has_commands || arguments.empty() || arguments.front().substr(0, 1) == "-") return {};
  return arguments.front();
}

std::string did_you_mean(const std::string& name) {
  return name.empty() ? std::string() : "; did you mean " + name + "?";
}

// Suggests a name for the first option that no command in use has.
std::string nearest_option(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* level = &app; level;
       level = level->get_subcommands().empty() ? nullptr : level->get_subcommands().front())
    for (const auto* option : level->get_options())
      for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  for (const auto& argument : app.remaining(true))
    if (argument.starts_with("--")) return nearest_name(argument.substr(0, argument.find('=')), names);
  return {};
}

std::string nearest_command(const CLI::App& app, const std::string& unknown) {
  const CLI::App* deepest = &app;
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  std::vector<std::string> names;
  for (const auto* command : deepest->get_subcommands(every_command)) names.push_back(command->get_name());
  return nearest_name(unknown, names);
}

int report_parse_error(const CLI::App& app, const std::string& program, const UsageReport& report,
                       const CLI::ParseError& error) {
  std::string group = program;
  const auto unknown = unknown_command(app, group);
  if (unknown.empty()) return report.refuse(error.what() + did_you_mean(nearest_option(app)));
  report.tell("unknown command '" + unknown + "'" + did_you_mean(nearest_command(app, unknown)) + "; see " +
              group + " --help");
  return kExitUsage;
}

// A reader that stops early does not change the exit code.
int run_body(const std::function<int()>& body) {
  const int code = body();
  try {
    flush_output();
  } catch (const ReaderGone&) {
  }
  return code;
}

bool is_in_use(const CLI::App& app, const std::string& command) {
  return !command.empty() && app.got_subcommand(command);
}

// The rejected value may come from the file.
int report_usage(const UsageReport& report, const CommonOptions& options, const std::string& problem) {
  const auto place = place_of(problem, options.configured_at);
  if (place.empty()) return report.refuse(problem);
  report.tell(located(place, problem));
  return kExitUsage;
}

int report_configuration(const UsageReport& report, const CommonOptions& options) {
  for (const auto& problem : options.configuration_problems) report.tell(problem);
  return kExitUsage;
}

void report_fault(const CommonOptions& options, ProgramKind kind, const std::string& program,
                  const std::string& problem) {
  if (kind == ProgramKind::kService) {
    SystemClock clock;
    Logger logger(options.log_format, clock);
    const auto& data = options.data.root;
    if (data.empty()) return logger.error("ended by a fault", {{"fault", problem}, {"program", program}});
    logger.error(
        "ended by a fault",
        {{"fault", problem}, {"program", program}, {"data", std::filesystem::absolute(data).string()}});
  } else {
    std::cerr << program << ": " << problem << "\n";
  }
}

void add_basic_options(CLI::App& app, CommonOptions& options) {
  options.log_format = ::isatty(STDERR_FILENO) != 0 ? LogFormat::kText : LogFormat::kJson;
  app.fallthrough();
  app.set_version_flag("--version", std::string("pixledger ") + kReleaseVersion);
  app.add_option_function<std::string>(
         "--log-format",
         [&options](const std::string& name) {
           options.log_format = name == "text" ? LogFormat::kText : LogFormat::kJson;
         },
         "json or text; text on a terminal unless given")
      ->check(CLI::IsMember({"json", "text"}).description(""));
}

void add_configuration(CLI::App& app, CommonOptions& options) {
  const std::string file = default_configuration();
  options.config = file;
  app.set_config("--config", file, "TOML file with any of these options", !file.empty())
      ->each([&options](const std::string& given) { options.config = given; });
  app.config_formatter(
      configuration_reader(app, options.config, options.configuration_problems, options.configured_at));
}

// CLI11 treats an empty value as not given; the command would then use another ledger than intended.
auto must_be_given(std::string_view rule) {
  return [rule](const std::string& text) { return text.empty() ? std::string(rule) : std::string(); };
}

// If run as root, switches to the directory's owner, unless that is root or the directory is missing. So no
// file in it becomes root's, and no service runs as root. Call before starting threads. Throws
// std::system_error if privileges cannot be dropped.
void become_owner_of(const std::filesystem::path& directory) {
  if (::geteuid() != 0) return;
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0 || status.st_uid == 0) return;

  // The owner's other groups may be needed to read a certificate.
  const passwd* owner = ::getpwuid(status.st_uid);
  const gid_t group = owner != nullptr ? owner->pw_gid : status.st_gid;
  const int groups = owner != nullptr ? ::initgroups(owner->pw_name, group) : ::setgroups(1, &group);
  if (groups != 0 || ::setgid(group) != 0 || ::setuid(status.st_uid) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot become the owner of the data directory");
}

}  // namespace

void add_options_without_data(CommandLine& line, CommonOptions& options) {
  CLI::App& app = line.app();
  options.data.root.clear();
  add_basic_options(app, options);
  add_configuration(app, options);
}

void add_data_options(CommandLine& line, CommonOptions& options) {
  CLI::App& app = line.app();
  app.add_option("--data", options.data.root, "Data directory")
      ->capture_default_str()
      ->check([](const std::string& path) { return std::string(path.empty() ? "must not be empty" : ""); });
  app.add_option("--map-size", options.map_bytes,
                 "Address space for each database, such as 64GiB; 1TiB unless given")
      ->transform(CLI::AsSizeValue(false).description("BYTES"))
      ->check(CLI::Range(kMapBytesMin, kMapBytesMax).description(""));
  app.add_option(
         "--ledger", options.ledger,
         "postgresql:// URI of the ledger that several machines share; the data directory remembers it")
      ->check(must_be_given(kLedgerUriRule));
  app.add_option("--node", options.node, "Name of this machine among those; the data directory remembers it")
      ->check(must_be_given(kNodeNameRule));
  app.add_flag("--allow-plain-postgres", options.allow_plain_postgres,
               "Allow PostgreSQL on another machine without sslmode=verify-full");
  app.add_option("--on-lost-commits", options.on_lost_commits,
                 "Where PostgreSQL has lost acknowledged commits: stop refuses writes until pixledger ledger "
                 "accept-loss; continue writes on")
      ->capture_default_str()
      ->check(CLI::IsMember({"stop", "continue"}).description(""));
}

void add_common_options(CommandLine& line, CommonOptions& options) {
  add_data_options(line, options);
  add_basic_options(line.app(), options);
  add_configuration(line.app(), options);
}

int run_main(CommandLine& line, CommonOptions& options, int argc, const char* const* argv, ProgramKind kind,
             const std::function<int()>& body) {
  hold_standard_descriptors();
  set_process_limits();
  CLI::App& app = line.app();
  const std::string program = std::filesystem::path(argv[0]).filename().string();
  if (app.get_name().empty()) app.name(program);
  read_environment_when_used(app);
  // Uses the options that were parsed before the error.
  const auto report = [&] {
    const bool logs = kind == ProgramKind::kService || is_in_use(app, options.logs_faults);
    return UsageReport(program, logs && options.log_format == LogFormat::kJson);
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::FileError&) {
    // CLI11 reads no other file, and does not name the option.
    const auto problem = must_not_be_a_directory(options.config.string());
    return report().refuse("--config: " +
                           (problem.empty() ? "cannot read " + options.config.string() : problem));
  } catch (const CLI::ParseError& error) {
    // A missing option may be in the invalid file.
    if (!options.configuration_problems.empty()) return report_configuration(report(), options);
    return report_parse_error(app, program, report(), error);
  }
  // A command that runs despite an invalid file reports the file itself.
  if (!options.configuration_problems.empty() && !is_in_use(app, options.explains_configuration))
    return report_configuration(report(), options);
  // Output files may contain secrets and personal data.
  ::umask(kPrivateUmask);
  if (kind == ProgramKind::kCommand) ::signal(SIGPIPE, SIG_IGN);
  const StandardOutput output;
  try {
    if (!options.data.root.empty()) become_owner_of(options.data.root);
    return run_body(body);
  } catch (const ReaderGone&) {
    return kExitDone;
  } catch (const UsageError& error) {
    return report_usage(report(), options, error.what());
  } catch (const std::exception& error) {
    const auto told_as = is_in_use(app, options.logs_faults) ? ProgramKind::kService : kind;
    report_fault(options, told_as, program, error.what());
    return kExitFault;
  }
}

}  // namespace pixledger
