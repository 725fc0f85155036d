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

// On whose behalf a command touches something.
struct Caller {
  std::optional<ProjectId> project;  // absent: an operator, who may touch every project's
  bool sandbox_only = false;         // a test key's: what is live is refused to it
};

// What the edge found out about a URL's host.
enum class TargetVerdict {
  kAllowed,
  kRefused,
  kUnknown,  // the name servers did not answer in time
};

// --- projects (operators) ---

// A key that a project starts with, for all scopes and without end.
struct FirstKey {
  ApiKeyId id;
  Environment environment;
  ApiKeyHash hash;
  std::optional<ApiKeyEnd> last_four{};
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
// A successor with the same rights; the old key works for the overlap.
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
  ChannelId id;  // minted by the caller, since the secret is sealed for this id
  ProjectId project;
  std::optional<Label> name;
  std::string url;
  WebhookEventSet events;
  WebhookVersion version;
  SealedSecret secret;
  std::string secret_hint;
  // The edge sees to it that a test key asks for its own.
  EnvironmentSet environments = EnvironmentSet::all();
  // A repeat of a request is answered without looking at it, whatever the name servers say by then.
  TargetVerdict target = TargetVerdict::kAllowed;
  // As the edge has counted: the channels that there are of this one's kind (told of live, or not), and the
  // number that this one gets among all that there ever were. Whoever counted while another one was added
  // comes again.
  std::size_t channels = 0;
  std::uint32_t number = 1;
};
// What to change; the rest stays. For all of these another project's channel does not exist, and one that is
// told of live charges is refused to a test key.
struct ChannelChange {
  std::optional<Label> name{};
  std::optional<std::string> url{};  // checked at the edge
  std::optional<WebhookEventSet> events{};
  std::optional<bool> is_active{};
  std::optional<EnvironmentSet> environments{};
  bool move_to_v2 = false;  // there is no way back
  TargetVerdict target = TargetVerdict::kAllowed;
};
struct UpdateChannel {
  Caller caller;
  ChannelId id;
  ChannelChange change;
  // Where the change names live: the channels that are told of it, as the edge has counted.
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
// By the worker, about a channel of any project. It is about the channel as it has been since a moment: one
// that has begun anew meanwhile is left alone.
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
  DeliveryId delivery;     // one of this channel's: the edge sees to it
  std::uint32_t attempts;  // made so far
};
struct RequestRecovery {
  Caller caller;
  ChannelId id;
  Timestamp since;
  std::optional<Timestamp> until;  // absent: now
  // As the edge has counted: what there is to send again, and to send sooner than planned.
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
// From the list that has it.
struct RemoveBlocklistEntry {
  ProjectId project;
  BlocklistEntryId id;
  bool sandbox_only = false;  // as of a Caller
};

// --- customers (another project's does not exist) ---

struct SaveCustomer {
  ProjectId project;
  DocumentToken token;
  CustomerDetails details;  // whole: replaces the address
  Environment environment = Environment::kLive;
  std::optional<Metadata> metadata{};  // replaces the customer's, which stays as it is when absent
};
struct BlockCustomer {
  Caller caller;
  StreamName customer;  // found through the claim of its id
  CustomerId id;        // the stream may have gone on to another one
  BlockType type;
  std::optional<Label> reason;
  std::optional<Timestamp> expires_at;
};
struct UnblockCustomer {
  Caller caller;
  StreamName customer;
  CustomerId id;
};
// By an operator. Done already: nothing is recorded.
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
  // Whether there is somebody to ask the bank for a code, and room to wait for it: the edge knows.
  bool may_await_code = false;
  std::optional<CheckoutSessionId> checkout_session{};
  std::optional<Timestamp> expires_by{};  // at the latest
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
  bool add = false;  // beside the payment that the charge has; else it is to be that payment
};
struct ReturnUnappliedPayment {
  ChargeId charge;
  EndToEndId end_to_end_id;
  std::optional<Label> reason;
  bool send_back = false;  // through the bank; else it has gone back, or will, by other hands
};

// --- charges through a bank: what its worker and its callers find out ---

// The bank's code, checked. Nothing when the charge awaits none any more.
struct SetChargeCode {
  ChargeId charge;
  std::string pix_code;
};
// Nobody waits for the bank's code any longer: what was chosen for that case comes.
struct EndCodeWait {
  ChargeId charge;
};
// The bank has taken its code back …
struct ConfirmCancel {
  ChargeId charge;
};
// … or has not: it was paid, or is closed already.
struct DropCancel {
  ChargeId charge;
};
struct SettleRefund {
  ChargeId charge;
  RefundId id;
  Timestamp settled_at;
};
// The money will not go back.
struct FailRefund {
  ChargeId charge;
  RefundId id;
};
// What the bank has sent back by itself of a payment that counts for the charge.
struct ReportReversal {
  ProjectId project;  // of the charge
  ChargeId charge;
  RefundId id;
  ReturnId return_id;
  Cents amount;  // above zero: the edge sees to it
  Timestamp reversed_at;
  std::optional<EndToEndId> end_to_end_id{};  // absent: the first payment
};

// --- money that fits no charge, and money that goes back without ever having paid one ---

// By the banks' worker. Recorded once; nothing of a payment that a charge has.
struct RecordUnmatchedPayment {
  ProjectId project;
  ConnectionId connection;
  EndToEndId end_to_end_id;
  Cents amount;  // above zero: the edge sees to it
  Timestamp paid_at;
  std::optional<Txid> txid;
  UnmatchedReason reason;
};
// It is reported for that charge, by the rules of ReportPayment.
struct AssignPayment {
  ProjectId project;
  EndToEndId end_to_end_id;
  ChargeId charge;
};
struct ClosePayment {
  ProjectId project;
  EndToEndId end_to_end_id;
  bool send_back;  // through its bank, also of one that is closed already; else no money moves
  std::optional<Label> reason;
};

// What its bank has sent back of it by itself, all of it or a part. Counts once, and settles the payment once
// nothing is left; nothing of one that is a charge's.
struct ReportUnmatchedReversal {
  EndToEndId end_to_end_id;
  RefundId id;
  ReturnId return_id;
  Cents amount;  // above zero: the edge sees to it
  Timestamp reversed_at;
};
// Likewise of what a charge has, or had, unapplied. One that was settled by hand stays settled.
struct ReportUnappliedReversal {
  ChargeId charge;
  EndToEndId end_to_end_id;
  RefundId id;
  ReturnId return_id;
  Cents amount;  // above zero: the edge sees to it
  Timestamp reversed_at;
};

// The bank has sent back what was left of an unmatched payment, as it was asked to.
struct SettlePaymentReturn {
  EndToEndId end_to_end_id;
  RefundId id;
  Timestamp returned_at;
};
// The money will not go back.
struct FailPaymentReturn {
  EndToEndId end_to_end_id;
  RefundId id;
  std::optional<Label> reason;  // in fixed words: a bank's own may name the payer
};
// Likewise of what a charge has unapplied.
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

// --- connections to banks, and what all connections have in common (operators) ---

// Its texts are checked at the edge: the API promises that none is empty.
struct AddConnection {
  ProjectId project;
  Environment environment;
  Label alias;
  Label provider_id;
  Label provider_name;
};
// In one decision: the connection in its project, and what its bank is spoken to with. All is checked at the
// edge.
struct AddBankConnection {
  ConnectionId id;  // minted by the caller, since the secrets are sealed for this id
  ProjectId project;
  Environment environment;
  Label alias;
  Label provider_name;
  ApiPix api_pix;
  BankConfiguration configuration;
};
// What to change of what creations know; the rest stays.
struct ConnectionChange {
  std::optional<Label> alias{};
  std::optional<Label> provider_name{};
  // Of connections to banks alone.
  std::optional<PixKey> pix_key{};
  std::optional<CodeKind> code{};
  std::optional<CodeFallback> fallback{};
  std::optional<std::uint32_t> code_deadline_ms{};
  std::optional<ConnectionState> state{};
};
// Another configuration as a whole, made from the one that had this revision.
struct NewBankConfiguration {
  BankConfiguration configuration;
  std::uint32_t made_from;
};
// Both in one decision. What changes nothing is not recorded.
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
// What a bank has been told: where to call back, or, without a URL, not to.
struct NoteCallback {
  ConnectionId connection;
  std::optional<std::string> url;  // without its secret
};

// --- checkout sessions ---

struct CheckoutPayer {
  DocumentToken token;  // of details.document
  CustomerDetails details;
};
// The channel that a session gets, of its version; the edge has made its secret for `channel_of` the session.
struct CheckoutChannel {
  std::string url;  // checked at the edge
  SealedSecret secret;
  std::string secret_hint;
  TargetVerdict target = TargetVerdict::kAllowed;
};
// With a payer the first charge comes with it, all or nothing.
struct CreateCheckoutSession {
  CheckoutSessionId id;  // minted by the caller, since the channel's secret is sealed for it
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
  bool may_await_code = false;  // as of CreateCharge
};
// The session's next charge; does nothing while there is one that may still be paid, or money that came for
// one and is not settled.
struct AddCheckoutCharge {
  CheckoutSessionId session;
  ProjectId project;  // the session's, as its environment
  Environment environment;
  CheckoutPayer payer;
  std::optional<IpAddress> customer_ip;
  // The session's newest charge, as the edge has seen it. A caller that saw another one retries.
  std::optional<ChargeId> newest;
  bool may_await_code = false;
};
// For these another project's session does not exist. Its charge that waits for its payment is cancelled too.
struct CancelCheckoutSession {
  Caller caller;
  CheckoutSessionId session;
  std::optional<ChargeId> newest;  // as above
};
// Records the end of a session whose time is over; does nothing to another one.
struct ExpireCheckoutSession {
  CheckoutSessionId session;
};

// --- a project's team, by one of its owners or by an operator: the edge sees to it ---

// A member with another role gets this one; one who has it already stays as they are.
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
// The edge gives the invitation once that is recorded.
struct InviteMember {
  ProjectId project;
  UserId user;
};

// A class rather than an alias, for the same reason as Event.
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
