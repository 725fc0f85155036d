#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

// The layout of LMDB's pages (mdb.c, data version 1) on a 64-bit machine, as far as it shows which bytes of a
// page are in use.
namespace pixledger::eventstore {

inline constexpr std::size_t kPageHeaderBytes = 16;
inline constexpr std::size_t kPageFlagsAt = 10;
inline constexpr std::size_t kPageLowerAt = 12;
inline constexpr std::size_t kNodeHeaderBytes = 8;

// The content of a meta page, after its header; empty stands for an invalid page.
inline constexpr std::size_t kMetaBytes = 136;
bool meta_magic_is_right(std::string_view meta);
// These return 0 for an empty one. The root is that of all databases.
std::uint64_t page_bytes_of_meta(std::string_view meta);
std::uint64_t root_page_of_meta(std::string_view meta);
std::uint64_t transaction_of_meta(std::string_view meta);

using PageBytes = std::span<const char>;

// The bytes of a leaf or branch page that no record uses, from `begin` up to `end`.
struct UnusedMiddle {
  std::size_t begin;
  std::size_t end;
};
// Returns nullopt unless it is such a page with that number. Safe for any bytes.
std::optional<UnusedMiddle> unused_middle_of(PageBytes page, std::uint64_t number);

// How many pages a large value has, from the header of its first page; nullopt if that is no such page.
std::optional<std::uint64_t> pages_of_large_value(PageBytes header, std::uint64_t number);

// How many page numbers a record of the free list has, in the bytes after the first eight. LMDB may leave
// room behind them with arbitrary bytes, even numbers of pages in use. nullopt if it is no such record.
std::optional<std::size_t> pages_in_free_record(std::string_view record);

// Calls `visit` for each value that a leaf keeps on separate pages.
void for_each_large_value(PageBytes leaf,
                          const std::function<void(std::uint64_t first_page, std::uint64_t bytes)>& visit);

// Calls `visit` with the root page of each database that a leaf of the root names.
void for_each_database(PageBytes leaf, const std::function<void(std::uint64_t root)>& visit);

}  // namespace pixledger::eventstore
