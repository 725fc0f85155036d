// The API Pix of one bank account: start here. What it needs is a BankAccess; what it speaks is
// bacen/pix-api 2.9.0, each bank's way (bank_profile.h).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/api_pix/bank_exchange.h"

namespace pixledger::workers {

// Whether a process that was interrupted may have sent the change before: then the bank is asked first.
enum class SentBefore { kNo, kMaybe };

// It was done, and nothing more is to be said.
struct DoneWithoutWord {};

// How a bank numbers the pages of a list.
enum class PageNumbers {
  kFromZero,     // as the document has it
  kFromOne,      // it has to be asked for 1, 2, …, and shows the first page for 0, too
  kToldFromOne,  // it has to be asked for 0, 1, …, and calls these pages 1, 2, …
};

// Every operation takes at most the network's time for a call (5 s) beside the wait for its turn, twice that
// where a token has to be requested, and the make_… up to three calls. Answers are checked against what was
// asked; what does not fit is Unusable. After OutcomeUnknown or Duplicate ask before sending a change again,
// or have make_… do it. Thread-safe.
class BankClient {
 public:
  // Throws std::invalid_argument when the certificate and its key cannot be used. `before`: the
  // connection's client until now; see BankExchange.
  BankClient(BankAccess access, BankDependencies dependencies, const BankClient* before = nullptr)
      : exchange_(std::move(access), std::move(dependencies), before ? &before->exchange_ : nullptr),
        margin_ms_(before ? before->margin_ms_.load() : 0) {}

  BankResult<BankCob> put_cob(const CobOrder& order, const BankTurn& turn);
  BankResult<BankCob> get_cob(const domain::Txid& txid, const BankTurn& turn);
  // The charge is no longer to be paid. One that is not active any more is Refused: get_cob() tells why.
  BankResult<BankCob> remove_cob(const domain::Txid& txid, const BankTurn& turn);
  // One page, counted from 0 here. The first one may say that it is page 1, and has all its counts then: see
  // PixPages, which reads the further ones. See now_there() for windows that end now.
  BankResult<BankPixPage> list_pix(const PixWindow& window, std::int64_t page, const BankTurn& turn,
                                   PageNumbers numbers = PageNumbers::kFromZero);
  BankResult<BankPayment> get_pix(const domain::EndToEndId& id, const BankTurn& turn);
  BankResult<BankRefund> put_refund(const RefundOrder& order, const BankTurn& turn);
  BankResult<BankRefund> get_refund(const RefundOrder& order, const BankTurn& turn);

  // Where the bank tells of payments to the connection's key.
  BankResult<DoneWithoutWord> register_callback(std::string_view url, const BankTurn& turn);
  BankResult<std::string> show_callback(const BankTurn& turn);
  BankResult<DoneWithoutWord> remove_callback(const BankTurn& turn);

  // The bank holds this charge, once, whatever is lost on the way: asks before it sends a second time, and
  // sends that only when the bank knows nothing.
  BankResult<BankCob> make_cob(const CobOrder& order, SentBefore before, const BankTurn& turn);
  // Likewise for a refund. Refused but for denies_access() means that the bank was asked, too, and has none,
  // unless Refused::is_unread says that it could not be.
  // `before_sending` is called each time before the order itself leaves; what it throws keeps it from that.
  BankResult<BankRefund> make_refund(const RefundOrder& order, SentBefore before, const BankTurn& turn,
                                     std::function<void()> before_sending = {});

  // A token and what it covers, to see whether the bank lets the client in at all.
  BankToken::Result token() { return exchange_.token(); }
  // Whether the server of a URL of the bank's answers at all: see BankExchange::reach().
  CallResult reach(const std::string& url, const BankTurn& turn) { return exchange_.reach(url, turn); }
  // Whether the bank is left alone but for probes.
  bool is_open() const { return exchange_.is_open(); }
  // When the next probe may begin; nullopt where the bank is not left alone.
  std::optional<BootTime> probe_at() const { return exchange_.probe_at(); }
  // The bank's clock against ours, as its last answer told; 0 before that.
  std::int64_t ahead_ms() const { return exchange_.ahead_ms(); }
  // Up to when the bank can be asked what it has: whole seconds, never after its own time as far as its
  // answers tell that, and less by what ask_about_less() says.
  Timestamp now_there() const;
  // The bank has refused a window that ends at now_there(), as some do with what they take for the future:
  // now_there() is earlier from now on. False: it is five minutes earlier already.
  bool ask_about_less();
  // By how much earlier now_there() is for that.
  std::int64_t less_by_ms() const { return margin_ms_; }
  // That was not why it has refused it.
  void ask_less_by(std::int64_t margin_ms) { margin_ms_ = margin_ms; }
  const BankAccess& access() const { return exchange_.access(); }

 private:
  BankExchange exchange_;
  std::atomic<std::int64_t> margin_ms_;
};

// The pages of a window, whichever way the bank numbers them. Each page has to say the number that belongs to
// it. Not thread-safe.
class PixPages {
 public:
  // The client outlives it.
  PixPages(BankClient& client, const PixWindow& window) : client_(client), window_(window) {}

  // The page of that number, from 0. The first one comes first: it shows how the bank numbers them.
  BankResult<BankPixPage> ask(std::int64_t page, const BankTurn& turn);
  // Whether the bank calls the first page 1. Only the payments that it counts prove then that no page was
  // left out.
  bool are_from_one() const { return numbers_ != PageNumbers::kFromZero; }

 private:
  BankClient& client_;
  const PixWindow window_;
  PageNumbers numbers_ = PageNumbers::kFromZero;
};

// --- how long a window of an account the bank is asked about ---

// An account that was never looked at, or whose place was lost, is looked at from there on.
constexpr std::chrono::milliseconds kFirstLook = std::chrono::hours(7 * 24);
// What a bank refuses of this length it does not refuse for its length.
constexpr std::chrono::milliseconds kShortestWindow = std::chrono::hours(1);

constexpr std::chrono::milliseconds length_of(const PixWindow& window) {
  return std::chrono::milliseconds(window.end.millis() - window.begin.millis());
}

constexpr std::chrono::milliseconds half_of(std::chrono::milliseconds length) {
  return length / 2 < kShortestWindow ? kShortestWindow : length / 2;
}

// Whether a shorter window may help where one was not shown.
enum class WindowFault {
  kNone,
  kRefused,  // the bank does not take the question (400, 413, 422 and others)
  kTooMuch,  // it does not manage the answer: no word in time, a status from 500 on, too much of it
  kTooMany,  // it shows more payments on a page than are looked at
};
WindowFault judge_window(const BankResult<BankPixPage>& answer);

}  // namespace pixledger::workers
