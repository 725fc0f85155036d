export default {
  what: 'does not say how long a token is good',
  source: 'https://www.rfc-editor.org/rfc/rfc6749#section-5.1',
  token(token) {
    delete token.expires_in;
  },
};
