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

// Banks' answers as checked values. Nothing about payers is kept: `pagador`, `devedor` and `infoPagador` are
// never read. Pure functions.
namespace pixledger::workers {

// Why an answer is unusable, for operators, by the names of its fields ("pix[3].horario is not a time with
// its zone").
struct BadAnswer {
  std::string reason;
  bool has_too_many = false;       // more entries than are read: a smaller request may help
  bool may_hold_payments = false;  // it has unread content
  bool has_content = false;        // it may have payments, whatever its texts say
};
template <class T>
using ParsedAnswer = std::variant<T, BadAnswer>;

// Codes may come to have other values ("são consideradas retrocompatíveis", [S] on versions): those are
// kOther.
enum class CobStatus { kActive, kPaid, kRemovedByReceiver, kRemovedByBank, kOther };

// Whatever is neither returned nor refused is under way, whatever the bank calls it.
enum class BankRefundStatus { kProcessing, kReturned, kNotDone };

enum class BankRefundNature { kOriginal, kWithdrawal, kMedOperational, kMedFraud, kMedAutomatic, kOther };
// "ORIGINAL"; of kOther "OTHER".
std::string_view to_string(BankRefundNature nature);

inline constexpr std::string_view kNotCarriedOut = "the bank did not carry it out (NAO_REALIZADO)";

// A refund ("devolução") of a payment, the merchant's or the bank's own.
struct BankRefund {
  std::string id;                     // 1 to 35 letters and digits
  std::optional<std::string> rtr_id;  // 32 letters and digits; banks may give it only at the end
  domain::Cents amount;
  BankRefundNature nature = BankRefundNature::kOriginal;
  BankRefundStatus status = BankRefundStatus::kProcessing;
  std::optional<Timestamp> requested_at;
  std::optional<Timestamp> settled_at;
  // Why it was not done, in our words: a bank's own (`motivo`) may name the payer and is not read.
  std::string_view why_not = kNotCarriedOut;
};

// The source of a payment's time.
enum class PaidTime {
  kTold,     // the bank says when it processed it ("horario")
  kOfId,     // unreadable: the minute in the end-to-end id
  kUnknown,  // unreadable in the id, too
};

// A received Pix.
struct BankPayment {
  domain::EndToEndId end_to_end_id;
  domain::Cents amount;
  Timestamp paid_at;                 // 1970 if kUnknown
  std::optional<domain::Txid> txid;  // an invalid one ("***", for example) counts as absent
  std::optional<std::string> key;    // as the bank writes it; nullopt: it does not say
  std::vector<BankRefund> refunds;
  std::vector<std::string> unusable_refunds{};  // reasons; an unusable refund does not hold up the payment
  PaidTime time = PaidTime::kTold;
  bool is_listed = false;           // from the account's list, not read by its id or with its charge
  bool has_unreadable_key = false;  // its key is a number or an object instead of a text; `key` is nullopt
};

// The usable payments, and the reasons for the others, which do not hold them up.
struct BankPayments {
  struct Unusable {
    std::optional<domain::EndToEndId> end_to_end_id;  // nullopt: unreadable, too
    std::string reason;
    std::string mark;  // distinguishes it: its id, or a digest of its content
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

// A page of the answer to GET /pix.
struct BankPixPage {
  BankPayments found;
  std::optional<std::int64_t> page = std::nullopt;       // as stated; nullopt: not stated
  std::int64_t pages = 0;                                // 0 where nothing was found
  std::int64_t items = 0;                                // on all pages
  std::optional<std::int64_t> page_size = std::nullopt;  // as stated by the bank
  // Whether `parametros.paginacao` has all counts. If not, they are what is readable elsewhere, and there may
  // be more payments and pages.
  bool is_counted = true;
  // A field beside `pix` that holds payments, which are not read; else empty.
  std::string other_list{};
};
// Returns how many entries the page has, including unusable ones.
std::int64_t items_of(const BankPixPage& page);
// Returns whether a further page may have payments, regardless of the page's counts: some banks count only
// the payments of the page.
bool is_full(const BankPixPage& page);

struct BankTokenAnswer {
  std::string token;
  std::int64_t expires_in_s = 0;                   // our choice if the bank does not say
  std::optional<std::vector<std::string>> scopes;  // nullopt: the bank does not say
};

// `other_code_field`: see BankProfile.
ParsedAnswer<BankCob> parse_cob(const std::string& body, std::string_view other_code_field);
ParsedAnswer<BankPayment> parse_payment(const std::string& body);
ParsedAnswer<BankRefund> parse_refund(const std::string& body);
// Parses the answer to a request for page `number`, from 0; also a list without a page around it. An answer
// without payments is an empty page only if it states neither payments nor an error. After the first page a
// total may be that of the pages before.
ParsedAnswer<BankPixPage> parse_pix_page(const std::string& body, std::int64_t number = 0);
ParsedAnswer<BankTokenAnswer> parse_token(const std::string& body);
// Returns the registered URL.
ParsedAnswer<std::string> parse_callback(const std::string& body);

// Returns the payments that a bank's callback names, each once, in its order. Nothing else is read: a
// callback proves nothing. Empty if it names none, as when a bank tests the address; nullopt if it is neither
// a JSON object nor a list. A pure function.
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

// Returns why a bank's code does not request this charge's payment, to be read after "the code ", or nullopt
// if it does. It must be a BR Code in reais whose account is a location: the charge's, if the bank states
// one. An amount in it must be the charge's; without one the location must be known and equal, since nothing
// else ties the code to the charge.
std::optional<std::string> problem_of_pix_code(std::string_view code, const BankCob& cob);

// Returns the bank's code if valid, else one made from the charge's location; BadAnswer if neither exists.
std::variant<CheckedPixCode, BadAnswer> choose_pix_code(const BankCob& cob, const MerchantOfCode& merchant);

}  // namespace pixledger::workers
