#include "workers/banks/api_pix/empty_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "base/net/http_status.h"
#include "base/text/ascii.h"
#include "base/text/text.h"
#include "workers/banks/api_pix/answer_object.h"

namespace pixledger::workers {
namespace {

constexpr std::size_t kFieldNameSizeMax = 60;

// Fields by which an answer says that it is an error, some with status 200. A value such as 0, 200 or
// "Sucesso" reports success instead.
constexpr std::array kErrorNames{"erro",      "erros",    "error",     "errors", "nome",  "codigo",
                                 "code",      "mensagem", "message",   "type",   "title", "detail",
                                 "violacoes", "fault",    "exception", "excecao"};
constexpr std::array kStatusNames{"status", "statusCode", "httpCode", "httpStatus", "descricao"};
constexpr std::array kSuccessNames{"success", "sucesso"};
// Lists of objects that hold no payments.
constexpr std::array kNoticeNames{"links", "link", "avisos", "alertas", "warnings", "mensagens", "messages"};
// Names of facts about a page without payments.
constexpr std::array kPageNames{"parametros",
                                "paginacao",
                                "inicio",
                                "fim",
                                "paginaAtual",
                                "itensPorPagina",
                                "quantidadeDePaginas",
                                "quantidadeTotalDeItens",
                                "pagina",
                                "page",
                                "pageNumber",
                                "pageSize",
                                "size",
                                "limit",
                                "offset"};
// How many payments there are, on the page or on all pages.
constexpr std::array kItemsNames{"quantidadeTotalDeItens",
                                 "quantidadeTotal",
                                 "quantidade",
                                 "quantidadeItens",
                                 "quantidadeDeItens",
                                 "quantidadeRegistros",
                                 "quantidadeDeRegistros",
                                 "quantidadeElementos",
                                 "quantidadeDeElementos",
                                 "numeroDeElementos",
                                 "numberOfElements",
                                 "total",
                                 "totalItens",
                                 "totalDeItens",
                                 "totalItems",
                                 "totalElementos",
                                 "totalDeElementos",
                                 "totalElements",
                                 "totalRegistros",
                                 "totalDeRegistros",
                                 "totalRecords",
                                 "totalResultados",
                                 "totalResults",
                                 "totalCount",
                                 "totalPix",
                                 "count"};
// How many pages there are, or the number of the last one. An empty account may have one.
constexpr std::array kPagesNames{
    "quantidadeDePaginas", "quantidadePaginas", "numeroDePaginas", "totalPaginas", "totalDePaginas",
    "totalPages",          "pageCount",         "pages",           "paginas",      "lastPage",
    "ultimaPagina"};
// Whether another page follows.
constexpr std::array kMoreNames{
    "hasNext",       "hasNextPage",         "hasMore",     "hasMorePages",         "hasMoreItems",
    "temProxima",    "temProximaPagina",    "temMais",     "temMaisPaginas",       "haProximaPagina",
    "possuiProxima", "possuiProximaPagina", "possuiMais",  "existeProxima",        "existeProximaPagina",
    "existeMais",    "truncated",           "isTruncated", "indicadorContinuidade"};
// Whether no page follows.
constexpr std::array kLastNames{"last",   "lastPage",     "isLast",   "isLastPage",
                                "ultima", "ultimaPagina", "ehUltima", "ehUltimaPagina"};
// Where the next page is.
constexpr std::array kNextNames{"next", "nextPage", "nextLink", "nextUrl", "proxima", "proximaPagina"};

template <std::size_t size>
bool is_one_of(const std::array<const char*, size>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* known) { return is_same_name(name, known); });
}

std::string folded_text(simdjson::dom::element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? fold(without_outer_blanks(text)) : "";
}

bool says_no(simdjson::dom::element value) {
  bool flag = true;
  if (value.get(flag) == simdjson::SUCCESS) return !flag;
  const auto text = folded_text(value);
  return number_in(value) == 0 || text == "false" || text == "nao" || text == "no" || text == "n";
}

bool says_success(simdjson::dom::element value) {
  if (const auto number = number_in(value)) return *number == 0 || (*number >= 200 && *number < 300);
  const auto text = folded_text(value);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  const bool is_denied = has("insucesso") || has("sem sucesso") || has("nao ") || has("not ");
  return says_no(value) || text == "ok" || text == "success" || (has("sucesso") && !is_denied);
}

bool says_failure(simdjson::dom::element value) {
  if (const auto number = number_in(value)) return *number >= kBadRequest;
  const auto text = folded_text(value);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  return text.starts_with("err") || text.starts_with("fail") || text.starts_with("falh") || has("indispon") ||
         has("unavailable") || has("manuten") || has("timeout");
}

bool says_error(std::string_view name, simdjson::dom::element value) {
  if (is_one_of(kErrorNames, name)) return has_content(value) && !says_success(value);
  if (is_one_of(kStatusNames, name)) return says_failure(value);
  return is_one_of(kSuccessNames, name) && says_no(value);
}

// Also of an object in it.
bool holds_error(std::string_view name, simdjson::dom::element value) {
  if (says_error(name, value)) return true;
  simdjson::dom::object fields;
  return value.get(fields) == simdjson::SUCCESS &&
         std::any_of(fields.begin(), fields.end(),
                     [](const auto& field) { return holds_error(field.key, field.value); });
}

// For an answer without `pix`: whether a field states neither payments nor an error.
bool says_nothing(std::string_view name, simdjson::dom::element value) {
  if (!has_content(value)) return true;
  if (holds_error(name, value)) return false;
  if (is_one_of(kPageNames, name) || is_one_of(kNoticeNames, name)) return true;
  simdjson::dom::object fields;
  if (value.get(fields) == simdjson::SUCCESS)
    return std::all_of(fields.begin(), fields.end(),
                       [](const auto& field) { return says_nothing(field.key, field.value); });
  if (value.is_bool() || number_in(value) == 0) return true;
  const bool is_status = is_one_of(kErrorNames, name) || is_one_of(kStatusNames, name);
  return (is_status || !value.is_number()) && says_success(value);
}

// For an answer without `pix`: whether a field shows that it is a page nevertheless, or a success.
bool speaks_of_page(std::string_view name, simdjson::dom::element value) {
  if (is_one_of(kPageNames, name) || is_one_of(kNoticeNames, name) || value.is_array()) return true;
  simdjson::dom::object fields;
  if (value.get(fields) == simdjson::SUCCESS)
    return std::any_of(fields.begin(), fields.end(),
                       [](const auto& field) { return speaks_of_page(field.key, field.value); });
  if (is_one_of(kSuccessNames, name)) return !says_no(value);
  return number_in(value) == 0 || (!value.is_bool() && has_content(value) && says_success(value));
}

// For a page without payments: whether a field beside `pix` may hold payments by another name.
bool may_be_payments(std::string_view name, simdjson::dom::element value, bool has_list) {
  if (is_one_of(kErrorNames, name) || is_one_of(kNoticeNames, name)) return holds_payment(value);
  if (holds_entries(value)) return true;
  return !has_list && (value.is_object() || value.is_array()) && !says_nothing(name, value);
}

// Whether a list of links has one to the next page.
bool has_next_link(simdjson::dom::array links) {
  return std::any_of(links.begin(), links.end(), [](simdjson::dom::element entry) {
    std::string_view rel;
    simdjson::dom::element href;
    return entry["rel"].get(rel) == simdjson::SUCCESS && equal_without_case(rel, "next") &&
           entry["href"].get(href) == simdjson::SUCCESS && has_content(href);
  });
}

// For a page without payments: whether a field states that another page follows. The number of the next or
// last page does not count: banks may write it for pages that do not exist.
bool states_next(std::string_view name, simdjson::dom::element value) {
  if (is_one_of(kMoreNames, name) && has_content(value)) return !says_no(value);
  if (is_one_of(kNextNames, name) && has_content(value)) return !number_in(value) && !says_no(value);
  if (is_one_of(kLastNames, name) && says_no(value)) return !number_in(value);
  simdjson::dom::array links;
  if (value.get(links) == simdjson::SUCCESS) return has_next_link(links);
  simdjson::dom::object fields;
  return value.get(fields) == simdjson::SUCCESS &&
         std::any_of(fields.begin(), fields.end(),
                     [](const auto& field) { return states_next(field.key, field.value); });
}

// See stated_items(). Each page has at least one payment.
std::int64_t items_stated_by(std::string_view name, simdjson::dom::element value) {
  constexpr double kItemsMax = 1e12;
  simdjson::dom::object fields;
  if (value.get(fields) == simdjson::SUCCESS) return stated_items(fields);
  const auto number = number_in(value).value_or(0);
  const bool has_some =
      is_one_of(kItemsNames, name) ? number > 0 : is_one_of(kPagesNames, name) && number > 1;
  return has_some ? static_cast<std::int64_t>(std::ceil(std::min(number, kItemsMax))) : 0;
}

// For a page that counts no payments: whether a field holds some nevertheless.
bool holds_amounts(simdjson::dom::element value) {
  simdjson::dom::array list;
  if (value.get(list) == simdjson::SUCCESS)
    for (const auto entry : list) {
      simdjson::dom::object fields;
      if (entry.get(fields) != simdjson::SUCCESS) continue;
      for (const auto field : fields)
        if (is_same_name(field.key, "valor") && has_content(field.value)) return true;
    }
  return holds_payment(value);
}

// For an answer without `pix`: without any content it is a page, too.
bool is_page(simdjson::dom::object fields) {
  bool is_bare = true;
  for (const auto field : fields) {
    if (is_same_name(field.key, "pix") || speaks_of_page(field.key, field.value)) return true;
    is_bare = is_bare && !has_content(field.value);
  }
  return is_bare;
}

}  // namespace

std::string shown_name(std::string_view name) {
  constexpr std::ptrdiff_t kDigitsMax = 4;
  const bool is_name =
      name.size() <= kFieldNameSizeMax &&
      std::count_if(name.begin(), name.end(), is_ascii_digit) <= kDigitsMax &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_ascii_alnum(c) || c == '_' || c == '-'; });
  return is_name ? std::string(name) : "another field";
}

std::int64_t stated_items(simdjson::dom::object fields) {
  std::int64_t items = 0;
  for (const auto field : fields) items = std::max(items, items_stated_by(field.key, field.value));
  return items;
}

void check_nothing(const EmptyPage& page) {
  constexpr const char* kProblem = " has content, and pix has none";
  // First: an error that means "nothing" counts only where there are no payments.
  for (const auto field : page.fields)
    if (!is_same_name(field.key, "pix") &&
        (page.is_counted ? holds_amounts(field.value)
                         : may_be_payments(field.key, field.value, page.has_list)))
      throw UnreadContent(shown_name(field.key) + kProblem);
  for (const auto field : page.fields)
    if (states_next(field.key, field.value) || (page.is_first && items_stated_by(field.key, field.value) > 0))
      throw UnreadContent(shown_name(field.key) + " states that there are payments, and pix has none");
  if (page.is_counted) return;
  for (const auto field : page.fields) {
    if (is_same_name(field.key, "pix")) continue;
    const bool is_said =
        page.has_list ? holds_error(field.key, field.value) : !says_nothing(field.key, field.value);
    if (is_said) throw UnusableAnswer(shown_name(field.key) + kProblem);
  }
  if (!page.has_list && !is_page(page.fields))
    throw UnusableAnswer("pix is missing, and nothing says that the answer is a page");
}

bool is_error(simdjson::dom::element entry) {
  simdjson::dom::object fields;
  return entry.get(fields) == simdjson::SUCCESS &&
         std::any_of(fields.begin(), fields.end(),
                     [](const auto& field) { return says_error(field.key, field.value); });
}

}  // namespace pixledger::workers
