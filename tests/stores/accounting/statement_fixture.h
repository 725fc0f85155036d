#pragma once

#include <string>

#include "stores/accounting/statement.h"
#include "tests/support/domain/sample_values.h"

// Helpers to write statements, and to read them.
namespace pixledger::tests {

using stores::Statement;
using stores::StatementFormat;

inline std::string id(unsigned number) { return sample_end_to_end_id(number).text(); }

inline Statement read(const std::string& text, StatementFormat format = StatementFormat::kCsv,
                      const std::string& zone = "America/Sao_Paulo") {
  return stores::read_statement(text, format, parsed<TimeZone>(zone));
}
inline Statement read_json(const std::string& text) { return read(text, StatementFormat::kPixJson); }

// The problem of the statement.
inline std::string problem_of(const std::string& text, StatementFormat format = StatementFormat::kCsv) {
  try {
    read(text, format);
  } catch (const stores::StatementRefused& error) {
    return error.what();
  }
  return "none";
}

inline std::string ofx(const std::string& transactions) {
  return "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX>\n<BANKTRANLIST>\n" + transactions +
         "</BANKTRANLIST>\n</OFX>\n";
}
inline std::string credit(const std::string& memo, const std::string& amount = "100.00",
                          const std::string& posted = "20260301120000[-3:BRT]",
                          const std::string& fitid = "77") {
  return "<STMTTRN>\n<TRNTYPE>CREDIT\n<DTPOSTED>" + posted + "\n<TRNAMT>" + amount + "\n<FITID>" + fitid +
         "\n<MEMO>" + memo + "\n</STMTTRN>\n";
}
inline Statement read_ofx(const std::string& transactions) {
  return read(ofx(transactions), StatementFormat::kOfx);
}

// A payment as in answers of the API Pix.
inline std::string pix(unsigned number, const std::string& value = "1.00", const std::string& more = "") {
  return R"({"endToEndId":")" + id(number) + R"(","valor":")" + value +
         R"(","horario":"2026-03-01T12:00:00.000Z")" + more + "}";
}
struct Paging {
  int pages = 1, number = 0, payments = 1;
  std::string begin = "2026-03-01";
};
inline std::string page(const std::string& payments, const Paging& paging) {
  return R"({"parametros":{"inicio":")" + paging.begin +
         R"(T00:00:00Z","fim":"2026-03-09T00:00:00Z","paginacao":{"paginaAtual":)" +
         std::to_string(paging.number) + R"(,"itensPorPagina":100,"quantidadeDePaginas":)" +
         std::to_string(paging.pages) + R"(,"quantidadeTotalDeItens":)" + std::to_string(paging.payments) +
         R"(}},"pix":[)" + payments + "]}\n";
}

}  // namespace pixledger::tests
