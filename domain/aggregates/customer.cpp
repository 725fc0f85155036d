#include "domain/aggregates/customer.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>

#include "base/text/ascii.h"

namespace pixledger::domain {
namespace {

struct ApplyToCustomer {
  std::optional<Customer> customer;
  Timestamp at;

  std::optional<Customer> operator()(const CustomerRegistered& event) {
    auto registered = made_of_same_fields<Customer>(event);
    registered.created_at = registered.updated_at = at;
    return registered;
  }
  std::optional<Customer> operator()(const CustomerUpdated& event) {
    if (customer) customer->details = event.details;
    return touched();
  }
  std::optional<Customer> operator()(const CustomerBlocked& event) {
    if (customer)
      customer->block = CustomerBlock{
          .type = event.type, .reason = event.reason, .expires_at = event.expires_at, .blocked_at = at};
    return touched();
  }
  std::optional<Customer> operator()(const CustomerUnblocked&) {
    if (customer) customer->block.reset();
    return touched();
  }

  // Clears the block too, which identifies a person. Registering again makes a new, unblocked customer.
  std::optional<Customer> operator()(const CustomerErased&) {
    if (customer) {
      customer->details.reset();
      customer->block.reset();
      customer->erased_at = at;
    }
    return touched();
  }

  std::optional<Customer> touched() {
    if (customer) customer->updated_at = at;
    return std::move(customer);
  }
};

template <class T>
void keep_if_absent(std::optional<T>& given, const std::optional<T>& known) {
  if (!given) given = known;
}

}  // namespace

bool is_blocked(const Customer& customer, Timestamp now) {
  return customer.block && (!customer.block->expires_at || now < *customer.block->expires_at);
}

CustomerDetails merged(const std::optional<CustomerDetails>& known, CustomerDetails given) {
  if (!known) return given;
  auto& address = given.address;
  keep_if_absent(address.street, known->address.street);
  keep_if_absent(address.street_number, known->address.street_number);
  keep_if_absent(address.neighborhood, known->address.neighborhood);
  keep_if_absent(address.complement, known->address.complement);
  keep_if_absent(address.zip_code, known->address.zip_code);
  keep_if_absent(address.city, known->address.city);
  keep_if_absent(address.state, known->address.state);
  keep_if_absent(address.country, known->address.country);
  given.metadata = known->metadata;
  return given;
}

std::optional<Customer> apply(std::optional<Customer> customer, const CustomerEvent& event, Timestamp at) {
  return std::visit(ApplyToCustomer{std::move(customer), at}, event);
}

namespace {

constexpr std::size_t kWordMin = 3;
constexpr std::array<std::string_view, 5> kJoining{"dos", "das", "del", "von", "van"};
// A number without country and area code, which callers may omit.
constexpr std::size_t kSubscriberDigits = 8;

// The words of a folded text, split at spaces and punctuation.
std::set<std::string_view> words_of(std::string_view folded) {
  const auto is_of_word = [](char c) { return is_ascii_alnum(c) || static_cast<unsigned char>(c) >= 0x80; };
  std::set<std::string_view> words;
  for (std::size_t begin = 0; begin < folded.size();) {
    auto end = begin;
    while (end < folded.size() && is_of_word(folded[end])) ++end;
    if (end > begin) words.insert(folded.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool tells(std::string_view word) {
  return count_characters(word) >= kWordMin &&
         std::find(kJoining.begin(), kJoining.end(), word) == kJoining.end();
}

bool names(std::string_view folded, const PersonName& name) {
  const auto folded_name = fold(name.text());
  const auto words = words_of(folded);
  const auto of_name = words_of(folded_name);
  // A name without a long word, such as "Li Wu", matches only as a whole.
  if (std::none_of(of_name.begin(), of_name.end(), tells))
    return folded.find(folded_name) != std::string_view::npos;
  return std::any_of(of_name.begin(), of_name.end(),
                     [&](std::string_view word) { return tells(word) && words.count(word) > 0; });
}

std::string only(bool (&belongs)(char), std::string_view text) {
  std::string kept;
  std::copy_if(text.begin(), text.end(), std::back_inserter(kept), belongs);
  return kept;
}

}  // namespace

std::optional<std::string_view> mentioned_in(std::string_view text, const CustomerDetails& details) {
  const auto has = [](const std::string& whole, std::string_view part) {
    return whole.find(part) != std::string::npos;
  };
  const auto folded = fold(text);
  const auto digits = only(is_ascii_digit, folded);
  if (has(folded, fold(details.email.text()))) return "e-mail address";
  const std::string& document = details.document.text();
  // An alphanumeric CNPJ has letters besides digits.
  if (has(digits, document) || has(only(is_ascii_alnum, folded), fold(document))) return "document";
  const std::string_view phone = details.phone.text();
  if (has(digits, phone.substr(phone.size() - kSubscriberDigits))) return "phone number";
  if (names(folded, details.name)) return "name";
  return std::nullopt;
}

}  // namespace pixledger::domain
