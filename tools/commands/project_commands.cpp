#include <cstdint>
#include <iostream>
#include <optional>
#include <string>

#include "base/platform/json.h"
#include "base/process/command_line.h"
#include "base/process/options.h"
#include "domain/aggregates/project.h"
#include "domain/pix/br_code.h"
#include "domain/values/cents.h"
#include "eventstore/codec/event_json.h"
#include "eventstore/keys/tokens.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"

namespace pixledger::tools {
namespace {

// The store settings of `project create` and `project set`; absent ones stay unchanged.
struct SettingsOptions {
  std::optional<std::string> name;
  std::optional<std::string> pix_key;  // "none" removes it
  std::optional<std::string> merchant_name;
  std::optional<std::string> merchant_city;
  std::optional<std::string> contact;  // "none" removes it
  std::optional<std::int64_t> max_amount_cents;
  std::optional<std::int32_t> pix_expiration_minutes;
  std::optional<std::int64_t> fee_fixed_cents;
  std::optional<std::int32_t> fee_basis_points;
  bool verify_documents = false;
  bool dev_mode = false;
  Option verify_documents_given;
  Option dev_mode_given;
};

using domain::Label;
using domain::StoreName;

// `options` must outlive the command.
void add_settings_options(CommandLine& command, SettingsOptions& options) {
  command.add_option("--name", options.name, "The store's name");
  command.add_option("--pix-key", options.pix_key,
                     "Where live payments go; none: only sandbox charges can be created");
  command.add_option("--merchant-name", options.merchant_name,
                     "As the payer's bank shows it, cut to 25 characters; the store's name unless given");
  command.add_option("--merchant-city", options.merchant_city,
                     "As the payer's bank shows it, cut to 15 characters");
  command.add_option(
      "--contact", options.contact,
      "How payers reach the store, told in e-mails: an e-mail address, a phone, a page; or none");
  command.add_option("--max-amount-cents", options.max_amount_cents, "The largest charge")
      .range(1, domain::kAmountCentsMax);
  command
      .add_option("--pix-expiration-minutes", options.pix_expiration_minutes,
                  "How long a charge can be paid; 30 unless given")
      .range(std::int64_t{1}, domain::kPixExpirationMinutesMax);
  options.verify_documents_given =
      command.add_flag("--verify-documents,!--no-verify-documents", options.verify_documents,
                       "Refuse documents with wrong check digits");
  command.add_option("--fee-fixed-cents", options.fee_fixed_cents, "Fee of each payment, fixed part")
      .range(0, domain::kAmountCentsMax);
  command
      .add_option("--fee-basis-points", options.fee_basis_points,
                  "Fee of each payment, in 1/100 of a percent")
      .range(std::int64_t{0}, domain::kFeeBasisPointsMax);
  options.dev_mode_given = command.add_flag("--dev-mode,!--no-dev-mode", options.dev_mode,
                                            "Shown in the store's details, nothing else");
}

// The given changes; throws UsageError that names the option and its rule.
domain::StoreSettingsChange given_change(const SettingsOptions& options) {
  domain::StoreSettingsChange change;
  if (options.name) change.name = parse_option<StoreName>("--name", *options.name);
  if (options.pix_key == "none") {
    change.pix_key.emplace();
  } else if (options.pix_key) {
    change.pix_key = parse_option<domain::PixKey>("--pix-key", *options.pix_key);
  }
  if (options.merchant_name)
    change.merchant_name = parse_option<StoreName>("--merchant-name", *options.merchant_name);
  if (options.merchant_city)
    change.merchant_city = parse_option<Label>("--merchant-city", *options.merchant_city);
  if (options.contact == "none") {
    change.contact.emplace();
  } else if (options.contact) {
    change.contact = parse_option<Label>("--contact", *options.contact);
  }
  if (options.max_amount_cents) change.max_transaction_amount = domain::Cents(*options.max_amount_cents);
  change.pix_expiration_minutes = options.pix_expiration_minutes;
  if (options.fee_fixed_cents) change.fee_fixed = domain::Cents(*options.fee_fixed_cents);
  change.fee_basis_points = options.fee_basis_points;
  if (options.verify_documents_given.is_given()) change.verify_documents = options.verify_documents;
  if (options.dev_mode_given.is_given()) change.dev_mode = options.dev_mode;
  return change;
}

// A new store's settings: the merchant's name defaults to the store's.
domain::StoreSettings new_settings(const SettingsOptions& options) {
  const auto name = parse_option<StoreName>("--name", options.name.value_or(""));
  domain::StoreSettings settings{name, {}, name, *Label::parse(domain::kFallbackMerchantCity)};
  return domain::changed(std::move(settings), given_change(options));
}

using domain::Project;

struct ProjectOptions {
  std::string project;
  SettingsOptions settings;
};

std::string yes_or_no(bool truth) { return truth ? "yes" : "no"; }
std::string text_of_pix_key(const domain::StoreSettings& settings) {
  return settings.pix_key ? settings.pix_key->text() : "none: sandbox only";
}

void write_project(Json& json, const Project& project) {
  json.begin_object().field("projectId", project.id.text());
  eventstore::write_settings_fields(json, project.settings);
  json.field("createdAt", to_iso8601(project.created_at)).end_object();
}

void print_project(const Project& project) {
  const domain::StoreSettings& settings = project.settings;
  print_facts(std::cout,
              {{"project", project.id.text()},
               {"name", settings.name.text()},
               {"Pix key", text_of_pix_key(settings)},
               {"merchant name", settings.merchant_name.text()},
               {"merchant city", settings.merchant_city.text()},
               {"contact", settings.contact ? settings.contact->text() : "none"},
               {"largest charge", domain::to_reais(settings.max_transaction_amount)},
               {"charges expire after", std::to_string(settings.pix_expiration_minutes) + " minutes"},
               {"check digits verified", yes_or_no(settings.verify_documents)},
               {"fee", domain::to_reais(settings.fee_fixed) + " + " +
                           domain::to_brazilian(domain::Cents(settings.fee_basis_points)) + " %"},
               {"development mode", yes_or_no(settings.dev_mode)},
               {"created", to_iso8601(project.created_at)}});
}

int create_project(CommandContext& context, const ProjectOptions& options) {
  const auto settings = new_settings(options.settings);
  auto ledger = context.open_or_create();
  const auto fingerprint = ledger.log->identity().fingerprint();
  const auto live = eventstore::make_api_key(true, fingerprint, context.entropy);
  const auto test = eventstore::make_api_key(false, fingerprint, context.entropy);
  const auto created =
      execute(context, ledger,
              domain::CreateProject{settings,
                                    {{live.id, domain::Environment::kLive, live.hash, live.last_four},
                                     {test.id, domain::Environment::kSandbox, test.hash, test.last_four}}});
  if (!created) return kExitNo;
  const auto project = created->events().front().project;

  if (context.json) {
    std::cout << Json()
                     .begin_object()
                     .field("projectId", project.text())
                     .field("liveKey", live.text)
                     .field("testKey", test.text)
                     .end_object()
                     .take_line();
    return kExitDone;
  }
  print_facts(std::cout, {{"project", project.text()}, {"live key", live.text}, {"test key", test.text}});
  std::cout << "\nThe keys are shown only this once. Keep them secret.\n";
  if (!settings.pix_key) {
    std::cout << "Live charges need a Pix key: pixledger project set --project " << project.text()
              << " --pix-key K\n";
  }
  return kExitDone;
}

int list_projects(const CommandContext& context) {
  const auto log = context.open_log();
  const auto projects = all_projects(*log);
  if (context.json) {
    Json json;
    json.begin_array();
    for (const Project& project : projects) write_project(json, project);
    std::cout << json.end_array().take_line();
    return kExitDone;
  }
  std::vector<Row> rows;
  for (const Project& project : projects) {
    rows.push_back({project.id.text(), project.settings.name.text(), text_of_pix_key(project.settings),
                    to_iso8601(project.created_at)});
  }
  if (rows.empty()) {
    std::cout << "No projects yet. Make one: pixledger project create --name N\n";
  } else {
    print_table(std::cout, {"PROJECT", "NAME", "PIX KEY", "CREATED"}, rows);
  }
  return kExitDone;
}

int print_one(const CommandContext& context, const Project& project) {
  if (context.json) {
    Json json;
    write_project(json, project);
    std::cout << json.take_line();
  } else {
    print_project(project);
  }
  return kExitDone;
}

int show_project(const CommandContext& context, const ProjectOptions& options) {
  const auto id = parse_project(options.project);
  const auto log = context.open_log();
  const auto project = find_project(*log, id);
  if (!project) return say_no(domain::Rejection::kProjectNotFound);
  return print_one(context, *project);
}

int set_project(CommandContext& context, const ProjectOptions& options) {
  const auto id = parse_project(options.project);
  const auto change = given_change(options.settings);
  auto ledger = context.open();
  if (!execute(context, ledger, domain::ChangeStoreSettings{id, change})) return kExitNo;
  return print_one(context, find_project(*ledger.log, id).value());
}

}  // namespace

void add_project_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "project", "Projects and their settings");
  const auto options = std::make_shared<ProjectOptions>();

  const auto create_options = std::make_shared<ProjectOptions>();
  CommandLine command =
      add_command(group, context, "create", "Make a project and two API keys",
                  [&context, create_options] { return create_project(context, *create_options); });
  add_settings_options(command, create_options->settings);
  command.option("--name").required();
  add_json_option(command, context);

  command =
      add_command(group, context, "list", "All projects", [&context] { return list_projects(context); });
  add_json_option(command, context);

  command = add_command(group, context, "show", "One project's settings",
                        [&context, options] { return show_project(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  add_json_option(command, context);

  command = add_command(group, context, "set", "Change a project's settings",
                        [&context, options] { return set_project(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  add_settings_options(command, options->settings);
  add_json_option(command, context);
}

}  // namespace pixledger::tools
