#include "domain/decisions/state_weight.h"

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

namespace pixledger::domain {
namespace {

// What has no memory of its own.
template <class T>
  requires std::is_trivially_copyable_v<T>
std::size_t bytes_of(const T&) {
  return 0;
}

std::size_t bytes_of(const std::string& text) {
  static const std::size_t kHeldInside = std::string().capacity();
  return text.capacity() > kHeldInside ? text.capacity() + 1 : 0;
}

template <class T>
  requires requires(const T& value) {
    { value.text() } -> std::same_as<const std::string&>;
  }
std::size_t bytes_of(const T& value) {
  return bytes_of(value.text());
}

std::size_t bytes_of(const Metadata& metadata) { return metadata.memory_bytes(); }

// The elements of lists, and what may be absent: declared before the templates that look for them.
std::size_t bytes_of(const UnappliedPayment& payment);
std::size_t bytes_of(const Connection& connection);
std::size_t bytes_of(const BlocklistEntry& entry);
std::size_t bytes_of(const StoreSettings& settings);
std::size_t bytes_of(const CustomerDetails& details);

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

template <class... T>
std::size_t bytes_of_all(const T&... values) {
  return (bytes_of(values) + ...);
}

std::size_t bytes_of(const UnappliedPayment& payment) { return bytes_of(payment.end_to_end_id); }

std::size_t bytes_of(const Connection& connection) {
  return bytes_of_all(connection.id, connection.alias, connection.provider_id, connection.provider_name);
}

std::size_t bytes_of(const BlocklistEntry& entry) {
  const auto value =
      entry.value ? std::visit([](const auto& held) { return bytes_of(held); }, *entry.value) : 0;
  return value + bytes_of_all(entry.id, entry.reason);
}

std::size_t bytes_of(const StoreSettings& settings) {
  return bytes_of_all(settings.name, settings.pix_key, settings.merchant_name, settings.merchant_city,
                      settings.contact);
}

std::size_t bytes_of(const CustomerDetails& details) {
  const auto& address = details.address;
  return bytes_of_all(details.name, details.document, details.email, details.phone, details.metadata,
                      address.street, address.street_number, address.neighborhood, address.complement,
                      address.zip_code, address.city, address.state);
}

struct BytesBeside {
  std::size_t operator()(const Project& project) const {
    return bytes_of_all(project.id, project.settings, project.connections);
  }
  std::size_t operator()(const ApiKey& key) const {
    return bytes_of_all(key.id, key.project, key.allowed_callers, key.name);
  }
  std::size_t operator()(const Channel& channel) const {
    return bytes_of_all(channel.id, channel.project, channel.name, channel.url, channel.secret.bytes,
                        channel.secret_hint) +
           (channel.retiring_secret ? bytes_of(channel.retiring_secret->secret.bytes) : 0);
  }
  std::size_t operator()(const Blocklist& blocklist) const { return bytes_of(blocklist.entries); }
  std::size_t operator()(const Customer& customer) const {
    return bytes_of_all(customer.id, customer.project, customer.details) +
           (customer.block ? bytes_of(customer.block->reason) : 0);
  }
  std::size_t operator()(const Charge& charge) const {
    return bytes_of_all(charge.id, charge.project, charge.customer, charge.connection, charge.external_id,
                        charge.product, charge.origin_host, charge.pix_code, charge.unapplied,
                        charge.returned, charge.metadata) +
           (charge.payment ? bytes_of(charge.payment->end_to_end_id) : 0);
  }
};

}  // namespace

std::size_t bytes_beside(const AggregateState& state) { return std::visit(BytesBeside(), state); }

std::size_t weight_of(const AggregateState* state) {
  return 1 + (state ? bytes_beside(*state) / kBytesOfWeight : 0);
}

}  // namespace pixledger::domain
