#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/decisions/dispatch.h"
#include "domain/values/stream_name.h"
#include "eventstore/codec/codec.h"
#include "eventstore/ledger_options.h"
#include "eventstore/lmdb/database_facts.h"
#include "stores/status/provider_state.h"
#include "stores/status/worker_state.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

// A connection to a bank. A disabled one is not in use: it gets no new charges, but its open work continues.
struct KnownBank {
  domain::Connection connection;
  domain::BankConnection bank;

  bool is_in_use() const { return connection.is_enabled(); }
};

}  // namespace

StreamStates states_of(const eventstore::LedgerOptions& options, const std::string& name_begin) {
  StreamStates states;
  for (const auto& stored :
       eventstore::stream_events_in(options.data.ledger(), options.map_bytes, name_begin)) {
    const auto event = eventstore::decode(stored);
    const auto found = states.find(event.stream);
    auto next = domain::apply(found == states.end() ? std::nullopt : std::optional(found->second),
                              event.event, event.recorded_at);
    if (next) states.insert_or_assign(event.stream, *std::move(next));
  }
  return states;
}

namespace {

std::vector<KnownBank> known_banks(const eventstore::LedgerOptions& options) {
  std::vector<KnownBank> banks;
  StreamStates projects;
  for (const auto& [stream, state] : states_of(options, "connection-")) {
    const auto& bank = std::get<domain::BankConnection>(state);
    const auto of_project = domain::project_stream(bank.project);
    if (!projects.contains(of_project)) projects.merge(states_of(options, of_project.text()));
    const auto found = projects.find(of_project);
    if (found == projects.end()) continue;
    const auto* connection = domain::connection_of(std::get<domain::Project>(found->second), bank.id);
    if (connection) banks.push_back({*connection, bank});
  }
  return banks;
}

constexpr const char* kBanks = "banks";
constexpr std::int64_t kSkewMs = 15'000;
constexpr std::int64_t kUnseenMs = 5 * 60'000;
constexpr std::int64_t kUnreadMs = 60 * 60'000LL;
constexpr std::int64_t kEarlyTellMs = 30 * 86'400'000LL;  // how long a misfit is reported after its last
                                                          // occurrence
constexpr std::int64_t kLateMs = 5 * 60'000;
constexpr std::int64_t kRefundLateMs = 24 * 60 * 60'000LL;
constexpr std::int64_t kRefusedLateMs = 2 * 60 * 60'000LL;  // rejected requests are retried hourly

std::string whole_seconds(std::int64_t ms) { return std::to_string(std::abs(ms) / 1'000) + " seconds"; }

std::string minutes_of(std::int64_t ms) {
  const auto minutes = (ms + 59'999) / 60'000;
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

// How long such work may stay open; nullopt: without limit.
std::optional<std::int64_t> patience_ms(const std::string& kind) {
  if (kind == "code" || kind == "cancel") return kLateMs;
  if (kind == "refund" || kind == "send_back") return kRefundLateMs;
  if (kind == "removal" || kind == "refused") return kRefusedLateMs;
  if (kind == "future") return 0;
  return std::nullopt;
}

struct MisfitWords {
  std::string_view kind;
  const char* what;
  const char* advice;
};

constexpr MisfitWords kMisfitWords[] = {
    {"unreadable_payment", "payments cannot be read, and are not in the ledger",
     "compare with the bank's statement: pixledger reconcile; and ask the bank for that field"},
    {"unreadable_return", "money that went back cannot be read, and is not in the ledger",
     "compare with the bank's statement: pixledger reconcile; and ask the bank for that field"},
    {"unreadable_time",
     "payments have no time that can be read; they are taken, with the time in their end-to-end ids",
     "ask the bank for `horario`, with its zone"},
    {"uncounted_pages",
     "the number of payments is not stated; they are taken, page after page until one has nothing new",
     "ask the bank for `parametros.paginacao` in GET /pix"},
    {"unread_list", "payments are shown beside `pix`, which are not read",
     "ask the bank what it lists there; and compare with its statement: pixledger reconcile"},
    {"missing_payments", "fewer payments are shown than the bank says to have",
     "compare with the bank's statement: pixledger reconcile; and ask the bank"},
    {"other_key",
     "a payment names a charge, and came to a Pix key that the connection does not have; it pays nothing",
     "find out which code the payer has paid, and compare the account's keys with the connection's"},
    {"payment_ahead", "a payment has a time that is ahead of this machine's clock; it waits for that time",
     "compare this machine's clock with the bank's"},
    {"long_pages", "pages have more payments than requested; they are read",
     "see docs/runbooks/PixledgerBankMisfit.md"},
    {"told_otherwise", "a payment differs from what was recorded by hand",
     "compare pixledger history --id with the bank's statement, and settle the difference by hand"},
    {"refused_payment", "the ledger cannot record a payment", "see the log of pixledger-providers for why"},
    {"refused_return", "the ledger cannot record a return", "see the log of pixledger-providers for why"},
    {"double_return", "two returns have one id, and count as one",
     "ask the bank what it returned of that payment"},
    {"return_after_failure", "money went back for a refund that had failed; it counts",
     "see whether the merchant has refunded it again meanwhile"},
    {"denied_return", "a return was denied",
     "see whether pix.write is granted, and the account may return money; it is retried every hour"},
    {"goes_back_elsewhere", "money for a charge went back through another project that shares the account",
     "find out who decides that; the payer has paid and got the money back"},
};

MisfitWords words_for(std::string_view kind) {
  for (const auto& words : kMisfitWords)
    if (words.kind == kind) return words;
  return {kind, "payments do not fit", "see docs/runbooks/PixledgerBankMisfit.md"};
}

class BankFindings {
 public:
  BankFindings(const std::vector<KnownBank>& banks, Timestamp now, Diagnoses& found)
      : banks_(banks), now_(now), found_(found) {}

  void add(const stores::BankState& state, bool worker_runs) {
    const auto* known = find(state.connection);
    if (!known || !known->is_in_use()) return;
    const auto name = name_of(*known);
    const auto check = check_of(*known);
    if (state.is_left_alone)
      warn(name + " does not work and is left alone but for probes", "see what is wrong: " + check);
    if (const auto ahead_ms = state.ahead_ms.value_or(0); std::abs(ahead_ms) >= kSkewMs)
      warn("the clock of " + name + " is " + whole_seconds(ahead_ms) +
               (ahead_ms > 0 ? " ahead of" : " behind") + " this one",
           "set this machine's clock by NTP: what banks say from the future is taken later");
    if (state.early_at && now_.millis() - state.early_at->millis() < kEarlyTellMs)
      warn("payment_before_charge: " + name + " writes times of payments up to " +
               minutes_of(state.early_ms) + " too early, last on " + to_iso8601(*state.early_at) +
               "; they are taken, and the times in the ledger are corrected",
           "ask the bank for its clock and the zone of `horario`: it may write local time with Z");
    const auto seen = state.looked_up_to.value_or(state.since);
    const auto unseen_ms = now_.millis() + state.ahead_ms.value_or(0) - seen.millis();
    if (worker_runs && !state.is_left_alone && unseen_ms > kUnseenMs)
      warn("what was paid to " + name + " has not been seen for " + whole_seconds(unseen_ms),
           "see the log of pixledger-providers, and: " + check);
  }

  void add(const stores::BankLook& look, bool worker_runs) {
    const auto* known = find(look.connection);
    if (!known || !known->is_in_use() || !worker_runs) return;
    const auto unread_ms = look.unread_ms(now_);
    if (unread_ms < kUnreadMs) return;
    warn("the last " + stores::back_of(look.look) + " of the account at " + name_of(*known) +
             " have not been read as a whole for " + minutes_of(unread_ms) +
             (look.fault.empty() ? "" : ": " + look.fault),
         "see docs/runbooks/PixledgerBankTierUnread.md; what is paid, and what goes back, may be unseen "
         "there");
  }

  // `misfit` is reported still. `unsettled` counts the connection's open payments without a txid. Returns
  // whether the finding covers them.
  bool add(const stores::AccountMisfit& misfit, std::size_t unsettled) {
    const auto* known = find(misfit.connection);
    if (!known || !known->is_in_use()) return false;
    const auto name = name_of(*known);
    const auto last = ", last on " + to_iso8601(misfit.at);
    if (misfit.kind == "no_txid") {
      auto what = "no_txid: " + name + " lists payments without their txid, " +
                  std::to_string(misfit.payments) + " so far" + last + "; of " +
                  std::to_string(misfit.found) + " it told the charge when it was asked for each";
      // The bank names the charges elsewhere, or says that one is paid: then it has a txid and omits it.
      const bool is_left_out = misfit.found > 0 || !misfit.detail.empty();
      if (!misfit.detail.empty())
        what += "; it says that " + misfit.detail + " is paid, and names no payment";
      if (!is_left_out)
        what +=
            "; whether payments of charges have one is not known: these may all have been made to the Pix "
            "key, for no charge";
      if (unsettled > 0) what += "; " + std::to_string(unsettled) + " that name no charge are not settled";
      std::string advice = is_left_out ? "ask the bank for the txid in GET /pix"
                                       : "to find out, pay a charge: " + check_of(*known) + " --pay";
      if (unsettled > 0)
        advice += "; see pixledger payment list --project " + known->bank.project.text() +
                  ", then pixledger payment assign or close";
      else if (is_left_out)
        advice += ": to ask for each payment is slow";
      warn(what, advice);
      return true;
    }
    const auto words = words_for(misfit.kind);
    warn(misfit.kind + ": at " + name + ", " + words.what + last +
             (misfit.detail.empty() ? "" : ": " + misfit.detail) +
             (stores::can_be_settled(misfit) ? "" : "; it is shown for 30 days, also once it is settled"),
         words.advice);
    return false;
  }

  void add(const stores::BankBacklog& backlog) {
    const auto* known = find(backlog.connection);
    if (!known) return;
    const auto age_ms = now_.millis() - backlog.oldest.millis();
    const auto open =
        std::to_string(backlog.open) + " of kind " + backlog.kind + " open at " + name_of(*known);
    if (!known->is_in_use())
      return warn(open + ", which is disabled, for up to " + whole_seconds(age_ms),
                  "keep its access to the bank, and pixledger-providers running, until that is done");
    const auto patience = patience_ms(backlog.kind);
    if (!patience || age_ms <= *patience) return;
    warn(open + ", for up to " + whole_seconds(age_ms),
         "see the log of pixledger-providers for what holds it up");
  }

  // For a payment that names no charge, only its key identifies the recipient.
  void add_shared_keys() {
    for (const auto& one : banks_)
      for (const auto& other : banks_)
        if (share_key(one, other))
          warn(name_of(one) + " and " + name_of(other) +
                   " have one Pix key, for two projects: money that names no charge is of the former's",
               "give each project a key of its own: pixledger connection set --pix-key");
  }

  void warn(const std::string& what, const std::string& advice) {
    found_.push_back({kBanks, Severity::kWarning, what, advice});
    is_well_ = false;
  }
  bool is_well() const { return is_well_; }

 private:
  const KnownBank* find(const std::string& connection) const {
    const auto known = std::find_if(banks_.begin(), banks_.end(),
                                    [&](const KnownBank& each) { return each.bank.id.text() == connection; });
    return known == banks_.end() ? nullptr : &*known;
  }
  // `one` was added first.
  static bool share_key(const KnownBank& one, const KnownBank& other) {
    const auto age_of = [](const KnownBank& known) {
      return std::pair(known.bank.created_at, known.bank.id.text());
    };
    return one.is_in_use() && other.is_in_use() && one.bank.project != other.bank.project &&
           one.connection.environment == other.connection.environment &&
           one.connection.api_pix->pix_key == other.connection.api_pix->pix_key &&
           age_of(one) < age_of(other);
  }
  static std::string check_of(const KnownBank& known) {
    return "pixledger connection check --project " + known.bank.project.text() + " --connection " +
           known.bank.id.text();
  }
  static std::string name_of(const KnownBank& known) {
    return "the bank of connection " + known.connection.alias.text() + " (" + known.bank.id.text() + ")";
  }

  const std::vector<KnownBank>& banks_;
  const Timestamp now_;
  Diagnoses& found_;
  bool is_well_ = true;
};

// Open payments that match no charge.
struct OpenPayments {
  std::size_t count = 0;
  std::map<std::string, std::size_t> without_txid{};  // of these, by connection
};

OpenPayments open_payments(const eventstore::LedgerOptions& options) {
  OpenPayments open;
  for (const auto& [stream, state] : states_of(options, "payment-")) {
    const auto* payment = std::get_if<domain::UnmatchedPayment>(&state);
    if (!payment || !domain::is_open(*payment)) continue;
    ++open.count;
    if (payment->reason == domain::UnmatchedReason::kNoTxid) ++open.without_txid[payment->connection.text()];
  }
  return open;
}

}  // namespace

void examine_banks(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found) {
  try {
    const auto banks = known_banks(options);
    if (banks.empty()) return;
    const auto in_use =
        std::count_if(banks.begin(), banks.end(), [](const KnownBank& each) { return each.is_in_use(); });
    BankFindings findings(banks, clock.now(), found);
    const auto workers = options.data.workers();
    const auto worker = stores::find_worker(workers, "providers", options.lmdb());
    const bool worker_runs = worker && worker->running;
    if (in_use > 0 && !worker_runs)
      findings.warn(std::to_string(in_use) +
                        " connections to banks are enabled, and nobody speaks to them: their charges have no "
                        "code of the bank's, and payments are not seen",
                    "start pixledger-providers, or disable them: pixledger connection disable");
    const auto states = stores::bank_states(workers);
    for (const auto& state : states.banks) findings.add(state, worker_runs);
    for (const auto& look : states.looks) findings.add(look, worker_runs);
    for (const auto& backlog : states.backlogs) findings.add(backlog);
    auto open = open_payments(options);
    for (const auto& misfit : states.misfits) {
      const auto unsettled = open.without_txid[misfit.connection];
      // These are a fault of the account, not single payments for an operator.
      if (states.is_told(misfit, clock.now()) && findings.add(misfit, unsettled)) open.count -= unsettled;
    }
    findings.add_shared_keys();
    if (open.count > 0)
      findings.warn(std::to_string(open.count) + " payments arrived that fit no charge and are not settled",
                    "see pixledger payment list --project P, then pixledger payment assign or close");
    if (in_use > 0 && findings.is_well())
      found.push_back({kBanks, Severity::kOk, std::to_string(in_use) + " in use, and well", ""});
  } catch (const std::exception& error) {
    found.push_back({kBanks, Severity::kWarning, error.what(),
                     advice_when_refused(error).value_or("see what is said of the worker providers")});
  }
}

namespace {

constexpr std::int64_t kWarnedBeforeMs = std::int64_t{30} * 24 * 60 * 60 * 1000;

Diagnosis ending(const KnownBank& used, Timestamp ends_at, Timestamp now) {
  const bool has_ended = ends_at <= now;
  return {"certificate", has_ended ? Severity::kProblem : Severity::kWarning,
          "that of connection " + used.connection.alias.text() + " (" + used.bank.id.text() +
              (has_ended ? ") has ended on " : ") ends on ") + to_iso8601(ends_at),
          "get another one from the bank, then: pixledger connection rotate --project " +
              used.bank.project.text() + " --connection " + used.bank.id.text() + " --cert FILE --key FILE"};
}

}  // namespace

void examine_connections(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found) {
  try {
    const auto before = found.size();
    const auto now = clock.now();
    std::size_t lasting = 0;
    for (const auto& bank : known_banks(options)) {
      const auto& certificate = bank.bank.configuration.certificate;
      if (!certificate || !bank.is_in_use()) continue;
      if (certificate->ends_at > now.plus_millis(kWarnedBeforeMs))
        ++lasting;
      else
        found.push_back(ending(bank, certificate->ends_at, now));
    }
    if (lasting > 0 && found.size() == before)
      found.push_back(
          {"certificate", Severity::kOk, "those of banks last over 30 days: " + std::to_string(lasting), ""});
  } catch (const std::exception& error) {
    found.push_back({"certificate", Severity::kWarning, error.what(),
                     advice_when_refused(error).value_or("run: pixledger verify, which says what to do")});
  }
}

}  // namespace pixledger::tools
