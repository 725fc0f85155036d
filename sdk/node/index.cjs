'use strict';

module.exports = {
  ...require('./lib/errors.cjs'),
  ...require('./lib/webhook.cjs'),
  ...require('./lib/receipt.cjs'),
  ...require('./lib/checkout-return.cjs'),
  ...require('./lib/client.cjs'),
};
