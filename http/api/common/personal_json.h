#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/platform/json.h"
#include "domain/aggregates/blocklist.h"
#include "domain/aggregates/customer.h"

namespace pixledger::http {

struct Caller;

// How replies show personal data: in full, or masked for viewers. Masked data is only enough to tell persons
// apart. Callers who may change something see all.
enum class PersonalData { kShown, kMasked };
PersonalData personal_data_for(const Caller& caller);

// "A** L***", "***.982.247-**", "a***@d***.com", "*******4321".
std::string masked_name(std::string_view name);
std::string masked_document(std::string_view document);
std::string masked_email(std::string_view email);
std::string masked_phone(std::string_view phone);
inline constexpr std::string_view kMaskedText = "***";  // for free texts

// Writes personal fields into the open object. Masked addresses, postal and IP, are null or empty; masked
// metadata keeps its names.
class PersonalJson {
 public:
  PersonalJson(Json& json, PersonalData personal) : json_(json), masks_(personal == PersonalData::kMasked) {}

  template <class T>
  void field(JsonKey name, const T& value) const {
    json_.key(name);
    write(value);
  }
  template <class T>
  void field(const KeyText auto& name, const T& value) const {
    json_.key(name);
    write(value);
  }
  // Writes the address' members.
  void fields(const domain::Address& address) const;

 private:
  template <class T>
  void write(const T& value) const {
    if (masks_)
      write_masked(value);
    else
      json_.value(value);
  }
  template <class T>
  void write(const std::optional<T>& value) const {
    if (value)
      write(*value);
    else
      json_.null();
  }
  void write(const domain::BlocklistValue& value) const;
  void write_masked(const domain::PersonName& name) const { json_.value(masked_name(name.text())); }
  void write_masked(const domain::Document& document) const { json_.value(masked_document(document.text())); }
  void write_masked(const EmailAddress& email) const { json_.value(masked_email(email.text())); }
  void write_masked(const domain::Phone& phone) const { json_.value(masked_phone(phone.text())); }
  void write_masked(const domain::Label&) const { json_.value(kMaskedText); }
  void write_masked(const IpAddress&) const { json_.null(); }
  void write_masked(const Cidr&) const { json_.null(); }
  void write_masked(const domain::Metadata& metadata) const;

  Json& json_;
  const bool masks_;
};

}  // namespace pixledger::http
