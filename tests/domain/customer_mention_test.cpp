#include <catch2/catch.hpp>

#include "domain/aggregates/customer.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

using namespace domain;

CustomerDetails details_of(std::string_view name) {
  return {parsed<PersonName>(name),
          parsed<Document>("52998224725"),
          parsed<EmailAddress>("Joao.Lima@example.com"),
          parsed<Phone>("5511987654321"),
          {}};
}

std::string_view mention(std::string_view text, std::string_view name = "João dos Santos Lima") {
  return mentioned_in(text, details_of(name)).value_or("nothing");
}

}  // namespace

TEST_CASE("a text that names a customer is distinguished from one that does not") {
  for (const char* text :
       {"João dos Santos Lima pediu", "pedido de JOAO", "LIMA, J.", "o Sr. santos pediu"}) {
    INFO(text);
    CHECK(mention(text) == "name");
  }
  for (const char* text :
       {"pedido do titular, LGPD art. 18", "limas e limoeiros", "um dos titulares", "#4711"}) {
    INFO(text);
    CHECK(mention(text) == "nothing");
  }
  CHECK(mention("wrote: joao.lima@EXAMPLE.com") == "e-mail address");
  CHECK(mention("limão") == "nothing");
}

TEST_CASE("numbers of a customer are found however they are written") {
  CHECK(mention("CPF 529.982.247-25") == "document");
  CHECK(mention("52998224725") == "document");
  CHECK(mention("ligou do (11) 98765-4321") == "phone number");
  CHECK(mention("ligou do 8765 4321") == "phone number");
  CHECK(mention("ticket 529.982, 2026-11-21") == "nothing");
}

TEST_CASE("a CNPJ with letters is found however it is written") {
  auto details = details_of("Padaria");
  details.document = parsed<Document>("12ABC34501DE35");
  CHECK(mentioned_in("CNPJ 12.ABC.345/01DE-35", details) == "document");
  CHECK(mentioned_in("12abc34501de35", details) == "document");
  CHECK_FALSE(mentioned_in("12345 0135", details));
}

TEST_CASE("a name of short words is found as a whole") {
  CHECK(mention("Li Wu pediu", "Li Wu") == "name");
  CHECK(mention("o pedido li", "Li Wu") == "nothing");
  CHECK(mention("pediu Анна", "Анна") == "name");
}

}  // namespace pixledger::tests
