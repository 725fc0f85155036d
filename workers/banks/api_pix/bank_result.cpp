#include "workers/banks/api_pix/bank_result.h"

#include <algorithm>
#include <optional>

#include "base/text/ascii.h"
#include "base/text/text.h"
#include "workers/banks/api_pix/answer_object.h"

namespace pixledger::workers {
namespace {

constexpr std::size_t kReasonsMax = 8;
constexpr std::size_t kErrorsMax = 1'000;
constexpr std::size_t kErrorCharactersMax = 140;
constexpr std::size_t kTypeSizeMax = 60;
constexpr std::size_t kTypeDigitsMax = 8;
constexpr std::size_t kDigitsShown = 4;
constexpr std::size_t kTextRead = 2'000;

bool joins_digits(char c) { return c == '.' || c == '-' || c == '/' || c == ' ' || c == '(' || c == ')'; }

// Where the run of digits that begins at `at` ends, and how many digits it has.
struct Digits {
  std::size_t end;
  std::size_t count;
};
Digits digits_at(std::string_view text, std::size_t at) {
  Digits digits{at, 0};
  for (std::size_t i = at; i < text.size(); ++i) {
    if (is_ascii_digit(text[i])) {
      digits = {i + 1, digits.count + 1};
    } else if (!joins_digits(text[i])) {
      break;
    }
  }
  return digits;
}

bool is_space_or_control(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; }

std::string hide_addresses(std::string_view text) {
  std::string hidden;
  while (!text.empty()) {
    const auto blank = std::find_if(text.begin(), text.end(), is_space_or_control);
    const auto word = text.substr(0, static_cast<std::size_t>(blank - text.begin()));
    hidden += word.find('@') == std::string_view::npos ? word : "#";
    text.remove_prefix(word.size());
    if (text.empty()) break;
    hidden += ' ';
    text.remove_prefix(1);
  }
  return hidden;
}

std::string hide_digits(std::string_view text) {
  std::string hidden;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_ascii_digit(text[at])) {
      hidden += text[at++];
      continue;
    }
    const auto digits = digits_at(text, at);
    if (digits.count > kDigitsShown)
      hidden += '#';
    else
      hidden += text.substr(at, digits.end - at);
    at = digits.end;
  }
  return hidden;
}

// What names a kind of error: no text for people, in which anything may stand, and no document.
std::string type_of(std::string_view text) {
  const auto slash = text.rfind('/');
  if (slash != std::string_view::npos) text.remove_prefix(slash + 1);
  const bool named = text.size() <= kTypeSizeMax && std::all_of(text.begin(), text.end(), [](char c) {
                       return is_ascii_alnum(c) || c == '_' || c == '-' || c == '.';
                     });
  const auto digits = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_ascii_digit));
  return named && digits <= kTypeDigitsMax ? std::string(text) : "";
}

// "cob.valor.original", "devolucao.valor", "body[0].id".
bool is_field_name(std::string_view text) {
  return text.size() <= kTypeSizeMax && std::all_of(text.begin(), text.end(), [](char c) {
           return is_ascii_alnum(c) || std::string_view("_-.[]").find(c) != std::string_view::npos;
         });
}

// Whether a body of whatever form has the name of a field in it, in any case.
bool names_field(const std::string& body, std::string_view name) {
  const auto is_same = [](char a, char b) { return to_ascii_lower(a) == to_ascii_lower(b); };
  return std::search(body.begin(), body.end(), name.begin(), name.end(), is_same) != body.end();
}

class ErrorReader {
 public:
  ErrorReader(BankError& error, ErrorText text) : error_(error), text_(text) {}

  void read(const AnswerObject& root) {
    for (const auto* name : {"type", "nome", "error", "codigo"}) set_type(root, name);
    if (error_.type.empty()) set_number(root, "codigo");
    if (text_ == ErrorText::kRead) set_type(root, "title");
    if (const auto violations = list(root, "violacoes")) {
      for (const auto violation : *violations) add_violation(violation);
    }
    if (const auto errors = list(root, "erros")) {
      for (const auto one : *errors) read_one(one);
    }
    if (!error_.reasons.empty() || text_ == ErrorText::kLeftOut) return;
    for (const auto* name : {"mensagem", "error_description", "message", "detail", "title"}) {
      if (error_.reasons.empty()) add(text(root, name).value_or(""));
    }
  }

 private:
  // A field of another kind than it should be says nothing here.
  static std::optional<std::string_view> text(const AnswerObject& object, const char* name) {
    return AnswerObject::if_readable([&] { return object.text(name); });
  }
  static std::optional<std::vector<simdjson::dom::element>> list(const AnswerObject& object,
                                                                 const char* name) {
    return AnswerObject::if_readable([&] { return object.list(name, kErrorsMax); });
  }

  void set_type(const AnswerObject& object, const char* name) {
    if (error_.type.empty()) error_.type = type_of(text(object, name).value_or(""));
  }
  // Some write a code as a number.
  void set_number(const AnswerObject& object, const char* name) {
    try {
      if (const auto number = object.count(name)) error_.type = type_of(std::to_string(*number));
    } catch (const UnusableAnswer&) {
    }
  }
  void add_violation(simdjson::dom::element element) {
    if (!element.is_object() || error_.reasons.size() == kReasonsMax) return;
    const AnswerObject violation(element, "");
    const auto property = text(violation, "propriedade").value_or("");
    if (text_ == ErrorText::kLeftOut) return add_field(property);
    const auto reason = text(violation, "razao").value_or("");
    add(property.empty() ? std::string(reason) : std::string(property) + ": " + std::string(reason));
  }
  void read_one(simdjson::dom::element element) {
    if (!element.is_object() || error_.reasons.size() == kReasonsMax) return;
    const AnswerObject one(element, "");
    for (const auto* name : {"codigo", "nome"}) set_type(one, name);
    if (error_.type.empty()) set_number(one, "codigo");
    if (text_ == ErrorText::kRead) add(text(one, "mensagem").value_or(text(one, "message").value_or("")));
  }
  void add_field(std::string_view name) {
    if (is_field_name(name)) add(name);
  }
  void add(std::string_view reason) {
    auto clean = without_personal_data(reason);
    if (!clean.empty() && error_.reasons.size() < kReasonsMax) error_.reasons.push_back(std::move(clean));
  }

  BankError& error_;
  const ErrorText text_;
};

}  // namespace

std::string without_personal_data(std::string_view text) {
  const auto hidden = hide_digits(hide_addresses(first_characters(text, kTextRead)));
  std::string_view line = first_characters(hidden, kErrorCharactersMax);
  while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
  return std::string(line);
}

BankError read_bank_error(int status, const std::string& body, ErrorText text) {
  BankError error{.status = status, .type = "", .reasons = {}};
  error.names_text_for_payer = names_field(body, "solicitacaoPagador");
  try {
    const AnswerDocument document(body);
    if (document.element().is_object()) ErrorReader(error, text).read(document.root());
  } catch (const UnusableAnswer&) {
    // The status says it all.
  }
  return error;
}

std::string to_string(const BankError& error) {
  std::string line = std::to_string(error.status);
  if (!error.type.empty()) line += " " + error.type;
  for (std::size_t i = 0; i < error.reasons.size(); ++i)
    line.append(i == 0 ? ": " : "; ").append(error.reasons[i]);
  return line;
}

}  // namespace pixledger::workers
