#include "tools/operations/banks/tls_advice.h"

namespace pixledger::tools {

using workers::TlsFault;

std::string advice_for(TlsFault fault) {
  switch (fault) {
    case TlsFault::kUnknownIssuer:
      return "give the certificate of that authority, as the bank publishes it, with --ca-file";
    case TlsFault::kIncompleteChain:
      return "the bank's server sends no certificate but its own: give the certificate of that issuer, from "
             "the bank or from the authority's pages, with --ca-file, here and to pixledger-providers";
    case TlsFault::kOutOfDate:
      return "see whether this machine's date is right; else the bank has to renew its certificate";
    case TlsFault::kOtherName:
      return "see --base-url and --token-url: the certificate is for another host";
    case TlsFault::kBadCertificate:
      return "ask the bank about its certificate";
    case TlsFault::kNoRenegotiation:
      return "the bank's TLS is old: it has no secure renegotiation (RFC 5746); ask the bank for an address "
             "that has, or see \"Old TLS\" in PROVIDERS.md for what a file named by OPENSSL_CONF can allow";
    case TlsFault::kTooWeak:
      return "the bank's TLS is old: its group, key or signature is weaker than OpenSSL takes; ask the bank "
             "for an address that is stronger, or see \"Old TLS\" in PROVIDERS.md for what a file named by "
             "OPENSSL_CONF can allow";
    case TlsFault::kOldProtocol:
      return "the bank speaks nothing as new as TLS 1.2 there, which is needed: ask it for another address";
    case TlsFault::kNothingShared:
      return "the bank ends the handshake: see that it knows the connection's certificate (pixledger "
             "connection rotate), and else ask it which ciphers and groups it takes";
    case TlsFault::kNotTls:
      return "what answers there does not speak TLS: see the host and port of --base-url and --token-url";
    case TlsFault::kNone:
      break;
  }
  return "see that it is reached from here, that its authority is trusted (--ca-file), and that it takes the "
         "connection's certificate: some say so by ending the handshake";
}

}  // namespace pixledger::tools
