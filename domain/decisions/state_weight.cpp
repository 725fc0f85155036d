#include "domain/decisions/state_weight.h"

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

// States with `fields` are weighed by all of them; for the others each text and list is listed here.
namespace pixledger::domain {
namespace {

template <class T>
concept WithoutMemory = std::is_trivially_copyable_v<T>;

template <class T>
concept Text = requires(const T& value) {
  { value.text() } -> std::same_as<const std::string&>;
};

template <class T>
concept WithFields = Described<T> && !WithoutMemory<T>;

std::size_t bytes_of(const std::string& text);
std::size_t bytes_of(const Metadata& metadata);
std::size_t bytes_of(const SealedSecret& secret);
std::size_t bytes_of(const BlocklistEntry& entry);
std::size_t bytes_of(const Channel::RetiringSecret& retiring);
template <WithoutMemory T>
std::size_t bytes_of(const T&);
template <Text T>
std::size_t bytes_of(const T& value);
template <WithFields T>
std::size_t bytes_of(const T& value);
template <class T>
std::size_t bytes_of(const std::optional<T>& value);
template <class T>
std::size_t bytes_of(const std::vector<T>& list);

template <class... T>
std::size_t bytes_of_all(const T&... values) {
  return (bytes_of(values) + ...);
}

std::size_t bytes_of(const std::string& text) {
  static const std::size_t kHeldInside = std::string().capacity();
  return text.capacity() > kHeldInside ? text.capacity() + 1 : 0;
}

std::size_t bytes_of(const Metadata& metadata) { return metadata.memory_bytes(); }

std::size_t bytes_of(const SealedSecret& secret) { return bytes_of(secret.bytes); }

std::size_t bytes_of(const BlocklistEntry& entry) {
  const auto value =
      entry.value ? std::visit([](const auto& held) { return bytes_of(held); }, *entry.value) : 0;
  return value + bytes_of_all(entry.id, entry.reason);
}

std::size_t bytes_of(const Channel::RetiringSecret& retiring) { return bytes_of(retiring.secret); }

template <WithoutMemory T>
std::size_t bytes_of(const T&) {
  return 0;
}

template <Text T>
std::size_t bytes_of(const T& value) {
  return bytes_of(value.text());
}

template <WithFields T>
std::size_t bytes_of(const T& value) {
  return with_fields<T>([&](const auto&... fields) { return bytes_of_all(fields.of(value)...); });
}

template <class T>
std::size_t bytes_of(const std::optional<T>& value) {
  return value ? bytes_of(*value) : 0;
}

template <class T>
std::size_t bytes_of(const std::vector<T>& list) {
  std::size_t bytes = list.capacity() * sizeof(T);
  for (const auto& element : list) bytes += bytes_of(element);
  return bytes;
}

struct BytesBeside {
  std::size_t operator()(const Project& project) const {
    return bytes_of_all(project.id, project.settings, project.connections, project.live_default,
                        project.sandbox_default);
  }
  std::size_t operator()(const ApiKey& key) const {
    return bytes_of_all(key.id, key.project, key.allowed_callers, key.name);
  }
  std::size_t operator()(const Channel& channel) const {
    return bytes_of_all(channel.id, channel.project, channel.name, channel.url, channel.secret,
                        channel.secret_hint, channel.retiring_secrets, channel.checkout_session);
  }
  std::size_t operator()(const Blocklist& blocklist) const { return bytes_of(blocklist.entries); }
  std::size_t operator()(const Customer& customer) const { return bytes_of(customer); }
  std::size_t operator()(const Charge& charge) const { return bytes_of(charge); }
  std::size_t operator()(const UnmatchedPayment& payment) const { return bytes_of(payment); }
  std::size_t operator()(const CheckoutSession& session) const { return bytes_of(session); }
  std::size_t operator()(const Team& team) const { return bytes_of(team); }
  std::size_t operator()(const BankConnection& connection) const {
    return bytes_of_all(connection.id, connection.project, connection.configuration, connection.callback_url);
  }
};

}  // namespace

std::size_t bytes_beside(const AggregateState& state) { return std::visit(BytesBeside(), state); }

std::size_t weight_of(const AggregateState* state) {
  return 1 + (state ? bytes_beside(*state) / kBytesOfWeight : 0);
}

}  // namespace pixledger::domain
