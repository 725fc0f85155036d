// Bradesco.
const fault = `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><soapenv:Fault>
<faultcode>soapenv:Server</faultcode><faultstring>Policy Falsified</faultstring>
</soapenv:Fault></soapenv:Body></soapenv:Envelope>`;
const asked = new WeakMap(); // how often a bank was

export default {
  what: 'answers now and then with a SOAP fault',
  source: 'https://github.com/bacen/pix-api/issues/535',
  refuse({ bank }) {
    const count = (asked.get(bank) ?? 0) + 1;
    asked.set(bank, count);
    if (count % 7 !== 0) return undefined;
    return { status: 500, headers: { 'content-type': 'text/xml' }, body: Buffer.from(fault) };
  },
};
