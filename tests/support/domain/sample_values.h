#pragma once

#include <cstdint>
#include <string_view>

#include "domain/aggregates/event.h"
#include "domain/decisions/command.h"

// Sample values. The project has a fee of 10 cents plus 1 %, a Pix key and both connections;
// its charges cost 100.00 and expire after 30 minutes.
namespace pixledger::tests {

inline constexpr std::int64_t kMinuteMs = 60'000;
inline constexpr std::int64_t kDayMs = 24 * 60 * kMinuteMs;
inline constexpr Timestamp kStart{1'772'366'400'000};  // 2026-03-01T12:00:00Z

// Throws if the text is invalid.
template <class Value>
Value parsed(std::string_view text) {
  return Value::parse(text).value();
}

domain::ProjectId sample_project_id();
domain::ProjectId other_project_id();
domain::ChargeId sample_charge_id();
domain::CustomerId sample_customer_id();
domain::ConnectionId sample_connection_id(domain::Environment environment);
// A command that adds a connection to the sample project.
domain::AddConnection sample_connection(std::string_view alias,
                                        domain::Environment environment = domain::Environment::kSandbox);
// A command that adds a bank connection to the sample project.
domain::AddBankConnection sample_bank_connection(
    std::string_view alias = "banco", domain::Environment environment = domain::Environment::kLive);
domain::BankConfiguration sample_configuration();
domain::ConnectionId sample_bank_id(unsigned number = 1);
domain::ChannelId sample_channel_id(unsigned number = 1);
domain::BlocklistEntryId sample_entry_id(unsigned number = 1);
domain::ApiKeyId sample_api_key_id(unsigned number = 1);
domain::DocumentToken sample_token(unsigned number = 1);
domain::EndToEndId sample_end_to_end_id(unsigned number = 1);
domain::CheckoutSessionId sample_checkout_id();

domain::StoreSettings sample_settings();
// The change that turns any settings into these.
domain::StoreSettingsChange change_to(const domain::StoreSettings& settings);
domain::CustomerDetails sample_details();
domain::Address sample_address();

domain::ProjectCreated sample_project();
domain::CustomerRegistered sample_customer(domain::Environment environment = domain::Environment::kSandbox);
domain::ChargeCreated sample_charge(domain::Environment environment = domain::Environment::kSandbox);
domain::ApiKeyIssued sample_api_key();

// For the sample project and customer, without an address.
domain::CreateCharge sample_creation(domain::Environment environment = domain::Environment::kSandbox);
domain::AddChannel sample_channel(unsigned number = 1);
// In the sandbox, open for a day, without a payer.
domain::CreateCheckoutSession sample_checkout();
// By the sample customer, for a session without a charge.
domain::AddCheckoutCharge sample_checkout_charge();
// A payment of the sample charge.
domain::ReportPayment sample_report(unsigned payment = 1, std::int64_t cents = 10'000);

domain::Caller merchant();          // the sample project
domain::Caller merchant_sandbox();  // the same with a test key
domain::Caller other_merchant();
domain::Caller an_operator();

domain::StreamName sample_customer_stream(domain::Environment environment = domain::Environment::kSandbox);

// Events on the streams of the sample aggregates.
domain::NewEvent on_project(domain::ProjectEvent event);
domain::NewEvent on_customer(domain::CustomerEvent event);
domain::NewEvent on_charge(domain::ChargeEvent event);
domain::NewEvent on_blocklist(domain::BlocklistEvent event);
domain::NewEvent on_api_key(domain::ApiKeyEvent event, unsigned number = 1);
domain::NewEvent on_channel(domain::ChannelEvent event, unsigned number = 1);
domain::NewEvent on_bank(domain::BankConnectionEvent event, unsigned number = 1);
// On the payment with sample_end_to_end_id().
domain::NewEvent on_payment(domain::PaymentEvent event);
domain::NewEvent on_checkout(domain::CheckoutEvent event);
domain::NewEvent on_team(domain::TeamEvent event);

}  // namespace pixledger::tests
