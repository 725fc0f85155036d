#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/text/text.h"
#include "stores/status/provider_state.h"
#include "tools/operations/banks/bank_checks.h"
#include "tools/operations/banks/bank_session.h"
#include "tools/operations/banks/callback_registration.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_client.h"
#include "workers/banks/api_pix/bank_transport.h"
#include "workers/banks/poll_plan.h"

namespace pixledger::tools {
namespace {

using std::chrono::milliseconds;
using workers::BankPixPage;
using workers::BankResult;
using workers::PixPages;
using workers::PixWindow;
using workers::problem_of;
using workers::TlsFault;
using workers::WindowFault;

stores::BankStates states_at(const BankSession& bank) {
  return stores::bank_states(bank.context().common.data.workers());
}

// The worker's record of the connection; empty if it has never run.
stores::BankState state_of(const BankSession& bank) {
  const auto& id = bank.known().connection.id.text();
  for (auto& state : states_at(bank).banks)
    if (state.connection == id) return state;
  stores::BankState unknown;
  unknown.connection = id;
  return unknown;
}

// The worker's record of misfits in the account's data that it still reports.
std::vector<stores::AccountMisfit> misfits_at(const BankSession& bank) {
  const auto states = states_at(bank);
  const auto now = bank.context().clock.now();
  std::vector<stores::AccountMisfit> misfits;
  for (const auto& misfit : states.misfits)
    if (misfit.connection == bank.known().connection.id.text() && states.is_told(misfit, now))
      misfits.push_back(misfit);
  return misfits;
}

// The periods that the worker's account queries cover, shortest first: by its plan, and its first query.
std::vector<milliseconds> looks_back(const BankSession& bank) {
  std::vector<milliseconds> looks{workers::kFirstLook};
  for (const auto& look : states_at(bank).looks)
    if (look.connection == bank.known().connection.id.text()) looks.emplace_back(look.look.back_ms);
  const auto usual = workers::PollPlan::usual();
  if (looks.size() == 1)
    for (const auto& tier : usual.tiers()) looks.push_back(tier.back);
  std::sort(looks.begin(), looks.end());
  return looks;
}

// "100 days", "15 minutes".
std::string days_of(milliseconds length) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {
      {86'400'000, "day"}, {3'600'000, "hour"}, {60'000, "minute"}, {1'000, "second"}};
  for (const auto& [unit_ms, name] : kUnits) {
    const auto count = length.count() / unit_ms;
    if (count > 0) return std::to_string(count) + " " + name + (count == 1 ? "" : "s");
  }
  return "0 seconds";
}

// The faults of the worker's last queries of the account, or empty.
std::string faults_of_looks(const BankSession& bank) {
  std::string text;
  for (const auto& look : states_at(bank).looks)
    if (look.connection == bank.known().connection.id.text() && !look.fault.empty())
      text += "; the worker could not read the last " + stores::back_of(look.look) + ": " + look.fault;
  return text;
}

constexpr std::chrono::minutes kReadBack{15};
// More pages than this are not read here.
constexpr std::int64_t kPagesReadMax = 50;

// Checks whether a bank shows its account as far back as the worker reads. Like the worker, it halves a
// window that the bank rejects or cannot handle, down to an hour.
class WindowReading {
 public:
  // `bank` must outlive it. `window_ms` is the limit that the worker has found.
  WindowReading(BankSession& bank, std::optional<std::int64_t> window_ms) : bank_(bank) {
    if (window_ms) longest_ = milliseconds(*window_ms);
  }

  struct Seen {
    std::int64_t items = 0;    // of the newest window; of a short one: as shown, else as counted
    std::string problem = {};  // empty: the newest and the oldest window are readable
    // The unreadable data on the newest window's first page, or empty.
    std::string unreadable = {};
    std::string unread_list = {};  // another list of payments there, or empty
    bool is_counted = true;        // the bank reports the number of payments
    bool reads_none = false;       // nothing on that page is readable
    // What the further pages of a short window lack, or empty.
    std::string unshown = {};
  };

  Seen read(milliseconds back) {
    auto& client = bank_.client();
    std::optional<PixPages> list;
    const auto ask = [&](const PixWindow& window) {
      return list.emplace(client, window).ask(0, bank_.turn());
    };
    auto length = std::min(back, longest_.value_or(back));
    auto end = client.now_there();
    auto newest = ask({.begin = end.plus_millis(-length.count()), .end = end});
    while (!std::holds_alternative<BankPixPage>(newest)) {
      const auto fault = workers::judge_window(newest);
      const bool is_shortest = length <= workers::kShortestWindow;
      // Some banks reject windows that end now.
      const bool asks_less = fault == WindowFault::kRefused && is_shortest && client.ask_about_less();
      if (fault == WindowFault::kNone || client.is_open() || (is_shortest && !asks_less))
        return {.problem = problem_of(newest)};
      if (!asks_less) longest_ = length = workers::half_of(length);
      end = client.now_there();
      newest = ask({.begin = end.plus_millis(-length.count()), .end = end});
    }
    const auto& page = std::get<BankPixPage>(newest);
    Seen seen{.items = page.items,
              .is_counted = page.is_counted || workers::items_of(page) == 0,
              .reads_none = page.found.payments.empty()};
    if (const auto& unusable = page.found.unusable; !unusable.empty())
      seen.unreadable =
          std::to_string(unusable.size()) + " payments cannot be read: " + unusable.front().reason;
    if (!page.other_list.empty())
      seen.unread_list = page.other_list + " beside pix has payments, too, which are not read";
    if (back <= kReadBack) read_further_pages(*list, page, seen);
    if (length == back) return seen;
    const auto begin = end.plus_millis(-back.count());
    const auto oldest = ask({.begin = begin, .end = begin.plus_millis(length.count())});
    if (std::holds_alternative<BankPixPage>(oldest)) return seen;
    return {.items = seen.items, .problem = problem_of(oldest)};
  }

  // The longest window that the bank accepts; nullopt: all requested lengths.
  std::optional<milliseconds> longest() const { return longest_; }

 private:
  // Like the worker, reads beyond the counted pages while payments are missing.
  void read_further_pages(PixPages& list, const BankPixPage& first, Seen& seen) {
    std::set<std::string> known;
    const auto add = [&](const BankPixPage& page) {
      const auto before = known.size();
      for (const auto& payment : page.found.payments) known.insert(payment.end_to_end_id.text());
      for (const auto& unusable : page.found.unusable) known.insert(unusable.mark);
      return known.size() > before;
    };
    add(first);
    auto shown = workers::items_of(first), items = first.items;
    auto pages = first.is_counted ? first.pages : 1;
    for (std::int64_t number = 1; number < pages || shown < items; ++number) {
      // A long page may show what the bank counts on further ones.
      if (shown >= items && workers::items_of(first) > workers::kItemsPerPage) break;
      if (number == kPagesReadMax) return;
      const auto answer = list.ask(number, bank_.turn());
      const auto* page = std::get_if<BankPixPage>(&answer);
      const auto* unusable = std::get_if<workers::Unusable>(&answer);
      const bool is_fault = number < pages || std::holds_alternative<workers::Unavailable>(answer) ||
                            (unusable && unusable->may_hold_payments);
      if (!page && is_fault) {
        seen.unshown = "page " + std::to_string(number + 1) + " of " +
                       std::to_string(std::max(pages, number + 1)) + " is not shown: " + problem_of(answer);
        break;
      }
      if (!page || workers::items_of(*page) == 0 || (!add(*page) && number >= pages)) break;
      shown += workers::items_of(*page);
      if (!page->is_counted) continue;
      pages = page->pages;
      items = page->items;
    }
    seen.items = shown;
    if (shown < items && seen.unshown.empty())
      seen.unshown = "missing_payments: the bank says to have " + std::to_string(items) +
                     " payments, and shows " + std::to_string(shown);
  }

  BankSession& bank_;
  std::optional<milliseconds> longest_;
};

// What the operator can do if TLS with a bank fails.
std::string advice_for(TlsFault fault) {
  switch (fault) {
    case TlsFault::kUnknownIssuer:
      return "give the certificate of that authority, as the bank publishes it, with --ca-file";
    case TlsFault::kIncompleteChain:
      return "the bank's server sends no certificate but its own: give the certificate of that issuer, from "
             "the bank or from the authority's pages, with --ca-file, here and to pixledger-providers";
    case TlsFault::kOutOfDate:
      return "see whether this machine's date is right; else the bank has to renew its certificate";
    case TlsFault::kOtherName:
      return "see --base-url and --token-url: the certificate is for another host";
    case TlsFault::kBadCertificate:
      return "ask the bank about its certificate";
    case TlsFault::kNoRenegotiation:
      return "the bank's TLS is old: it has no secure renegotiation (RFC 5746); ask the bank for an address "
             "that has, or see \"Old TLS\" in docs/how-to/merchants/bank-connection.md for what a file named "
             "by OPENSSL_CONF can allow";
    case TlsFault::kTooWeak:
      return "the bank's TLS is old: its group, key or signature is weaker than OpenSSL takes; ask the bank "
             "for an address that is stronger, or see \"Old TLS\" in "
             "docs/how-to/merchants/bank-connection.md for what a file named by OPENSSL_CONF can allow";
    case TlsFault::kOldProtocol:
      return "the bank speaks nothing as new as TLS 1.2 there, which is needed: ask it for another address";
    case TlsFault::kNothingShared:
      return "the bank ends the handshake: see that it knows the connection's certificate (pixledger "
             "connection rotate), and else ask it which ciphers and groups it takes";
    case TlsFault::kNotTls:
      return "what answers there does not speak TLS: see the host and port of --base-url and --token-url";
    case TlsFault::kNone:
      break;
  }
  return "see that it is reached from here, that its authority is trusted (--ca-file), and that it takes the "
         "connection's certificate: some say so by ending the handshake";
}

constexpr std::int64_t kSkewMaxMs = 15'000;
constexpr std::int64_t kCobSeconds = 300;
constexpr const char* kSeeAddress =
    "see --base-url, its path most of all (/api/v2 or /pix/api/v2): it leads to the bank, and to no API "
    "there; "
    "then whether --pix-key is the account's";
constexpr std::size_t kCobTxidSize = domain::Txid::kCobSizeMin;
constexpr const char* kNeedToken[] = {"token", "scopes", "webhook", "reading", "clock", "cob"};
constexpr const char* kNoTxid = "no_txid";
constexpr const char* kAskBank = "ask the bank for it, for this client";

// "https://pix.example.com" of a valid URL.
std::string origin_of(const std::string& url) { return url.substr(0, url.find('/', url.find("://") + 3)); }

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find(' ', begin), text.size());
    if (end > begin) words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string seconds_of(std::int64_t ms) {
  const auto tenths = (std::abs(ms) + 50) / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

// The worker's findings about the bank's times, or empty.
std::string early_times(const stores::BankState& state) {
  if (!state.early_at) return "";
  const auto minutes = (state.early_ms + 59'999) / 60'000;
  return "; payment_before_charge: payments with times up to " + std::to_string(minutes) +
         " minutes too early were taken, the last on " + to_iso8601(*state.early_at) +
         ": the bank may write local time with Z";
}

// The worker's findings about the account's data, or empty.
std::string misfits_of(const std::vector<stores::AccountMisfit>& misfits) {
  std::string text;
  for (const auto& misfit : misfits) {
    const auto last = ", last on " + to_iso8601(misfit.at);
    if (misfit.kind == kNoTxid)
      text +=
          "; no_txid: it lists payments without their txid, " + std::to_string(misfit.payments) + " so far" +
          last + "; of " + std::to_string(misfit.found) + " it told the charge when it was asked for each" +
          (misfit.detail.empty() ? "" : "; it says that " + misfit.detail + " is paid, and names no payment");
    else
      text += "; " + misfit.kind + ": " + misfit.detail + last;
  }
  return text;
}

// The steps, in the order of check_bank().
class BankCheck {
 public:
  BankCheck(BankSession& bank, CheckSteps& steps)
      : bank_(bank), steps_(steps), client_(bank.client()), known_(bank.known()) {}

  void run() {
    const bool is_let_in = tls() && certificate() && token();
    if (!is_let_in) {
      for (const auto* name : kNeedToken)
        if (!has(name)) steps_.not_tried(name);
      return;
    }
    scopes();
    made_ = client_.make_cob(order_, workers::SentBefore::kNo, bank_.turn());
    webhook();
    reading();
    clock();
    cob();
  }

 private:
  bool has(const std::string& name) const {
    const auto& all = steps_.all();
    return std::any_of(all.begin(), all.end(), [&](const CheckStep& step) { return step.name == name; });
  }

  // Two hosts may serve tokens and the API; this step also finds whether either requires the certificate.
  bool tls() {
    const auto api = origin_of(client_.access().base_url);
    const auto tokens = origin_of(client_.access().token_url);
    if (!reaches(api, client_.access().base_url)) return false;
    if (tokens != api && !reaches(tokens, tokens + "/")) return false;
    return steps_.ok("tls", tokens == api ? api : api + " and " + tokens);
  }
  bool reaches(const std::string& origin, const std::string& url) {
    const auto result = client_.reach(url, bank_.turn());
    if (const auto* unsent = std::get_if<workers::NotSent>(&result)) {
      if (unsent->refused_certificate) {
        refused_by_ = origin;
        return true;
      }
      return unreached(origin, unsent->reason, unsent->tls_fault);
    }
    if (const auto* unknown = std::get_if<workers::OutcomeUnknown>(&result))
      return unreached(origin, unknown->reason, TlsFault::kNone);
    return true;
  }
  bool unreached(const std::string& origin, const std::string& reason, TlsFault fault) {
    const bool has_tls = origin.starts_with("https://");
    steps_.failed("tls", origin + ": " + reason,
                  has_tls ? advice_for(fault) : "see that it is reached from here");
    steps_.not_tried("certificate");
    return false;
  }

  bool certificate() {
    const auto& own = known_.bank->configuration.certificate;
    if (!own) {
      if (refused_by_.empty()) return steps_.ok("certificate", "none, and none is asked for");
      return steps_.failed("certificate", refused_by_ + " asks for one, and the connection has none",
                           rotate());
    }
    const auto facts = own->subject + ", until " + to_iso8601(own->ends_at);
    if (own->ends_at <= bank_.context().clock.now())
      return steps_.failed("certificate", facts + ": it has ended", rotate());
    if (!refused_by_.empty())
      return steps_.failed("certificate", facts + ": " + refused_by_ + " does not take it", rotate());
    return steps_.ok("certificate", facts);
  }
  std::string rotate() const {
    return "give it the one that the bank knows: pixledger connection rotate --project " +
           known_.project.text() + " --connection " + known_.connection.id.text() + " --cert FILE --key FILE";
  }

  bool token() {
    const auto result = client_.token();
    if (const auto* refused = std::get_if<workers::Refused>(&result))
      return steps_.failed("token", to_string(refused->error),
                           "see --client-id, --client-secret-file and --token-auth of pixledger connection "
                           "rotate and set");
    if (const auto* unavailable = std::get_if<workers::Unavailable>(&result))
      return steps_.failed("token", unavailable->reason, "try again, and see --token-url");
    granted_ = std::get<workers::TokenGrant>(result).scopes;
    return steps_.ok("token", "given");
  }

  void scopes() {
    const auto wanted = words_of(client_.access().scopes);
    if (!granted_) {
      steps_.ok("scopes", "the bank does not say which it grants");
      return;
    }
    std::vector<std::string> missing;
    for (const auto& scope : wanted)
      if (std::find(granted_->begin(), granted_->end(), scope) == granted_->end()) missing.push_back(scope);
    if (missing.empty())
      steps_.ok("scopes", joined(wanted, " "));
    else
      steps_.failed("scopes", "not granted: " + joined(missing, " "), kAskBank);
  }

  void webhook() {
    const auto shown = show_callback(bank_);
    if (is_charge_unknown() && shown.problem.empty() && !shown.at_bank) return steps_.not_tried("webhook");
    const std::string again = "tell it again: pixledger connection callback register --project " +
                              known_.project.text() + " --connection " + known_.connection.id.text() +
                              " --url BASE";
    if (!shown.problem.empty())
      steps_.failed("webhook", shown.problem, "see whether webhook.read is granted");
    else if (!shown.at_bank && !shown.noted)
      steps_.ok("webhook", "none is registered: payments are found by looking at the account");
    else if (!shown.at_bank)
      steps_.failed("webhook", "the bank has none, and was told of " + *shown.noted, again);
    else if (!shown.noted)
      steps_.ok("webhook", "the bank calls " + *shown.at_bank +
                               ", which this connection has not told it: payments are found by looking at "
                               "the account");
    else if (!shown.agree)
      steps_.failed("webhook", "the bank calls " + *shown.at_bank + ", which is not what it was told last",
                    again);
    else
      steps_.ok("webhook", *shown.at_bank);
  }

  // Covers the worker's whole period, in windows of the same length.
  void reading() {
    const auto state = state_of(bank_);
    WindowReading account(bank_, state.window_ms);
    const auto lately = account.read(kReadBack);
    if (!lately.problem.empty()) {
      steps_.failed("reading", lately.problem,
                    is_charge_unknown() ? kSeeAddress : "see whether pix.read is granted, and --base-url");
      return;
    }
    // Some banks answer like this for an account without payments.
    if (lately.items == 0 && is_charge_unknown() && std::get<workers::NotFound>(*made_).is_told) {
      steps_.failed(
          "reading",
          "the answer to every question is that there is no such thing, also to what makes a charge",
          kSeeAddress);
      return;
    }
    if (!lately.unshown.empty()) {
      steps_.failed("reading", counted(lately) + "; " + lately.unshown + misfits_of(misfits_at(bank_)),
                    "ask the bank about the pages of GET /pix; and compare with its statement: pixledger "
                    "reconcile");
      return;
    }
    auto unreadable = lately.unreadable, unread_list = lately.unread_list;
    bool is_counted = lately.is_counted;
    for (const auto back : looks_back(bank_)) {
      const auto seen = account.read(back);
      // One odd payment in the past says nothing about future ones.
      if (unreadable.empty() && seen.reads_none) unreadable = seen.unreadable;
      if (unread_list.empty()) unread_list = seen.unread_list;
      is_counted = is_counted && seen.is_counted;
      if (seen.problem.empty()) continue;
      steps_.failed(
          "reading",
          "the last 15 minutes are shown, but not all of the last " + days_of(back) + ": " + seen.problem,
          "ask the bank how far back it shows payments, and give pixledger-providers --polls that "
          "look no further; what goes back of older ones is not seen");
      return;
    }
    auto found = counted(lately);
    if (!is_counted) found += "; uncounted_pages: the bank does not say how many there are in all";
    if (const auto longest = account.longest())
      found += "; it shows " + days_of(*longest) + " at a time at most, and is asked for no more";
    const auto misfits = misfits_at(bank_);
    const auto faults = faults_of_looks(bank_);
    found += misfits_of(misfits) + faults;
    if (unreadable.empty()) unreadable = unread_list;
    const bool has_unread_list = std::any_of(misfits.begin(), misfits.end(),
                                             [](const auto& misfit) { return misfit.kind == "unread_list"; });
    if (!unreadable.empty() || has_unread_list) {
      steps_.failed("reading", found + (unreadable.empty() ? "" : "; " + unreadable),
                    "ask the bank about that field; what is paid is not seen without it");
      return;
    }
    const auto nameless = std::find_if(misfits.begin(), misfits.end(), [](const auto& misfit) {
      return misfit.kind == kNoTxid && misfit.found == 0;
    });
    if (nameless == misfits.end() && !faults.empty())
      steps_.unknown("reading", std::move(found),
                     "see the log of pixledger-providers, which reads that again, and what it says then");
    else if (nameless == misfits.end())
      steps_.ok("reading", std::move(found));
    else if (!nameless->detail.empty())
      steps_.failed("reading", std::move(found),
                    "ask the bank for the txid in GET /pix: no payment there says which charge it pays");
    else
      steps_.unknown("reading",
                     found +
                         "; whether payments of charges have one is not known: these may all have been "
                         "made to the Pix key, for no charge",
                     "to find out, pay a charge: pixledger connection check --pay");
  }

  static std::string counted(const WindowReading::Seen& lately) {
    return std::to_string(lately.items) + " payments in the last 15 minutes";
  }

  void clock() {
    const auto ahead = bank_.ahead_ms();
    const auto noted = early_times(state_of(bank_));
    if (!ahead)
      steps_.ok("clock", "the bank does not say what time it has" + noted);
    else if (std::abs(*ahead) < kSkewMaxMs)
      steps_.ok("clock", "within " + seconds_of(*ahead) + " of the bank's" + noted);
    else
      steps_.failed("clock",
                    "the bank's is " + seconds_of(*ahead) + (*ahead > 0 ? " ahead of" : " behind") +
                        " this one" + noted,
                    "set this machine's clock by NTP: what a bank says from the future is taken later");
  }

  // In a test environment: an amount that the bank does not pay automatically.
  domain::Cents amount_of_cob() const {
    const auto paid = client_.access().profile->test_pays_up_to;
    return is_test() && paid > domain::Cents(0) ? paid + domain::Cents(1) : domain::Cents(1);
  }
  bool is_test() const { return known_.connection.environment == domain::Environment::kSandbox; }

  workers::CobOrder order_of_cob() const {
    return {.txid = *domain::Txid::parse(bank_.fresh_id(kCobTxidSize)),
            .amount = amount_of_cob(),
            .key = client_.access().pix_key,
            .expires_in_s = kCobSeconds,
            .text_for_payer = ""};
  }
  // A bank has no reason to answer "not found" when a charge is created. A wrong address does.
  bool is_charge_unknown() const { return std::holds_alternative<workers::NotFound>(*made_); }

  void cob() {
    const auto amount = domain::to_decimal(order_.amount);
    if (!std::holds_alternative<workers::BankCob>(*made_)) {
      steps_.failed("cob", amount + " was not made: " + problem_of(*made_),
                    is_charge_unknown()
                        ? kSeeAddress
                        : "see whether cob.write is granted, and whether --pix-key is the account's");
      return;
    }
    const auto read = client_.get_cob(order_.txid, bank_.turn());
    const auto problem = problem_of_reading(read);
    const auto removed = client_.remove_cob(order_.txid, bank_.turn());
    if (!problem.empty()) {
      steps_.failed("cob", amount + " was made as " + order_.txid.text() + ", but " + problem, kAskBank);
    } else if (std::holds_alternative<workers::BankCob>(removed)) {
      steps_.ok("cob", amount + " was made, read and removed");
    } else if (is_test() && is_paid(order_.txid)) {
      steps_.ok("cob", amount + " was made and read; the bank's test environment has paid it by itself");
    } else {
      steps_.failed(
          "cob", amount + " was made as " + order_.txid.text() + ", but not removed: " + problem_of(removed),
          "it ends by itself in five minutes; see whether cob.write lets charges be changed");
    }
  }
  bool is_paid(const domain::Txid& txid) {
    const auto read = client_.get_cob(txid, bank_.turn());
    const auto* cob = std::get_if<workers::BankCob>(&read);
    return cob && (cob->status == workers::CobStatus::kPaid || !cob->received.payments.empty());
  }
  static std::string problem_of_reading(const BankResult<workers::BankCob>& read) {
    const auto* cob = std::get_if<workers::BankCob>(&read);
    if (!cob) return "not read: " + problem_of(read);
    const auto chosen = workers::choose_pix_code(*cob, {"PIXLEDGER", "BRASIL"});
    if (const auto* bad = std::get_if<workers::BadAnswer>(&chosen)) return bad->reason;
    const auto& complaint = std::get<workers::CheckedPixCode>(chosen).complaint;
    return complaint ? "its code " + *complaint : "";
  }

  BankSession& bank_;
  CheckSteps& steps_;
  workers::BankClient& client_;
  const KnownConnection& known_;
  const workers::CobOrder order_ = order_of_cob();
  std::optional<BankResult<workers::BankCob>> made_;  // before the account is read
  std::string refused_by_;  // the host that rejected the client certificate, or empty
  std::optional<std::vector<std::string>> granted_;
};

}  // namespace

void check_bank(BankSession& bank, CheckSteps& steps) { BankCheck(bank, steps).run(); }

}  // namespace pixledger::tools
