#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/process/command_line.h"
#include "domain/aggregates/project.h"

namespace pixledger::tools {

// The store settings that `project create` and `project set` take; absent ones stay as they are.
struct SettingsOptions {
  std::optional<std::string> name;
  std::optional<std::string> pix_key;  // "none" takes it away
  std::optional<std::string> merchant_name;
  std::optional<std::string> merchant_city;
  std::optional<std::string> contact;  // "none" takes it away
  std::optional<std::int64_t> max_amount_cents;
  std::optional<std::int32_t> pix_expiration_minutes;
  std::optional<std::int64_t> fee_fixed_cents;
  std::optional<std::int32_t> fee_basis_points;
  bool verify_documents = false;
  bool dev_mode = false;
  Option verify_documents_given;
  Option dev_mode_given;
};

// `options` outlives the command.
void add_settings_options(CommandLine& command, SettingsOptions& options);

// What was given; throws UsageError that names the option and its rule.
domain::StoreSettingsChange given_change(const SettingsOptions& options);

// A new store's: the merchant's name is the store's unless given.
domain::StoreSettings new_settings(const SettingsOptions& options);

}  // namespace pixledger::tools
