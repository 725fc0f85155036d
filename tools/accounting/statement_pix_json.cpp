#include <algorithm>
#include <simdjson.h>

#include "domain/aggregates/project.h"
#include "eventstore/process/options.h"
#include "tools/accounting/statement_formats.h"

// What the API Pix of Banco Central answers to GET /pix: `pix`, a list of payments, and
// `parametros.paginacao`, which tells how many pages there are. One file holds all of them, one after the
// other.
namespace pixledger::tools {
namespace {

using eventstore::UsageError;
using simdjson::dom::element;

// What a static code without a txid carries in its place.
constexpr std::string_view kNoTxid = "***";

[[noreturn]] void refuse(const std::string& problem) { throw UsageError("the statement" + problem); }

class Reader {
 public:
  Statement run(std::string_view text) {
    simdjson::dom::parser parser;
    const simdjson::padded_string padded(text);
    simdjson::dom::document_stream pages;
    if (parser.parse_many(padded, padded.size() + 1).get(pages) != simdjson::SUCCESS) refuse(" is not JSON");
    for (const auto page : pages) {
      element answer;
      if (page.get(answer) != simdjson::SUCCESS)
        refuse(" is not JSON, from page " + std::to_string(pages_ + 1) + " on");
      read_page(answer);
    }
    if (pages.truncated_bytes() > 0) refuse(" ends within page " + std::to_string(pages_ + 1));
    if (pages_ == 0) refuse(" is empty");
    if (pages_ < pages_due_)
      refuse(" has " + std::to_string(pages_) + " of " + std::to_string(pages_due_) +
             " pages: write all of them into one file, one after the other");
    return std::move(statement_);
  }

 private:
  void read_page(element page) {
    ++pages_;
    simdjson::dom::array payments;
    if (page["pix"].get(payments) != simdjson::SUCCESS)
      refuse(" is no answer to GET /pix: page " + std::to_string(pages_) + " has no list pix");
    std::uint64_t due = 0;
    if (page["parametros"]["paginacao"]["quantidadeDePaginas"].get(due) == simdjson::SUCCESS)
      pages_due_ = std::max(pages_due_, due);
    for (const element payment : payments) statement_.lines.push_back(read_payment(payment));
  }

  StatementLine read_payment(element payment) {
    const auto number = statement_.lines.size() + 1;
    const auto at = "'s payment " + std::to_string(number) + ": ";
    const auto text = [&](const char* name) {
      std::string_view value;
      if (payment[name].get(value) != simdjson::SUCCESS) refuse(at + name + " must be a text");
      return value;
    };
    const auto id = domain::EndToEndId::parse(text("endToEndId"));
    if (!id) refuse(at + "endToEndId " + std::string(domain::EndToEndId::kRule));
    const auto amount = parse_reais(text("valor"));
    if (!amount || *amount < 1 || *amount > domain::kAmountCentsMax)
      refuse(at + "valor must be an amount in reais, such as 19.90");
    const auto paid_at = domain::parse_iso8601(text("horario"));
    if (!paid_at) refuse(at + "horario must be a time, such as 2026-01-31T12:00:00Z");
    std::string_view txid;
    if (payment["txid"].get(txid) != simdjson::SUCCESS || txid == kNoTxid) txid = {};
    return {number, *id, domain::Cents(*amount), *paid_at, std::string(txid)};
  }

  Statement statement_;
  std::uint64_t pages_ = 0;
  std::uint64_t pages_due_ = 0;
};

}  // namespace

Statement read_pix_json_statement(std::string_view text) { return Reader().run(text); }

}  // namespace pixledger::tools
