#include "http/api/common/personal_json.h"

#include <algorithm>

#include "http/front/caller.h"

namespace pixledger::http {
namespace {

// The first character, in UTF-8.
std::string_view first_of(std::string_view text) {
  std::size_t end = std::min<std::size_t>(1, text.size());
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) ++end;
  return text.substr(0, end);
}

std::string begun(std::string_view text) { return std::string(first_of(text)).append(kMaskedText); }

}  // namespace

PersonalData personal_data_for(const Caller& caller) {
  return caller.masks_personal_data() ? PersonalData::kMasked : PersonalData::kShown;
}

std::string masked_name(std::string_view name) {
  std::string masked;
  bool begins = true;
  while (!name.empty()) {
    const auto character = first_of(name);
    name.remove_prefix(character.size());
    const bool is_blank = character == " ";
    masked += begins || is_blank ? character : "*";
    begins = is_blank;
  }
  return masked;
}

std::string masked_document(std::string_view document) {
  // CPF 529.982.247-25, CNPJ 12.345.678/0001-95.
  constexpr std::size_t kCpfSize = 11;
  const auto part = [document](std::size_t at) { return std::string(document.substr(at, 3)); };
  if (document.size() == kCpfSize) return "***." + part(3) + "." + part(6) + "-**";
  return "**." + part(2) + "." + part(5) + "/****-**";
}

std::string masked_email(std::string_view email) {
  const auto at = email.rfind('@');
  const auto host = email.substr(std::min(at, email.size() - 1) + 1);
  const auto dot = host.rfind('.');
  return begun(email) + "@" + begun(host) +
         (dot == std::string_view::npos ? std::string() : std::string(host.substr(dot)));
}

std::string masked_phone(std::string_view phone) {
  constexpr std::size_t kLeft = 4;
  const auto hidden = phone.size() - std::min(kLeft, phone.size());
  return std::string(hidden, '*').append(phone.substr(hidden));
}

void PersonalJson::write(const domain::BlocklistValue& value) const {
  std::visit([this](const auto& held) { write(held); }, value);
}

void PersonalJson::fields(const domain::Address& address) const {
  domain::for_each_field<domain::Address>([&](const auto& part) {
    if (masks_)
      json_.null(part.name);
    else
      json_.field(part.name, part.of(address));
  });
}

void PersonalJson::write_masked(const domain::Metadata& metadata) const {
  json_.begin_object();
  for (const auto& entry : metadata.entries()) json_.field(entry.key.text(), kMaskedText);
  json_.end_object();
}

}  // namespace pixledger::http
