#include "workers/banks/api_pix/bank_profile.h"

#include <algorithm>
#include <array>

#include "base/text/ascii.h"
#include "workers/banks/api_pix/bank_result.h"

// Sources, all public; none of them was tried against the bank itself:
//   [S] bacen/pix-api 2.9.0, the document
//   [E] Efí's API documents (dev.efipay.com.br), pages "Cob", "Gestão de Pix", "Webhooks"
//   [A] ACBr, Fontes/ACBrPIXCD/ACBrPIXPSP*.pas and its change log (projetoacbr.com.br)
//   [P] pypix-api 0.12, pypix_api/banks/*.py (pypi.org)
//   [I] Inter's developer pages (developers.inter.co), request URLs and limits
//   [B n] issue n of bacen/pix-api
//   [G] several independent public clients on GitHub that agree
// What stands nowhere is said to be unknown. That statuses 200 and 201 are mixed up by Banco do Brasil,
// Bradesco, Santander, Sicoob and Sicredi [A] needs no data: both are accepted from every bank.
namespace pixledger::workers {
namespace {

using domain::TokenAuth;

// Reported by clients of Banco do Brasil: {"erros": [{"codigo": "4769515", "mensagem": "Não há
// informações…"}]} where a window has no payments, or there is no such charge.
constexpr std::array<std::string_view, 1> kBancoDoBrasilNotFound{"4769515"};
// [E] "Cob" and "Gestão de Pix": txid_duplicado and devolucao_id_duplicado, with status 409.
constexpr std::array<std::string_view, 1> kEfiDuplicate{"_duplicado"};

// [A] ACBrPIXPSPSantander.pas: charges are changed under v2, all else is v1.
constexpr std::array<VersionedPath, 1> kSantanderVersions{
    VersionedPath{BankOperation::kRemoveCob, "/api/v1", "/api/v2"}};

// [P] sicredi.py: a charge by its txid is v3, all else of ours v2. [A] uses v2 for all.
constexpr std::array<VersionedPath, 3> kSicrediVersions{
    VersionedPath{BankOperation::kPutCob, "/api/v2", "/api/v3"},
    VersionedPath{BankOperation::kGetCob, "/api/v2", "/api/v3"},
    VersionedPath{BankOperation::kRemoveCob, "/api/v2", "/api/v3"}};

constexpr std::array kProfiles{
    BankProfile{
        .name = "efi",
        .title = "Efí",
        // [A] ACBrPIXPSPGerenciaNet.pas, [E], [G]
        .live = {"https://pix.api.efipay.com.br/v2", "https://pix.api.efipay.com.br/oauth/token"},
        .test = {"https://pix-h.api.efipay.com.br/v2", "https://pix-h.api.efipay.com.br/oauth/token"},
        .token_auth = TokenAuth::kBasic,
        .token_body = TokenBody::kJson,  // [E], [A]
        .token_takes_scope = false,      // [E]: scopes belong to the application
        .duplicate_endings = kEfiDuplicate,
        .test_pays_up_to = domain::Cents(1'000),  // [E] "Cobranças imediatas"
        .reports_static_codes = true,             // [E] "Webhooks": static codes that have a txid
    },
    BankProfile{
        .name = "bb",
        .title = "Banco do Brasil",
        // [G]; [A] has api.bb.com.br, which other clients report without client certificates.
        .live = {"https://api-pix.bb.com.br/pix/v2", "https://oauth.bb.com.br/oauth/token"},
        .test = {"https://api.hm.bb.com.br/pix/v2", "https://oauth.hm.bb.com.br/oauth/token"},  // [A], [G]
        .token_auth = TokenAuth::kBasic,          // [A] ACBrPIXPSPBancoDoBrasil.pas
        .app_key_parameter = "gw-dev-app-key",    // [A], [G], in both environments
        .other_code_field = "textoImagemQRcode",  // [A], seen in homologation
        .not_found_codes = kBancoDoBrasilNotFound,
    },
    BankProfile{
        .name = "itau",
        .title = "Itaú",
        // Base [A] ACBrPIXPSPItau.pas, [G]. Token [G]; [A] has /as/token.oauth2 of the same host.
        .live = {"https://secure.api.itau/pix_recebimentos/v2", "https://sts.itau.com.br/api/oauth/token"},
        // [A]: a sandbox of fixed answers. Whether a true homologation can be reached is unknown.
        .test = {"https://devportal.itau.com.br/sandboxapi/pix_recebimentos_ext_v2/v2",
                 "https://devportal.itau.com.br/api/jwt"},
        .token_auth = TokenAuth::kBody,           // [A]
        .token_takes_scope = false,               // [A]
        .correlation_header = "x-correlationID",  // [A]
    },
    BankProfile{
        .name = "bradesco",
        .title = "Bradesco",
        // [A] ACBrPIXPSPBradesco.pas. Other clients [G] ask for tokens at /auth/server/oauth/token: unknown
        // which accounts need that.
        .live = {"https://qrpix.bradesco.com.br/v2", "https://qrpix.bradesco.com.br/oauth/token"},
        .test = {"https://qrpix-h.bradesco.com.br/v2", "https://qrpix-h.bradesco.com.br/oauth/token"},
        .token_auth = TokenAuth::kBasic,
        .token_takes_scope = false,
    },
    BankProfile{
        .name = "santander",
        .title = "Santander",
        // [A] ACBrPIXPSPSantander.pas, [G]
        .live = {"https://trust-pix.santander.com.br/api/v1",
                 "https://trust-pix.santander.com.br/oauth/token"},
        .test = {"https://trust-pix-h.santander.com.br/api/v1",
                 "https://trust-pix-h.santander.com.br/oauth/token"},
        .token_auth = TokenAuth::kBody,
        .token_takes_scope = false,
        .grant_type_in_query = true,
        .versions = kSantanderVersions,
    },
    BankProfile{
        .name = "sicoob",
        .title = "Sicoob",
        // [A] ACBrPIXPSPSicoob.pas, [P] sicoob.py
        .live = {"https://api.sicoob.com.br/pix/api/v2",
                 "https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token"},
        // [A]: tokens of the sandbox are handed out by the portal; a URL to ask at is unknown.
        .test = {"https://sandbox.sicoob.com.br/sicoob/sandbox/pix/api/v2", ""},
        .token_auth = TokenAuth::kNone,   // [A], [P]: the client's id in the body, no secret
        .client_id_header = "client_id",  // [A]
        .other_code_field = "brcode",     // [A]
    },
    BankProfile{
        .name = "sicredi",
        .title = "Sicredi",
        // [A] ACBrPIXPSPSicredi.pas, [P] sicredi.py
        .live = {"https://api-pix.sicredi.com.br/api/v2", "https://api-pix.sicredi.com.br/oauth/token"},
        .test = {"https://api-pix-h.sicredi.com.br/api/v2", "https://api-pix-h.sicredi.com.br/oauth/token"},
        .token_auth = TokenAuth::kBasic,
        .versions = kSicrediVersions,
    },
    BankProfile{
        .name = "inter",
        .title = "Inter",
        // [A] ACBrPIXPSPInter.pas, [I]
        .live = {"https://cdpj.partners.bancointer.com.br/pix/v2",
                 "https://cdpj.partners.bancointer.com.br/oauth/v2/token"},
        .test = {"https://cdpj-sandbox.partners.uatinter.co/pix/v2",
                 "https://cdpj-sandbox.partners.uatinter.co/oauth/v2/token"},  // [I]
        .token_auth = TokenAuth::kBody,
    },
    BankProfile{
        .name = "generic",
        .title = "any other bank",
        .live = {"", ""},
        .test = {"", ""},
        .token_auth = TokenAuth::kBasic,            // the usual; [S] leaves it open
        .not_found_codes = kBancoDoBrasilNotFound,  // which no other bank is known to use
    },
};

// Names of the operations' subjects in errors: in the document, at Efí [E], and as in its paths.
constexpr std::array<std::string_view, 4> kPayments{"pix", "pagamento", "recebimento", "transacao"};
constexpr std::array<std::string_view, 6> kPayment{"pix",       "e2eid",       "endtoendid",
                                                   "pagamento", "recebimento", "transacao"};
constexpr std::array<std::string_view, 3> kCharge{"cob", "cobranca", "txid"};
constexpr std::array<std::string_view, 8> kRefund{"pixdevolucao", "devolucao", "pix",         "e2eid",
                                                  "endtoendid",   "pagamento", "recebimento", "transacao"};
constexpr std::array<std::string_view, 1> kCallback{"webhook"};

std::span<const std::string_view> names_of_asked(BankOperation operation) {
  switch (operation) {
    case BankOperation::kListPix:
      return kPayments;
    case BankOperation::kGetPix:
      return kPayment;
    case BankOperation::kPutCob:
    case BankOperation::kGetCob:
    case BankOperation::kRemoveCob:
      return kCharge;
    case BankOperation::kPutRefund:
    case BankOperation::kGetRefund:
      return kRefund;
    case BankOperation::kPutCallback:
    case BankOperation::kGetCallback:
    case BankOperation::kDeleteCallback:
      return kCallback;
    case BankOperation::kToken:
      return {};
  }
  return {};
}

}  // namespace

std::span<const BankProfile> bank_profiles() { return kProfiles; }

const BankProfile* find_bank_profile(std::string_view name) {
  const auto* const found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                         [&](const BankProfile& profile) { return profile.name == name; });
  return found == kProfiles.end() ? nullptr : found;
}

bool means_not_found(const BankProfile& profile, BankOperation operation, std::string_view type) {
  while (type.size() > 1 && type.front() == '0') type.remove_prefix(1);
  const auto& codes = profile.not_found_codes;
  if (std::find(codes.begin(), codes.end(), type) != codes.end()) return true;
  std::string letters;
  for (const char c : type)
    if (is_ascii_alnum(c)) letters += to_ascii_lower(c);
  std::string_view thing = letters;
  if (thing.ends_with('s')) thing.remove_suffix(1);
  if (!thing.ends_with('o') && !thing.ends_with('a')) return false;
  thing.remove_suffix(1);
  constexpr std::string_view kParticiple = "naoencontrad";
  if (!thing.ends_with(kParticiple)) return false;
  thing.remove_suffix(kParticiple.size());
  const auto names = names_of_asked(operation);
  // Without a name it is the document's error for whatever was asked.
  return thing.empty() || std::find(names.begin(), names.end(), thing) != names.end();
}

bool means_not_found(const BankProfile& profile, BankOperation operation, const BankError& error) {
  if (means_not_found(profile, operation, error.type)) return true;
  const auto names = names_of_asked(operation);
  const auto is_asked = [&](std::string_view thing) {
    return thing == kAnyRecord || std::find(names.begin(), names.end(), thing) != names.end();
  };
  return !changes_something(operation) && !error.missing.empty() &&
         std::all_of(error.missing.begin(), error.missing.end(), is_asked);
}

std::string base_url_for(const BankProfile& profile, std::string_view base_url, BankOperation operation) {
  while (!base_url.empty() && base_url.back() == '/') base_url.remove_suffix(1);
  for (const auto& version : profile.versions) {
    if (version.operation != operation || !base_url.ends_with(version.base_end)) continue;
    base_url.remove_suffix(version.base_end.size());
    return std::string(base_url) + std::string(version.replacement);
  }
  return std::string(base_url);
}

}  // namespace pixledger::workers
