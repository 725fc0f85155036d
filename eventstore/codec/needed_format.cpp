#include "eventstore/codec/needed_format.h"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "base/text/ascii.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/field.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/ledger_log.h"

// What release 0.1.0 can read; it wrote format 1. Frozen. That release reports an event as damaged if it does
// not know its kind, or if it rejects its stream or one of its fields. It ignores unknown fields.
namespace pixledger::eventstore {
namespace {

constexpr std::array<std::uint16_t, 30> kKindsOfFormat1{1,  2,  10, 11, 12, 20, 21, 22, 23, 24,
                                                        25, 26, 27, 30, 31, 40, 41, 42, 43, 60,
                                                        61, 62, 63, 64, 65, 66, 67, 68, 69, 80};
constexpr std::array kStreamsOfFormat1{domain::StreamKind::kProject,  domain::StreamKind::kApiKey,
                                       domain::StreamKind::kChannel,  domain::StreamKind::kBlocklist,
                                       domain::StreamKind::kCustomer, domain::StreamKind::kCharge,
                                       domain::StreamKind::kRefusals};
constexpr std::uint32_t kWebhookEventsOfFormat1 = (1U << 6) - 1;
constexpr std::size_t kInstitutionAt = 1;
constexpr std::size_t kInstitutionSize = 8;

template <class List, class Value>
bool holds(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool is_stream_of_format_1(const domain::StreamName& stream) {
  return holds(kStreamsOfFormat1, stream.kind()) && stream.environment() != domain::Environment::kSandbox;
}

bool has_capital(std::string_view text) { return std::any_of(text.begin(), text.end(), is_ascii_upper); }

// Whether release 0.1.0 accepts the values of an event's fields.
struct FormOf1 {
  template <class T>
  bool operator()(const T& value) const {
    if constexpr (std::is_class_v<T> && domain::Described<T>) {
      bool all = true;
      const auto check = [&](const auto& field) {
        if (!(*this)(field.of(value))) all = false;
      };
      domain::for_each_field<T>(check);
      return all;
    } else {
      return true;
    }
  }
  template <class T>
  bool operator()(const std::optional<T>& value) const {
    return !value || (*this)(*value);
  }
  template <class T>
  bool operator()(const std::vector<T>& values) const {
    return std::all_of(values.begin(), values.end(), *this);
  }
  template <class... Kinds>
  bool operator()(const std::variant<Kinds...>& value) const {
    return std::visit(*this, value);
  }

  bool operator()(const domain::Event& event) const { return std::visit(*this, event); }

  // Digits only: a CNPJ may contain letters since July 2026.
  bool operator()(const domain::Document& document) const { return !has_capital(document.text()); }
  bool operator()(const domain::PixKey& key) const { return !has_capital(key.text()); }
  bool operator()(const domain::CustomerDetails& customer) const { return (*this)(customer.document); }
  bool operator()(const domain::EndToEndId& id) const {
    return id.has_usual_form() &&
           all_ascii_digits(std::string_view(id.text()).substr(kInstitutionAt, kInstitutionSize));
  }
  bool operator()(const domain::WebhookEventSet& events) const {
    return (events.bits() & ~kWebhookEventsOfFormat1) == 0;
  }
};

}  // namespace

std::uint32_t needed_format(const domain::RecordedEvent& event) {
  const bool is_kind_of_1 = holds(kKindsOfFormat1, domain::kind_of(event.event).number);
  if (is_kind_of_1 && is_stream_of_format_1(event.stream) && FormOf1()(event.event))
    return kLedgerFormatVersion;
  return kLedgerFormat;
}

std::uint32_t needed_format_of_stored(const StoredEvent& stored) {
  try {
    return needed_format(decode(stored));
  } catch (const std::runtime_error&) {
    return kLedgerFormat;
  }
}

}  // namespace pixledger::eventstore
