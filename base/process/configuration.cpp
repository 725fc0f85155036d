#include "base/process/configuration.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <utility>
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include "base/process/option_rules.h"
#include "base/process/options.h"
#include "base/process/service_options.h"

namespace pixledger {
namespace {

using Options = std::vector<CLI::Option*>;

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool any_command(const CLI::App*) { return true; }
bool any_option(const CLI::Option*) { return true; }

CLI::Option* find_option(CLI::App& app, const std::string& key) {
  CLI::Option* option = app.get_option_no_throw("--" + key);
  return option != nullptr && option->get_configurable() ? option : nullptr;
}

CLI::App* find_command(CLI::App& app, std::string_view name) {
  for (CLI::App* command : app.get_subcommands(any_command)) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

// Searches the program and all of its commands.
void collect_options(CLI::App& app, const std::string& key, Options& found) {
  if (CLI::Option* option = find_option(app, key)) found.push_back(option);
  for (CLI::App* command : app.get_subcommands(any_command)) collect_options(*command, key, found);
}

// Every service's options, and those of a data directory, which one service lacks.
class ServiceLine {
 public:
  ServiceLine() {
    add_data_options(data_, common_options_);
    add_server_options(server_, server_options_);
    add_webhooks_options(webhooks_, webhooks_options_);
    add_emails_options(emails_, emails_options_);
    add_providers_options(providers_, providers_options_);
    add_web_options(web_, web_options_);
    add_follow_options(follow_, follow_options_, FollowNames::kWhole);
  }
  void collect_names(std::vector<std::string>& names) {
    for (CommandLine* line : {&data_, &server_, &webhooks_, &emails_, &providers_, &web_, &follow_})
      for (const CLI::Option* option : line->app().get_options())
        names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  Options find(const std::string& key) {
    Options found;
    for (CommandLine* line : {&data_, &server_, &webhooks_, &emails_, &providers_, &web_, &follow_})
      collect_options(line->app(), key, found);
    return found;
  }

 private:
  CommonOptions common_options_;
  ServerOptions server_options_;
  WebhooksOptions webhooks_options_;
  EmailsOptions emails_options_;
  ProvidersOptions providers_options_;
  WebOptions web_options_;
  FollowOptions follow_options_;
  CommandLine data_{""};
  CommandLine server_{""};
  CommandLine webhooks_{""};
  CommandLine emails_{""};
  CommandLine providers_{""};
  CommandLine web_{""};
  CommandLine follow_{""};
};

// Converts a TOML value to an option's text form.
std::string text_of(const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* truth = value.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* number = value.as_integer()) return std::to_string(number->get());
  std::array<char, 64> digits{};
  const auto* number = value.as_floating_point();
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number->get()).ptr;
  return {digits.data(), end};
}

std::vector<std::string> texts_of(const toml::node& value) {
  const auto* array = value.as_array();
  if (array == nullptr) return {text_of(value)};
  std::vector<std::string> texts;
  for (const auto& element : *array) texts.push_back(text_of(element));
  return texts;
}

bool are_all_strings(const toml::array& array) {
  return std::all_of(array.begin(), array.end(),
                     [](const toml::node& element) { return element.is_string(); });
}

// "" if the value's kind fits the option, else the error text.
std::string kind_rule(const CLI::Option& option, const toml::node& value) {
  const std::string type = option.get_type_name();
  if (option.get_expected_min() == 0) return value.is_boolean() ? "" : "must be true or false";
  if (option.get_expected_max() > 1) {
    const bool fits = value.is_string() || (value.is_array() && are_all_strings(*value.as_array()));
    return fits ? "" : "must be an array of strings";
  }
  if (type.find("BYTES") != std::string::npos)
    return value.is_integer() || value.is_string() ? "" : "must be a number of bytes, such as \"64GiB\"";
  if (type.rfind("INT", 0) == 0 || type.rfind("UINT", 0) == 0)
    return value.is_integer() ? "" : "must be an integer";
  if (type.rfind("FLOAT", 0) == 0) return value.is_number() ? "" : "must be a number";
  return value.is_string() ? "" : "must be a string";
}

class ConfigurationReader final : public CLI::Config {
 public:
  ConfigurationReader(CLI::App& app, const std::filesystem::path& file, std::vector<std::string>& problems,
                      OptionPlaces& places)
      : app_(app), file_(file), problems_(problems), places_(places) {}

  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return {}; }

  // Sets the options itself, to know the place of a rejected value.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const auto parsed = toml::parse(input);
    if (!parsed) {
      add(parsed.error().source(), std::string(parsed.error().description()));
    } else {
      for (const auto& [key, value] : parsed.table()) read_top(key, value);
    }
    for (const auto& [place, problem] : found_) problems_.push_back(problem);
    return {};
  }

 private:
  std::string text_of_place(const toml::source_position& place) const {
    return file_.string() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  }

  void add(const toml::source_region& where, const std::string& problem) const {
    found_.emplace(std::pair(where.begin.line, where.begin.column),
                   text_of_place(where.begin) + ": " + problem);
  }

  std::string nearest_key(const std::string& misspelt) const {
    std::vector<std::string> names(kKeysOfPixledger.begin(), kKeysOfPixledger.end());
    services_.collect_names(names);
    const auto nearest = nearest_name(misspelt, names);
    return nearest.empty() ? nearest : "; did you mean " + nearest + "?";
  }

  void read_top(const toml::key& key, const toml::node& value) const {
    if (const auto* table = value.as_table()) return read_top_table(key, *table);
    const std::string name(key.str());
    Options options;
    collect_options(app_, name, options);
    if (options.empty()) options = services_.find(name);
    if (options.empty()) {
      if (!contains(kKeysOfPixledger, name))
        add(key.source(), "no program knows the key " + name + nearest_key(name));
      return;
    }
    CLI::Option* const in_use = option_in_use(name);
    if (in_use != nullptr) options = {in_use};
    if (fits(options, key, value) && in_use != nullptr) set(*in_use, key, value);
  }

  void read_top_table(const toml::key& key, const toml::table& table) const {
    if (app_.get_subcommands(any_command).empty()) {
      if (!contains(kTablesOfPixledger, key.str())) add_unknown_table(key, "");
      return;
    }
    read_table(app_, key, table, "", true);
  }

  void add_unknown_table(const toml::key& key, const std::string& path) const {
    add(key.source(), "no program knows the table [" + path + std::string(key.str()) + "]");
  }

  // Reads a command's table. `is_used`: whether the command line names the command's parent.
  void read_table(CLI::App& parent, const toml::key& name, const toml::table& table, const std::string& path,
                  bool is_used) const {
    CLI::App* const command = find_command(parent, name.str());
    if (command == nullptr) return add_unknown_table(name, path);
    is_used = is_used && parent.got_subcommand(command);
    const auto own_path = path + std::string(name.str());
    for (const auto& [key, value] : table) {
      if (const auto* below = value.as_table()) {
        read_table(*command, key, *below, own_path + ".", is_used);
        continue;
      }
      CLI::Option* const option = find_option(*command, std::string(key.str()));
      if (option == nullptr) {
        add(key.source(), "no program knows the key " + own_path + "." + std::string(key.str()));
      } else if (fits({option}, key, value) && is_used) {
        set(*option, key, value);
      }
    }
  }

  // The option of the program or of the command in use.
  CLI::Option* option_in_use(const std::string& key) const {
    for (CLI::App* app = &app_;;) {
      if (CLI::Option* option = find_option(*app, key)) return option;
      const auto in_use = app->get_subcommands();
      if (in_use.empty()) return nullptr;
      app = in_use.front();
    }
  }

  // Programs or commands may have options with the same name and different kinds.
  bool fits(const Options& options, const toml::key& key, const toml::node& value) const {
    std::string rule;
    for (const CLI::Option* option : options) {
      rule = kind_rule(*option, value);
      if (rule.empty()) return true;
    }
    add(value.source(), std::string(key.str()) + " " + rule);
    return false;
  }

  void set(CLI::Option& option, const toml::key& key, const toml::node& value) const {
    const std::string name(key.str());
    const char* in_environment = std::getenv(environment_name(name).c_str());
    const bool wins = in_environment != nullptr && *in_environment != '\0';
    if (wins || !option.empty()) return;
    auto texts = texts_of(value);
    if (texts.empty()) return;
    try {
      if (option.get_expected_min() == 0) texts = {option.get_flag_value(name, texts.front())};
      option.add_result(std::move(texts));
      option.run_callback();
      places_[name] = text_of_place(value.source().begin);
    } catch (const CLI::Error& error) {
      option.clear();
      const std::string problem = error.what();
      add(value.source(), problem.rfind("--", 0) == 0 ? problem.substr(2) : problem);
    }
  }

  CLI::App& app_;
  const std::filesystem::path& file_;
  std::vector<std::string>& problems_;
  OptionPlaces& places_;
  mutable ServiceLine services_;
  mutable std::multimap<std::pair<unsigned, unsigned>, std::string> found_;  // by line and column
};

void collect_keys(CLI::App& app, const CLI::App& common, ServiceLine& services, std::set<std::string>& keys) {
  for (const CLI::Option* option : app.get_options(any_option)) {
    for (const std::string& name : option->get_lnames()) {
      const bool is_common = common.get_option_no_throw("--" + name) != nullptr;
      if (option->get_configurable() && !is_common && services.find(name).empty()) keys.insert(name);
    }
  }
  for (CLI::App* command : app.get_subcommands(any_command)) collect_keys(*command, common, services, keys);
}

bool is_of_a_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

// The next option named in a text from `at` on; moves `at` behind it. "" at the end.
std::string_view next_option(std::string_view text, std::size_t& at) {
  at = text.find("--", at);
  if (at == std::string_view::npos) return {};
  const auto begin = at + 2;
  at = begin;
  while (at < text.size() && is_of_a_name(text[at])) ++at;
  return text.substr(begin, at - begin);
}

}  // namespace

std::string place_of(std::string_view usage, const OptionPlaces& places) {
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const auto found = places.find(std::string(next_option(usage, at)));
    if (found != places.end()) return found->second;
  }
  return {};
}

std::string located(std::string_view place, std::string_view usage) {
  std::string text = std::string(place) + ": ";
  std::size_t done = 0;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const auto name = next_option(usage, at);
    if (at == std::string_view::npos) break;
    const auto begin = at - name.size();
    text.append(usage.substr(done, begin - 2 - done)).append(name);
    done = at;
  }
  return text.append(usage.substr(done));
}

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

std::shared_ptr<CLI::Config> configuration_reader(CLI::App& app, const std::filesystem::path& file,
                                                  std::vector<std::string>& problems, OptionPlaces& places) {
  return std::make_shared<ConfigurationReader>(app, file, problems, places);
}

bool is_toml(const std::filesystem::path& file) {
  std::ifstream in(file);
  return in && toml::parse(in).succeeded();
}

ReadOptions read_options(CommandLine& service, const std::filesystem::path& file) {
  ReadOptions read;
  for (CLI::Option* option : service.app().get_options(any_option)) {
    if (!option->get_configurable() || option->get_lnames().empty()) continue;
    const char* value = std::getenv(environment_name(option->get_lnames().front()).c_str());
    if (value == nullptr || *value == '\0') continue;
    try {
      option->add_result(value);
      option->run_callback();
    } catch (const CLI::Error& error) {
      option->clear();
      read.problems.emplace_back(std::string(error.what()).substr(2));
    }
  }
  std::ifstream in(file);
  if (!file.empty() && in)
    ConfigurationReader(service.app(), file, read.problems, read.places).from_config(in);
  return read;
}

std::vector<std::string> declared_tables(CommandLine& line) {
  std::set<std::string> names;
  for (const CLI::App* command : line.app().get_subcommands(any_command)) names.insert(command->get_name());
  return {names.begin(), names.end()};
}

std::vector<std::string> declared_keys(CommandLine& line) {
  CommandLine common_line("");
  CommonOptions common;
  add_common_options(common_line, common);
  ServiceLine services;
  std::set<std::string> keys;
  collect_keys(line.app(), common_line.app(), services, keys);
  return {keys.begin(), keys.end()};
}

}  // namespace pixledger
