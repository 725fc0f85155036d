#include "workers/net/tls_client.h"

#include <Poco/Net/RejectCertificateHandler.h>

namespace pixledger::workers {

using Poco::Net::Context;

Context::Ptr make_tls_client_context(const std::string& ca_file) {
  Context::Params params;
  // Strict: the relaxed mode leaves out the host name's check for this machine's own names.
  params.verificationMode = Context::VERIFY_STRICT;
  params.loadDefaultCAs = true;
  params.caLocation = ca_file;
  params.cipherList = "HIGH:!aNULL:!eNULL";
  Context::Ptr context = new Context(Context::TLS_CLIENT_USE, params);
  context->requireMinimumProtocol(Context::PROTO_TLSV1_2);
  context->enableExtendedCertificateVerification(true);
  context->setInvalidCertificateHandler(new Poco::Net::RejectCertificateHandler(false));
  return context;
}

}  // namespace pixledger::workers
