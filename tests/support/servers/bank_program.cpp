#include "tests/support/servers/bank_program.h"

#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/StreamCopier.h>
#include <Poco/URI.h>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <simdjson.h>
#include <stdexcept>
#include <vector>

#include "tests/support/domain/sample_values.h"
#include "tests/support/paths.h"

namespace pixledger::tests {
namespace {

std::string content(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

BankProgram::BankProgram() {
  std::vector<std::string> arguments{"node", source_file("tests/bank/bank.mjs")};
  if (!std::filesystem::exists(source_file("tests/bank/node_modules")))
    arguments.emplace_back("--no-document");
  process_ = std::make_unique<Process>(source_file("scripts/with-node"), arguments);
  if (!process_->wait_for_out("\n", std::chrono::minutes(2)))
    throw std::runtime_error("no bank; it wrote: " + process_->err());
  told_ = process_->out().substr(0, process_->out().find('\n'));
}

BankProgram::~BankProgram() {
  if (process_->wait(std::chrono::milliseconds(0))) return;
  process_->send(SIGTERM);  // so that it ends its children and removes its files
  process_->wait();
}

std::string BankProgram::told(const std::string& pointer) const {
  simdjson::dom::parser parser;
  return std::string(parser.parse(told_).at_pointer(pointer).get_string().value());
}

bool BankProgram::is_held_to_document() const {
  simdjson::dom::parser parser;
  return !parser.parse(told_).at_pointer("/document").value().is_null();
}

workers::BankAccess BankProgram::access() const {
  return {.profile = workers::find_bank_profile("generic"),
          .base_url = told("/baseUrl"),
          .token_url = told("/tokenUrl"),
          .client_id = told("/client/clientId"),
          .client_secret = told("/client/clientSecret"),
          .certificate_pem = content(told("/client/certificate")),
          .private_key_pem = content(told("/client/key")),
          .pix_key = parsed<domain::PixKey>(told("/client/pixKey")),
          .rate = 1'000};
}

std::string BankProgram::drive(const std::string& method, const std::string& path,
                               const std::string& body) const {
  const Poco::URI url(told("/controlUrl"));
  Poco::Net::HTTPClientSession session(url.getHost(), url.getPort());
  Poco::Net::HTTPRequest request(method, path, Poco::Net::HTTPMessage::HTTP_1_1);
  request.setContentType("application/json");
  request.setContentLength(static_cast<std::streamsize>(body.size()));
  session.sendRequest(request) << body;
  Poco::Net::HTTPResponse response;
  std::string answer;
  Poco::StreamCopier::copyToString(session.receiveResponse(response), answer);
  if (response.getStatus() != Poco::Net::HTTPResponse::HTTP_OK)
    throw std::runtime_error("the bank does not take " + path + ": " + answer);
  return answer;
}

std::string BankProgram::end() {
  process_->send(SIGTERM);
  const auto code = process_->wait();
  if (code == 0) return "";
  return process_->out().substr(told_.size() + 1) + process_->err();
}

}  // namespace pixledger::tests
