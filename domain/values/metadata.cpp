#include "domain/values/metadata.h"

#include <algorithm>

#include "base/text/ascii.h"
#include "base/text/text.h"

namespace pixledger::domain {
namespace {

constexpr std::size_t kKeyMax = 40;
constexpr std::size_t kValueMax = 500;

bool belongs_to_key(char c) { return is_ascii_alnum(c) || c == '_' || c == '.' || c == '-'; }

}  // namespace

std::optional<MetadataKey> MetadataKey::parse(std::string_view text) {
  if (text.empty() || text.size() > kKeyMax) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), belongs_to_key)) return std::nullopt;
  return MetadataKey(std::string(text));
}

std::optional<MetadataValue> MetadataValue::parse(std::string_view text) {
  if (!is_clean_text(text) || count_characters(text) > kValueMax) return std::nullopt;
  return MetadataValue(std::string(text));
}

std::optional<Metadata> Metadata::of(std::vector<MetadataEntry> entries) {
  if (entries.size() > kEntriesMax) return std::nullopt;
  std::sort(entries.begin(), entries.end());
  const auto same_key = [](const MetadataEntry& a, const MetadataEntry& b) { return a.key == b.key; };
  if (std::adjacent_find(entries.begin(), entries.end(), same_key) != entries.end()) return std::nullopt;
  Metadata metadata;
  metadata.entries_ = std::move(entries);
  return metadata;
}

const MetadataValue* Metadata::find(const MetadataKey& key) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const MetadataEntry& entry) { return entry.key == key; });
  return found == entries_.end() ? nullptr : &found->value;
}

std::size_t Metadata::memory_bytes() const {
  std::size_t bytes = entries_.capacity() * sizeof(MetadataEntry);
  for (const auto& [key, value] : entries_) bytes += key.text().size() + value.text().size();
  return bytes;
}

}  // namespace pixledger::domain
