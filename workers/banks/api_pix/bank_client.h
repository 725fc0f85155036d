// The API Pix of one bank account: start here. A BankAccess configures it; it speaks bacen/pix-api 2.9.0 with
// each bank's deviations (bank_profile.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_exchange.h"

namespace pixledger::workers {

// Whether an interrupted process may have sent the change before: then the client reads first.
enum class SentBefore { kNo, kMaybe };

// Done, without a value.
struct DoneWithoutWord {};

// How a bank numbers the pages of a list.
enum class PageNumbers {
  kFromZero,     // as in the document
  kFromOne,      // requests use 1, 2, …; page 0 shows the first page, too
  kToldFromOne,  // requests use 0, 1, …; the answers say 1, 2, …
};

// Every operation takes at most the network's time for a call (5 s) after its turn has come, twice that if it
// needs a token; make_… takes up to three calls. Answers are checked against the request; a mismatch is
// Unusable. After OutcomeUnknown or Duplicate read before sending a change again, or let make_… do so.
// Thread-safe.
class BankClient {
 public:
  // Throws std::invalid_argument if the certificate or its key is unusable. `before`: the connection's
  // previous client; see BankExchange.
  BankClient(BankAccess access, BankDependencies dependencies, const BankClient* before = nullptr)
      : exchange_(std::move(access), std::move(dependencies), before ? &before->exchange_ : nullptr),
        margin_ms_(before ? before->margin_ms_.load() : 0) {}

  BankResult<BankCob> put_cob(const CobOrder& order, const BankTurn& turn);
  BankResult<BankCob> get_cob(const domain::Txid& txid, const BankTurn& turn);
  // Ends the charge, so that it cannot be paid. Refused if it is not active any more: get_cob() says why.
  BankResult<BankCob> remove_cob(const domain::Txid& txid, const BankTurn& turn);
  // Returns one page, counted from 0 here. The first one may call itself page 1 if it has all its counts, and
  // so may the second one of kToldFromOne: see PixPages, which reads the further ones. See now_there() for
  // windows that end now.
  BankResult<BankPixPage> list_pix(const PixWindow& window, std::int64_t page, const BankTurn& turn,
                                   PageNumbers numbers = PageNumbers::kFromZero);
  BankResult<BankPayment> get_pix(const domain::EndToEndId& id, const BankTurn& turn);
  BankResult<BankRefund> put_refund(const RefundOrder& order, const BankTurn& turn);
  BankResult<BankRefund> get_refund(const RefundOrder& order, const BankTurn& turn);

  // The URL at which the bank reports payments to the connection's key.
  BankResult<DoneWithoutWord> register_callback(std::string_view url, const BankTurn& turn);
  BankResult<std::string> show_callback(const BankTurn& turn);
  BankResult<DoneWithoutWord> remove_callback(const BankTurn& turn);

  // Makes the bank hold this charge once, even if answers are lost: reads before it sends a second time, and
  // sends only if the bank does not know the charge.
  BankResult<BankCob> make_cob(const CobOrder& order, SentBefore before, const BankTurn& turn);
  // Likewise for a refund. Refused, unless denies_access(), means that the bank has none: it was read, too,
  // unless Refused::is_unread. `before_sending` is called each time before the order leaves; if it throws,
  // nothing is sent.
  BankResult<BankRefund> make_refund(const RefundOrder& order, SentBefore before, const BankTurn& turn,
                                     std::function<void()> before_sending = {});

  // Returns a token and its scopes, to check whether the bank accepts the client at all.
  BankToken::Result token() { return exchange_.token(); }
  // Checks whether the server of a URL of the bank answers: see BankExchange::reach().
  CallResult reach(const std::string& url, const BankTurn& turn) { return exchange_.reach(url, turn); }
  // Whether the bank is left alone but for probes.
  bool is_open() const { return exchange_.is_open(); }
  // When the next probe may begin; nullopt if the bank is not left alone.
  std::optional<BootTime> probe_at() const { return exchange_.probe_at(); }
  // How far the bank's clock is ahead of ours, by its last answer; 0 before that.
  std::int64_t ahead_ms() const { return exchange_.ahead_ms(); }
  // The end of the newest window that the bank accepts, in whole seconds: never after the bank's own time as
  // far as known, minus the margin of ask_about_less().
  Timestamp now_there() const;
  // Call if the bank has refused a window that ends at now_there(), as some do with times that they think are
  // in the future. Makes now_there() earlier. Returns false if it is five minutes earlier already.
  bool ask_about_less();
  // The margin by which now_there() is earlier.
  std::int64_t less_by_ms() const { return margin_ms_; }
  // Restores the margin if it was not the cause of the refusal.
  void ask_less_by(std::int64_t margin_ms) { margin_ms_ = margin_ms; }
  const BankAccess& access() const { return exchange_.access(); }

 private:
  BankExchange exchange_;
  std::atomic<std::int64_t> margin_ms_;
};

// The pages of a window, whichever way the bank numbers them. Each page must state its own number. Not
// thread-safe.
class PixPages {
 public:
  // The client outlives it.
  PixPages(BankClient& client, const PixWindow& window) : client_(client), window_(window) {}

  // Reads page `page`, from 0. The first one must be read first: it shows how the bank numbers them.
  BankResult<BankPixPage> ask(std::int64_t page, const BankTurn& turn);
  // Whether the bank calls the first page 1. Then only its count of payments proves that no page was left
  // out.
  bool are_from_one() const { return numbers_ != PageNumbers::kFromZero; }

 private:
  BankClient& client_;
  const PixWindow window_;
  PageNumbers numbers_ = PageNumbers::kFromZero;
  std::set<std::string> first_;  // marks of the first page's payments, if it is called 1
};

// --- the length of windows ---

// How far back polls begin for an account that was never polled, or whose cursor was lost.
constexpr std::chrono::milliseconds kFirstLook = std::chrono::hours(7 * 24);
// A refusal of a window of this length has another cause than its length.
constexpr std::chrono::milliseconds kShortestWindow = std::chrono::hours(1);

constexpr std::chrono::milliseconds length_of(const PixWindow& window) {
  return std::chrono::milliseconds(window.end.millis() - window.begin.millis());
}

constexpr std::chrono::milliseconds half_of(std::chrono::milliseconds length) {
  return length / 2 < kShortestWindow ? kShortestWindow : length / 2;
}

// Whether a shorter window may help after a failure.
enum class WindowFault {
  kNone,
  kRefused,  // the bank refuses the request (400, 413, 422 and others)
  kTooMuch,  // the bank fails to answer: a timeout, a status from 500 on, an answer too long
  kTooMany,  // a page has more payments than are read
};
WindowFault judge_window(const BankResult<BankPixPage>& answer);

}  // namespace pixledger::workers
