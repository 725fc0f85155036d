#include <catch2/catch.hpp>

#include "base/http/message/reply.h"

using namespace pixledger;

using pixledger::http::without_paths;

TEST_CASE("directories, and nothing else, are left out of public texts") {
  CHECK(without_paths("no space left in /var/lib/pixledger/ledger, look there") ==
        "no space left in …/ledger, look there");
  CHECK(without_paths("/data: Input/output error") == "…/data: Input/output error");
  CHECK(without_paths("cannot open \"/data/views/lock\" (/data)") == "cannot open \"…/lock\" (…/data)");
  CHECK(without_paths("file=/x ends with /") == "file=…/x ends with /");
  CHECK(without_paths("3 / 4, and/or") == "3 / 4, and/or");
  CHECK(without_paths("").empty());
}
