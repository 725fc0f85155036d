#include <algorithm>
#include <filesystem>
#include <map>
#include <unistd.h>

#include "base/platform/durable_files.h"
#include "base/process/command_line.h"
#include "base/process/service_options.h"
#include "base/process/version.h"
#include "stores/status/worker_state.h"
#include "tools/commands/commands.h"
#include "tools/operations/supervisor.h"
#include "tools/operations/up_pages.h"
#include "workers/banks/poll_plan.h"
#include "workers/common/resume_from.h"
#include "workers/common/retry_schedule.h"

namespace pixledger::tools {
namespace {

using Arguments = std::vector<std::string>;

// The options of `up`: its own, and those of the programs that it starts.
struct UpOptions {
  std::string resume_from;
  std::vector<std::string> only;
  bool dev = false;
  pixledger::ServerOptions server;
  WebhooksOptions webhooks;
  EmailsOptions emails;
  ProvidersOptions providers;
  pixledger::WebOptions web;
  pixledger::FollowOptions follow;
  std::string web_port_file;
  CommandLine server_line{""};
  CommandLine webhooks_line{""};
  CommandLine emails_line{""};
  CommandLine providers_line{""};
  CommandLine web_line{""};
  CommandLine follow_line{""};
  PassedOptions passed;
};

// Each program's arguments besides the common options and the start position.
struct ProgramArguments {
  Arguments server, webhooks, emails, providers, follow;
  std::optional<PagesStart> pages;  // absent: no pages
};

void append(Arguments& arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

// Options of all programs, including those without a data directory.
Arguments process_arguments(const eventstore::LedgerOptions& common) {
  Arguments arguments{"--log-format", common.log_format == LogFormat::kJson ? "json" : "text"};
  if (!common.config.empty()) append(arguments, {"--config", common.config.string()});
  return arguments;
}

Arguments common_arguments(const eventstore::LedgerOptions& common) {
  Arguments arguments{"--data", common.data.root.string(), "--map-size", std::to_string(common.map_bytes)};
  append(arguments, {"--on-lost-commits", common.on_lost_commits});
  if (common.allow_plain_postgres) append(arguments, {"--allow-plain-postgres"});
  append(arguments, process_arguments(common));
  return arguments;
}

// In order of start.
constexpr const char* kPrograms[] = {"server", "web", "webhooks", "emails", "expiry", "providers", "follow"};

bool is_asked_for(const UpOptions& options, const std::string& program) {
  const auto& only = options.only;
  return only.empty() || std::find(only.begin(), only.end(), program) != only.end();
}

// Pages run if a listen address is configured, or if they are requested by name.
bool has_pages(const UpOptions& options, const Arguments& given) {
  if (!is_asked_for(options, "web")) return false;
  const auto is_given = [&given](const char* option) {
    return std::find(given.begin(), given.end(), option) != given.end();
  };
  return !options.only.empty() || is_given("--pay-listen") || is_given("--dashboard-listen");
}

ProgramArguments program_arguments(UpOptions& options, const DataDirectory& data) {
  ProgramArguments arguments{
      options.passed.arguments_for(options.server_line), options.passed.arguments_for(options.webhooks_line),
      options.passed.arguments_for(options.emails_line), options.passed.arguments_for(options.providers_line),
      options.passed.arguments_for(options.follow_line), {}};
  // Workers report their own invalid options, and the other programs run meanwhile.
  pixledger::refuse(check(options.server));
  const auto of_pages = options.passed.arguments_for(options.web_line);
  if (has_pages(options, of_pages)) {
    arguments.pages = start_pages(of_pages, options.web, options.server, options.web_port_file, data.root);
    append(arguments.server, arguments.pages->server);
  }
  if (!options.dev) return arguments;
  for (auto* program : {&arguments.server, &arguments.webhooks, &arguments.providers}) {
    program->erase(std::remove(program->begin(), program->end(), "--allow-http"), program->end());
    program->insert(program->begin(), "--allow-http");
  }
  for (auto* program : {&arguments.server, &arguments.webhooks})
    program->insert(program->begin() + 1, {"--allow-target", "127.0.0.0/8"});
  return arguments;
}

using stores::WorkerDatabase;

// The worker's cursor.
std::optional<eventstore::LogCursor> read_cursor(const WorkerDatabase& database, const DataDirectory& data) {
  const auto databases = stores::WorkerDatabases::of(data);
  if (databases.are_shared()) return databases.cursor(database);
  const auto file = database.in(data.workers());
  return std::filesystem::exists(file) ? stores::cursor_of_database(file) : std::nullopt;
}

// Nullopt also if its state cannot be read: the worker will report the fault.
std::optional<eventstore::LogCursor> cursor_of(const WorkerDatabase& database, const DataDirectory& data) {
  try {
    return read_cursor(database, data);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool has_state(const WorkerDatabase& database, const DataDirectory& data) {
  try {
    return read_cursor(database, data).has_value();
  } catch (const std::exception&) {
    return true;
  }
}

// True for a data directory from before e-mails existed: its old payments need none. On a shared ledger the
// directory is no evidence.
bool is_new_to(const WorkerDatabase& database, const DataDirectory& data) {
  return database.worker == stores::kEmailDatabase.worker &&
         !stores::WorkerDatabases::of(data).are_shared() && has_state(stores::kWebhookDatabase, data) &&
         !std::filesystem::exists(data.worker(database.worker));
}

bool is_from_before_restore(const WorkerDatabase& database, const CommandContext& context) {
  const auto cursor = cursor_of(database, context.common.data);
  return cursor && workers::is_from_before_restore(*cursor, context.open_log()->identity());
}

// Invalid options may end a worker before it creates its directory, and charges arrive until they are
// corrected. The directory records that it is not new then (see is_new_to).
void remember(const WorkerDatabase& database, const DataDirectory& data) {
  create_durably(std::filesystem::absolute(data.worker(database.worker)));
}

const workers::InitialCursor& initial_cursor_of(const WorkerDatabase& database) {
  return database.worker == stores::kEmailDatabase.worker ? workers::kEmailsBegin : workers::kWebhooksBegin;
}

// A worker without state requires a start, to avoid repeating messages. If there is no doubt, `up` passes it,
// since the server may record events before the worker checks. Determined at each start: a worker that ran
// since the first one may have sent messages and lost its state.
Arguments resume_arguments(const WorkerDatabase& database, const CommandContext& context,
                           const std::string& resume_from) {
  const auto given = resume_from.empty() ? Arguments() : Arguments{"--resume-from", resume_from};
  try {
    if (has_state(database, context.common.data))
      return is_from_before_restore(database, context) ? given : Arguments();
    if (!given.empty()) return given;
    if (const auto start = initial_cursor_of(database).find_under_up(*context.open_log())) {
      remember(database, context.common.data);
      return {"--resume-from", std::to_string(start->position.value() + 1)};
    }
  } catch (const std::exception&) {
    // The worker will report the ledger's fault.
  }
  if (is_new_to(database, context.common.data)) return {"--resume-from", "head"};
  return {};
}

// On a shared ledger, e-mails require a mail server.
OptionProblems lacking_mail_server(const CommandContext& context, const UpOptions& options) {
  if (!is_asked_for(options, "emails") || !stores::WorkerDatabases::of(context.common.data).are_shared())
    return {};
  return check_shared(options.emails);
}

std::filesystem::path own_directory() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::vector<Supervised> programs(const CommandContext& context, const ProgramArguments& given,
                                 const UpOptions& options) {
  const auto directory = own_directory();
  const auto behind = [](const Arguments& common) {
    return std::function<Arguments(const Arguments&)>([common](const Arguments& more) {
      Arguments arguments = common;
      append(arguments, more);
      return arguments;
    });
  };
  const auto with_common = behind(common_arguments(context.common));
  const auto without_data = behind(process_arguments(context.common));
  const auto with_resume = [&context, resume_from = options.resume_from](const WorkerDatabase& database,
                                                                         Arguments arguments) {
    append(arguments, resume_arguments(database, context, resume_from));
    return arguments;
  };
  const std::map<std::string, std::function<Arguments()>> own_arguments{
      {"server", [=] { return given.server; }},
      {"web", [=] { return given.pages->web; }},
      {"webhooks", [=] { return with_resume(stores::kWebhookDatabase, given.webhooks); }},
      {"emails", [=] { return with_resume(stores::kEmailDatabase, given.emails); }},
      {"expiry", [] { return Arguments(); }},
      {"providers", [=] { return given.providers; }},
      {"follow", [=] { return given.follow; }}};

  std::vector<Supervised> found;
  for (const std::string name : kPrograms) {
    if (!is_asked_for(options, name) || (name == "web" && !given.pages)) continue;
    if (name == "emails" && !lacking_mail_server(context, options).empty()) continue;
    if (name == "follow" && options.follow.to.empty()) continue;
    const auto executable = directory / ("pixledger-" + name);
    const bool is_web = name == "web";
    const bool is_wanted = name == "server" || is_web || !options.only.empty();
    if (!std::filesystem::exists(executable)) {
      if (is_wanted) throw std::runtime_error("there is no " + executable.string());
      continue;
    }
    const bool is_server = name == "server";
    found.push_back({.executable = executable,
                     .arguments = [given_all = is_web ? without_data : with_common,
                                   more = own_arguments.at(name)] { return given_all(more()); },
                     .essential = is_server,
                     .reads_anew = is_server || is_web || name == "providers",
                     .needs = is_web && is_asked_for(options, "server") ? given.pages->key_file : ""});
  }
  if (found.size() == 1) found.front().essential = true;
  return found;
}

std::string names_of(const std::vector<Supervised>& programs) {
  std::string names;
  for (const auto& program : programs)
    names += (names.empty() ? "" : ", ") + program.executable.filename().string();
  return names;
}

void tell_start(const CommandContext& context, const std::vector<Supervised>& programs, Logger& logger) {
  const auto log = context.open_log();
  logger.info("starting programs", {{"version", kReleaseVersion},
                                    {"data", std::filesystem::absolute(context.common.data.root).string()},
                                    {"ledgerId", log->identity().ledger_id},
                                    {"epoch", log->identity().epoch},
                                    {"position", log->head().position.value()},
                                    {"programs", names_of(programs)}});
}

// Clears the URL too if `up` runs no dashboard. Commands that invite users read it. Without the web program
// among the parts, its location is unknown.
void tell_dashboard(const CommandContext& context, const ProgramArguments& arguments,
                    const UpOptions& options, Logger& logger) {
  if (!is_asked_for(options, "web")) return;
  const auto url = arguments.pages ? arguments.pages->dashboard_url : std::string();
  note_dashboard_url(context.common.data.root, url);
  if (!url.empty()) logger.info("the dashboard has an address", {{"url", url}});
}

template <class Value>
OptionProblems problems_of(const std::string& option, const std::string& text) {
  try {
    if (!text.empty()) parse_option<Value>(option, text);
    return {};
  } catch (const UsageError& wrong) {
    return {{wrong.what(), wrong.what(), ""}};
  }
}

// Reports wrong options here, because a worker does not know their place in the file.
void tell_wrong_options(const CommandContext& context, const UpOptions& options, Logger& logger) {
  for (const auto& problem : lacking_mail_server(context, options))
    logger.warning("a worker's options are wrong",
                   {{"program", "pixledger-emails"}, {"problem", problem.usage}});
  const auto tell = [&](const std::string& program, const OptionProblems& problems) {
    for (const auto& problem : problems) {
      const auto place = place_of(problem.usage, context.common.configured_at);
      if (is_asked_for(options, program) && !place.empty())
        logger.warning("a worker's options are wrong",
                       {{"program", "pixledger-" + program}, {"problem", located(place, problem.usage)}});
    }
  };
  tell("webhooks", check(options.webhooks));
  tell("webhooks", problems_of<workers::RetrySchedule>("--retry-schedule", options.webhooks.retry_schedule));
  tell("emails", check(options.emails));
  tell("emails", problems_of<workers::RetrySchedule>("--retry-schedule", options.emails.retry_schedule));
  tell("providers", check(options.providers));
  tell("providers", problems_of<workers::PollPlan>("--polls", options.providers.polls));
}

int up(CommandContext& context, UpOptions& options) {
  if (!options.resume_from.empty()) parse_option<workers::ResumeFrom>("--resume-from", options.resume_from);
  const auto arguments = program_arguments(options, context.common.data);
  if (options.dev) context.create();
  eventstore::Ledger::refuse_missing(context.common.data);
  if (!options.only.empty()) pixledger::refuse(lacking_mail_server(context, options));
  // Reports a refused node before directories of workers are created.
  if (!context.common.data.node_asked.empty()) context.open_log();
  ::unsetenv("PIXLEDGER_RESUME_FROM");  // only for a worker without state
  Logger logger(context.common.log_format, context.clock);
  auto supervised = programs(context, arguments, options);
  tell_start(context, supervised, logger);
  tell_dashboard(context, arguments, options, logger);
  tell_wrong_options(context, options, logger);
  const auto hangup = ::isatty(STDIN_FILENO) != 0 ? Hangup::kStops : Hangup::kIsPassedOn;
  Supervisor supervisor(std::move(supervised), hangup, logger);
  return supervisor.run() ? kExitDone : kExitFault;
}

}  // namespace

void add_up_command(CommandLine& program, CommandContext& context) {
  const auto options = std::make_shared<UpOptions>();
  CommandLine command = add_command(program, context, "up", "Run server and workers",
                                    [&context, options] { return up(context, *options); });
  context.common.logs_faults = "up";
  command.add_option(
      "--resume-from", options->resume_from,
      "Where webhooks and e-mails begin when their state is lost, or after a restore: beginning (all "
      "there ever were, again), head (only what comes), or the first position to handle; after "
      "a restore also restored: where each one's state ends");
  command
      .add_list_option(
          "--only", options->only,
          "Only these of server, web, webhooks, emails, expiry, providers and follow: with server "
          "alone nothing is sent")
      .one_of({std::begin(kPrograms), std::end(kPrograms)});
  command.add_option("--web-port-file", options->web_port_file, "File that gets the port of payers' pages");
  command.add_flag(
      "--dev", options->dev,
      "Make the data directory if it is missing; webhooks may go to http URLs and to 127.0.0.0/8, and banks "
      "may be spoken to without TLS");
  add_server_options(options->server_line, options->server);
  add_webhooks_options(options->webhooks_line, options->webhooks);
  add_emails_options(options->emails_line, options->emails);
  add_providers_options(options->providers_line, options->providers);
  add_web_options(options->web_line, options->web);
  add_follow_options(options->follow_line, options->follow, FollowNames::kWhole);
  for (auto* line : {&options->server_line, &options->webhooks_line, &options->emails_line,
                     &options->providers_line, &options->web_line, &options->follow_line})
    options->passed.take(command, *line);
}

}  // namespace pixledger::tools
