// POST /oauth/token, which the document leaves to each bank: client credentials, said by Basic
// authentication, in the body (a form or JSON), or by the certificate and the client_id alone.
import { secret } from './ids.mjs';
import { scopes } from './operations.mjs';
import { jsonAnswer } from './problems.mjs';

function parametersOf(query, contentType = '', body) {
  const parameters = Object.fromEntries(query);
  if (!contentType.startsWith('application/json'))
    return { ...parameters, ...Object.fromEntries(new URLSearchParams(body)) };
  try {
    return { ...parameters, ...JSON.parse(body) };
  } catch {
    return parameters;
  }
}

function basicOf(authorization = '') {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(authorization) ?? [];
  if (!encoded) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return { id: text.slice(0, colon), secret: text.slice(colon + 1) };
}

const refusal = (status, error) => {
  const answer = jsonAnswer(status, { error });
  if (status === 401) answer.headers['www-authenticate'] = 'Basic realm="bank"';
  return answer;
};

export class Tokens {
  #bank;
  #byText = new Map(); // → {account, scopes, endsAt}

  constructor(bank) {
    this.#bank = bank;
  }

  revokeAll() {
    this.#byText.clear();
  }

  // The good token of an Authorization header, or undefined.
  find(authorization = '') {
    const token = this.#byText.get(/^Bearer (\S+)$/.exec(authorization)?.[1]);
    return token && token.endsAt > Date.now() ? token : undefined;
  }

  // {answer, auth}: auth tells how the client said who it is, for the journal.
  issue({ query, headers, body, commonName }) {
    const parameters = parametersOf(query, headers['content-type'], body);
    const basic = basicOf(headers.authorization);
    const auth = basic ? 'basic' : parameters.client_secret ? 'body' : 'none';
    return { auth, answer: this.#answer(parameters, basic, auth, commonName) };
  }

  #answer(parameters, basic, auth, commonName) {
    const { tokenAuth, tokenSeconds, grantedScopes } = this.#bank.settings;
    if (tokenAuth !== 'any' && auth !== tokenAuth) return refusal(401, 'invalid_client');
    const account = this.#bank.accounts.find(
      ({ clientId }) => clientId === (basic?.id ?? parameters.client_id),
    );
    const said = basic?.secret ?? parameters.client_secret;
    // Without a secret only a bank that wants none lets a client in.
    const isKnown = auth === 'none' ? tokenAuth === 'none' : said === account?.clientSecret;
    if (!account || !isKnown || account.commonName !== commonName) return refusal(401, 'invalid_client');
    if (parameters.grant_type !== 'client_credentials') return refusal(400, 'unsupported_grant_type');
    const asked = parameters.scope ? parameters.scope.split(' ') : scopes;
    if (!asked.every((scope) => scopes.includes(scope))) return refusal(400, 'invalid_scope');
    const granted = asked.filter((scope) => grantedScopes === null || grantedScopes.includes(scope));
    const text = secret(24);
    this.#byText.set(text, { account, scopes: granted, endsAt: Date.now() + tokenSeconds * 1000 });
    return jsonAnswer(200, {
      access_token: text,
      token_type: 'Bearer',
      expires_in: tokenSeconds,
      scope: granted.join(' '),
    });
  }
}
