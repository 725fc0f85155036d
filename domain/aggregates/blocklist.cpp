#include "domain/aggregates/blocklist.h"

#include "base/text/ascii.h"
#include "base/text/enum_names.h"

namespace pixledger::domain {
namespace {

constexpr EnumNames<FraudType::kBlockedCustomer, FraudType::kBlocklistDocument> kFraudTypeNames{
    "blocked_customer", "blocklist_ip", "blocklist_email", "blocklist_document"};

struct TypeOf {
  std::string_view operator()(const IpAddress&) const { return "ip"; }
  std::string_view operator()(const Cidr&) const { return "cidr"; }
  std::string_view operator()(const EmailAddress&) const { return "email"; }
  std::string_view operator()(const Document&) const { return "document"; }
};

struct TextOf {
  std::string operator()(const IpAddress& value) const { return value.text(); }
  std::string operator()(const Cidr& value) const { return value.text(); }
  std::string operator()(const EmailAddress& value) const { return value.text(); }
  std::string operator()(const Document& value) const { return value.text(); }
};

bool is_same(const IpAddress& a, const IpAddress& b) { return a.unmapped() == b.unmapped(); }

// Avoids fold(), which allocates: every charge scans the whole list, and addresses are ASCII.
bool is_same(const EmailAddress& a, const EmailAddress& b) { return equal_without_case(a.text(), b.text()); }

struct SameAs {
  const BlocklistValue& other;

  bool operator()(const IpAddress& value) const {
    const auto* ip = std::get_if<IpAddress>(&other);
    return ip && is_same(*ip, value);
  }
  bool operator()(const Cidr& value) const { return other == BlocklistValue(value); }
  bool operator()(const EmailAddress& value) const {
    const auto* email = std::get_if<EmailAddress>(&other);
    return email && is_same(*email, value);
  }
  bool operator()(const Document& value) const { return other == BlocklistValue(value); }
};

struct Payer {
  const Document& document;
  const EmailAddress& email;
  const std::optional<IpAddress>& ip;

  bool operator()(const IpAddress& value) const { return ip && is_same(*ip, value); }
  bool operator()(const Cidr& value) const { return ip && value.contains(*ip); }
  bool operator()(const EmailAddress& value) const { return is_same(email, value); }
  bool operator()(const Document& value) const { return document == value; }
};

template <class Named>
const BlocklistEntry* find_first(const Blocklist& blocklist, const Named& named) {
  for (const auto& entry : blocklist.entries) {
    if (entry.value && std::visit(named, *entry.value)) return &entry;
  }
  return nullptr;
}

struct ApplyToBlocklist {
  Blocklist list;
  Timestamp at;

  std::optional<Blocklist> operator()(const BlocklistEntryAdded& event) {
    list.entries.push_back({.id = event.id, .value = event.value, .reason = event.reason, .created_at = at});
    return std::move(list);
  }
  std::optional<Blocklist> operator()(const BlocklistEntryRemoved& event) {
    list.entries.erase(std::remove_if(list.entries.begin(), list.entries.end(),
                                      [&](const BlocklistEntry& entry) { return entry.id == event.id; }),
                       list.entries.end());
    return std::move(list);
  }
};

template <class T>
std::optional<BlocklistValue> as_value(std::optional<T> parsed) {
  if (!parsed) return std::nullopt;
  return BlocklistValue(std::move(*parsed));
}

}  // namespace

std::string_view type_of(const BlocklistValue& value) { return std::visit(TypeOf{}, value); }
std::string text_of(const BlocklistValue& value) { return std::visit(TextOf{}, value); }

std::optional<BlocklistValue> parse_blocklist_value(std::string_view type, std::string_view value) {
  if (type == "ip") return as_value(IpAddress::parse(value));
  if (type == "cidr") return as_value(Cidr::parse(value));
  if (type == "email") return as_value(EmailAddress::parse(value));
  if (type == "document") return as_value(Document::parse(value));
  return std::nullopt;
}

const BlocklistEntry* find_entry(const Blocklist& blocklist, const BlocklistValue& value) {
  return find_first(blocklist, SameAs{value});
}

const BlocklistEntry* find_hit(const Blocklist& blocklist, const Document& document,
                               const EmailAddress& email, const std::optional<IpAddress>& ip) {
  return find_first(blocklist, Payer{document, email, ip});
}

std::optional<Blocklist> apply(std::optional<Blocklist> blocklist, const BlocklistEvent& event,
                               Timestamp at) {
  return std::visit(ApplyToBlocklist{blocklist ? std::move(*blocklist) : Blocklist{}, at}, event);
}

std::string_view to_string(FraudType type) { return kFraudTypeNames.of(type); }

}  // namespace pixledger::domain
