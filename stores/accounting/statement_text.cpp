#include "stores/accounting/statement_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/text/ascii.h"
#include "base/text/text.h"
#include "stores/accounting/statement.h"

namespace pixledger::stores {
namespace {

constexpr std::size_t kShownCharactersMax = 100;
constexpr std::uint32_t kReplacement = 0xFFFD;

// Windows-1252 from 0x80 to 0x9F.
constexpr std::array<std::uint16_t, 32> kWindows{
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178};

std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

std::string from_utf16(std::string_view bytes, bool is_big_endian) {
  std::string text;
  const auto unit_at = [&](std::size_t at) {
    const auto first = byte_at(bytes, at), second = byte_at(bytes, at + 1);
    return is_big_endian ? first << 8U | second : second << 8U | first;
  };
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    auto code = unit_at(at);
    if (code >= 0xD800 && code < 0xDC00 && at + 3 < bytes.size()) {
      const auto low = unit_at(at + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        at += 2;
      }
    }
    append_character(text, code >= 0xD800 && code < 0xE000 ? kReplacement : code);
  }
  return text;
}

enum class ByteOrder { kLittleEndian, kBigEndian };

// Recognises UTF-16 without a byte order mark: the upper byte of most characters of a statement is zero, and
// no text has zero bytes of its own.
std::optional<ByteOrder> find_utf16(std::string_view bytes) {
  std::array<std::size_t, 2> zeros{};  // at even places, at odd ones
  for (std::size_t at = 0; at < bytes.size(); ++at) zeros.at(at % 2) += bytes[at] == '\0' ? 1 : 0;
  const auto are_upper = [half = bytes.size() / 4](std::size_t upper, std::size_t lower) {
    return upper > half && lower == 0;
  };
  if (are_upper(zeros[1], zeros[0])) return ByteOrder::kLittleEndian;
  if (are_upper(zeros[0], zeros[1])) return ByteOrder::kBigEndian;
  return std::nullopt;
}

std::string from_windows(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    append_character(text, byte >= 0x80 && byte < 0xA0 ? kWindows[byte - 0x80U] : byte);
  }
  return text;
}

// The letters of Portuguese in code page 850, and what they are.
constexpr std::array<std::pair<std::uint8_t, std::uint16_t>, 26> kDosLetters{
    {{0x80, 0xC7}, {0x81, 0xFC}, {0x82, 0xE9}, {0x83, 0xE2}, {0x85, 0xE0}, {0x87, 0xE7}, {0x88, 0xEA},
     {0x90, 0xC9}, {0x93, 0xF4}, {0x9A, 0xDC}, {0xA0, 0xE1}, {0xA1, 0xED}, {0xA2, 0xF3}, {0xA3, 0xFA},
     {0xB5, 0xC1}, {0xB6, 0xC2}, {0xB7, 0xC0}, {0xC6, 0xE3}, {0xC7, 0xC3}, {0xD2, 0xCA}, {0xD6, 0xCD},
     {0xE0, 0xD3}, {0xE2, 0xD4}, {0xE4, 0xF5}, {0xE5, 0xD5}, {0xE9, 0xDA}}};

std::uint32_t dos_letter(std::uint32_t byte) {
  for (const auto& [there, letter] : kDosLetters)
    if (there == byte) return letter;
  return 0;
}

// Portuguese letters of Windows-1252, whose lower case is 0x20 after the capitals.
bool is_windows_letter(std::uint32_t byte) {
  constexpr std::array<std::uint32_t, 13> kCapitals{0xC0, 0xC1, 0xC2, 0xC3, 0xC7, 0xC9, 0xCA,
                                                    0xCD, 0xD3, 0xD4, 0xD5, 0xDA, 0xDC};
  return byte >= 0xC0 && std::find(kCapitals.begin(), kCapitals.end(), byte & ~0x20U) != kCapitals.end();
}

bool is_code_page_850(std::string_view bytes) {
  constexpr std::uint32_t kNoBreakSpace = 0xA0;  // in Windows-1252
  std::size_t dos = 0, windows = 0;
  const auto is_of_word = [&](std::size_t at) {
    const auto byte = byte_at(bytes, at);
    return byte >= 0x80 || (to_ascii_lower(bytes[at]) >= 'a' && to_ascii_lower(bytes[at]) <= 'z');
  };
  for (std::size_t at = 1; at + 1 < bytes.size(); ++at) {
    const auto byte = byte_at(bytes, at);
    if (byte < 0x80 || byte == kNoBreakSpace || !is_of_word(at - 1) || !is_of_word(at + 1)) continue;
    dos += dos_letter(byte) != 0 ? 1 : 0;
    windows += is_windows_letter(byte) ? 1 : 0;
  }
  return dos > windows;
}

std::string from_code_page_850(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto letter = dos_letter(byte_at(bytes, at));
    if (letter != 0)
      append_character(text, letter);
    else
      text += from_windows(bytes.substr(at, 1));
  }
  return text;
}

// Returns the length of the character there; 0 if it is not valid UTF-8.
std::size_t character_size(std::string_view text, std::size_t at) {
  const auto first = byte_at(text, at);
  const std::size_t size = first < 0x80   ? 1
                           : first < 0xC2 ? 0
                           : first < 0xE0 ? 2
                           : first < 0xF0 ? 3
                           : first < 0xF5 ? 4
                                          : 0;
  if (size == 0 || at + size > text.size()) return 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte_at(text, at + i) & 0xC0U) != 0x80) return 0;
  return size;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto size = character_size(text, at);
    if (size == 0) return false;
    at += size;
  }
  return true;
}

std::string_view blank_at_begin(std::string_view text) {
  if (text.empty()) return {};
  if (text.front() == ' ' || (text.front() >= '\t' && text.front() <= '\r')) return text.substr(0, 1);
  for (const std::string_view blank : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x83", "\xE2\x80\x89",
                                       "\xE3\x80\x80", "\xEF\xBB\xBF", "\xE2\x80\x8B"})
    if (text.starts_with(blank)) return blank;
  return {};
}

std::string_view blank_at_end(std::string_view text) {
  for (const std::size_t size : {1U, 2U, 3U}) {
    if (text.size() < size) return {};
    const auto end = text.substr(text.size() - size);
    if (blank_at_begin(end).size() == size) return end;
  }
  return {};
}

// A longer cell was not closed.
constexpr std::size_t kCellBytesMax = std::size_t{1} << 16;
constexpr std::size_t kCellsMax = 1'000;

}  // namespace

void append_character(std::string& text, std::uint32_t code) {
  const auto add = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | code >> 6U);
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12U);
    add(0x80 | (code >> 6U & 0x3FU));
  } else {
    add(0xF0 | code >> 18U);
    add(0x80 | (code >> 12U & 0x3FU));
    add(0x80 | (code >> 6U & 0x3FU));
  }
  add(0x80 | (code & 0x3FU));
}

std::string text_of_file(std::string_view bytes) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (bytes.starts_with("\xFF\xFE")) return from_utf16(bytes.substr(2), false);
  if (bytes.starts_with("\xFE\xFF")) return from_utf16(bytes.substr(2), true);
  if (const auto order = find_utf16(bytes)) return from_utf16(bytes, *order == ByteOrder::kBigEndian);
  if (is_utf8(bytes)) return std::string(bytes);
  return is_code_page_850(bytes) ? from_code_page_850(bytes) : from_windows(bytes);
}

std::string shown(std::string_view text) {
  text = trimmed(text);
  std::string line = "\"";
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++characters) {
    if (characters == kShownCharactersMax) return line + "…\"";
    const auto size = character_size(text, at);
    const auto character = text.substr(at, size == 0 ? 1 : size);
    at += character.size();
    if (size > 0 && is_clean_text(character) && (character == " " || is_visible_text(character))) {
      line += character;
    } else if (character == "\t" || character == "\r" || character == "\n") {
      line += ' ';
    } else {
      for (const char c : character) {
        std::array<char, 8> escaped{};
        std::snprintf(escaped.data(), escaped.size(), "\\x%02x",
                      static_cast<unsigned>(static_cast<unsigned char>(c)));
        line += escaped.data();
      }
    }
  }
  return line + '"';
}

std::string_view trimmed(std::string_view text) {
  for (auto blank = blank_at_begin(text); !blank.empty(); blank = blank_at_begin(text))
    text.remove_prefix(blank.size());
  for (auto blank = blank_at_end(text); !blank.empty(); blank = blank_at_end(text))
    text.remove_suffix(blank.size());
  return text;
}

std::string words_of(std::string_view text) {
  // Folding is slow, and most of a statement is ASCII.
  const bool is_ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string words;
  bool ends_word = false;
  for (const char each : is_ascii ? std::string(text) : fold(text)) {
    const char c = to_ascii_lower(each);
    if (!is_ascii_alnum(c)) {
      ends_word = true;
      continue;
    }
    if (ends_word && !words.empty()) words += ' ';
    ends_word = false;
    words += c;
  }
  return words;
}

bool has_words(std::string_view words, std::string_view wanted) {
  for (auto at = words.find(wanted); at != std::string_view::npos; at = words.find(wanted, at + 1)) {
    const auto end = at + wanted.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

std::optional<std::vector<std::string>> CsvReader::next() {
  if (at_ >= text_.size()) return std::nullopt;
  record_line_ = line_;
  const auto begin = at_;
  std::vector<std::string> cells;
  for (bool more = true; more;) {
    if (cells.size() == kCellsMax)
      throw StatementRefused("the statement's line " + std::to_string(record_line_) + ": has more than " +
                             std::to_string(kCellsMax) + " cells");
    cells.push_back(read_cell());
    more = at_ < text_.size() && text_[at_] == separator_;
    if (more) ++at_;
  }
  record_ = text_.substr(begin, at_ - begin);
  has_line_end_ = at_ < text_.size();
  // A line ends with "\n", "\r\n" or "\r".
  if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  if (at_ < text_.size() && text_[at_] == '\n') ++at_;
  ++line_;
  return cells;
}

std::string CsvReader::read_cell() {
  const auto ends_cell = [this](std::size_t at) {
    return at >= text_.size() || text_[at] == separator_ || text_[at] == '\n' || text_[at] == '\r';
  };
  auto begin = at_;
  while (!ends_cell(begin) && text_[begin] == ' ') ++begin;
  if (begin < text_.size() && text_[begin] == '"') {
    at_ = begin;
    auto cell = read_quoted();
    while (!ends_cell(at_)) cell += text_[at_++];
    return cell;
  }
  begin = at_;
  while (!ends_cell(at_)) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string CsvReader::read_quoted() {
  const auto begin = at_++;
  std::string cell;
  while (at_ < text_.size() && cell.size() < kCellBytesMax) {
    const char c = text_[at_++];
    if (c == '"') {
      if (at_ >= text_.size() || text_[at_] != '"') return cell;
      ++at_;
    }
    if (c == '\n') ++line_;
    cell += c;
  }
  throw StatementRefused("the statement's line " + std::to_string(record_line_) + ": a quote is not closed",
                         shown(text_.substr(begin, 200)));
}

}  // namespace pixledger::stores
