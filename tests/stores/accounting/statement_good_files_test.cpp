// Valid, complete statements in the forms of banks, and files made to be slow.
#include <catch2/catch.hpp>

#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::size_t kFileBytes = std::size_t{8} << 20;

std::string repeated(const std::string& part, std::size_t bytes = kFileBytes) {
  std::string text;
  text.reserve(bytes + part.size());
  while (text.size() < bytes) text += part;
  return text;
}

// Converts Latin letters to Windows-1252.
std::string in_latin(const std::string& utf8) {
  std::string text;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte == 0xC3 && i + 1 < utf8.size())
      text += static_cast<char>(static_cast<unsigned char>(utf8[++i]) + 0x40U);
    else
      text += utf8[i];
  }
  return text;
}

struct GoodFile {
  std::string text;
  std::size_t lines = 0, returns = 0;
};

}  // namespace

TEST_CASE("tables in the forms of banks are read whole, without a warning") {
  const std::vector<GoodFile> files{
      // Two columns, balances, a total of both columns, and a second part.
      {"Extrato de: Ag: 1234 | Conta: 56789-0\nData;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$);\n"
       "01/03/2026;SALDO ANTERIOR;;;;1.000,00;\n"
       "01/03/2026;TRANSFERENCIA PIX REM: ANA LIMA 01/03;1234567;100,00;;1.100,00;\n"
       "01/03/2026;TRANSFERENCIA PIX DES: BIA 01/03;1234568;;-40,00;1.060,00;\n"
       "01/03/2026;TAR PIX;1;;-1,00;1.059,00;\n;;Total;100,00;-41,00;1.059,00;\n",
       1, 1},
      // A heading of totals above the table's own.
      {"INITIAL_BALANCE;CREDITS;DEBITS;FINAL_BALANCE\n925,43;150,00;-10,00;1.065,43\n\n"
       "RELEASE_DATE;TRANSACTION_TYPE;REFERENCE_ID;TRANSACTION_NET_AMOUNT;PARTIAL_BALANCE\n"
       "01-03-2026;Pix recebido Fulano;148382131098;150,00;1.075,43\n"
       "01-03-2026;Pix enviado Bia;148382131099;-10,00;1.065,43\n",
       1, 1},
      // "-" in the empty cell of a pair.
      {"Data;Descrição;Crédito;Débito;Saldo\n01/03/2026;Pix ANA;19,90;-;119,90\n"
       "02/03/2026;Pix BIA;R$ -;9,00;110,90\n",
       1, 1},
      // The payer's words behind the bank's.
      {"Data;Historico;Valor\n01/03/2026;Pix recebido ANA devolução almoço;19,90\n"
       "02/03/2026;Pix enviado BIA;-9,00\n",
       1, 1},
      // The day, text and amount alone.
      {"data,lançamento,valor\n01/03/2026,PIX TRANSF ANA L01/03,\"100,00\"\n"
       "01/03/2026,PIX QRS LOJA BIA01/03,\"-5,00\"\n01/03/2026,SALDO TOTAL DISPONÍVEL DIA,\"95,00\"\n",
       1, 1},
      // With a column for the way, in words.
      {"\"Data\",\"Lançamento\",\"Detalhes\",\"N° documento\",\"Valor\",\"Tipo Lançamento\"\n"
       "\"27/02/2026\",\"Saldo Anterior\",\"\",\"\",\"1.000,00\",\"\"\n"
       "\"02/03/2026\",\"Pix - Recebido\",\"02/03 10:00 52998224725 ANA\",\"1\",\"100,00\",\"Entrada\"\n"
       "\"02/03/2026\",\"Pix - Enviado\",\"02/03 11:00 BIA\",\"2\",\"-9,00\",\"Saída\"\n"
       "\"02/03/2026\",\"Tarifa Pix Recebido QR Code\",\"\",\"3\",\"-0,99\",\"Saída\"\n"
       "\"00/00/0000\",\"Saldo do dia\",\"\",\"\",\"1.090,01\",\"\"\n"
       "\"31/03/2026\",\"S A L D O\",\"\",\"\",\"1.090,01\",\"\"\n",
       1, 1},
      // Letters for the way, and days without separators.
      {"\"Conta\";\"Data_Mov\";\"Nr_Doc\";\"Historico\";\"Valor\";\"Deb_Cred\"\n"
       "\"1\";\"20260302\";\"021000\";\"CRED PIX\";\"100.00\";\"C\"\n"
       "\"1\";\"20260302\";\"021001\";\"ENVIO PIX\";\"9.00\";\"D\"\n"
       "\"1\";\"20260302\";\"021002\";\"DEB CESTA\";\"30.00\";\"D\"\n"
       "\"1\";\"20260302\";\"000000\";\"SALDO DIA\";\"1061.00\";\"C\"\n",
       1, 1},
      {" Extrato Conta Corrente \nConta ;123\nPeríodo ;01/03/2026 a 31/03/2026\nSaldo ;1.000,00\n\n"
       "Data Lançamento;Histórico;Descrição;Valor;Saldo\n"
       "02/03/2026;Pix recebido;ANA LIMA;100,00;1.100,00\n02/03/2026;Pix enviado;BIA;-9,00;1.091,00\n"
       "02/03/2026;Pix enviado devolvido;BIA;9,00;1.100,00\n",
       1, 1},
      {"Data,Valor,Identificador,Descrição\n"
       "02/03/2026,100.00,65a1-b2,Transferência recebida pelo Pix - ANA - •••.982.247-•• - BANCO (0001)\n"
       "02/03/2026,-9.00,65a1-b3,Transferência enviada pelo Pix - BIA\n02/03/2026,-5.00,65a1-b4,Compra no "
       "débito\n"
       "02/03/2026,9.00,65a1-b5,Reembolso: estorno de Pix\n",
       1, 1},
      {"DATA;DOCUMENTO;HISTÓRICO;VALOR\n02/03/2026;Pix;PIX RECEB.OUTRA IF;100,00C\n;;Recebimento Pix;\n"
       ";;ANA LIMA;\n02/03/2026;Pix;PIX EMIT.OUTRA IF;9,00D\n;;Pagamento Pix;\n02/03/2026;;SALDO DO "
       "DIA;1.091,00C\n"
       "RESUMO;;;\n(+) SALDO EM CONTA;;;1.091,00C\n(-) TARIFAS;;;0,00D\nCPMF;;;0,00\nOUVIDORIA: 0800 725 "
       "0996;;;\n",
       1, 1},
      {"Associado:;ANA\nConta:;12345-6\n\nExtrato\n\nData;Descrição;Documento;Valor (R$);Saldo (R$)\n"
       ";SALDO ANTERIOR;;;1.000,00\n02/03/2026;RECEBIMENTO PIX 52998224725 ANA;PIX_CRED;100,00;1.100,00\n"
       "02/03/2026;PAGAMENTO PIX 52998224725 BIA;PIX_DEB;-9,00;1.091,00\n\nSaldo da Conta\n"
       ";Saldo;;;1.091,00\n;Limite Cheque Especial;;;5.000,00\n;Capital social;;;100,00\n"
       ";Lançamentos futuros;;;0,00\n",
       1, 1},
      {"RELEASE_DATE;TRANSACTION_TYPE;REFERENCE_ID;AMOUNT;DATE\n"
       "02-03-2026;Transferência Pix recebida ANA;1;100,00;02-03-2026\n"
       "02-03-2026;Transferência Pix enviada BIA;2;-9,00;02-03-2026\n",
       1, 1},
      {"Tipo;Natureza;Data;Valor;EndToEndId\nQR;Pix;02/03/2026;100,00;" + id(1) +
           "\nQR;Transferência;02/03/2026;50,00;" + id(2) + "\n;;;;\nQuantidade de registros: 2;;;;\n",
       2, 0},
      {"Data\tDescrição\tValor\n02/03/2026\tPIX RECEBIDO - Parcela 2 enviada " + id(1) +
           "\t100,00\n02/03/2026\tEstorno de tarifa Pix\t1,00\n02/03/2026\tPix enviado recusado BIA\t9,00\n",
       1, 0}};
  for (const auto& file : files) {
    CAPTURE(file.text);
    const auto whole = file.text.substr(0, file.text.size() - 1);
    for (const auto& text : {file.text, whole, "\xEF\xBB\xBF" + file.text, in_latin(file.text)}) {
      const auto statement = read(text);
      CHECK(statement.lines.size() == file.lines);
      CHECK(statement.returns.size() == file.returns);
      CHECK(statement.warnings.empty());
    }
    // Two exports in one file.
    CHECK(problem_of(file.text + file.text) == "none");
  }
}

TEST_CASE("OFX in the forms of banks is read whole, without a warning") {
  const std::string begin =
      "<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS></SONRS>"
      "</SIGNONMSGSRSV1>\n<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>BRL\n<BANKTRANLIST>"
      "<DTSTART>20260301100000[-03:EST]\n<DTEND>20260331100000[-03:EST]\n";
  const std::string end =
      "</BANKTRANLIST>\n<LEDGERBAL><BALAMT>1.00<DTASOF>20260331</LEDGERBAL></STMTRS></STMTTRNRS>"
      "</BANKMSGSRSV1></OFX>\n";
  const std::string entries =
      credit("Pix recebido ANA") + credit("PIX ENVIADO BIA", "-9.00") +
      credit("Estorno Pix enviado", "9.00") + credit("Tarifa", "-1.00") +
      credit("SALDO DO DIA", "99999999999.00") + credit("Compra", "") +
      "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260305<TRNAMT>1947.10<FITID>51<NAME>Pix - "
      "Recebido<MEMO>05/08 GABRIEL</STMTTRN>\n"
      "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260305<TRNAMT>19.90<FITID>52<MEMO>Pix recebido "
      "ANA</STMTTRN>\n";
  for (const auto& text :
       {begin + entries + end, "OFXHEADER:100\r\nDATA:OFXSGML\r\n\r\n" + begin + entries + end,
        begin + entries + "</BANKTRANLIST>\n"}) {
    CAPTURE(text);
    const auto statement = read(text, StatementFormat::kOfx);
    CHECK(statement.lines.size() == 3);
    CHECK(statement.returns.size() == 1);
    CHECK(statement.windows.size() == 1);
    CHECK(statement.warnings.empty());
  }
}

TEST_CASE("a file of eight megabytes that repeats one thing is read or refused like a short one", "[large]") {
  const std::string begin = "<OFX><BANKTRANLIST>", end = "</BANKTRANLIST></OFX>";
  for (const std::string part : {"<STATUS>", "<BANKTRANLIST/>", "<DTSTART>", "<", "<STMTRS>", "\n"}) {
    CAPTURE(part);
    CHECK(read("<OFX>" + repeated(part) + begin.substr(5) + end, StatementFormat::kOfx).lines.empty());
  }
  CHECK(problem_of("<OFX>" + repeated("<BANKTRANLIST>"), StatementFormat::kOfx)
            .find("has no </BANKTRANLIST>") != std::string::npos);
  CHECK(problem_of(begin + repeated("<STMTTRN>") + end, StatementFormat::kOfx).find("TRNAMT") !=
        std::string::npos);
  const auto pix_of = [&](const std::string& memo) { return begin + credit("PIX " + memo) + end; };
  CHECK(read(pix_of(repeated("[GMT")), StatementFormat::kOfx).lines.size() == 1);
  CHECK(problem_of(begin + credit("PIX", "1.00", "20260301120000" + repeated("[GMT")) + end,
                   StatementFormat::kOfx)
            .find("DTPOSTED") != std::string::npos);

  const auto mark = std::string("\xEF\xBB\xBF");
  CHECK(read_json("[" + repeated(mark + "{},") + page(pix(1), {}) + "]").lines.size() == 1);
  CHECK(problem_of(repeated(mark), StatementFormat::kPixJson) != "none");

  const std::string table = "Data;Historico;Valor\n01/03/2026;Pix " + id(1) + ";1,00\n";
  for (const std::string part : {"Total de registros: 1\n", "Total;1,00\n", "\n", "Data;Historico;Valor\n"}) {
    CAPTURE(part);
    CHECK(read(table + repeated(part)).lines.size() == 1);
  }
  CHECK(problem_of(table + repeated(";")).find("has more than 1000 cells") != std::string::npos);
  CHECK(problem_of(table + "01/03/2026;Pix;" + repeated("R$") + "\n").find("line 3: column 3") !=
        std::string::npos);
  CHECK(problem_of(table + "01/03/2026;Pix;1" + repeated("R$x")).find("line 3: column 3") !=
        std::string::npos);
}
