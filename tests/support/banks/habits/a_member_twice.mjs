// Sicredi.
export default {
  what: 'has an unused member twice',
  source: 'https://www.projetoacbr.com.br/forum/topic/69458-acbrpixcd-sicredi-mensagem-erro-no-demo-duplicate-object-member-retirada/',
  answer(answer, { operation }) {
    if (!operation.startsWith('cob.')) return answer;
    const text = answer.body.toString('utf8').replaceAll('"valor":{', '"valor":{"retirada":null,"retirada":null,');
    return { ...answer, body: Buffer.from(text) };
  },
};
