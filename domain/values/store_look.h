#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// How a store shows itself to payers. Each keeps its text as it was sent.
namespace pixledger::domain {

// What texts of these kinds have in common.
template <class Tag>
class LookText {
 public:
  const std::string& text() const { return text_; }
  friend bool operator==(const LookText&, const LookText&) = default;

 protected:
  explicit LookText(std::string text) : text_(std::move(text)) {}

 private:
  std::string text_;
};

// Of the IANA database; whether there is such a zone is the edge's to say.
class TimeZoneName : public LookText<struct TimeZoneTag> {
 public:
  static constexpr std::string_view kRule = "must be the IANA name of a time zone, such as America/Sao_Paulo";
  static std::optional<TimeZoneName> parse(std::string_view text);

 private:
  using LookText::LookText;
};
inline constexpr std::string_view kTimeZoneDefault = "America/Sao_Paulo";

class StoreColor : public LookText<struct StoreColorTag> {
 public:
  static constexpr std::string_view kRule = "must be a colour as #rrggbb";
  static std::optional<StoreColor> parse(std::string_view text);

 private:
  using LookText::LookText;
};

// A data URL. What it holds begins as its type says, and is never decoded.
class StoreLogo : public LookText<struct StoreLogoTag> {
 public:
  static constexpr std::size_t kBytesMax = 24 * 1024;
  static constexpr std::string_view kRule =
      "must be a data URL in base64 of a PNG or WebP image of at most 24 KiB";
  static std::optional<StoreLogo> parse(std::string_view text);

  std::string_view type() const;    // "image/png"
  std::string_view base64() const;  // the image
  std::string image() const;

 private:
  using LookText::LookText;
};

// The pages that may hold the checkout in a frame: 1 to 10 different origins, separated by blanks.
class EmbedOrigins : public LookText<struct EmbedOriginsTag> {
 public:
  static constexpr std::size_t kMax = 10;
  static constexpr std::string_view kRule =
      "must be a list of at most 10 different origins as browsers send them (https://shop.example.com, or "
      "http://localhost[:port]): lower case, without path, trailing slash or the scheme's own port";
  static std::optional<EmbedOrigins> parse(std::string_view text);

  std::vector<std::string_view> list() const;

 private:
  using LookText::LookText;
};

}  // namespace pixledger::domain
