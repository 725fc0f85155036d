export default {
  what: 'writes the life of a token as a text with a fraction',
  source: 'https://github.com/ramosbugs/oauth2-rs/issues/151',
  token(token) {
    if (token.expires_in) token.expires_in = `${token.expires_in}.0`;
  },
};
