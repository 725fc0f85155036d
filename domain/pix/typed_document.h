#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "base/text/typed_text.h"
#include "domain/values/document.h"

namespace pixledger::domain {

// A document as people write or paste it where they look for one: bare_code() is taken of it.
struct TypedDocument {
  static constexpr std::string_view kRule = "must be a CPF or CNPJ, with or without punctuation";

  static std::optional<TypedDocument> parse(std::string_view text) {
    const auto bare = bare_code(text);
    auto document = bare ? Document::parse(*bare) : std::nullopt;
    return document ? std::optional(TypedDocument{*std::move(document)}) : std::nullopt;
  }

  Document document;
};

}  // namespace pixledger::domain
