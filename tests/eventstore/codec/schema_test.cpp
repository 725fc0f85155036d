#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>

#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"
#include "eventstore/codec/flat_bytes.h"
#include "tests/support/paths.h"

// Compares the description of events' fields with events.fbs, from which encoder and verifier are generated.
using namespace pixledger;

namespace {

std::string schema() {
  std::ifstream file(tests::source_file("eventstore/codec/events.fbs"));
  std::string text(std::istreambuf_iterator<char>(file), {});
  return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

// "name: type" of each field of a table, in order.
std::vector<std::string> fields_of_table(const std::string& schema, const std::string& table) {
  std::smatch found;
  const std::regex body("table " + table + " \\{([^}]*)\\}");
  if (!std::regex_search(schema, found, body)) return {"no such table"};
  std::istringstream lines(found[1].str());
  std::vector<std::string> fields;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (!line.empty()) fields.push_back(line.substr(0, line.find(';')));
  }
  return fields;
}

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
constexpr bool kIsList = false;
template <class T>
constexpr bool kIsList<std::vector<T>> = true;

template <class T>
const char* const kTableOf = nullptr;
template <>
const char* const kTableOf<domain::StoreSettings> = "StoreSettings";
template <>
const char* const kTableOf<domain::Connection> = "Connection";
template <>
const char* const kTableOf<domain::ApiPix> = "ApiPix";
template <>
const char* const kTableOf<domain::BankConfiguration> = "BankConfiguration";
template <>
const char* const kTableOf<domain::CertificateFacts> = "CertificateFacts";

template <class T>
std::string table_of() {
  return kTableOf<T>;
}

// The name of the type in events.fbs.
template <class T>
std::string type_of() {
  if constexpr (kIsOptional<T>) {
    const auto type = type_of<typename T::value_type>();
    const auto mark = type.find(" (required)");
    return mark == std::string::npos ? type + " = null" : type.substr(0, mark);
  } else if constexpr (kIsList<T>) {
    if constexpr (domain::Described<typename T::value_type>)
      return "[" + table_of<typename T::value_type>() + "] (required)";
    else
      return "[string]";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_integral_v<T>) {
    return std::string(std::is_signed_v<T> ? "" : "u") + (sizeof(T) == 8 ? "long" : "int");
  } else if constexpr (std::is_enum_v<T>) {
    return "ubyte";
  } else if constexpr (std::is_same_v<T, Timestamp> || std::is_same_v<T, domain::Cents>) {
    return "long";
  } else if constexpr (requires { T::from_bits(1U); }) {
    return "uint";
  } else if constexpr (std::is_same_v<T, domain::SealedSecret> || std::is_same_v<T, domain::ApiKeyHash>) {
    return "[ubyte] (required)";
  } else if constexpr (domain::Described<T>) {
    return table_of<T>() + " (required)";
  } else {
    return "string (required)";
  }
}

template <class T>
std::vector<std::string> described_fields() {
  std::vector<std::string> fields;
  domain::for_each_field<T>([&]<class Field>(const Field& field) {
    if (domain::is_stored_with_facts(Field::kKind))
      fields.push_back(eventstore::StoredName::of(field).text() + ": " + type_of<typename Field::Value>());
  });
  return fields;
}

}  // namespace

TEST_CASE("each event's fields are those of its table in events.fbs, in its order") {
  const auto text = schema();
  domain::for_each_event_kind([&]<class Event>() {
    const auto name = std::string(domain::kind_of<Event>().name);
    INFO(name);
    CHECK(described_fields<Event>() == fields_of_table(text, name));
  });
  CHECK(described_fields<domain::StoreSettings>() == fields_of_table(text, "StoreSettings"));
  CHECK(described_fields<domain::Connection>() == fields_of_table(text, "Connection"));
  CHECK(described_fields<domain::ApiPix>() == fields_of_table(text, "ApiPix"));
  CHECK(described_fields<domain::BankConfiguration>() == fields_of_table(text, "BankConfiguration"));
  CHECK(described_fields<domain::CertificateFacts>() == fields_of_table(text, "CertificateFacts"));
}

TEST_CASE("each kind of event has the number of its name in events.fbs") {
  std::smatch found;
  const auto text = schema();
  REQUIRE(std::regex_search(text, found, std::regex("enum EventType : ushort \\{([^}]*)\\}")));
  std::map<std::string, int> stored;
  const auto body = found[1].str();
  const std::regex entry("(\\w+) = (\\d+)");
  for (std::sregex_iterator it(body.begin(), body.end(), entry); it != std::sregex_iterator(); ++it)
    stored[(*it)[1]] = std::stoi((*it)[2]);
  stored.erase("None");
  std::map<std::string, int> described;
  domain::for_each_event_kind([&]<class Event>() {
    const auto& kind = domain::kind_of<Event>();
    described[std::string(kind.name)] = kind.number;
  });
  CHECK(described == stored);
}
