#include <iostream>
#include <optional>

#include "eventstore/keys/connection_secrets.h"
#include "eventstore/log/log.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/bank_setup.h"
#include "tools/operations/known_connection.h"

namespace pixledger::tools {
namespace {

using domain::Environment;

struct ConnectionOptions : ConnectionNaming {
  std::optional<std::string> alias;
  std::optional<std::string> provider;
  std::optional<std::string> provider_id;
  std::optional<std::string> provider_name;
  BankOptions bank;
};

// For `add`, which requires it.
Environment environment_of(const ConnectionOptions& options) {
  return *options.environment == "live" ? Environment::kLive : Environment::kSandbox;
}

int say_added(const CommandContext& context, const domain::ConnectionId& id) {
  if (context.json) {
    std::cout << Json().begin_object().field("connectionId", id.text()).end_object().take_line();
    return kExitDone;
  }
  print_facts(std::cout, {{"connection", id.text()}});
  std::cout << "\nA charge takes it by its connectionId; without one it takes the environment's default.\n";
  return kExitDone;
}

int add_plain(CommandContext& context, const ConnectionOptions& options) {
  if (const auto* given = options.bank.first_given())
    throw UsageError(std::string(given) + " needs --provider api-pix");
  const auto environment = environment_of(options);
  const bool live = environment == Environment::kLive;
  // The default provider is that of the project's first connection in that environment.
  const std::string provider = options.provider_id.value_or(live ? "pix" : "sandbox");
  if (provider == domain::kApiPixProvider)
    throw UsageError("--provider-id api-pix is written --provider api-pix, with its bank's options");
  const std::string name =
      options.provider_name.value_or(options.provider_id.value_or(live ? "PIX BR Code" : "Sandbox"));
  domain::AddConnection command{.project = parse_project(options.project),
                                .environment = environment,
                                .alias = parse_option<domain::Label>("--alias", *options.alias),
                                .provider_id = parse_option<domain::Label>("--provider-id", provider),
                                .provider_name = parse_option<domain::Label>("--provider-name", name)};
  auto ledger = context.open();
  const auto added = execute(context, ledger, std::move(command));
  if (!added) return kExitNo;
  const auto& event = std::get<domain::ProjectEvent>(added->events().front().event);
  return say_added(context, std::get<domain::ConnectionAdded>(event).connection.id);
}

int add_bank(CommandContext& context, const ConnectionOptions& options) {
  if (*options.provider != domain::kApiPixProvider) throw UsageError("--provider must be api-pix");
  if (options.provider_id) throw UsageError("--provider-id and --provider exclude each other");
  const auto project = parse_project(options.project);
  const auto environment = environment_of(options);
  const auto alias = parse_option<domain::Label>("--alias", *options.alias);
  auto setup = new_setup(options.bank, environment, context.clock.now());
  const auto terms = new_terms(options.bank);
  const auto name = parse_option<domain::Label>(
      "--provider-name", options.provider_name.value_or(provider_name_of(options.bank)));

  auto ledger = context.open();
  const auto id = eventstore::fresh_id<domain::ConnectionId>(*ledger.log, context.clock, context.entropy);
  setup.secrets.callback_secret = eventstore::new_callback_secret(context.entropy);
  setup.configuration.secrets = eventstore::seal(id, setup.secrets, ledger.keyring, context.entropy);
  domain::AddBankConnection command{.id = id,
                                    .project = project,
                                    .environment = environment,
                                    .alias = alias,
                                    .provider_name = name,
                                    .api_pix = terms,
                                    .configuration = setup.configuration};
  if (!execute(context, ledger, std::move(command))) return kExitNo;
  if (const auto lack = lack_of(setup); !lack.empty()) std::cerr << lack << "\n";
  return say_added(context, id);
}

int say_done(const CommandContext& context, const KnownConnection& known) {
  if (context.json) return say_added(context, known.connection.id);
  print_facts(std::cout, {{"connection", known.connection.id.text()}});
  return kExitDone;
}

// The present configuration with the options' changes, sealed again; unchanged if the options change nothing.
domain::NewBankConfiguration changed_bank(CommandContext& context, const eventstore::Ledger& ledger,
                                          const KnownConnection& known, const BankOptions& options) {
  const auto& was = known.bank->configuration;
  const auto& id = known.connection.id;
  const auto secrets = eventstore::unseal(id, was.secrets, ledger.keyring);
  auto setup = changed_setup({was, secrets}, options, known.connection.environment, context.clock.now());
  if (setup.secrets != secrets)
    setup.configuration.secrets = eventstore::seal(id, setup.secrets, ledger.keyring, context.entropy);
  return {.configuration = std::move(setup.configuration), .made_from = known.bank->revision};
}

int change(CommandContext& context, const ConnectionOptions& options) {
  auto terms = changed_terms(options.bank);
  if (options.alias) terms.alias = parse_option<domain::Label>("--alias", *options.alias);
  if (options.provider_name)
    terms.provider_name = parse_option<domain::Label>("--provider-name", *options.provider_name);
  auto ledger = context.open();
  const auto known = named_connection(*ledger.log, options);
  if (!known) return kExitNo;
  if (const auto* given = options.bank.first_given(); given && !known->connection.api_pix)
    throw UsageError(std::string(given) + " belongs to connections of the provider api-pix");
  domain::ChangeConnection command{
      .project = known->project, .connection = known->connection.id, .change = std::move(terms)};
  if (options.bank.concerns_bank())
    command.configuration = changed_bank(context, ledger, *known, options.bank);
  if (!execute(context, ledger, std::move(command))) return kExitNo;
  return say_done(context, *known);
}

int set_connection(CommandContext& context, const ConnectionOptions& options) {
  if (!options.alias && !options.provider_name && !options.bank.first_given())
    throw UsageError("say what to set: see pixledger connection set --help");
  return change(context, options);
}

int rotate_credentials(CommandContext& context, const ConnectionOptions& options) {
  if (!options.bank.has_credentials())
    throw UsageError(
        "say what takes the old one's place: --client-id, --client-secret-file, --cert and --key, --pfx or "
        "--psp-app-key");
  return change(context, options);
}

template <class MakeCommand>
int carry_out(CommandContext& context, const ConnectionOptions& options, MakeCommand make_command) {
  auto ledger = context.open();
  const auto known = named_connection(*ledger.log, options);
  if (!known || !execute(context, ledger, make_command(*known))) return kExitNo;
  return say_done(context, *known);
}

int make_default(CommandContext& context, const ConnectionOptions& options) {
  return carry_out(context, options, [](const KnownConnection& known) {
    return domain::SetDefaultConnection{known.project, known.connection.id};
  });
}

int set_state(CommandContext& context, const ConnectionOptions& options, domain::ConnectionState state) {
  return carry_out(context, options, [state](const KnownConnection& known) {
    return domain::ChangeConnection{
        .project = known.project, .connection = known.connection.id, .change = {.state = state}};
  });
}

int show_connection(const CommandContext& context, const ConnectionOptions& options) {
  const auto log = context.open_log();
  const auto known = named_connection(*log, options);
  if (!known) return kExitNo;
  if (context.json) {
    Json json;
    json.begin_object();
    write_connection_fields(json, *known);
    std::cout << json.end_object().take_line();
  } else {
    print_facts(std::cout, facts_of(*known));
  }
  return kExitDone;
}

int list_connections(const CommandContext& context, const ConnectionOptions& options) {
  const auto id = parse_project(options.project);
  const auto log = context.open_log();
  const auto project = find_project(*log, id);
  if (!project) return say_no(domain::Rejection::kProjectNotFound);
  const auto connections = connections_of(*project);
  if (context.json) {
    Json json;
    json.begin_array();
    for (const auto& known : connections) {
      json.begin_object();
      write_connection_fields(json, known);
      json.end_object();
    }
    std::cout << json.end_array().take_line();
    return kExitDone;
  }
  std::vector<Row> rows;
  for (const auto& known : connections) {
    const auto& connection = known.connection;
    rows.push_back({connection.id.text(), connection.alias.text(), connection.provider_name,
                    std::string(domain::to_string(connection.environment)), known.is_default ? "yes" : "-",
                    std::string(domain::to_string(connection.state))});
  }
  print_table(std::cout, {"CONNECTION", "ALIAS", "PROVIDER", "ENVIRONMENT", "DEFAULT", "STATE"}, rows);
  return kExitDone;
}

}  // namespace

void add_connection_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "connection", "The ways money comes in");
  const auto options = std::make_shared<ConnectionOptions>();

  CommandLine command = add_command(group, context, "add", "Add a connection", [&context, options] {
    return options->provider ? add_bank(context, *options) : add_plain(context, *options);
  });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--env", options->environment, "live or test").required().one_of({"live", "test"});
  command.add_option("--alias", options->alias, "What people call it; once in an environment").required();
  command.add_option("--provider", options->provider,
                     "api-pix: a bank account, by the central bank's API Pix; with the bank's options below");
  command.add_option("--provider-id", options->provider_id,
                     "Who brings the money in; pix or sandbox unless given");
  command.add_option(
      "--provider-name", options->provider_name,
      "What people call the provider; its id or its bank's name unless given, or PIX BR Code or "
      "Sandbox");
  add_bank_options(command, options->bank);
  add_json_option(command, context);

  command = add_command(group, context, "list", "A project's connections",
                        [&context, options] { return list_connections(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  add_json_option(command, context);

  const auto add_naming = [&](const char* name, const char* help, auto run) {
    command =
        add_command(group, context, name, help, [&context, options, run] { return run(context, *options); });
    add_naming_options(command, *options);
    add_json_option(command, context);
  };
  add_naming("show", "One connection, without its secrets", show_connection);
  add_naming("default", "Charges that name no connection are created on this one from now on", make_default);
  add_naming("enable", "Charges can be created on it again",
             [](CommandContext& with, const ConnectionOptions& of) {
               return set_state(with, of, domain::ConnectionState::kEnabled);
             });
  add_naming("disable", "No charge is created on it any more; those that there are go on",
             [](CommandContext& with, const ConnectionOptions& of) {
               return set_state(with, of, domain::ConnectionState::kDisabled);
             });
  const auto add_changing = [&](const char* name, const char* help, auto run) {
    add_naming(name, help, run);
    command.add_option("--alias", options->alias, "What people call it; once in an environment");
    command.add_option("--provider-name", options->provider_name, "What people call the provider");
    add_bank_options(command, options->bank);
  };
  add_changing("set", "Change a connection; what is not given stays as it is", set_connection);
  add_changing("rotate", "Give a connection to a bank other credentials", rotate_credentials);
  add_bank_commands(group, context);
}

}  // namespace pixledger::tools
