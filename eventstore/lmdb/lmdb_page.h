#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

// The form of LMDB's pages (mdb.c, data version 1) on a machine with 64 bits, as far as it is needed to tell
// which bytes of a page are in use.
namespace pixledger::eventstore {

inline constexpr std::size_t kPageHeaderBytes = 16;
inline constexpr std::size_t kPageFlagsAt = 10;
inline constexpr std::size_t kPageLowerAt = 12;
inline constexpr std::size_t kNodeHeaderBytes = 8;

using PageBytes = std::span<const char>;

// Of a page with records (a leaf or branch): the bytes that no record uses, from `begin` up to `end`.
struct UnusedMiddle {
  std::size_t begin;
  std::size_t end;
};
// Nullopt for what is no such page of that number, whatever its bytes are.
std::optional<UnusedMiddle> unused_middle_of(PageBytes page, std::uint64_t number);

// How many pages a large value has, from the header of the first one; nullopt for what is no such page.
std::optional<std::uint64_t> pages_of_large_value(PageBytes header, std::uint64_t number);

// How many page numbers a record of the list of free pages has, in the bytes after the first eight. LMDB may
// leave room behind them, whose bytes are anything: numbers of pages in use, too. Nullopt for what is no such
// record.
std::optional<std::size_t> pages_in_free_record(std::string_view record);

// Calls back for each value that a leaf keeps on pages of its own.
void for_each_large_value(PageBytes leaf,
                          const std::function<void(std::uint64_t first_page, std::uint64_t bytes)>& visit);

}  // namespace pixledger::eventstore
