#include "stores/accounting/statement_entry.h"

#include <algorithm>
#include <utility>

#include "base/text/ascii.h"
#include "domain/aggregates/project.h"
#include "domain/pix/payment_ids.h"
#include "stores/accounting/statement_size.h"
#include "stores/accounting/statement_text.h"

namespace pixledger::stores {
namespace {

template <std::size_t Count>
bool has_any(std::string_view words, const std::array<std::string_view, Count>& wanted) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [words](std::string_view word) { return has_words(words, word); });
}

template <std::size_t Count>
bool is_in(std::string_view word, const std::array<std::string_view, Count>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 16> kFees{
    "tarifa",          "tarifas",  "taxa",     "iof",        "fee",       "mdr",       "tx",
    "tar pix",         "pix tar",  "tar bole", "pix tarifa", "tarif pix", "tar sobre", "tar receb",
    "tar recebimento", "tar envio"};
constexpr std::array<std::string_view, 2> kFeesInShort{"mdr", "tx"};
// The whole of a text, where a payer's words cannot stand beside it; a number may follow.
constexpr std::array<std::string_view, 12> kFeeCodes{"pix fee",  "fee pix",    "pix mdr",    "mdr pix",
                                                     "mdr",      "pix tx",     "tx pix",     "pix taxa",
                                                     "taxa pix", "tarifa pix", "pix tarifa", "fee"};
constexpr std::array<std::string_view, 13> kSentCodes{
    "pix out",  "out pix", "pix deb",  "deb pix",    "pix debit", "pix debito",  "debito pix",
    "pix sent", "cashout", "cash out", "pix payout", "payout",    "pix cash out"};
// Words of banks beside those: "Tarifa avulsa sobre Pix recebido".
constexpr std::array<std::string_view, 48> kFeeWords{
    "tar",           "tarif",    "sobre",  "por",      "para",     "p",        "s",          "ref",
    "referente",     "a",        "ao",     "com",      "c",        "em",       "api",        "intermediacao",
    "processamento", "no",       "na",     "pelo",     "pela",     "via",      "qr",         "qrcode",
    "code",          "cod",      "codigo", "chave",    "dinamico", "estatico", "checkout",   "copia",
    "cola",          "bole",     "boleto", "bancaria", "avulsa",   "mensal",   "cobrancas",  "liquidacao",
    "transacao",     "operacao", "outra",  "if",       "pj",       "pacote",   "manutencao", "r"};
constexpr std::array<std::string_view, 4> kBalances{"saldo", "s a l d o", "saldos", "balance"};
constexpr std::array<std::string_view, 4> kTotals{"total", "totais", "subtotal", "sub total"};
// Words that may precede those.
constexpr std::array<std::string_view, 15> kBefore{"valor",   "cred",     "credito",   "deb",  "debito",
                                                   "estorno", "cobranca", "pagamento", "pgto", "pag",
                                                   "de",      "da",       "do",        "das",  "dos"};
constexpr std::array<std::string_view, 20> kOtherKinds{
    "ted",         "doc",   "tef",    "boleto",     "resgate", "aplicacao", "rendimento",
    "rendimentos", "juros", "cheque", "deposito",   "cartao",  "salario",   "anuidade",
    "mensalidade", "cesta", "resumo", "quantidade", "saque",   "emprestimo"};
constexpr std::array<std::string_view, 7> kReturns{"devolucao", "devolucoes", "devolvido", "devolvida",
                                                   "estorno",   "refund",     "reversal"};
// Words for a Pix that was not carried out, or came back in full.
constexpr std::array<std::string_view, 9> kUndone{"cancelamento", "cancelado", "cancelada",
                                                  "rejeitado",    "rejeitada", "rejeicao",
                                                  "recusado",     "estornado", "estornada"};
// Those of a Pix in short, which may be part of a name elsewhere.
constexpr std::array<std::string_view, 5> kSentInShort{"emit", "saida", "enviar", "envi", "enviou"};
constexpr std::array<std::string_view, 10> kSent{"enviado", "enviada",  "enviados", "enviadas", "emitido",
                                                 "emitida", "emitidas", "envio",    "env",      "sent"};
constexpr std::array<std::string_view, 7> kReceived{"recebido",    "recebida", "recebidos", "recebidas",
                                                    "recebimento", "receb",    "received"};
constexpr std::array<std::string_view, 5> kTransfers{"pix", "transferencia", "transf", "ted", "transfer"};
// Words for a direction, beside an amount. Those of one or two letters stand alone.
constexpr std::array<std::string_view, 19> kWentWords{
    "d",        "db",         "dr",      "deb",     "debito",  "debitos",  "debit",
    "s",        "saida",      "saidas",  "out",     "outflow", "retirada", "directdebit",
    "outgoing", "withdrawal", "debited", "despesa", "despesas"};
constexpr std::array<std::string_view, 21> kCameWords{
    "c",         "cr",       "cred",     "credito",  "creditos", "credit",  "credited",
    "e",         "entrada",  "entradas", "ent",      "in",       "inflow",  "dep",
    "directdep", "incoming", "deposit",  "deposito", "rec",      "receita", "receitas"};
// They may be part of a name, too.
constexpr std::array<std::string_view, 2> kReturnsInShort{"dev", "devol"};

// Parts that are joined with Pix in one word, beside numbers and words for a direction or a return:
// "PIXRECEBIDO", "BolePix". No parts of firms' names.
constexpr std::array<std::string_view, 9> kJoined{"transf", "transferencia", "qr",  "qrcode", "tarifa",
                                                  "tar",    "bole",          "fee", "mdr"};

bool says_pix(std::string_view words) { return has_words(words, "pix"); }

bool begins_with_word(std::string_view words, std::string_view word) {
  return words.starts_with(word) && (words.size() == word.size() || words[word.size()] == ' ');
}

// Also matches a word whose accents another character set has damaged: "devolu" is no word by itself.
bool begins_any_word(std::string_view words, std::string_view begin) {
  return words.starts_with(begin) || words.find(" " + std::string(begin)) != std::string_view::npos;
}

// Removes numbers and others that precede a kind of entry.
std::string_view without_before(std::string_view words) {
  const auto is_before = [](std::string_view word) { return all_ascii_digits(word) || is_in(word, kBefore); };
  while (!words.empty()) {
    const auto word = words.substr(0, words.find(' '));
    if (!is_before(word)) break;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return words;
}

using Texts = std::vector<std::string>;

// Returns the first text that begins with such a word, before any that mentions a Pix; or the end.
template <std::size_t Count>
Texts::const_iterator find_begin(const Texts& texts, const std::array<std::string_view, Count>& wanted) {
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    const auto kind = without_before(*text);
    const auto is_it = [&](std::string_view word) {
      return begins_with_word(kind, word) || begins_with_word(*text, word);
    };
    if (std::any_of(wanted.begin(), wanted.end(), is_it)) return text;
    if (says_pix(*text)) break;
  }
  return texts.end();
}
template <std::size_t Count>
bool begin_with_any(const Texts& texts, const std::array<std::string_view, Count>& wanted) {
  return find_begin(texts, wanted) != texts.end();
}

// The first words are the bank's; a payer's follow them.
std::string_view first_words(std::string_view words, std::size_t count) {
  std::size_t end = 0;
  for (; count > 0 && end < words.size(); --count) end = std::min(words.find(' ', end + 1), words.size());
  return words.substr(0, end);
}

// Returns whether the bank's words at the begin of a text are of a transfer and one of these: "Pix QR Code
// enviado", "Envio de Pix".
template <std::size_t Count>
bool say_transfer(const std::vector<std::string>& texts, const std::array<std::string_view, Count>& wanted) {
  constexpr std::size_t kBankWords = 5;
  constexpr std::array<std::string_view, 26> kBetween{
      "de",      "por",       "via",      "qr",       "qrcode",     "cod",        "codigo",
      "copia",   "code",      "agendado", "agendada", "automatico", "programado", "imediato",
      "chave",   "manual",    "estatico", "dinamico", "saque",      "troco",      "internet",
      "celular", "pagamento", "pagto",    "pgto",     "instantaneo"};
  const auto says = [&](std::string_view text) {
    const auto begin = first_words(without_before(text), kBankWords);
    for (auto rest = begin; !rest.empty();) {
      const auto word = rest.substr(0, rest.find(' '));
      if (is_in(word, wanted)) return has_any(begin, kTransfers);
      if (!is_in(word, kTransfers) && !is_in(word, kBetween)) return false;
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
    return false;
  };
  return std::any_of(texts.begin(), texts.end(), says);
}

// Returns whether one of the texts is such a code, with at most numbers after it, before any other that
// mentions a Pix. A payer's text may be one, too: "Pix recebido", "Taxa Pix".
template <std::size_t Count>
bool have_code(const Texts& texts, const std::array<std::string_view, Count>& codes) {
  const auto is_code = [&codes](std::string_view text) {
    for (auto last = text.rfind(' ');
         last != std::string_view::npos && all_ascii_digits(text.substr(last + 1)); last = text.rfind(' '))
      text = text.substr(0, last);
    return is_in(text, codes);
  };
  const auto says_received = [](std::string_view text) { return has_any(text, kReceived); };
  if (std::any_of(texts.begin(), texts.end(), says_received)) return false;
  const auto first = std::find_if(texts.begin(), texts.end(),
                                  [&](const std::string& text) { return says_pix(text) || is_code(text); });
  return first != texts.end() && is_code(*first);
}

// The meaning of texts that begin with a fee's word. In the bank's fee for a Pix only the bank's words
// precede Pix: "Tarifa sobre Pix recebido". Other words are the payer's: "Taxa de matrícula - Pix recebido".
enum class FeeText {
  kNone,             // they begin otherwise
  kFee,              // no Pix that was received
  kFeeOfReceived,    // the bank's fee for a received Pix
  kPaysWithPix,      // the payer's words; direction of the Pix unknown
  kPaymentReceived,  // the payer's words about a received Pix
};
FeeText fee_text_of(const Texts& texts) {
  const auto begin = find_begin(texts, kFees);
  if (have_code(texts, kFeeCodes)) return FeeText::kFee;
  if (begin == texts.end()) return FeeText::kNone;
  bool has_pix = false, has_other = false, pays_with_pix = false;
  bool has_received =
      std::any_of(texts.begin(), begin, [](std::string_view text) { return has_any(text, kReceived); });
  for (auto text = begin; text != texts.end(); ++text)
    for (auto rest = std::string_view(*text); !rest.empty();) {
      const auto word = first_words(rest, 1);
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (word == "pix") {
        has_pix = true;
        pays_with_pix = pays_with_pix || has_other;
      }
      has_received = has_received || is_in(word, kReceived);
      if (has_pix && has_received) return has_other ? FeeText::kPaymentReceived : FeeText::kFeeOfReceived;
      has_other = has_other || !(all_ascii_digits(word) || is_in(word, kFees) || is_in(word, kFeeWords) ||
                                 is_in(word, kBefore) || is_in(word, kTransfers) || is_in(word, kReceived) ||
                                 is_in(word, kSent));
    }
  // "TX TECNOLOGIA LTDA" is a name.
  const bool may_be_name = find_begin(texts, kFeesInShort) == begin;
  if (may_be_name && has_other && !has_pix) return FeeText::kNone;
  return pays_with_pix ? FeeText::kPaysWithPix : FeeText::kFee;
}

Way way_of_sign(std::string_view text) {
  if (text == "+" || text == "(+)") return Way::kCame;
  constexpr std::array<std::string_view, 4> kMinuses{"-", "\xE2\x88\x92", "\xE2\x80\x93", "(-)"};
  return is_in(text, kMinuses) ? Way::kWent : Way::kUnsaid;
}

Way way_of_word(std::string_view word) {
  if (is_in(word, kWentWords) || is_in(word, kSent)) return Way::kWent;
  return is_in(word, kCameWords) || is_in(word, kReceived) ? Way::kCame : Way::kUnsaid;
}

// In "Devolução Pix enviada" the participle is the return's, unlike in "Devolução de Pix enviado".
bool says_return_sent(std::string_view words) {
  return words.starts_with("devoluc") && has_words(words, "enviada") && !has_words(words, "enviada por");
}

// Words that have the form of our ids of returns: "r" and a minted id.
std::vector<std::string> return_names_in(std::string_view text) {
  constexpr std::string_view kBegin = "rc";
  constexpr std::size_t kSizeMin = 20;
  std::vector<std::string> names;
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_ascii_alnum);
    const auto word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    const bool is_long = word.size() >= kSizeMin && domain::RefundId::parse(word);
    if (is_long && equal_without_case(word.substr(0, kBegin.size()), kBegin)) names.emplace_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return names;
}

// "Pix recebido ANA devolucao do almoco": words after the bank's are the payer's.
bool begin_as_received(const std::vector<std::string>& texts) {
  constexpr std::size_t kBankWords = 3;
  return std::any_of(texts.begin(), texts.end(), [](std::string_view text) {
    const auto begin = first_words(text, kBankWords);
    return has_any(begin, kReceived) && !say_return({std::string(begin)});
  });
}

// "SALDO MARIA - Pix recebido". In "Devolução Pix recebida" the participle is the return's, and several that
// were received are no entry.
bool say_pix_received(const Texts& texts) {
  return std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
    if (say_return({text})) return has_words(text, "pix recebido");
    return says_pix(text) && has_any(text, kReceived) && !has_words(text, "recebidos") &&
           !has_words(text, "recebidas");
  });
}

bool was_sent_by_another(std::string_view text) {
  return has_any(text, kReceived) || has_words(text, "enviado por") || has_words(text, "enviada por");
}

// Returns whether texts about a Pix are surely of none that was received: they say that it was sent, or they
// are a fee or a return in the bank's words alone: "Estorno de tarifa Pix", "PIX REJEITADO".
bool are_surely_no_payment(const Texts& texts, FeeText fee) {
  const auto is_bank_word = [fee](std::string_view word) {
    return all_ascii_digits(word) || word == "reembolso" || is_in(word, kTransfers) || is_in(word, kBefore) ||
           is_in(word, kUndone) || is_in(word, kFees) || is_in(word, kFeeWords) ||
           (fee != FeeText::kNone && is_in(word, kReceived));
  };
  const auto is_sure = [&](const std::string& text) {
    const Texts alone{text};
    const bool matters = says_pix(text) || say_return(alone) || are_balance(alone) || may_be_total(alone) ||
                         fee_text_of(alone) != FeeText::kNone;
    for (auto rest = std::string_view(text); matters && !rest.empty();) {
      const auto word = first_words(rest, 1);
      if (!is_bank_word(word)) return false;
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    }
    return true;
  };
  const auto is_sent = [](std::string_view text) {
    return says_pix(text) && has_any(text, kSent) && !was_sent_by_another(text);
  };
  return std::any_of(texts.begin(), texts.end(), is_sent) || std::all_of(texts.begin(), texts.end(), is_sure);
}

}  // namespace

void refuse_line(std::size_t line, const std::string& problem, std::string_view text) {
  throw StatementRefused("the statement's line " + std::to_string(line) + ": " + problem, shown(text));
}

std::string entry_words_of(std::string_view text) {
  constexpr std::string_view kPix = "pix";
  constexpr std::string_view kSpaced = "p i x";
  auto words = words_of(text);
  if (has_words(words, kSpaced)) words.replace(words.find(kSpaced), kSpaced.size(), kPix);
  if (words.find(kPix) == std::string::npos) return words;
  std::string apart;
  const auto add = [&apart](std::string_view word) {
    if (word.empty()) return;
    if (!apart.empty()) apart += ' ';
    apart += word;
  };
  constexpr std::size_t kWaySizeMin = 3;  // a shorter part may be of a name
  const auto is_known = [](std::string_view part) {
    return all_ascii_digits(part) || is_in(part, kJoined) || is_in(part, kReturns) ||
           (part.size() >= kWaySizeMin && way_of_word(part) != Way::kUnsaid);
  };
  for (auto rest = std::string_view(words); !rest.empty();) {
    const auto word = first_words(rest, 1);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const auto at = word.find(kPix);
    const auto before = word.substr(0, at);
    const auto behind = at == std::string_view::npos ? std::string_view() : word.substr(at + kPix.size());
    if (at == std::string_view::npos || !is_known(before) || !is_known(behind)) {
      add(word);
      continue;
    }
    for (const auto part : {before, kPix, behind}) add(part);
  }
  return apart;
}

Way way_of(std::string_view text) {
  const auto sign = trimmed(text);
  if (const auto way = way_of_sign(sign); way != Way::kUnsaid) return way;
  constexpr std::size_t kWordsBytesMax = 60;  // more is a payer's text
  constexpr std::size_t kCodeSizeMax = 2;
  if (sign.size() > kWordsBytesMax) return Way::kUnsaid;
  const auto words = entry_words_of(sign);
  // A return goes the opposite way of its payment.
  if (say_return({words})) return Way::kUnsaid;
  const auto says = [&words](const auto& known) {
    return std::any_of(known.begin(), known.end(), [&words](std::string_view word) {
      return word.size() > kCodeSizeMax ? has_words(words, word) : words == word;
    });
  };
  const bool went = says(kWentWords) || says(kSent), came = says(kCameWords) || says(kReceived);
  if (went == came) return Way::kUnsaid;
  return went ? Way::kWent : Way::kCame;
}

Way way_word_in(std::string_view text) {
  if (const auto way = way_of_sign(trimmed(text)); way != Way::kUnsaid) return way;
  const auto words = words_of(text);
  const auto found = way_of_word(first_words(words, 1));
  for (auto rest = std::string_view(words); !rest.empty();) {
    const auto word = first_words(rest, 1);
    if (way_of_word(word) != found) return Way::kUnsaid;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return found;
}

Way way_of_kind(std::string_view text) {
  if (const auto way = way_word_in(text); way != Way::kUnsaid) return way;
  constexpr std::size_t kFirstSizeMin = 4;  // a shorter one may be of a name: "OUT FIT"
  const std::vector texts{entry_words_of(text)};
  if (say_return(texts)) return says_return_sent(texts[0]) ? Way::kWent : Way::kUnsaid;
  const auto first = first_words(texts[0], 1);
  const bool is_said =
      first.size() >= kFirstSizeMin && (is_in(first, kWentWords) || is_in(first, kCameWords));
  if (is_said) return way_of_word(first);
  return say_sent(texts) ? Way::kWent : say_received(texts) ? Way::kCame : Way::kUnsaid;
}

bool say_pix(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(), says_pix);
}

bool may_say_pix(const std::vector<std::string>& texts) {
  const auto may_say = [](std::string_view text) {
    if (has_words(text, "pagamento instantaneo")) return true;
    for (; !text.empty(); text.remove_prefix(std::min(text.size(), text.find(' ')))) {
      if (text.front() == ' ') text.remove_prefix(1);
      const auto word = first_words(text, 1);
      if (word.starts_with("pix") || word.ends_with("pix")) return true;
    }
    return false;
  };
  return std::any_of(texts.begin(), texts.end(), may_say);
}

// "Enviado por ANA" came from there.
bool say_sent(const std::vector<std::string>& texts) {
  return !std::any_of(texts.begin(), texts.end(), was_sent_by_another) &&
         (say_transfer(texts, kSent) || say_transfer(texts, kSentInShort) || have_code(texts, kSentCodes));
}

bool say_received(const std::vector<std::string>& texts) {
  return say_transfer(texts, kReceived) || fee_text_of(texts) == FeeText::kPaymentReceived;
}

bool say_return(const std::vector<std::string>& texts) {
  constexpr std::size_t kUndoneWords = 3;
  const auto says_return = [](std::string_view text) {
    const auto in_short = [&](std::string_view word) {
      const auto beside = "pix " + std::string(word);
      return begins_with_word(text, word) || has_words(text, beside);
    };
    const auto begin = first_words(text, kUndoneWords);
    // "Pix recebido CANCELADO LTDA" was received, and "Cancelamento Pix recebido" was not.
    const bool is_undone = says_pix(begin) && has_any(begin, kUndone) &&
                           (!has_any(begin, kReceived) || has_any(first_words(text, 1), kUndone));
    return has_any(text, kReturns) || begins_any_word(text, "devolu") || is_undone ||
           std::any_of(kReturnsInShort.begin(), kReturnsInShort.end(), in_short);
  };
  return std::any_of(texts.begin(), texts.end(), says_return);
}

bool is_beside_payments(const std::vector<std::string>& texts) {
  const auto fee = fee_text_of(texts);
  if (are_balance(texts) || (fee != FeeText::kNone && fee != FeeText::kPaymentReceived)) return true;
  return !say_pix(texts) && std::any_of(texts.begin(), texts.end(),
                                        [](const std::string& text) { return has_any(text, kOtherKinds); });
}

bool are_balance(const std::vector<std::string>& texts) { return begin_with_any(texts, kBalances); }
bool may_be_total(const std::vector<std::string>& texts) { return begin_with_any(texts, kTotals); }

void StatementEntries::warn(std::size_t line, const std::string& doubt) {
  constexpr std::size_t kWarningsMax = 20;
  if (statement_.warnings.size() < kWarningsMax)
    statement_.warnings.push_back("the statement's line " + std::to_string(line) + ": " + doubt);
}

void StatementEntries::warn_ignored_pix(std::size_t line, const std::vector<std::string>& texts,
                                        bool is_signed) {
  if (!say_pix(texts) || are_surely_no_payment(texts, fee_text_of(texts))) return;
  if (is_signed) {
    warn(line, "says Pix, and its amount came in: it is ignored by its other words");
  } else if (!has_told_pix_) {
    warn(line, "says Pix and has no sign: it is ignored by its other words, as others may be");
    has_told_pix_ = true;
  }
}

void StatementEntries::add(StatementEntry entry) {
  const bool has_name = entry.end_to_end_id || !entry.return_id.empty() || !entry.txid.empty();
  const bool is_return = !entry.return_id.empty() || say_return(entry.texts);
  // Words do not change the direction of an amount if the source has signs; nor do a payer's words if a name
  // or a column states the direction.
  const bool is_said_sent = !is_return && say_sent(entry.texts);
  const bool is_guessed = entry.cents > 0 && entry.way == Way::kUnsaid && !has_signs_ &&
                          (entry.guess == Way::kWent || (entry.guess == Way::kUnsaid && is_said_sent &&
                                                         (!has_name || have_code(entry.texts, kSentCodes))));
  if (is_guessed && !has_told_guess_) {
    warn(entry.line, "has no sign, and is taken as sent by its words, as others may be");
    has_told_guess_ = true;
  }
  if (entry.cents > 0 && (is_guessed || entry.way == Way::kWent)) entry.cents = -entry.cents;
  if (entry.cents > domain::kAmountCentsMax || entry.cents < -domain::kAmountCentsMax) {
    if (!has_name && is_beside_payments(entry.texts)) {
      if (entry.cents > 0 && !are_balance(entry.texts))
        warn(entry.line, "its amount or day cannot be read: it is ignored");
      return ignore();
    }
    refuse_line(entry.line, "the amount is above what a payment can have", entry.text);
  }
  const auto fee = fee_text_of(entry.texts);
  const bool is_signed = has_signs_ || entry.way == Way::kCame;
  const bool is_said_came = is_signed || entry.guess == Way::kCame;
  const bool is_payment =
      entry.cents > 0 && (fee == FeeText::kPaymentReceived || (fee == FeeText::kPaysWithPix && is_said_came));
  const bool is_received =
      entry.cents > 0 && !has_name && fee == FeeText::kNone && is_said_came && say_pix_received(entry.texts);
  const bool is_balance = !is_received && are_balance(entry.texts);
  const bool is_fee = fee != FeeText::kNone && !is_payment, is_no_entry = is_balance || is_fee;
  const bool is_back = is_return && !begin_as_received(entry.texts);
  bool is_told = !entry.return_id.empty();  // or surely no payment
  if (entry.cents > 0 && !has_name) {
    const bool is_fee_of_received = fee == FeeText::kFeeOfReceived && !is_back;
    if (is_payment && !is_back && !is_signed)
      warn(entry.line, "begins like a fee and says that a Pix was received: it is taken as a payment");
    is_told = is_payment ? is_back : is_fee_of_received && is_signed;
    if (is_told) warn(entry.line, "is a fee by its words, and its amount came in: it is ignored");
    const bool may_be_payment =
        is_fee_of_received || (fee == FeeText::kPaysWithPix && !is_payment && !is_back);
    if (may_be_payment && !is_signed) {
      if (!has_told_fee_)
        warn(entry.line, "begins like a fee for a Pix and has no sign: it is ignored, as others may be");
      is_told = has_told_fee_ = true;
    }
  }
  if (entry.cents > 0 && has_name && !is_signed && have_code(entry.texts, kFeeCodes)) {
    fees_of_payments_.add(entry.line);
    return ignore();
  }
  if (entry.cents > 0 && (is_said_sent || entry.guess == Way::kWent))
    warn(entry.line, "says that the money came in, and that it was sent");
  if (entry.cents < 0 && !is_return && !is_no_entry && say_received(entry.texts))
    warn(entry.line, "says that it was received, and its amount that it went");
  if (entry.cents < 0 && !is_no_entry && entry.way == Way::kCame)
    warn(entry.line, "says that the money came in, and its amount that it went");
  if (!has_name && may_be_total(entry.texts) && come_to(entry.cents)) {
    note_size(true);
    if (entry.cents > 0 && !is_told) warn_ignored_pix(entry.line, entry.texts, is_signed);
    return ignore();
  }
  const auto is_balance_text = [](const std::string& text) { return says_balance(text); };
  if (!has_name && may_be_total(entry.texts) &&
      std::none_of(entry.texts.begin(), entry.texts.end(), is_balance_text)) {
    const bool is_taken = entry.cents > 0 && !is_return && say_pix(entry.texts);
    warn(entry.line, is_taken ? "may be a total, and is taken as a payment"
                              : "may be a total, and the entries before it come to another one");
    note_size(false);
  }
  for (auto& sums : sums_) {
    ++(is_balance ? sums.balance_count : sums.count);
    (is_balance ? sums.balances : entry.cents < 0 ? sums.debits : sums.credits) += entry.cents;
    if (!is_balance && entry.cents > 0) ++sums.credit_count;
    if (is_fee && entry.cents > 0) sums.unsigned_fees += entry.cents;
  }
  if (entry.cents == 0) return ignore();
  if (entry.cents < 0) return add_debit(entry, is_no_entry);
  // Also our own payments that came back.
  const bool is_beside = is_back || (!is_payment && is_beside_payments(entry.texts));
  const bool names_payment = entry.end_to_end_id || !entry.txid.empty();
  if (!names_payment && (!entry.return_id.empty() || (is_beside && !is_received))) {
    if (!is_told) warn_ignored_pix(entry.line, entry.texts, is_signed);
    if (is_said_came && (!is_balance || say_pix(entry.texts)))
      statement_.ignored_credits.push_back({entry.line, domain::Cents(entry.cents)});
    return ignore();
  }
  if (is_beside && is_received)
    warn(entry.line,
         "says that a Pix was received, and its other words contradict: it is taken as a payment");
  add_credit(entry, names_payment, is_said_came);
}

void StatementEntries::add_credit(const StatementEntry& entry, bool has_name, bool came) {
  for (auto& sums : sums_) {
    sums.payments += entry.cents;
    ++sums.payment_count;
  }
  if (entry.state == MoneyState::kReturned) returned_.add(entry.line);
  if (entry.state == MoneyState::kUnknown) unknown_.add(entry.line);
  statement_.lines.push_back({.line = entry.line,
                              .end_to_end_id = entry.end_to_end_id,
                              .amount = domain::Cents(entry.cents),
                              .paid_at = entry.time.moment,
                              .txid = entry.txid,
                              .names_pix = has_name || say_pix(entry.texts) || !entry.describes,
                              .has_time = entry.time.has_time,
                              .came = came});
}

void StatementEntries::add_debit(const StatementEntry& entry, bool is_no_entry) {
  statement_.has_returns = Statement::Returns::kOfDays;
  const bool says_return = !entry.return_id.empty() || (say_return(entry.texts) && !is_no_entry);
  const bool says_nothing = !says_return && !entry.end_to_end_id && (!say_pix(entry.texts) || is_no_entry);
  auto names = return_names_in(entry.text);
  // The bank's fee for a payment may have that payment's id.
  const auto fee = fee_text_of(entry.texts);
  const bool is_fee = entry.is_kind_of_fee || fee == FeeText::kFee || fee == FeeText::kFeeOfReceived;
  const bool is_fee_of_payment =
      is_fee && entry.end_to_end_id && entry.return_id.empty() && !say_return(entry.texts);
  if ((says_nothing || is_fee_of_payment) && names.empty()) return ignore();
  statement_.returns.push_back({.line = entry.line,
                                .of_payment = entry.end_to_end_id,
                                .id = {},
                                .return_id = entry.return_id,
                                .amount = domain::Cents(-entry.cents),
                                .at = entry.time.moment,
                                .names_return = says_return,
                                .names = std::move(names),
                                .by_names_alone = says_nothing});
}

void StatementEntries::add_unmoved(std::size_t line, const std::vector<std::string>& texts,
                                   std::int64_t cents, bool has_id) {
  ignore();
  for (auto& sums : sums_) {
    sums.unmoved += cents;
    ++sums.unmoved_count;
  }
  if (cents >= 0 && ((has_id && !say_sent(texts)) || say_received(texts) || say_pix_received(texts)))
    unmoved_received_.add(line);
}

void StatementEntries::ignore_unread(std::size_t line) {
  note_unread();
  unread_.add(line);
}

void StatementEntries::note_unread() {
  for (auto& sums : sums_) ++sums.unread;
}

void StatementEntries::begin_table() {
  sums_of(Part::kTable) = {};
  has_table_total_ = false;
}

bool StatementEntries::can_come_to(std::int64_t cents) const {
  return std::any_of(sums_.begin(), sums_.end(), [cents](const Sums& sums) {
    const auto both = sums.credits + sums.debits;
    const bool has_unmoved =
        sums.unmoved_count > 0 && (cents == sums.payments + sums.unmoved ||
                                   cents == sums.credits + sums.unmoved || cents == both + sums.unmoved);
    return has_unmoved || cents == sums.payments || cents == sums.credits || cents == both ||
           cents == sums.debits || cents == -sums.debits || cents == sums.credits - sums.debits ||
           cents == sums.balances + both || cents == both - sums.unsigned_fees ||
           cents == both - 2 * sums.unsigned_fees;
  });
}

bool StatementEntries::come_to(std::int64_t cents) {
  if (!can_come_to(cents)) return false;
  begin_next_part();
  return true;
}

void StatementEntries::begin_next_part() {
  sums_of(Part::kSinceTotal) = {};
  has_table_total_ = true;
}

void StatementEntries::compare_amount(std::size_t line, std::int64_t cents) {
  const bool fits = come_to(cents);
  note_size(fits);
  if (!fits) uncompared_.add(line);
}

bool StatementEntries::come_to(std::int64_t credits, std::int64_t debits) {
  if (!can_come_to(credits, debits)) return false;
  begin_next_part();
  return true;
}

bool StatementEntries::can_come_to(std::int64_t credits, std::int64_t debits) const {
  return std::any_of(sums_.begin(), sums_.end(),
                     [&](const Sums& sums) { return credits == sums.credits && debits == -sums.debits; });
}

bool StatementEntries::are_as_many_as(std::int64_t count, Part part) const {
  if (part == Part::kSinceTotal && !has_table_total_) return false;
  const auto& sums = sums_of(part);
  const auto debit_count = sums.count - sums.credit_count;
  // Entries that moved no money are counted all or not at all.
  const auto is = [&](std::int64_t entries) {
    const auto more = count - entries;
    return (more >= 0 && more <= sums.unread) ||
           (more >= sums.unmoved_count && more <= sums.unmoved_count + sums.unread);
  };
  return is(sums.count) || is(sums.payment_count) || is(sums.credit_count) ||
         (debit_count > 0 && is(debit_count)) || is(sums.count + sums.balance_count);
}

bool StatementEntries::has_clear_sums() const {
  const auto& all = sums_of(Part::kAll);
  return all.unread == 0 && all.unmoved_count == 0 && (are_all_signed_ || all.payment_count == all.count);
}

void StatementEntries::warn_of_lines() {
  if (!unmoved_received_.empty())
    warn(unmoved_received_.first(),
         "says received or has an end-to-end id, and its state that no money moved: it is ignored" +
             unmoved_received_.more());
  if (!returned_.empty())
    warn(returned_.first(),
         "is returned by its state: it is compared as received, and its return is not" + returned_.others());
  if (!unknown_.empty())
    warn(unknown_.first(), "has an unknown state: it is taken as received" + unknown_.more());
  if (!fees_of_payments_.empty())
    warn(fees_of_payments_.first(),
         "is a fee by its words, and names a payment: it is ignored" + fees_of_payments_.more());
  if (!uncompared_.empty())
    warn(uncompared_.first(),
         "has an amount, and is neither an entry nor the sum of those before it" + uncompared_.others());
  if (!unread_.empty())
    warn(unread_.first(), "is a fee or balance whose amount cannot be read: it is ignored" + unread_.more());
}

Statement StatementEntries::finish() {
  warn_of_lines();
  statement_.counts_held = sizes_held_ > 0 && sizes_failed_ == 0;
  auto& lines = statement_.lines;
  const bool has_names = std::any_of(lines.begin(), lines.end(), [](const StatementLine& line) {
    return line.end_to_end_id || !line.txid.empty();
  });
  // A source that has ids of Pix has them for all.
  if (has_names) {
    for (const auto& line : lines)
      if (!line.names_pix && line.came) statement_.ignored_credits.push_back({line.line, line.amount});
    const auto ends =
        std::remove_if(lines.begin(), lines.end(), [](const StatementLine& line) { return !line.names_pix; });
    statement_.ignored += static_cast<std::size_t>(lines.end() - ends);
    lines.erase(ends, lines.end());
  }
  return std::move(statement_);
}

}  // namespace pixledger::stores
