#pragma once

#include <string_view>

#include "base/http/message/request.h"
#include "web/session/payer_session.h"

namespace pixledger::web {

// Of what a payer's browser prefers, Portuguese where it says nothing of either.
Language preferred_language(const http::Headers& headers);

// "pt", "pt-BR", "en-US"; nullopt for another language.
std::optional<Language> language_of_tag(std::string_view tag);

}  // namespace pixledger::web
