#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "domain/aggregates/event.h"
#include "domain/decisions/command.h"

namespace pixledger::tests {

// Returns the seed in PIXLEDGER_SEED, or `otherwise`.
std::uint64_t seed_from_environment(std::uint64_t otherwise);

// `head`, zeros and the number: a text of that size.
std::string numbered(const char* head, unsigned number, std::size_t size);

// The same numbers for the same seed, on every platform.
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : seed_(seed) {}

  std::uint64_t below(std::uint64_t end);
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  template <class Value>
  const Value& one_of(const std::vector<Value>& values) {
    return values.at(below(values.size()));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

// Random commands of every kind, drawn from small pools so that they meet: few payers, the newest charges,
// payments that were reported before. The same seed and the same events learnt give the same commands.
class RandomCommands {
 public:
  explicit RandomCommands(std::uint64_t seed) : random_(seed) {}

  domain::Command next(Timestamp now);
  // How long until the next command: mostly nothing, sometimes past every expiry or refund window.
  std::int64_t next_pause_ms();
  // What was recorded; later commands are about it.
  void learn(const domain::StreamName& stream, const domain::ProjectId& project, const domain::Event& event);

 private:
  struct KnownCharge {
    domain::ChargeId id;
    domain::ProjectId project;
    domain::Cents amount;
  };
  struct KnownPayment {
    domain::EndToEndId id;
    KnownCharge charge;
    domain::Cents amount;
  };
  struct KnownCustomer {
    domain::StreamName stream;
    domain::CustomerId id;
  };
  struct KnownEntry {
    domain::ProjectId project;
    domain::BlocklistEntryId id;
  };
  struct KnownConnection {
    domain::ProjectId project;
    domain::ConnectionId id;
    domain::Environment environment;
  };
  struct KnownChannel {
    domain::ProjectId project;
    domain::ChannelId id;
    Timestamp added_at;
  };
  struct Learn;

  domain::ProjectId project();
  domain::Caller caller(const domain::ProjectId& owner);
  KnownCharge charge();
  domain::CustomerDetails details();
  domain::StoreSettings settings();
  domain::Environment environment();
  domain::EnvironmentSet environments();
  domain::ApiKeyId new_key_id();
  domain::ApiKeyId known_key_id();
  std::optional<domain::Label> reason();
  domain::Label alias();
  Timestamp later(Timestamp now);

  domain::Command change_of_project(Timestamp now);
  domain::Command change_of_channel(Timestamp now);
  domain::Command change_of_connection();
  // Sets the counts that the API would, from the events learnt.
  void count_channels(domain::AddChannel& channel) const;
  domain::Command change_of_customer(Timestamp now);
  domain::Command change_of_blocklist();
  domain::CreateCharge creation();
  domain::Command operation_on_charge();
  domain::ReportPayment report(Timestamp now);
  domain::Command settlement();

  RandomNumbers random_;
  Timestamp now_;  // of the last command
  unsigned ids_ = 0;
  std::vector<domain::ProjectId> projects_;
  std::vector<domain::ApiKeyId> keys_;
  std::vector<KnownCustomer> customers_;  // the erased ones too
  std::vector<KnownEntry> entries_;
  std::vector<KnownConnection> connections_;                 // those that were added
  std::map<domain::ConnectionId, std::uint32_t> revisions_;  // of those to banks
  std::vector<KnownChannel> channels_;                       // the deleted ones too
  std::vector<domain::ProjectId> deleted_channels_of_;
  std::vector<KnownCharge> charges_;
  std::vector<KnownPayment> payments_;
};

// Stands in for the keyring's token: one per document and project, but without a secret key.
domain::DocumentToken token_of(const domain::ProjectId& project, const domain::Document& document);

}  // namespace pixledger::tests
