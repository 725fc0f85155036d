#include "base/net/tls_client.h"

#include <Poco/Net/RejectCertificateHandler.h>
#include <utility>

namespace pixledger {

using Poco::Net::Context;

namespace {

Context::Ptr make_context(Context::Params params) {
  // Strict: the relaxed mode leaves out the host name's check for this machine's own names.
  params.verificationMode = Context::VERIFY_STRICT;
  params.cipherList = "HIGH:!aNULL:!eNULL";
  Context::Ptr context = new Context(Context::TLS_CLIENT_USE, params);
  context->requireMinimumProtocol(Context::PROTO_TLSV1_2);
  context->enableExtendedCertificateVerification(true);
  context->setInvalidCertificateHandler(new Poco::Net::RejectCertificateHandler(false));
  return context;
}

}  // namespace

Context::Ptr make_tls_client_context(const std::string& ca_file) {
  Context::Params params;
  params.loadDefaultCAs = true;
  params.caLocation = ca_file;
  return make_context(std::move(params));
}

Context::Ptr make_trustless_tls_client_context() {
  Context::Params params;
  params.loadDefaultCAs = false;
  return make_context(std::move(params));
}

}  // namespace pixledger
