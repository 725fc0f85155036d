// Itaú.
import { problemAnswer } from '../../../bank/problems.mjs';

const razao =
  '422 : [{"messages":[{"errorCode":"422","message":"There is a target registered using same product_name, ' +
  'target_name and message_type using target-id 1"}]}]';

export default {
  what: 'refuses to register a webhook where one is registered',
  source: 'https://github.com/bacen/pix-api/issues/9',
  refuse({ operation, account }) {
    if (operation !== 'webhook.put' || !account?.webhook) return undefined;
    return problemAnswer({ kind: 'WebhookOperacaoInvalida', violacoes: [{ razao, propriedade: 'webhookUrl' }] });
  },
};
