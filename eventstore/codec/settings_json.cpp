#include "eventstore/codec/settings_json.h"

#include <optional>
#include <string>

namespace pixledger::eventstore {

void write_settings_fields(Json& json, const domain::StoreSettings& settings) {
  std::optional<std::string> pix_key;
  if (settings.pix_key) pix_key = settings.pix_key->text();
  json.field("name", settings.name.text())
      .field("pixKey", pix_key)
      .field("merchantName", settings.merchant_name.text())
      .field("merchantCity", settings.merchant_city.text())
      .field("maxAmountCents", settings.max_transaction_amount.value())
      .field("pixExpirationMinutes", settings.pix_expiration_minutes)
      .field("verifyDocuments", settings.verify_documents)
      .field("feeFixedCents", settings.fee_fixed.value())
      .field("feeBasisPoints", settings.fee_basis_points)
      .field("devMode", settings.dev_mode);
}

void write_connection_fields(Json& json, const domain::Connection& connection) {
  json.field("connectionId", connection.id.text())
      .field("alias", connection.alias.text())
      .field("providerId", connection.provider_id)
      .field("providerName", connection.provider_name)
      .field("environment", domain::to_string(connection.environment));
}

void write_connections(Json& json, const std::vector<domain::Connection>& connections) {
  json.begin_array();
  for (const domain::Connection& connection : connections) {
    json.begin_object();
    write_connection_fields(json, connection);
    json.end_object();
  }
  json.end_array();
}

}  // namespace pixledger::eventstore
