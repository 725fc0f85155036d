#include "tests/support/servers/checkout_calls.h"

#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

TestServiceOptions with_pages() {
  TestServiceOptions options;
  options.targets.allow_http = true;
  options.targets.allowed.push_back(parsed<Cidr>("127.0.0.0/8"));
  options.checkout.pay_url = "https://pay.example.com";
  options.checkout.web_key = http::WebKey{sha256(kWebKey)};
  return options;
}

std::string checkout_body(const std::string& more) {
  std::string body =
      R"({"payment":{"amountCents":1990,"product":"Camiseta"},"originDomain":"loja.example.com")";
  if (!more.empty()) body += ",";
  return body.append(more).append("}");
}

std::string token_of(const HttpAnswer& session) {
  const auto url = session.at("/data/url");
  return url.substr(url.rfind('/') + 1);
}

HttpAnswer ask_as_payer(const TestService& service, const std::string& method, const HttpAnswer& session,
                        const std::string& operation, const std::string& body) {
  return service.send(method, kPayersPath + token_of(session) + operation, kWebKey, body);
}

}  // namespace pixledger::tests
