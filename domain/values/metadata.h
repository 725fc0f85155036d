#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pixledger::domain {

// The name of a merchant's own value: 1 to 40 of [A-Za-z0-9_.-].
class MetadataKey {
 public:
  static constexpr std::string_view kRule = "must be 1 to 40 letters, digits, underscores, dots or hyphens";

  static std::optional<MetadataKey> parse(std::string_view text);

  const std::string& text() const { return text_; }

  friend auto operator<=>(const MetadataKey&, const MetadataKey&) = default;

 private:
  explicit MetadataKey(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// Clean text of at most 500 characters; may be empty.
class MetadataValue {
 public:
  static constexpr std::string_view kRule =
      "must be a text of at most 500 characters without control or invisible ones";

  static std::optional<MetadataValue> parse(std::string_view text);

  const std::string& text() const { return text_; }

  friend auto operator<=>(const MetadataValue&, const MetadataValue&) = default;

 private:
  explicit MetadataValue(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

struct MetadataEntry {
  MetadataKey key;
  MetadataValue value;

  friend auto operator<=>(const MetadataEntry&, const MetadataEntry&) = default;
};

// A merchant's own texts about a charge or customer, by key. Personal data: the merchant may have named a
// person.
class Metadata {
 public:
  static constexpr std::size_t kEntriesMax = 20;
  static constexpr std::string_view kRule = "must be an object of at most 20 texts";

  Metadata() = default;
  // In any order. Nullopt if there are too many entries or a key repeats.
  static std::optional<Metadata> of(std::vector<MetadataEntry> entries);

  // Sorted bytewise by key, so equal metadata is stored as equal bytes.
  const std::vector<MetadataEntry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  // Nullptr if the key is missing.
  const MetadataValue* find(const MetadataKey& key) const;
  // The approximate memory use.
  std::size_t memory_bytes() const;

  friend bool operator==(const Metadata&, const Metadata&) = default;

 private:
  std::vector<MetadataEntry> entries_;
};

// Writes an object of texts; {} if empty.
template <class Json>
void write_json(Json& json, const Metadata& metadata) {
  json.begin_object();
  for (const auto& [key, text] : metadata.entries()) json.field(key.text(), text);
  json.end_object();
}

}  // namespace pixledger::domain
