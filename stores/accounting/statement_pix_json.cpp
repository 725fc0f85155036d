#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <simdjson.h>

#include "base/text/ascii.h"
#include "domain/aggregates/project.h"
#include "stores/accounting/statement_entry.h"
#include "stores/accounting/statement_text.h"
#include "stores/accounting/statement_values.h"

// The answers of Banco Central's API Pix to GET /pix: `pix`, a list of payments, and `parametros`, the window
// and the number of pages. One file holds all pages of one window or of several, one after the other or in a
// list. Accepts names in any spelling, single entries without their list and numbers as texts, which
// JsonFields of base refuses.
namespace pixledger::stores {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kReturnsMax = 200;  // of a payment, which are compared with each other

// The placeholder of a static code without a txid.
constexpr std::string_view kNoTxid = "***";

[[noreturn]] void refuse(const std::string& problem, const std::string& content = {}) {
  throw StatementRefused("the statement" + problem, content);
}

// Finds a member by its standard name, in any spelling.
std::optional<element> member(element of, std::string_view name) {
  object members;
  if (of.get(members) != simdjson::SUCCESS) return std::nullopt;
  for (const auto& [written, value] : members)
    if (is_same_name(written, name) && !value.is_null()) return value;
  return std::nullopt;
}

// The end-to-end id, by the names that banks use.
std::optional<element> id_member(element payment) {
  for (const std::string_view name : {"endToEndId", "e2eId", "idEndToEnd"})
    if (auto found = member(payment, name)) return found;
  return std::nullopt;
}

std::string text_of(const std::optional<element>& value) {
  std::string_view text;
  if (!value || value->get(text) != simdjson::SUCCESS) return {};
  return std::string(trimmed(text));
}

// A whole number: 37, 37.0 or "37".
std::optional<std::uint64_t> number_of(const std::optional<element>& value) {
  constexpr double kNumberMax = 1e9;
  double number = -1;
  if (value && value->get(number) != simdjson::SUCCESS) {
    const auto text = text_of(value);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) number = -1;
  }
  const bool is_count = number >= 0 && number <= kNumberMax && number == std::floor(number);
  return is_count ? std::optional(static_cast<std::uint64_t>(number)) : std::nullopt;
}

// A number is taken in its shortest spelling, as it was sent.
std::variant<std::int64_t, BadAmount> amount_of(const std::optional<element>& value) {
  double number = 0;
  if (value && value->get(number) == simdjson::SUCCESS) {
    std::array<char, 64> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed).ptr;
    return parse_amount({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  return parse_amount(text_of(value));
}

// Joined files have a byte order mark before each of them.
std::string without_marks(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF", kBetween = "[]},";
  std::string plain;
  plain.reserve(text.size());
  char before = '}';
  while (!text.empty()) {
    const bool is_mark = kBetween.find(before) != kBetween.npos && text.starts_with(kMark);
    const auto size = is_mark ? kMark.size() : 1;
    if (!is_mark) plain += text.front();
    if (!is_mark && std::string_view(" \t\r\n").find(text.front()) == std::string_view::npos)
      before = text.front();
    text.remove_prefix(size);
  }
  return plain;
}

// A window that was requested, and its answer.
struct Window {
  std::string name;  // for messages; empty if pages do not state it
  std::optional<std::uint64_t> pages_due{};
  std::optional<std::uint64_t> payments_due{};
  std::set<std::uint64_t> numbers{};
  std::uint64_t pages = 0;
  std::uint64_t payments = 0;
  std::set<std::string> ids{};
};

// A return and its state.
struct Return {
  enum class State { kUnderWay, kNotDone, kDone } state;
  StatementReturn value;
};

class StatementReader {
 public:
  explicit StatementReader(const TimeZone& zone) : zone_(zone) {
    statement_.format = StatementFormat::kPixJson;
    statement_.has_returns = Statement::Returns::kOfPayments;
  }

  Statement run(std::string_view text) {
    simdjson::dom::parser parser;
    const simdjson::padded_string padded(without_marks(text));
    simdjson::dom::document_stream pages;
    if (parser.parse_many(padded, padded.size() + 1).get(pages) != simdjson::SUCCESS) refuse(" is not JSON");
    for (const auto page : pages) {
      element answer;
      if (page.get(answer) != simdjson::SUCCESS)
        refuse(" is not JSON, from page " + std::to_string(pages_ + 1) + " on");
      read_document(answer);
    }
    if (pages.truncated_bytes() > 0) refuse(" ends within page " + std::to_string(pages_ + 1));
    if (pages_ == 0) refuse(" is empty");
    if (pages_ == empty_pages_) refuse(" is no answer to GET /pix: it has no list pix");
    bool held = true;
    for (const auto& [key, window] : windows_) {
      held = holds_counts(window) && held;
      if (may_lack_pages(window) && statement_.warnings.empty())
        statement_.warnings.push_back("the statement has pages" + window.name +
                                      " that may not be all of them: none has paginaAtual " +
                                      std::to_string(gap_from(0, window)));
    }
    statement_.counts_held = held;
    finish_returns();
    return std::move(statement_);
  }

 private:
  void read_document(element document) {
    simdjson::dom::array list;
    if (document.get(list) != simdjson::SUCCESS) {
      if (!id_member(document)) return read_page(document);
      ++pages_;
      return read_one(document, windows_[""]);
    }
    const bool are_payments =
        std::any_of(list.begin(), list.end(), [](element item) { return id_member(item).has_value(); });
    if (!are_payments) {
      for (const element page : list) read_page(page);
      return;
    }
    ++pages_;
    read_payments(list, windows_[""]);
  }

  void read_page(element page) {
    ++pages_;
    simdjson::dom::array payments;
    const auto list = member(page, "pix");
    const bool is_one = list && id_member(*list);
    if (list ? !is_one && list->get(payments) != simdjson::SUCCESS : !says_nothing(page))
      refuse(" is no answer to GET /pix: page " + std::to_string(pages_) + " has no list pix",
             shown(simdjson::minify(page)));
    const auto parameters = member(page, "parametros");
    if (!list && !parameters) {
      ++empty_pages_;
      return;
    }
    auto& window = window_of(page, parameters);
    if (is_one)
      read_one(*list, window);
    else if (list)
      read_payments(payments, window);
    note_period(parameters);
  }

  // Returns whether a page without a list has nothing else that may be one.
  static bool says_nothing(element page) {
    object members;
    if (page.get(members) != simdjson::SUCCESS) return false;
    return std::all_of(members.begin(), members.end(), [](const auto& each) {
      return each.value.is_null() || is_same_name(each.key, "parametros") ||
             is_same_name(each.key, "paginacao");
    });
  }

  // Within `parametros`, or beside it.
  static std::optional<std::uint64_t> paging_number(element page, element parameters, std::string_view name) {
    auto paging = member(parameters, "paginacao");
    if (!paging) paging = member(page, "paginacao");
    return paging ? number_of(member(*paging, name)) : std::nullopt;
  }

  // `fim` is inclusive.
  void note_period(const std::optional<element>& parameters) {
    if (!parameters) return;
    const auto from = parse_statement_time(text_of(member(*parameters, "inicio")), zone_);
    const auto to = parse_statement_time(text_of(member(*parameters, "fim")), zone_);
    if (!from || !to || to->moment < from->moment) return;
    const auto until =
        to->has_time ? to->moment.plus_millis(1) : zone_.begin_of(zone_.day_of(to->moment) + 1);
    statement_.windows.push_back({.from = from->moment, .until = until});
  }

  Window& window_of(element page, const std::optional<element>& parameters) {
    std::string key;
    object members;
    if (parameters && parameters->get(members) == simdjson::SUCCESS)
      for (const auto& [name, value] : members)
        if (!is_same_name(name, "paginacao")) key += std::string(name) + "=" + simdjson::minify(value) + " ";
    auto& window = windows_[key];
    ++window.pages;
    if (!parameters) return window;
    window.name = " of the window " + moment_of(member(*parameters, "inicio")) + " to " +
                  moment_of(member(*parameters, "fim"));
    const auto of_paging = [&](std::string_view name) { return paging_number(page, *parameters, name); };
    take(window.pages_due, of_paging("quantidadeDePaginas"), window, "pages");
    take(window.payments_due, of_paging("quantidadeTotalDeItens"), window, "payments");
    const auto number = of_paging("paginaAtual");
    if (number && !window.numbers.insert(*number).second)
      refuse(" has the page with paginaAtual " + std::to_string(*number) + window.name +
             " twice: each page of a window belongs into it once");
    return window;
  }

  // As written, if it is a time.
  std::string moment_of(const std::optional<element>& value) const {
    auto text = text_of(value);
    return parse_statement_time(text, zone_) ? std::move(text) : "?";
  }

  // Pages of one window must state the same count; otherwise it changed while they were fetched.
  static void take(std::optional<std::uint64_t>& due, const std::optional<std::uint64_t>& said,
                   const Window& window, const std::string& what) {
    if (due && said && *due != *said)
      refuse("'s pages" + window.name + " do not belong together: one says that there are " +
             std::to_string(*due) + " " + what + ", another " + std::to_string(*said) +
             ". Fetch the window again");
    if (said) due = said;
  }

  // Returns whether there are counts to compare. Throws if they do not match.
  static bool holds_counts(const Window& window) {
    if (window.pages_due && *window.pages_due > window.pages)
      refuse(" has " + std::to_string(window.pages) + " of " + std::to_string(*window.pages_due) + " pages" +
             window.name + missing_page(window) + ": write all of them into one file, one after the other");
    if (window.pages_due && window.pages > std::max<std::uint64_t>(*window.pages_due, 1))
      refuse(" has " + std::to_string(window.pages) + " pages" + window.name +
             ", which says that there are " + std::to_string(*window.pages_due) +
             ": take the repeated ones out");
    if (window.payments_due && *window.payments_due != window.payments)
      refuse(" has " + std::to_string(window.payments) + " payments" + window.name +
             ", which says that there are " + std::to_string(*window.payments_due) +
             " (quantidadeTotalDeItens): fetch the window again");
    return window.payments_due.has_value() && !may_lack_pages(window);
  }
  // Pages are numbered from 0, by some banks from 1.
  static bool may_lack_pages(const Window& window) {
    const auto& numbers = window.numbers;
    return !numbers.empty() &&
           (*numbers.rbegin() > window.pages || (*numbers.begin() > 0 && !window.payments_due));
  }

  // The least number from `first` on that no page has.
  static std::uint64_t gap_from(std::uint64_t first, const Window& window) {
    while (window.numbers.count(first) != 0) ++first;
    return first;
  }

  // Names two numbers if the pages do not show whether they are numbered from 0 or from 1.
  static std::string missing_page(const Window& window) {
    const auto& numbers = window.numbers;
    if (numbers.empty()) return {};
    const bool known = numbers.count(0) != 0 || numbers.count(*window.pages_due) != 0;
    const auto either = (known ? "" : "0 or ") + std::to_string(gap_from(1, window));
    return " (paginaAtual " + either + " is missing)";
  }

  void read_payments(simdjson::dom::array payments, Window& window) {
    for (const element payment : payments) read_one(payment, window);
  }

  void read_one(element payment, Window& window) {
    ++number_;
    ++window.payments;
    read_payment(payment, window);
  }

  [[noreturn]] void refuse_payment(const std::string& problem, element payment) const {
    refuse("'s payment " + std::to_string(number_) + ": " + problem, shown(simdjson::minify(payment)));
  }

  void read_payment(element payment, Window& window) {
    const auto id = domain::EndToEndId::parse(text_of(id_member(payment)));
    if (!id) refuse_payment("endToEndId " + std::string(domain::EndToEndId::kRule), payment);
    const auto amount = amount_of(member(payment, "valor"));
    const auto* cents = std::get_if<std::int64_t>(&amount);
    if (!cents || *cents < 1 || *cents > domain::kAmountCentsMax)
      refuse_payment("valor must be an amount in reais, such as 19.90", payment);
    const auto time = time_of(payment, *id);
    if (!time) refuse_payment("horario must be a time, such as 2026-01-31T12:00:00Z", payment);
    if (!window.ids.insert(id->text()).second)
      refuse_payment("is twice in the pages" + window.name + ": fetch the window again", payment);
    auto txid = text_of(member(payment, "txid"));
    if (txid == kNoTxid) txid.clear();
    const StatementLine line{.line = number_,
                             .end_to_end_id = id,
                             .amount = domain::Cents(*cents),
                             .paid_at = *time,
                             .txid = txid};
    // Overlapping windows share payments.
    const auto [known, is_new] = known_.try_emplace(id->text(), line.amount);
    if (!is_new && known->second != line.amount)
      refuse_payment("is in another window with another amount", payment);
    if (is_new) statement_.lines.push_back(line);
    read_returns(payment, line);
  }

  // Without a stated time it is the minute of its id.
  std::optional<Timestamp> time_of(element payment, const domain::EndToEndId& id) const {
    const auto value = member(payment, "horario");
    std::string_view written;
    if (!value || (value->get(written) == simdjson::SUCCESS && trimmed(written).empty()))
      return domain::minute_of(id);
    const auto time = parse_statement_time(text_of(value), zone_);
    return time ? std::optional(time->moment) : std::nullopt;
  }

  void read_returns(element payment, const StatementLine& line) {
    simdjson::dom::array returns;
    const auto list = member(payment, "devolucoes");
    if (!list) return;
    if (list->get(returns) != simdjson::SUCCESS) refuse_payment("devolucoes must be a list", payment);
    auto& known = returns_[line.end_to_end_id->text()];
    std::vector<bool> is_told(known.size());  // already returned by this window
    for (const element back : returns) {
      take_return(known, is_told, read_return(back, payment, line));
      if (known.size() > kReturnsMax)
        refuse_payment("devolucoes has more than " + std::to_string(kReturnsMax) + " returns", payment);
    }
  }

  // A payment in two windows has its returns in both; the later answer is more complete.
  static void take_return(std::vector<Return>& known, std::vector<bool>& is_told, Return told) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!are_same(known[i], told, is_told[i])) continue;
      auto& kept = known[i];
      is_told[i] = true;
      if (kept.value.id.empty()) kept.value.id = told.value.id;
      if (kept.value.return_id.empty()) kept.value.return_id = told.value.return_id;
      if (told.state > kept.state) {
        kept.state = told.state;
        kept.value.at = told.value.at;
      }
      return;
    }
    known.push_back(std::move(told));
    is_told.push_back(true);
  }
  static bool are_same(const Return& one, const Return& other, bool is_told) {
    const auto &a = one.value, &b = other.value;
    if (!a.id.empty() && !b.id.empty()) return a.id == b.id;
    if (!a.return_id.empty() && !b.return_id.empty()) return a.return_id == b.return_id;
    return !is_told && a.amount == b.amount;
  }

  Return read_return(element back, element payment, const StatementLine& line) const {
    const auto status = words_of(text_of(member(back, "status")));
    auto state = Return::State::kUnderWay;
    if (status == "nao realizado" || status == "nao realizada") state = Return::State::kNotDone;
    if (status.empty() || status == "devolvido" || status == "devolvida") state = Return::State::kDone;
    const auto amount = amount_of(member(back, "valor"));
    const auto* cents = std::get_if<std::int64_t>(&amount);
    if (!cents || *cents < 1 || *cents > domain::kAmountCentsMax)
      refuse_payment("devolucoes: valor must be an amount in reais, such as 19.90", payment);
    const auto times = member(back, "horario");
    auto when = times ? text_of(member(*times, "liquidacao")) : std::string();
    if (when.empty() && times) when = text_of(member(*times, "solicitacao"));
    const auto time = parse_statement_time(when, zone_);
    return {.state = state,
            .value = {.line = line.line,
                      .of_payment = line.end_to_end_id,
                      .id = text_of(member(back, "id")),
                      .return_id = text_of(member(back, "rtrId")),
                      .amount = domain::Cents(*cents),
                      .at = time ? time->moment : line.paid_at}};
  }

  void finish_returns() {
    for (auto& [payment, returns] : returns_)
      for (auto& each : returns) {
        if (each.state == Return::State::kNotDone) continue;
        each.value.is_done = each.state == Return::State::kDone;
        statement_.returns.push_back(std::move(each.value));
      }
    std::stable_sort(
        statement_.returns.begin(), statement_.returns.end(),
        [](const StatementReturn& one, const StatementReturn& other) { return one.line < other.line; });
  }

  const TimeZone& zone_;
  Statement statement_;
  std::uint64_t pages_ = 0;
  std::uint64_t empty_pages_ = 0;  // `{}`: ignored only beside other pages
  std::size_t number_ = 0;
  std::map<std::string, Window> windows_;
  std::map<std::string, domain::Cents> known_;          // the payments of all windows
  std::map<std::string, std::vector<Return>> returns_;  // by their payment
};

}  // namespace

Statement read_pix_json_statement(std::string_view text, const TimeZone& zone) {
  return StatementReader(zone).run(text);
}

}  // namespace pixledger::stores
