#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/timestamp.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/cents.h"

// What banks answer, as values that were checked. Of payers nothing is kept: `pagador`, `devedor` and
// `infoPagador` are never looked at. Pure functions.
namespace pixledger::workers {

// Where an answer cannot be used: why, for operators, by the names of its fields ("pix[3].horario is not a
// time with its zone").
struct BadAnswer {
  std::string reason;
  bool has_too_many = false;       // more entries than are looked at: a smaller question may help
  bool may_hold_payments = false;  // it has content that is not read
  bool has_content = false;        // whatever a text in it says, it is not without payments
};
template <class T>
using ParsedAnswer = std::variant<T, BadAnswer>;

// Codes may come to have other values ("são consideradas retrocompatíveis", [S] on versions): those are
// kOther.
enum class CobStatus { kActive, kPaid, kRemovedByReceiver, kRemovedByBank, kOther };

// What is neither returned nor refused is under way, whatever the bank calls it.
enum class BankRefundStatus { kProcessing, kReturned, kNotDone };

enum class BankRefundNature { kOriginal, kWithdrawal, kMedOperational, kMedFraud, kMedAutomatic, kOther };
// "ORIGINAL"; of kOther "OTHER".
std::string_view to_string(BankRefundNature nature);

inline constexpr std::string_view kNotCarriedOut = "the bank did not carry it out (NAO_REALIZADO)";

// A refund ("devolução") of a payment, the merchant's or the bank's own.
struct BankRefund {
  std::string id;                     // 1 to 35 letters and digits
  std::optional<std::string> rtr_id;  // 32 letters and digits; banks may give it only in the end
  domain::Cents amount;
  BankRefundNature nature = BankRefundNature::kOriginal;
  BankRefundStatus status = BankRefundStatus::kProcessing;
  std::optional<Timestamp> requested_at;
  std::optional<Timestamp> settled_at;
  // Why it was not done, in words of ours: a bank's own (`motivo`) may name the payer, and are not read.
  std::string_view why_not = kNotCarriedOut;
};

// What a payment's time is known by.
enum class PaidTime {
  kTold,     // the bank says when it processed it ("horario")
  kOfId,     // it says nothing that can be read: the minute in the end-to-end id
  kUnknown,  // nor does the id
};

// A Pix that came in.
struct BankPayment {
  domain::EndToEndId end_to_end_id;
  domain::Cents amount;
  Timestamp paid_at;                 // of kUnknown 1970
  std::optional<domain::Txid> txid;  // what is no txid ("***", for one) counts as none
  std::optional<std::string> key;    // as the bank writes it; nullopt: it does not say
  std::vector<BankRefund> refunds;
  std::vector<std::string> unusable_refunds{};  // why; one that cannot be used does not hold up the payment
  PaidTime time = PaidTime::kTold;
  bool is_listed = false;           // seen in the account's list, and not by its id or with its charge
  bool has_unreadable_key = false;  // its key is a number or an object instead of a text; `key` is nullopt
};

// Payments, those of them that can be used. One that cannot does not hold up the others.
struct BankPayments {
  struct Unusable {
    std::optional<domain::EndToEndId> end_to_end_id;  // nullopt: not even that
    std::string reason;
    std::string mark;  // tells it from others: its id, or made of all that it says
  };
  std::vector<BankPayment> payments;
  std::vector<Unusable> unusable;
};

// A charge that the bank holds ("cobrança imediata").
struct BankCob {
  domain::Txid txid;
  domain::Cents amount;  // to be paid
  std::string key;       // as the bank writes it
  CobStatus status = CobStatus::kActive;
  std::optional<std::string> location;  // without a scheme
  std::optional<std::string> pix_code;  // as it came, unchecked (see problem_of_pix_code)
  std::optional<Timestamp> created_at;
  std::optional<std::int64_t> expires_in_s;  // counted from created_at
  BankPayments received;                     // what was paid for it
};

// A page of what GET /pix found.
struct BankPixPage {
  BankPayments found;
  std::optional<std::int64_t> page = std::nullopt;       // as it says; nullopt: it does not
  std::int64_t pages = 0;                                // 0 where nothing was found
  std::int64_t items = 0;                                // of all pages
  std::optional<std::int64_t> page_size = std::nullopt;  // which the bank says that it uses
  // Whether `parametros.paginacao` has all of this; else it is what can be read of it elsewhere, and there
  // may be more payments and pages.
  bool is_counted = true;
  // A field beside `pix` that holds payments, which are not read; empty: none does.
  std::string other_list{};
};
// How many entries the page has, with those that cannot be used.
std::int64_t items_of(const BankPixPage& page);
// Whether a further page may have payments, whatever the page says of their number: some banks count those of
// the page alone.
bool is_full(const BankPixPage& page);

struct BankTokenAnswer {
  std::string token;
  std::int64_t expires_in_s = 0;                   // of our own choice where the bank does not say
  std::optional<std::vector<std::string>> scopes;  // nullopt: the bank does not say
};

// `other_code_field`: see BankProfile.
ParsedAnswer<BankCob> parse_cob(const std::string& body, std::string_view other_code_field);
ParsedAnswer<BankPayment> parse_payment(const std::string& body);
ParsedAnswer<BankRefund> parse_refund(const std::string& body);
// The answer to a request for the page of that number, from 0; also a list without a page around it. An
// answer without payments is an empty page only where it says neither that there are payments nor that it is
// an error. Behind the first page a total may be that of the pages before.
ParsedAnswer<BankPixPage> parse_pix_page(const std::string& body, std::int64_t number = 0);
ParsedAnswer<BankTokenAnswer> parse_token(const std::string& body);
// The URL that is registered.
ParsedAnswer<std::string> parse_callback(const std::string& body);

// The payments that a bank's callback names, each once, in its order. Of all else that it says nothing is
// taken: it proves nothing. Empty where it names none, as when a bank tests the address; nullopt: it is
// neither a JSON object nor a list. A pure function.
std::optional<std::vector<domain::EndToEndId>> read_callback(const std::string& body);

// The merchant, as codes write it (see domain::BrCodeFields).
struct MerchantOfCode {
  std::string name;
  std::string city;
};

// The code that a payer is given.
struct CheckedPixCode {
  std::string code;
  std::optional<std::string> complaint;  // why the bank's own was not used: "has a wrong checksum"; an alarm
  bool composed = false;                 // made here from the charge's location
};

// Why a bank's code does not ask for this charge's payment, to be read after "the code "; nullopt: it does.
// It is a BR Code in reais whose account is a location: the charge's, where the bank tells one. An amount in
// it is the charge's; without one the location must be known and equal, since nothing else ties it to the
// charge.
std::optional<std::string> problem_of_pix_code(std::string_view code, const BankCob& cob);

// The bank's code where it holds, else one made from the charge's location; BadAnswer: neither is there.
std::variant<CheckedPixCode, BadAnswer> choose_pix_code(const BankCob& cob, const MerchantOfCode& merchant);

}  // namespace pixledger::workers
