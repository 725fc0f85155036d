// The same objects as the CommonJS build, so that `instanceof` holds where both are in use.
import sdk from './index.cjs';

export const {
  PixledgerError,
  ApiError,
  ConnectionError,
  TimeoutError,
  WebhookVerificationError,
  verifyWebhook,
  verifyCheckpoint,
  verifyReceipt,
  verifyReturn,
  PixledgerClient,
} = sdk;
