#include "tools/audit/stream_pass.h"

#include "domain/decisions/dispatch.h"
#include "domain/decisions/pix_code_rule.h"
#include "domain/rules/event_rules.h"
#include "eventstore/reading/state_reader.h"
#include "tools/audit/indexed_events.h"
#include "tools/audit/project_keys.h"
#include "tools/audit/session_ties.h"

// Stream after stream, so that one state at a time is folded. What the index names is read and decoded ahead;
// names are looked up in a snapshot that was taken later, and so has at least those that its events state.
namespace pixledger::tools {
namespace {

using domain::RecordedEvent;

using Problem = std::optional<std::string>;

const domain::ChargeCreated* creation_in(const RecordedEvent& event) {
  const auto* change = std::get_if<domain::ChargeEvent>(&event.event);
  return change ? std::get_if<domain::ChargeCreated>(change) : nullptr;
}

class StreamPass {
 public:
  StreamPass(const eventstore::LedgerLog& log, Position end, const Erasures& erasures)
      : log_(log), end_(end), personal_rules_(log, erasures), project_keys_(log) {}

  Streams run(const VerifyProgress& progress) {
    auto batches = read_index_ahead(log_, end_);
    while (const auto* batch = batches.next()) {
      const auto before = result_.events;
      snapshot_ = log_.snapshot();
      for (const auto& entry : batch->entries) check(entry);
      snapshot_.reset();
      progress(result_.events - before);
    }
    return std::move(result_);
  }

 private:
  void check(const IndexedEvent& entry) {
    if (!entry.problem.empty()) {
      found(end_, entry.problem);
      return;
    }
    if (entry.is_first) {
      ++result_.streams;
      stream_ = entry.stream;
      is_good_ = stream_.has_value();
      state_.reset();
      personal_rules_.begin_stream();
      version_ = 0;
      previous_ = Position();
    }
    if (is_good_) is_good_ = check_next(entry);
  }

  std::string place() const { return "stream " + stream_->text() + ", version " + std::to_string(version_); }

  bool check_next(const IndexedEvent& entry) {
    ++version_;
    if (entry.version != version_) return found(end_, place() + " is missing");
    if (!entry.is_in_log) return found(end_, place() + " names a position that the log does not have");
    if (!entry.event) return found(entry.position, entry.unreadable);
    try {
      const auto& event = *entry.event;
      if (event.stream == *stream_ && event.version == version_) ++result_.events;
      if (const auto problem = problem_of(event, *stream_)) return found(entry.position, *problem);
      note(personal_rules_.check(event, entry.personal));
      state_ = domain::apply(std::move(state_), event.event, event.recorded_at);
    } catch (const std::runtime_error& unreadable) {
      return found(entry.position, unreadable.what());
    }
    previous_ = entry.position;
    return true;
  }

  Problem problem_of(const RecordedEvent& event, const domain::StreamName& stream) {
    if (event.stream != stream)
      return "stream " + stream.text() + " has it, but it belongs to " + event.stream.text();
    if (event.version != version_)
      return "it is version " + std::to_string(version_) + " of its stream, but says " +
             std::to_string(event.version);
    if (event.position <= previous_) return "it is before that of the version in front of it";
    if (auto problem = domain::broken_rule(state_ ? &*state_ : nullptr, event)) return problem;
    if (auto problem = problem_of_references(event)) return problem;
    return problem_of_claims(event);
  }

  // What an event refers to was there before it.
  Problem problem_of_references(const RecordedEvent& event) {
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event))
      return problem_of_payment(event, *of_payment);
    if (auto problem = broken_session_tie(log_, state_ ? &*state_ : nullptr, event)) return problem;
    if (auto problem = problem_of_assignment(event)) return problem;
    const auto* created = creation_in(event);
    if (!created) return std::nullopt;
    const auto holder = holder_of(domain::customer_claim(created->customer));
    const auto payers = "customer-" + event.project.text() + "-";
    if (!holder || holder->substr(0, payers.size()) != payers) return "its customer is none of its project";
    // The other way round is what 0.1.0 recorded, where both worlds had the same customers.
    const auto customers = domain::StreamName::parse(*holder);
    if (created->environment == domain::Environment::kLive && customers &&
        customers->environment() == domain::Environment::kSandbox)
      return "it is live, and its customer the sandbox's";
    if (event.project.text() != known_project_) {
      if (!holder_of(domain::project_claim(event.project))) return "its project does not exist";
      known_project_ = event.project.text();
    }
    const auto project = project_keys_.before(event.position, event.project, created->connection);
    return project ? domain::broken_pix_code_rule(*created, project->key) : std::nullopt;
  }

  Problem problem_of_payment(const RecordedEvent& event, const domain::PaymentEvent& of_payment) {
    if (const auto* unmatched = std::get_if<domain::PaymentUnmatched>(&of_payment)) {
      const auto project = project_keys_.before(event.position, event.project, unmatched->connection);
      if (project && project->is_of_bank) return problem_of_double(event, *unmatched);
      return "its connection is none of its project's to a bank";
    }
    const auto* assigned = std::get_if<domain::PaymentAssigned>(&of_payment);
    if (!assigned) return std::nullopt;
    const auto id = domain::EndToEndId::parse(stream_->key());
    const auto charge = domain::charge_stream(assigned->charge);
    if (id && holder_of(domain::end_to_end_claim(*id)) == std::string_view(charge.text()))
      return std::nullopt;
    return "the charge that it was assigned to does not have it";
  }

  // What a charge has of money that fitted none was assigned to it, or another project has closed the matter.
  Problem problem_of_assignment(const RecordedEvent& event) const {
    const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
    const auto* paid = of_charge ? std::get_if<domain::ChargePaid>(of_charge) : nullptr;
    const auto* left = of_charge ? std::get_if<domain::PaymentLeftUnapplied>(of_charge) : nullptr;
    if (!paid && !left) return std::nullopt;
    const auto& id = paid ? paid->end_to_end_id : left->end_to_end_id;
    const auto stream = domain::payment_stream(id);
    if (!snapshot_->streams()->find(stream, 1)) return std::nullopt;
    const auto payment = eventstore::fold_as<domain::UnmatchedPayment>(log_, stream, event.position);
    if (!payment || is_left_to(*payment, event)) return std::nullopt;
    if (payment->charge && domain::charge_stream(*payment->charge) == event.stream) return std::nullopt;
    return "the payment is unmatched and was not assigned to the charge";
  }
  static bool is_left_to(const domain::UnmatchedPayment& payment, const RecordedEvent& event) {
    return payment.project != event.project && payment.state == domain::UnmatchedState::kClosed;
  }

  // Nobody has what a charge has: not the project that has shown it as unmatched, unless that was settled by
  // the charge's having it.
  Problem problem_of_double(const RecordedEvent& event, const domain::PaymentUnmatched& unmatched) const {
    const auto holder = holder_of(domain::end_to_end_claim(unmatched.end_to_end_id));
    const auto stream = holder ? domain::StreamName::parse(*holder) : std::nullopt;
    if (!stream) return std::nullopt;
    std::optional<domain::UnmatchedPayment> payment;
    std::optional<domain::Charge> charge;
    try {
      payment = eventstore::fold_as<domain::UnmatchedPayment>(log_, event.stream);
      charge = eventstore::fold_as<domain::Charge>(log_, *stream);
    } catch (const std::runtime_error&) {
      return std::nullopt;  // what cannot be read comes later, and is told where it lies
    }
    const bool is_assigned = payment && payment->charge && domain::charge_stream(*payment->charge) == *stream;
    const bool is_left = payment && charge && payment->project != charge->project &&
                         payment->state == domain::UnmatchedState::kClosed;
    if (is_assigned || is_left) return std::nullopt;
    return "the payment is " + stream->text() + "'s, and unmatched as well";
  }

  Problem problem_of_claims(const RecordedEvent& event) {
    for (const auto& claim : domain::claims_of({event.stream, event.project, event.event})) {
      if (holder_of(claim) != std::string_view(event.stream.text()))
        return "its stream does not hold the name " + claim.text();
      ++result_.claims;
    }
    return std::nullopt;
  }

  std::optional<std::string_view> holder_of(const domain::ClaimName& claim) const {
    return snapshot_->claim_holder(claim);
  }

  void note(std::optional<Finding> finding) {
    if (finding) keep_first(result_.finding, *std::move(finding));
  }

  bool found(Position position, std::string problem) {
    keep_first(result_.finding, {position, std::move(problem), Part::kLedger});
    return false;
  }

  const eventstore::LedgerLog& log_;
  const Position end_;
  Streams result_;
  std::unique_ptr<eventstore::LogSnapshot> snapshot_;
  std::string known_project_;
  PersonalRules personal_rules_;
  ProjectKeys project_keys_;

  // Of the stream that is being checked.
  std::optional<domain::StreamName> stream_;
  bool is_good_ = false;
  std::optional<domain::AggregateState> state_;
  std::uint32_t version_ = 0;
  Position previous_;
};

}  // namespace

Streams check_streams(const eventstore::LedgerLog& log, Position end, const Erasures& erasures,
                      const VerifyProgress& progress) {
  return StreamPass(log, end, erasures).run(progress);
}

}  // namespace pixledger::tools
