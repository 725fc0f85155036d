#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/api_key.h"
#include "domain/blocklist.h"
#include "domain/channel.h"
#include "domain/charge.h"
#include "domain/customer.h"
#include "domain/project.h"
#include "domain/stream_name.h"

namespace pixledger::domain {

// On whose behalf a command touches a charge or customer.
struct Caller {
  std::optional<ProjectId> project;  // absent: an operator, who may touch every project's
  bool sandbox_only = false;         // live charges do not exist for it
};

// --- projects and keys (operators) ---

// A key that a project starts with, for all scopes and without end.
struct FirstKey {
  ApiKeyId id;
  Environment environment;
  ApiKeyHash hash;
};
// The keys come with the project, all or nothing: nobody could use it without.
struct CreateProject {
  StoreSettings settings;
  std::vector<FirstKey> keys = {};
};
struct ChangeStoreSettings {
  ProjectId project;
  StoreSettingsChange change;
};
struct IssueApiKey {
  ApiKeyId id;
  ProjectId project;
  Environment environment;
  ApiKeyHash hash;
  ScopeSet scopes = ScopeSet::all();
  bool sandbox_only = false;
  std::optional<Timestamp> expires_at;
  std::vector<Cidr> allowed_callers;
};
// A successor with the same rights; the old key works for the overlap.
struct RollApiKey {
  ApiKeyId old_id;
  ApiKeyId id;
  ApiKeyHash hash;
  std::int64_t overlap_ms;
};
struct RevokeApiKey {
  ApiKeyId id;
};

// --- notification channels ---

struct AddChannel {
  ChannelId id;  // minted by the caller, since the secret is sealed for this id
  ProjectId project;
  std::optional<Label> name;
  std::string url;
  WebhookEventSet events;
  WebhookVersion version;
  SealedSecret secret;
  std::string secret_hint;
};

// --- blocklist ---

struct AddBlocklistEntry {
  ProjectId project;
  BlocklistValue value;
  std::optional<Label> reason;
};
struct RemoveBlocklistEntry {
  ProjectId project;
  BlocklistEntryId id;
};

// --- customers (another project's does not exist) ---

struct SaveCustomer {
  ProjectId project;
  DocumentToken token;
  CustomerDetails details;  // whole: replaces the address
};
struct BlockCustomer {
  Caller caller;
  StreamName customer;  // found through the claim of its id
  BlockType type;
  std::optional<Label> reason;
  std::optional<Timestamp> expires_at;
};
struct UnblockCustomer {
  Caller caller;
  StreamName customer;
};

// --- charges ---

struct CreateCharge {
  ProjectId project;
  Environment environment;
  DocumentToken token;  // of customer.document
  CustomerDetails customer;
  Cents amount;
  ProductName product;
  std::uint32_t quantity = 1;
  std::optional<std::int32_t> expiration_days;  // absent: the store's pix_expiration_minutes
  OriginHost origin_host;
  std::optional<IpAddress> customer_ip;
  std::optional<ExternalId> external_id;
  std::optional<ConnectionId> connection;
};

// The sandbox's simulator. Another project's charge does not exist for these.
struct PaySandboxCharge {
  Caller caller;
  ChargeId charge;
};
struct ExpireSandboxCharge {
  Caller caller;
  ChargeId charge;
};
struct FailSandboxCharge {
  Caller caller;
  ChargeId charge;
};

// Records the expiry of a charge that is overdue; does nothing to one that is not.
struct ExpireOverdueCharge {
  ChargeId charge;
};
struct CancelCharge {
  Caller caller;
  ChargeId charge;
};
struct RefundCharge {
  Caller caller;
  ChargeId charge;
  std::optional<Cents> amount;  // absent: all that is not refunded yet
  std::optional<Label> reason;
};

// What a gateway or an operator reports of a charge.
struct ReportPayment {
  ProjectId project;  // of the charge
  ChargeId charge;
  EndToEndId end_to_end_id;
  Cents amount;                      // above zero: the edge sees to it
  std::optional<Timestamp> paid_at;  // absent: now
};
struct StartProcessing {
  ChargeId charge;
};
struct FailCharge {
  ChargeId charge;
  std::optional<Label> reason;
};
struct AcceptUnappliedPayment {
  ProjectId project;  // of the charge
  ChargeId charge;    // found through the claim of the end-to-end id
  EndToEndId end_to_end_id;
};
struct ReturnUnappliedPayment {
  ChargeId charge;
  EndToEndId end_to_end_id;
  std::optional<Label> reason;
};

using Command =
    std::variant<CreateProject, ChangeStoreSettings, IssueApiKey, RollApiKey, RevokeApiKey, AddChannel,
                 AddBlocklistEntry, RemoveBlocklistEntry, SaveCustomer, BlockCustomer, UnblockCustomer,
                 CreateCharge, PaySandboxCharge, ExpireSandboxCharge, FailSandboxCharge, ExpireOverdueCharge,
                 CancelCharge, RefundCharge, ReportPayment, StartProcessing, FailCharge,
                 AcceptUnappliedPayment, ReturnUnappliedPayment>;

}  // namespace pixledger::domain
