#include "tests/support/domain/random_commands.h"

#include <algorithm>

#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

using namespace domain;

namespace {

const std::vector<std::string> kDocuments = {"52998224725", "11144477735",    "12345678909",   "11111111111",
                                             "93541134780", "11222333000181", "12345678000195"};
const std::vector<std::string> kEmails = {"ana@example.com", "Ana@Example.com", "bia@example.com",
                                          "caio@example.com"};
const std::vector<std::string> kNames = {"Ana", "Bia Souza", "Caio"};
const std::vector<std::string> kAddresses = {"203.0.113.9", "::ffff:203.0.113.9", "198.51.100.7",
                                             "2001:db8::1"};
const std::vector<std::string> kCities = {"São Paulo", "Campinas"};
const std::vector<std::int64_t> kAmounts = {1, 99, 1'000, 10'000, 10'000, 250'000, 2'000'000};

}  // namespace

std::string numbered(const char* head, unsigned number, std::size_t size) {
  auto text = std::string(head);
  const auto digits = std::to_string(number);
  text.append(size - text.size() - digits.size(), '0');
  return text + digits;
}

Command RandomCommands::next(Timestamp now) {
  now_ = now;
  if (projects_.empty()) return CreateProject{settings()};
  const auto kind = random_.below(100);
  if (kind < 5) return change_of_project(now);
  if (kind < 13) return change_of_customer(now);
  if (kind < 18) return change_of_blocklist();
  if (kind < 43 || charges_.empty()) return creation();
  if (kind < 70) return operation_on_charge();
  if (kind < 92) return report(now);
  return settlement();
}

std::int64_t RandomCommands::next_pause_ms() {
  const auto kind = random_.below(100);
  if (kind < 60) return 0;
  if (kind < 80) return static_cast<std::int64_t>(random_.below(5'000));
  if (kind < 97) return static_cast<std::int64_t>(random_.below(20)) * kMinuteMs;
  if (kind < 99) return static_cast<std::int64_t>(random_.below(3)) * kDayMs;
  return random_.one_in(5) ? 91 * kDayMs : kDayMs;
}

ProjectId RandomCommands::project() { return random_.one_of(projects_); }

Caller RandomCommands::caller(const ProjectId& owner) {
  if (random_.one_in(12)) return an_operator();
  return {random_.one_in(12) ? project() : owner, random_.one_in(6)};
}

RandomCommands::KnownCharge RandomCommands::charge() {
  if (random_.one_in(40)) return {sample_charge_id(), project(), Cents(1)};
  const auto newest = std::min<std::size_t>(charges_.size(), random_.one_in(5) ? charges_.size() : 8);
  return charges_[charges_.size() - 1 - random_.below(newest)];
}

CustomerDetails RandomCommands::details() {
  CustomerDetails details{parsed<PersonName>(random_.one_of(kNames)),
                          parsed<Document>(random_.one_of(kDocuments)),
                          parsed<EmailAddress>(random_.one_of(kEmails)),
                          parsed<Phone>("11987654321"),
                          {}};
  if (random_.one_in(2)) details.address.city = parsed<Label>(random_.one_of(kCities));
  if (random_.one_in(4)) details.address.country = parsed<CountryCode>("BR");
  return details;
}

StoreSettings RandomCommands::settings() {
  auto settings = sample_settings();
  if (random_.one_in(4)) settings.pix_key.reset();
  settings.verify_documents = random_.one_in(3);
  settings.max_transaction_amount = Cents(random_.one_in(2) ? 1'000'000 : kAmountCentsMax);
  settings.pix_expiration_minutes = static_cast<std::int32_t>(1 + random_.below(60));
  settings.fee_fixed = Cents(static_cast<std::int64_t>(random_.below(3)) * 25);
  settings.fee_basis_points = static_cast<std::int32_t>(random_.below(3)) * 99;
  if (random_.one_in(4)) settings.contact = parsed<Label>("contato@example.com");
  return settings;
}

Environment RandomCommands::environment() {
  return random_.one_in(2) ? Environment::kLive : Environment::kSandbox;
}
EnvironmentSet RandomCommands::environments() {
  return EnvironmentSet::from_bits(static_cast<std::uint32_t>(1 + random_.below(3))).value();
}

ApiKeyId RandomCommands::new_key_id() { return parsed<ApiKeyId>(numbered("f", ++ids_, 24)); }
ApiKeyId RandomCommands::known_key_id() {
  return keys_.empty() || random_.one_in(20) ? sample_api_key_id() : random_.one_of(keys_);
}

std::optional<Label> RandomCommands::reason() {
  if (random_.one_in(2)) return std::nullopt;
  return parsed<Label>(random_.one_in(2) ? "chargeback" : "asked for");
}

Timestamp RandomCommands::later(Timestamp now) {
  return now.plus_millis(static_cast<std::int64_t>(random_.below(90)) * kMinuteMs);
}

Command RandomCommands::change_of_project(Timestamp now) {
  ApiKeyHash hash{};
  hash.fill(static_cast<std::uint8_t>(random_.below(256)));
  if (random_.one_in(4)) return change_of_connection();
  switch (random_.below(10)) {
    case 0:
      if (projects_.size() < 3) return CreateProject{settings()};
      return ChangeStoreSettings{project(), change_to(settings())};
    case 1: {
      IssueApiKey issue{new_key_id(),    project(), Environment::kLive, hash,
                        ScopeSet::all(), false,     std::nullopt,       {}};
      if (random_.one_in(2)) issue.expires_at = later(now);
      return issue;
    }
    case 2:
      return RollApiKey{known_key_id(), new_key_id(), hash,
                        static_cast<std::int64_t>(random_.below(2)) * kDayMs};
    case 3:
      return RevokeApiKey{known_key_id()};
    case 4: {
      auto channel = sample_channel();
      channel.id = parsed<ChannelId>(numbered("cchannel", ++ids_, 25));
      // Mostly to one project, so that it reaches the limit.
      channel.project = random_.one_in(3) ? project() : projects_.front();
      channel.environments = environments();
      count_channels(channel);
      return channel;
    }
    case 5:
    case 6:
    case 7:
      return change_of_channel(now);
    case 8: {
      return AddConnection{random_.one_in(10) ? sample_project_id() : project(), environment(), alias(),
                           parsed<Label>("acme"), parsed<Label>("Acme Pagamentos")};
    }
    default:
      return ChangeStoreSettings{random_.one_in(10) ? sample_project_id() : project(), change_to(settings())};
  }
}

Command RandomCommands::change_of_customer(Timestamp now) {
  if (customers_.empty() || random_.one_in(3)) {
    auto who = details();
    auto where = project();
    return SaveCustomer{where, token_of(where, who.document), std::move(who), environment()};
  }
  auto customer = random_.one_of(customers_);
  auto& stream = customer.stream;
  const auto owner = parsed<ProjectId>(stream.key().substr(0, stream.key().find('-')));
  if (random_.one_in(12)) return EraseCustomer{std::move(stream), std::move(customer.id), reason()};
  if (random_.one_in(2)) return UnblockCustomer{caller(owner), std::move(stream), std::move(customer.id)};
  BlockCustomer block{caller(owner),
                      std::move(stream),
                      std::move(customer.id),
                      random_.one_in(2) ? BlockType::kManual : BlockType::kFraud,
                      reason(),
                      std::nullopt};
  if (!random_.one_in(4)) block.expires_at = random_.one_in(10) ? now : later(now);
  return block;
}

Command RandomCommands::change_of_blocklist() {
  if (!entries_.empty() && !random_.one_in(3)) {
    const auto entry = random_.one_of(entries_);
    return RemoveBlocklistEntry{random_.one_in(10) ? project() : entry.project, entry.id, random_.one_in(6)};
  }
  const auto value = [this]() -> std::optional<BlocklistValue> {
    switch (random_.below(4)) {
      case 0:
        return parse_blocklist_value("ip", random_.one_of(kAddresses));
      case 1:
        return parse_blocklist_value("cidr", "203.0.113.0/24");
      case 2:
        return parse_blocklist_value("email", random_.one_of(kEmails));
      default:
        return parse_blocklist_value("document", random_.one_of(kDocuments));
    }
  }();
  return AddBlocklistEntry{project(), value.value(), reason(), environment()};
}

CreateCharge RandomCommands::creation() {
  auto command = sample_creation(environment());
  command.project = project();
  command.customer = details();
  command.token = token_of(command.project, command.customer.document);
  command.amount = Cents(random_.one_of(kAmounts));
  if (random_.one_in(4)) command.expiration_days = static_cast<std::int32_t>(1 + random_.below(3));
  if (random_.one_in(2)) command.customer_ip = parsed<IpAddress>(random_.one_of(kAddresses));
  if (random_.one_in(30)) command.connection = sample_connection_id(Environment::kLive);
  if (!connections_.empty() && random_.one_in(4)) {
    const auto known = random_.one_of(connections_);
    command.connection = known.id;
    if (!random_.one_in(10)) command.project = known.project;
    if (!random_.one_in(10)) command.environment = known.environment;
    command.token = token_of(command.project, command.customer.document);
  }
  return command;
}

Command RandomCommands::operation_on_charge() {
  const auto about = charge();
  switch (random_.below(9)) {
    case 0:
      return PaySandboxCharge{caller(about.project), about.id};
    case 1:
      return ExpireSandboxCharge{caller(about.project), about.id};
    case 2:
      return FailSandboxCharge{caller(about.project), about.id};
    case 3:
      return ExpireOverdueCharge{about.id};
    case 4:
      return CancelCharge{caller(about.project), about.id};
    case 5:
      return StartProcessing{about.id};
    case 6:
      return FailCharge{about.id, reason()};
    default: {
      // Of a paid charge, if any: otherwise most refunds would come too early.
      const auto paid = payments_.empty() ? about : random_.one_of(payments_).charge;
      RefundCharge refund{caller(paid.project), paid.id, std::nullopt, reason()};
      if (!random_.one_in(3)) refund.amount = Cents(random_.one_of(kAmounts));
      return refund;
    }
  }
}

ReportPayment RandomCommands::report(Timestamp now) {
  const auto about = charge();
  ReportPayment command{about.project, about.id,
                        parsed<EndToEndId>(numbered("E12345678202603011200", ++ids_, 32)), about.amount,
                        std::nullopt};
  if (random_.one_in(4)) command.amount = Cents(random_.one_of(kAmounts));
  if (random_.one_in(4) && !payments_.empty()) {
    const auto known = random_.one_of(payments_);
    command.end_to_end_id = known.id;
    command.amount = known.amount;
    if (!random_.one_in(4)) command.charge = known.charge.id;
    if (!random_.one_in(4)) command.project = known.charge.project;
    if (random_.one_in(4)) command.amount = Cents(random_.one_of(kAmounts));
  }
  if (random_.one_in(3))
    command.paid_at = now.plus_millis(-static_cast<std::int64_t>(random_.below(120)) * kMinuteMs);
  if (random_.one_in(30)) command.paid_at = later(now);
  return command;
}

Command RandomCommands::settlement() {
  if (payments_.empty()) return ExpireOverdueCharge{charge().id};
  const auto payment = random_.one_of(payments_);
  const auto about = random_.one_in(15) ? charge() : payment.charge;
  if (random_.one_in(2)) return AcceptUnappliedPayment{about.project, about.id, payment.id, ids_ % 2 == 0};
  return ReturnUnappliedPayment{about.id, payment.id, reason()};
}

struct RandomCommands::Learn {
  RandomCommands& to;
  const StreamName& stream;
  const ProjectId& project;

  void payment(const EndToEndId& id, Cents amount) const {
    const auto id_of_charge = parsed<ChargeId>(stream.key());
    const auto found = std::find_if(to.charges_.begin(), to.charges_.end(),
                                    [&](const KnownCharge& charge) { return charge.id == id_of_charge; });
    if (found != to.charges_.end()) to.payments_.push_back({id, *found, amount});
  }

  template <class... Events>
  void operator()(const std::variant<Events...>& event) const {
    std::visit(*this, event);
  }
  void operator()(const ProjectCreated& event) const { to.projects_.push_back(event.id); }
  void operator()(const ConnectionAdded& event) const {
    to.connections_.push_back({project, event.connection.id, event.connection.environment});
  }
  void operator()(const ConnectionConfigured& event) const { ++to.revisions_[event.id]; }
  void operator()(const ApiKeyIssued& event) const { to.keys_.push_back(event.id); }
  void operator()(const ChannelAdded& event) const { to.channels_.push_back({project, event.id, to.now_}); }
  void operator()(const ChannelDeleted&) const { to.deleted_channels_of_.push_back(project); }
  void operator()(const BlocklistEntryAdded& event) const { to.entries_.push_back({project, event.id}); }
  void operator()(const CustomerRegistered& event) const { to.customers_.push_back({stream, event.id}); }
  void operator()(const ChargeCreated& event) const {
    to.charges_.push_back({event.id, project, event.amount});
  }
  void operator()(const ChargePaid& event) const { payment(event.end_to_end_id, event.amount); }
  void operator()(const PaymentLeftUnapplied& event) const { payment(event.end_to_end_id, event.amount); }

  // Other events, which later commands do not need.
  template <class Event>
  void operator()(const Event&) const {}
};

void RandomCommands::learn(const StreamName& stream, const ProjectId& project, const Event& event) {
  std::visit(Learn{*this, stream, project}, event);
}

}  // namespace pixledger::tests
