#include "tools/operations/settings_options.h"

#include "base/process/options.h"
#include "domain/pix/br_code.h"

namespace pixledger::tools {
namespace {

using domain::Label;
using domain::StoreName;

}  // namespace

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

domain::StoreSettings new_settings(const SettingsOptions& options) {
  const auto name = parse_option<StoreName>("--name", options.name.value_or(""));
  domain::StoreSettings settings{name, {}, name, *Label::parse(domain::kFallbackMerchantCity)};
  return domain::changed(std::move(settings), given_change(options));
}

}  // namespace pixledger::tools
