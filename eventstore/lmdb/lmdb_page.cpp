#include "eventstore/lmdb/lmdb_page.h"

#include <cstring>

namespace pixledger::eventstore {
namespace {

constexpr std::size_t kUpperAt = 14;
constexpr std::size_t kPagesAt = 12;  // of a large value
constexpr std::size_t kNodeFlagsAt = 4;
constexpr std::size_t kNodeKeyBytesAt = 6;

constexpr std::uint32_t kMetaMagic = 0xBEEFC0DE;
constexpr std::size_t kMetaPageBytesAt = 24;
constexpr std::size_t kMetaRootAt = 112;
constexpr std::size_t kMetaTransactionAt = 128;

constexpr std::uint16_t kBranch = 0x01;
constexpr std::uint16_t kLeaf = 0x02;
constexpr std::uint16_t kLargeValue = 0x04;
constexpr std::uint16_t kFixedKeys = 0x20;
constexpr std::uint16_t kNodeIsLarge = 0x01;
constexpr std::uint16_t kNodeIsDatabase = 0x02;
constexpr std::size_t kRootOfDatabaseAt = 40;

template <class Number>
Number number_at(PageBytes page, std::size_t at) {
  Number number = 0;
  std::memcpy(&number, page.data() + at, sizeof number);
  return number;
}

std::uint16_t flags_of(PageBytes page) { return number_at<std::uint16_t>(page, kPageFlagsAt); }

bool is_numbered(PageBytes page, std::uint64_t number) { return number_at<std::uint64_t>(page, 0) == number; }

// Calls `visit` with the places of nodes that have the flag and at least so many bytes as their values.
template <class Visit>
void for_each_value(PageBytes leaf, std::uint16_t flag, std::size_t bytes, const Visit& visit) {
  if ((flags_of(leaf) & kLeaf) == 0) return;
  const std::size_t lower = number_at<std::uint16_t>(leaf, kPageLowerAt);
  for (std::size_t at = kPageHeaderBytes; at < lower; at += 2) {
    const std::size_t node = number_at<std::uint16_t>(leaf, at);
    if ((number_at<std::uint16_t>(leaf, node + kNodeFlagsAt) & flag) == 0) continue;
    const auto value_at = node + kNodeHeaderBytes + number_at<std::uint16_t>(leaf, node + kNodeKeyBytesAt);
    if (value_at + bytes <= leaf.size()) visit(node, value_at);
  }
}

}  // namespace

bool meta_magic_is_right(std::string_view meta) {
  return meta.size() == kMetaBytes && number_at<std::uint32_t>(PageBytes(meta), 0) == kMetaMagic;
}

std::uint64_t page_bytes_of_meta(std::string_view meta) {
  return meta.size() < kMetaBytes ? 0 : number_at<std::uint32_t>(PageBytes(meta), kMetaPageBytesAt);
}

std::uint64_t root_page_of_meta(std::string_view meta) {
  return meta.size() < kMetaBytes ? 0 : number_at<std::uint64_t>(PageBytes(meta), kMetaRootAt);
}

std::uint64_t transaction_of_meta(std::string_view meta) {
  return meta.size() < kMetaBytes ? 0 : number_at<std::uint64_t>(PageBytes(meta), kMetaTransactionAt);
}

std::optional<UnusedMiddle> unused_middle_of(PageBytes page, std::uint64_t number) {
  const auto kind = flags_of(page) & (kBranch | kLeaf | kLargeValue | kFixedKeys);
  if (!is_numbered(page, number) || (kind != kBranch && kind != kLeaf)) return std::nullopt;
  const std::size_t lower = number_at<std::uint16_t>(page, kPageLowerAt);
  const std::size_t upper = number_at<std::uint16_t>(page, kUpperAt);
  if (lower < kPageHeaderBytes || lower % 2 != 0 || lower > upper || upper > page.size()) return std::nullopt;
  for (std::size_t at = kPageHeaderBytes; at < lower; at += 2) {
    const std::size_t node = number_at<std::uint16_t>(page, at);
    if (node < upper || node + kNodeHeaderBytes > page.size()) return std::nullopt;
  }
  return UnusedMiddle{lower, upper};
}

std::optional<std::uint64_t> pages_of_large_value(PageBytes page, std::uint64_t number) {
  const auto kind = flags_of(page) & (kBranch | kLeaf | kLargeValue | kFixedKeys);
  if (!is_numbered(page, number) || kind != kLargeValue) return std::nullopt;
  const auto pages = number_at<std::uint32_t>(page, kPagesAt);
  return pages == 0 ? std::nullopt : std::optional<std::uint64_t>(pages);
}

std::optional<std::size_t> pages_in_free_record(std::string_view record) {
  if (record.size() < sizeof(std::uint64_t)) return std::nullopt;
  const auto pages = number_at<std::uint64_t>(PageBytes(record), 0);
  const auto room = record.size() / sizeof(std::uint64_t) - 1;
  return pages > room ? std::nullopt : std::optional<std::size_t>(pages);
}

void for_each_large_value(PageBytes leaf, const std::function<void(std::uint64_t, std::uint64_t)>& visit) {
  for_each_value(leaf, kNodeIsLarge, sizeof(std::uint64_t), [&](std::size_t node, std::size_t value_at) {
    visit(number_at<std::uint64_t>(leaf, value_at), number_at<std::uint32_t>(leaf, node));
  });
}

void for_each_database(PageBytes leaf, const std::function<void(std::uint64_t)>& visit) {
  for_each_value(leaf, kNodeIsDatabase, kRootOfDatabaseAt + sizeof(std::uint64_t),
                 [&](std::size_t, std::size_t value_at) {
                   visit(number_at<std::uint64_t>(leaf, value_at + kRootOfDatabaseAt));
                 });
}

}  // namespace pixledger::eventstore
