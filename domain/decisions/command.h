#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/values/ip_address.h"
#include "domain/aggregates/api_key.h"
#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/blocklist.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/values/cuid.h"
#include "domain/values/sealed_secret.h"
#include "domain/values/stream_name.h"

namespace pixledger::domain {

// The project and rights on whose behalf a command acts.
struct Caller {
  std::optional<ProjectId> project;  // absent: an operator, with access to every project
  bool sandbox_only = false;         // a test key: live objects are refused
};

// The result of resolving a URL's host, found by the caller.
enum class TargetVerdict {
  kAllowed,
  kRefused,
  kUnknown,  // the name servers did not answer in time
};

// --- projects (operators) ---

// A key created with the project, with all scopes and no expiry.
struct FirstKey {
  ApiKeyId id;
  Environment environment;
  ApiKeyHash hash;
  std::optional<ApiKeyEnd> last_four{};
};
// Creates the project and its keys atomically: without keys the project would be unusable.
struct CreateProject {
  StoreSettings settings;
  std::vector<FirstKey> keys = {};
};
struct ChangeStoreSettings {
  ProjectId project;
  StoreSettingsChange change;
};

// --- keys (operators) ---

struct IssueApiKey {
  ApiKeyId id;
  ProjectId project;
  Environment environment;
  ApiKeyHash hash;
  ScopeSet scopes = ScopeSet::all();
  bool sandbox_only = false;
  std::optional<Timestamp> expires_at;
  std::vector<Cidr> allowed_callers;
  std::optional<ApiKeyName> name{};
  std::optional<ApiKeyEnd> last_four{};
};
// Issues a successor with the same rights; the old key works for the overlap.
struct RollApiKey {
  ApiKeyId old_id;
  ApiKeyId id;
  ApiKeyHash hash;
  std::int64_t overlap_ms;
  std::optional<ApiKeyEnd> last_four{};
};
struct RevokeApiKey {
  ApiKeyId id;
};

// --- notification channels ---

struct AddChannel {
  ChannelId id;  // minted by the caller, because the secret is sealed for this id
  ProjectId project;
  std::optional<Label> name;
  std::string url;
  WebhookEventSet events;
  WebhookVersion version;
  SealedSecret secret;
  std::string secret_hint;
  // The caller ensures that a test key requests only the sandbox.
  EnvironmentSet environments = EnvironmentSet::all();
  // A repeated request gets the recorded answer; its verdict is ignored.
  TargetVerdict target = TargetVerdict::kAllowed;
  // Counted by the caller: the existing channels of the same kind (live or not), and this channel's number
  // among all that ever existed. If another channel is added meanwhile, the caller retries.
  std::size_t channels = 0;
  std::uint32_t number = 1;
};
// The settings to change; absent ones stay. Another project's channel counts as missing. Channels that
// receive live charges are refused to test keys.
struct ChannelChange {
  std::optional<Label> name{};
  std::optional<std::string> url{};  // validated by the caller
  std::optional<WebhookEventSet> events{};
  std::optional<bool> is_active{};
  std::optional<EnvironmentSet> environments{};
  bool move_to_v2 = false;  // cannot be undone
  TargetVerdict target = TargetVerdict::kAllowed;
};
struct UpdateChannel {
  Caller caller;
  ChannelId id;
  ChannelChange change;
  // If the change includes live: the number of channels that receive live events, counted by the caller.
  std::size_t live_channels = 0;
};
struct DeleteChannel {
  Caller caller;
  ChannelId id;
};
struct RotateChannelSecret {
  Caller caller;
  ChannelId id;
  SealedSecret secret;
  std::string secret_hint;
  std::int64_t grace_seconds = kSecretGraceSecondsDefault;  // 0 to kSecretGraceSecondsMax
};
// From the worker, for a channel of any project. Does nothing if the channel's active_since has changed.
struct DisableChannel {
  ChannelId id;
  ChannelDisabledReason reason;
  Timestamp active_since;
};
struct RequestChannelTest {
  Caller caller;
  ChannelId id;
  Environment environment;
};
struct RequestRedelivery {
  Caller caller;
  ChannelId id;
  DeliveryId delivery;     // of this channel: checked by the caller
  std::uint32_t attempts;  // made so far
};
struct RequestRecovery {
  Caller caller;
  ChannelId id;
  Timestamp since;
  std::optional<Timestamp> until;  // absent: now
  // Counted by the caller: deliveries to queue again, and pending ones to make due now.
  std::uint64_t queued = 0;
  std::uint64_t hastened = 0;
};

// --- blocklist ---

struct AddBlocklistEntry {
  ProjectId project;
  BlocklistValue value;
  std::optional<Label> reason;
  Environment environment = Environment::kLive;
};
// Removes the entry from the list that contains it.
struct RemoveBlocklistEntry {
  ProjectId project;
  BlocklistEntryId id;
  bool sandbox_only = false;  // as in Caller
};

// --- customers (another project's count as missing) ---

struct SaveCustomer {
  ProjectId project;
  DocumentToken token;
  CustomerDetails details;  // complete: replaces the address
  Environment environment = Environment::kLive;
  std::optional<Metadata> metadata{};  // replaces the customer's; absent: unchanged
};
struct BlockCustomer {
  Caller caller;
  StreamName customer;  // found through the claim of its id
  CustomerId id;        // the stream may hold a later customer
  BlockType type;
  std::optional<Label> reason;
  std::optional<Timestamp> expires_at;
};
struct UnblockCustomer {
  Caller caller;
  StreamName customer;
  CustomerId id;
};
// From an operator. Does nothing if already erased.
struct EraseCustomer {
  StreamName customer;
  CustomerId id;
  std::optional<Label> reason;
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
  Metadata metadata{};
  // Whether a bank worker runs and a wait for its code can be reserved; decided by the caller.
  bool may_await_code = false;
  std::optional<CheckoutSessionId> checkout_session{};
  std::optional<Timestamp> expires_by{};  // upper bound on the expiry

  // What ChargeCreated takes as it was given, or absent.
  static constexpr auto fields(auto with) {
    return with(field("externalId", &CreateCharge::external_id),
                field("customerIp", &CreateCharge::customer_ip),
                field("checkoutSessionId", &CreateCharge::checkout_session));
  }
};

// The sandbox simulator. Another project's charge counts as missing.
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

// Records the expiry of an overdue charge; otherwise does nothing.
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
  std::optional<Cents> amount;  // absent: everything not yet refunded
  std::optional<Label> reason;
};

// Reports of a gateway or an operator about a charge.
struct ReportPayment {
  ProjectId project;  // of the charge
  ChargeId charge;
  EndToEndId end_to_end_id;
  Cents amount;                      // positive: checked by the caller
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
  bool add = false;  // counts in addition to the charge's payment; else becomes that payment
};
struct ReturnUnappliedPayment {
  ChargeId charge;
  EndToEndId end_to_end_id;
  std::optional<Label> reason;
  bool send_back = false;  // through the bank; else the money is returned by hand
};

// --- charges through a bank: reports of its worker and callbacks ---

// The bank's code, validated. Does nothing if the charge no longer awaits a code.
struct SetChargeCode {
  ChargeId charge;
  std::string pix_code;
};
// The wait for the bank's code is over: applies the charge's fallback.
struct EndCodeWait {
  ChargeId charge;
};
// The bank cancelled its code …
struct ConfirmCancel {
  ChargeId charge;
};
// … or did not: the charge is paid or already closed.
struct DropCancel {
  ChargeId charge;
};
struct SettleRefund {
  ChargeId charge;
  RefundId id;
  Timestamp settled_at;
};
// The money will not be returned.
struct FailRefund {
  ChargeId charge;
  RefundId id;
};
// Money that the bank returned by itself from a payment that counts for the charge.
struct ReportReversal {
  ProjectId project;  // of the charge
  ChargeId charge;
  RefundId id;
  ReturnId return_id;
  Cents amount;  // positive: checked by the caller
  Timestamp reversed_at;
  std::optional<EndToEndId> end_to_end_id{};  // absent: the first payment
};

// --- unmatched payments, and returned money that never paid a charge ---

// From the banks' worker. Recorded once; does nothing if a charge has the payment.
struct RecordUnmatchedPayment {
  ProjectId project;
  ConnectionId connection;
  EndToEndId end_to_end_id;
  Cents amount;  // positive: checked by the caller
  Timestamp paid_at;
  std::optional<Txid> txid;
  UnmatchedReason reason;
};
// Reports the payment for that charge, by the rules of ReportPayment.
struct AssignPayment {
  ProjectId project;
  EndToEndId end_to_end_id;
  ChargeId charge;
};
struct ClosePayment {
  ProjectId project;
  EndToEndId end_to_end_id;
  bool send_back;  // through its bank, even if already closed; else no money moves
  std::optional<Label> reason;
};

// All or part of the payment that its bank returned by itself. Counted once; settles the payment when nothing
// is left. Does nothing if a charge has the payment.
struct ReportUnmatchedReversal {
  EndToEndId end_to_end_id;
  RefundId id;
  ReturnId return_id;
  Cents amount;  // positive: checked by the caller
  Timestamp reversed_at;
};
// The same for an unapplied or returned payment of a charge. One settled by hand stays settled.
struct ReportUnappliedReversal {
  ChargeId charge;
  EndToEndId end_to_end_id;
  RefundId id;
  ReturnId return_id;
  Cents amount;  // positive: checked by the caller
  Timestamp reversed_at;
};

// The bank returned the rest of an unmatched payment, as requested.
struct SettlePaymentReturn {
  EndToEndId end_to_end_id;
  RefundId id;
  Timestamp returned_at;
};
// The money will not be returned.
struct FailPaymentReturn {
  EndToEndId end_to_end_id;
  RefundId id;
  std::optional<Label> reason;  // a fixed text: the bank's own words may name the payer
};
// The same for a charge's unapplied payment.
struct SettleUnappliedReturn {
  ChargeId charge;
  EndToEndId end_to_end_id;
  RefundId id;
  Timestamp returned_at;
};
struct FailUnappliedReturn {
  ChargeId charge;
  EndToEndId end_to_end_id;
  RefundId id;
  std::optional<Label> reason;
};

// --- connections to banks, and common properties of all connections (operators) ---

// Texts are validated by the caller: the API promises that none is empty.
struct AddConnection {
  ProjectId project;
  Environment environment;
  Label alias;
  Label provider_id;
  Label provider_name;
};
// Records the connection and its bank configuration in one decision. Validated by the caller.
struct AddBankConnection {
  ConnectionId id;  // minted by the caller, because the secrets are sealed for this id
  ProjectId project;
  Environment environment;
  Label alias;
  Label provider_name;
  ApiPix api_pix;
  BankConfiguration configuration;
};
// The connection's properties to change; absent ones stay.
struct ConnectionChange {
  std::optional<Label> alias{};
  std::optional<Label> provider_name{};
  // Only for connections to banks.
  std::optional<PixKey> pix_key{};
  std::optional<CodeKind> code{};
  std::optional<CodeFallback> fallback{};
  std::optional<std::uint32_t> code_deadline_ms{};
  std::optional<ConnectionState> state{};
};
// A complete new configuration, based on the given revision.
struct NewBankConfiguration {
  BankConfiguration configuration;
  std::uint32_t made_from;
};
// Both in one decision. Unchanged parts are not recorded.
struct ChangeConnection {
  ProjectId project;
  ConnectionId connection;
  ConnectionChange change{};
  std::optional<NewBankConfiguration> configuration{};
};
struct SetDefaultConnection {
  ProjectId project;
  ConnectionId connection;
};
// The callback URL that the bank now has; no URL: the callback was removed.
struct NoteCallback {
  ConnectionId connection;
  std::optional<std::string> url;  // without the secret
};

// --- checkout sessions ---

struct CheckoutPayer {
  DocumentToken token;  // of details.document
  CustomerDetails details;
};
// A session's own channel. The caller seals its secret for `channel_of` the session.
struct CheckoutChannel {
  std::string url;  // validated by the caller
  SealedSecret secret;
  std::string secret_hint;
  TargetVerdict target = TargetVerdict::kAllowed;
};
// With a payer, also creates the first charge, atomically.
struct CreateCheckoutSession {
  CheckoutSessionId id;  // minted by the caller, because the channel's secret is sealed for it
  ProjectId project;
  Environment environment;
  Cents amount;
  ProductName product;
  std::uint32_t quantity = 1;
  std::optional<std::int32_t> expiration_days{};  // absent: the store's pix_expiration_minutes
  OriginHost origin_host;
  std::optional<CheckoutPayer> payer{};
  std::optional<ExternalId> external_id{};
  Metadata metadata{};
  std::optional<PageUrl> success_url{};
  std::optional<PageUrl> cancel_url{};
  std::int32_t expires_in_minutes = kCheckoutMinutesDefault;  // kCheckoutMinutesMin to kCheckoutMinutesMax
  std::optional<CheckoutLocale> locale{};
  WebhookVersion webhook_version = WebhookVersion::kV2;
  std::optional<CheckoutChannel> channel{};
  bool may_await_code = false;  // as in CreateCharge
};
// Creates the session's next charge. Does nothing while a charge can still be paid or has an unsettled
// payment.
struct AddCheckoutCharge {
  CheckoutSessionId session;
  ProjectId project;  // the session's, as is the environment
  Environment environment;
  CheckoutPayer payer;
  std::optional<IpAddress> customer_ip;
  // The newest charge that the caller saw. If there is another, the caller retries.
  std::optional<ChargeId> newest;
  bool may_await_code = false;
};
// Also cancels the session's waiting charge. Another project's session counts as missing.
struct CancelCheckoutSession {
  Caller caller;
  CheckoutSessionId session;
  std::optional<ChargeId> newest;  // as above
};
// Records the expiry of an overdue session; otherwise does nothing.
struct ExpireCheckoutSession {
  CheckoutSessionId session;
};

// --- a project's team; the caller checks for an owner or operator ---

// Also changes the role of an existing member; does nothing if the role is the same.
struct AddMember {
  ProjectId project;
  UserId user;
  Role role;
};
struct ChangeMemberRole {
  ProjectId project;
  UserId user;
  Role role;
};
struct RemoveMember {
  ProjectId project;
  UserId user;
};
// The caller issues the invitation once this is recorded.
struct InviteMember {
  ProjectId project;
  UserId user;
};

// A class instead of an alias, for the same reason as Event.
class Command
    : public std::variant<
          CreateProject, ChangeStoreSettings, AddConnection, IssueApiKey, RollApiKey, RevokeApiKey,
          AddChannel, UpdateChannel, DeleteChannel, RotateChannelSecret, DisableChannel, RequestChannelTest,
          RequestRedelivery, RequestRecovery, AddBlocklistEntry, RemoveBlocklistEntry, SaveCustomer,
          BlockCustomer, UnblockCustomer, EraseCustomer, CreateCharge, PaySandboxCharge, ExpireSandboxCharge,
          FailSandboxCharge, ExpireOverdueCharge, CancelCharge, RefundCharge, ReportPayment, StartProcessing,
          FailCharge, AcceptUnappliedPayment, ReturnUnappliedPayment, SetChargeCode, EndCodeWait,
          ConfirmCancel, DropCancel, SettleRefund, FailRefund, ReportReversal, AddBankConnection,
          ChangeConnection, SetDefaultConnection, NoteCallback, RecordUnmatchedPayment, AssignPayment,
          ClosePayment, SettlePaymentReturn, FailPaymentReturn, SettleUnappliedReturn, FailUnappliedReturn,
          ReportUnmatchedReversal, ReportUnappliedReversal, CreateCheckoutSession, AddCheckoutCharge,
          CancelCheckoutSession, ExpireCheckoutSession, AddMember, ChangeMemberRole, RemoveMember,
          InviteMember> {
 public:
  using variant::variant;
  Command(const Command& other);
  Command(Command&& other) noexcept;
  Command& operator=(const Command& other);
  Command& operator=(Command&& other) noexcept;
  ~Command();
};

}  // namespace pixledger::domain
