#pragma once

#include <vector>

namespace pixledger {
class Clock;
class Entropy;
}  // namespace pixledger

namespace pixledger::stores {
class AccountRepository;
class WebhookComposer;
}  // namespace pixledger::stores

namespace pixledger::eventstore {
class KeyUseRecorder;
class Keyring;
class Log;
class StateHistory;
class StateReader;
class StreamCustomers;
struct EndedEpoch;
}  // namespace pixledger::eventstore

namespace pixledger::projections {
class CurrentViews;
class Projector;
}  // namespace pixledger::projections

namespace pixledger::http {

class BankPresence;
class ChannelTargets;
class CheckoutLinks;
class DeliveryRecords;
class FailedAuthentications;
class FailedRequests;
class LogoDigests;
class MetricsPage;
class PayerRefusals;
class Readiness;
class SignInWatch;
struct RelyingParty;
struct SignInCounts;

// What the endpoints use. Everything is thread-safe and outlives the router.
struct Services {
  const eventstore::Log& log;
  const eventstore::Keyring& keyring;
  const Clock& clock;
  eventstore::StateReader& states;    // current states
  eventstore::StateHistory& history;  // earlier states, for replies right after a command
  eventstore::StreamCustomers& customers;
  const std::vector<eventstore::EndedEpoch>& ended_epochs;
  const projections::CurrentViews& views;
  projections::Projector& projector;
  Readiness& readiness;
  const MetricsPage& metrics;
  Entropy& entropy;
  ChannelTargets& targets;
  const DeliveryRecords& deliveries;
  stores::WebhookComposer& webhooks;  // composes the payloads of deliveries
  BankPresence& banks;
  const CheckoutLinks& checkout;
  PayerRefusals& payer_refusals;
  LogoDigests& logos;
  const FailedRequests& failed_requests;
  const eventstore::KeyUseRecorder& key_uses;
  stores::AccountRepository& accounts;  // reads a database
  SignInWatch& sign_in_watch;
  const RelyingParty& relying_party;       // the site of the passkeys
  FailedAuthentications& failed_sign_ins;  // by address
  SignInCounts& sign_in_counts;
};

}  // namespace pixledger::http
