#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/text/text.h"

// Texts of charges, customers and stores, with their maximum lengths in characters.
namespace pixledger::domain {

using PersonName = BoundedText<1, 255, struct PersonNameTag, WebAddress::kRefused>;
using ProductName = BoundedText<1, 255, struct ProductNameTag, WebAddress::kRefused>;
using ExternalId = BoundedText<1, 128, struct ExternalIdTag>;
using Label = BoundedText<1, 255, struct LabelTag>;

// A label that names a store or its merchant, validated on input. Recorded ones are read as Label.
struct StoreName : Label {
  static constexpr std::string_view kRule = PersonName::kRule;

  static std::optional<StoreName> parse(std::string_view text) {
    auto label = Label::parse(text);
    if (!label || holds_web_address(text)) return std::nullopt;
    return StoreName{*std::move(label)};
  }
};

// The customer's name after an erasure; the other personal fields are absent.
inline constexpr std::string_view kErasedName = "erased";

}  // namespace pixledger::domain
