#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "projections/list/block_mask.h"

namespace pixledger::projections {

// A search text. Compares 64 places at a time, byte by byte, starting with the bytes that are rarest in names
// and ids.
class Needle {
 public:
  struct Byte {
    std::size_t at;  // In the text.
    char value;
  };

  // `text` must not be empty; asserted.
  explicit Needle(std::string_view text);

  std::size_t size() const { return bytes_.size(); }

  // Sets bit i % 64 of matches[i / 64] for each i below `places` where an occurrence begins at text[i];
  // clears the others. Returns whether there is a match. Reads `places` + size() - 1 bytes.
  bool mark(const char* text, std::size_t places, std::uint64_t* matches) const;

 private:
  std::vector<Byte> bytes_;  // Rarest first.
};

// The places of a text that are scanned together.
struct TextWindow {
  static constexpr std::size_t kPlacesMax = 4'096;
  using Bits = std::array<std::uint64_t, kPlacesMax / 64>;
  using Records = std::array<std::uint32_t, kPlacesMax>;

  Bits matches;
  Bits separators;
};

// Writes the number of each record that has a match, ascending, counted from the window's first place.
// Returns how many there are.
std::size_t records_with_match(const TextWindow& window, std::size_t places, TextWindow::Records& records);

// Calls `visit` once with the number of every record that contains the needle, ascending. Every record ends
// with `separator`, which occurs nowhere else, nor in the needle.
template <class Visit>
void for_each_record_with(const Needle& needle, std::string_view text, const Needle& separator, Visit visit) {
  if (text.size() < needle.size()) return;
  const std::size_t places = text.size() - needle.size() + 1;
  TextWindow window;
  TextWindow::Records found;
  std::size_t record = 0;  // at `counted`
  std::size_t counted = 0;
  std::size_t unvisited = 0;
  for (std::size_t at = 0; at < places; at += TextWindow::kPlacesMax) {
    const std::size_t here = std::min(places - at, TextWindow::kPlacesMax);
    if (!needle.mark(text.data() + at, here, window.matches.data())) continue;
    for (; counted < at; counted += TextWindow::kPlacesMax) {
      separator.mark(text.data() + counted, TextWindow::kPlacesMax, window.separators.data());
      record += count_marked(window.separators.data(), TextWindow::kPlacesMax);
    }
    separator.mark(text.data() + at, here, window.separators.data());
    const std::size_t count = records_with_match(window, here, found);
    // The first may be the previous window's last.
    for (std::size_t i = count != 0 && record + found[0] < unvisited ? 1 : 0; i < count; ++i)
      visit(record + found[i]);
    if (count != 0) unvisited = record + found[count - 1] + 1;
    record += count_marked(window.separators.data(), here);
    counted += here;
  }
}

}  // namespace pixledger::projections
