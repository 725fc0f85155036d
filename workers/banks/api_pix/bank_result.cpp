#include "workers/banks/api_pix/bank_result.h"

#include <algorithm>
#include <array>
#include <iterator>
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
constexpr std::size_t kBodyRead = 100'000;

bool joins_digits(char c) { return c == '.' || c == '-' || c == '/' || c == ' ' || c == '(' || c == ')'; }

// The end of the run of digits that begins at `at`, and its number of digits.
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

// Extracts the name of a kind of error; excludes texts for people, which may contain anything, and documents.
std::string type_of(std::string_view text) {
  while (!text.empty() && text.back() == '/') text.remove_suffix(1);
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

// Lower-case ASCII letters only: "Solicitação ao pagador" becomes "solicitacaoaopagador".
std::string letters_of(const std::string& body) {
  std::string written = body;
  try {
    written = simdjson::minify(AnswerDocument(body).element());  // without escapes such as \u00e7
  } catch (const UnusableAnswer&) {
  }
  auto letters = fold(std::string_view(written).substr(0, kBodyRead));
  std::erase_if(letters, [](char c) { return !is_ascii_lower(c); });
  return letters;
}

// Returns whether a body of any form mentions the text for the payer: by its field's name, or as people write
// it.
bool names_text_for_payer(const std::string& body) {
  constexpr std::string_view kBegin = "solicita", kEnd = "pagador";
  // Also if accented letters are HTML references, or "?".
  constexpr std::array<std::string_view, 5> kMiddles{"cao", "ccedilatildeo", "co", "ao", "o"};
  constexpr std::array<std::string_view, 6> kPrepositions{"", "ao", "do", "para", "parao", "de"};
  const auto letters = letters_of(body);
  for (auto at = letters.find(kBegin); at != std::string::npos; at = letters.find(kBegin, at + 1)) {
    const auto rest = std::string_view(letters).substr(at + kBegin.size());
    for (const auto middle : kMiddles)
      for (const auto preposition : kPrepositions)
        if (rest.starts_with(std::string(middle).append(preposition).append(kEnd))) return true;
  }
  return false;
}

// The words by which banks say "not found". Any other word changes the meaning of a text.
enum class WordOf {
  kNothing,    // counts for nothing
  kNegation,   // "não", with one of the next two
  kFinding,    // "encontrado"
  kExistence,  // "há"
  kNone,       // "nenhum", by itself
  kThing,
  kElse  // something else is missing
};
struct KnownWord {
  std::string_view written;  // without the "s" of more than one
  WordOf of;
  std::string_view thing = {};
};
constexpr KnownWord kKnownWords[] = {
    {"nao", WordOf::kNegation},
    {"not", WordOf::kNegation},
    {"encontrado", WordOf::kFinding},
    {"encontrada", WordOf::kFinding},
    {"localizado", WordOf::kFinding},
    {"localizada", WordOf::kFinding},
    {"found", WordOf::kFinding},
    {"ha", WordOf::kExistence},
    {"existe", WordOf::kExistence},
    {"existem", WordOf::kExistence},
    {"retornou", WordOf::kExistence},
    {"nenhum", WordOf::kNone},
    {"nenhuma", WordOf::kNone},
    {"sem", WordOf::kNone},
    {"pix", WordOf::kThing, "pix"},
    {"pagamento", WordOf::kThing, "pagamento"},
    {"recebimento", WordOf::kThing, "recebimento"},
    {"transacao", WordOf::kThing, "transacao"},
    {"transacoe", WordOf::kThing, "transacao"},
    {"devolucao", WordOf::kThing, "devolucao"},
    {"devolucoe", WordOf::kThing, "devolucao"},
    {"cob", WordOf::kThing, "cob"},
    {"cobranca", WordOf::kThing, "cobranca"},
    {"webhook", WordOf::kThing, "webhook"},
    {"registro", WordOf::kThing, kAnyRecord},
    {"resultado", WordOf::kThing, kAnyRecord},
    {"informacao", WordOf::kThing, kAnyRecord},
    {"informacoe", WordOf::kThing, kAnyRecord},
    {"dado", WordOf::kThing, kAnyRecord},
    {"item", WordOf::kThing, kAnyRecord},
    {"iten", WordOf::kThing, kAnyRecord},
    {"movimentacao", WordOf::kThing, kAnyRecord},
    {"movimentacoe", WordOf::kThing, kAnyRecord},
    {"lancamento", WordOf::kThing, kAnyRecord},
    {"foi", WordOf::kNothing},
    {"foram", WordOf::kNothing},
    {"o", WordOf::kNothing},
    {"a", WordOf::kNothing},
    {"um", WordOf::kNothing},
    {"uma", WordOf::kNothing},
    {"de", WordOf::kNothing},
    {"do", WordOf::kNothing},
    {"da", WordOf::kNothing},
    {"no", WordOf::kNothing},
    {"na", WordOf::kNothing},
    {"para", WordOf::kNothing},
    {"com", WordOf::kNothing},
    {"periodo", WordOf::kNothing},
    {"intervalo", WordOf::kNothing},
    {"informado", WordOf::kNothing},
    {"informada", WordOf::kNothing},
    {"recebido", WordOf::kNothing},
    {"id", WordOf::kNothing},
    {"e2eid", WordOf::kNothing},
    {"txid", WordOf::kNothing},
    {"consulta", WordOf::kNothing},
    {"consultado", WordOf::kNothing},
    {"parametro", WordOf::kNothing},
    {"filtro", WordOf::kNothing},
    {"data", WordOf::kNothing},
    {"este", WordOf::kNothing},
    {"esta", WordOf::kNothing},
    {"chave", WordOf::kElse},
    {"conta", WordOf::kElse},
    {"cliente", WordOf::kElse},
    {"client", WordOf::kElse},
    {"aplicacao", WordOf::kElse},
    {"recebedor", WordOf::kElse},
    {"usuario", WordOf::kElse},
    {"convenio", WordOf::kElse},
};

// In lower case, without accents: "PixNãoEncontrado" and "Pix não encontrado" are equal.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  char before = ' ';
  for (const char c : to_printable_ascii(first_characters(text, kTextRead))) {
    const bool begins = !is_ascii_alnum(before) || (is_ascii_lower(before) && is_ascii_upper(c));
    before = c;
    if (!is_ascii_alnum(c)) continue;
    if (begins || words.empty()) words.emplace_back();
    words.back() += to_ascii_lower(c);
  }
  for (auto& word : words)
    if (word.size() > 1 && word.back() == 's') word.pop_back();
  return words;
}

class ErrorReader {
 public:
  ErrorReader(BankError& error, ErrorText text) : error_(error), text_(text) {}

  void read(const AnswerObject& root) {
    hear_all(root);
    for (const auto* name : {"type", "nome", "error", "codigo", "code"}) set_type(root, name);
    for (const auto* name : {"codigo", "code"}) set_number(root, name);
    if (text_ == ErrorText::kRead) set_type(root, "title");
    if (const auto violations = list(root, "violacoes")) {
      for (const auto violation : *violations) add_violation(violation);
    }
    for (const auto* name : {"erros", "errors"}) {
      for (const auto one : list(root, name).value_or(std::vector<simdjson::dom::element>())) read_one(one);
    }
    if (is_about_else_) error_.missing.clear();
    if (!error_.reasons.empty() || text_ == ErrorText::kLeftOut) return;
    for (const auto* name : {"mensagem", "error_description", "message", "detail", "title"}) {
      if (error_.reasons.empty()) add(text(root, name).value_or(""));
    }
  }

 private:
  // A field of an unexpected kind is ignored here.
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
  // Some banks write a code as a number.
  void set_number(const AnswerObject& object, const char* name) {
    if (!error_.type.empty()) return;
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
    hear_all(one);
    for (const auto* name : {"codigo", "nome", "code"}) set_type(one, name);
    for (const auto* name : {"codigo", "code"}) set_number(one, name);
    if (text_ == ErrorText::kRead) add(text(one, "mensagem").value_or(text(one, "message").value_or("")));
  }
  void hear_all(const AnswerObject& object) {
    for (const auto* name : {"type", "nome", "error", "codigo", "code", "title", "mensagem", "message",
                             "detail", "descricao", "error_description"})
      hear(text(object, name).value_or(""));
  }
  // Records what a text calls missing. Keeps nothing else of it.
  void hear(std::string_view text) {
    if (text.find(' ') == std::string_view::npos) {
      while (!text.empty() && text.back() == '/') text.remove_suffix(1);
      text.remove_prefix(text.rfind('/') + 1);  // the last part of a URL
    }
    std::vector<std::string_view> things;
    bool is_said[static_cast<std::size_t>(WordOf::kElse) + 1] = {};
    const auto said = [&](WordOf of) -> bool& { return is_said[static_cast<std::size_t>(of)]; };
    bool is_clear = true;
    for (const auto& word : words_of(text)) {
      const auto* const known = std::find_if(std::begin(kKnownWords), std::end(kKnownWords),
                                             [&](const auto& each) { return each.written == word; });
      if (known == std::end(kKnownWords)) {
        is_clear = false;
        continue;
      }
      said(known->of) = true;
      if (!known->thing.empty()) things.push_back(known->thing);
    }
    is_about_else_ = is_about_else_ || said(WordOf::kElse);
    // "Dados não encontrados" may be those of the account.
    const bool is_any = std::find(things.begin(), things.end(), kAnyRecord) != things.end();
    const bool is_none = said(WordOf::kNone) || (said(WordOf::kNegation) && said(WordOf::kExistence)) ||
                         (said(WordOf::kNegation) && said(WordOf::kFinding) && !is_any);
    if (is_clear && is_none) error_.missing.insert(error_.missing.end(), things.begin(), things.end());
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
  bool is_about_else_ = false;  // an account, a key: what is missing may be that
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
  error.names_text_for_payer = names_text_for_payer(body);
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
