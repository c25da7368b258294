// Who is not let in, and requests that two readers could read in two ways.
import { createHmac } from 'node:crypto';
import { rawRequest, recordLine } from '../wire.mjs';

const MINE = 'Host: localhost\r\n';

/** Everything but the right token, at the right address. */
export const noEntry = {
  async attack({ port, token, secret }) {
    const body = recordLine({ producer: 'intruder' });
    const mine = `Authorization: Bearer ${token}\r\n`;
    const post = async (headers, text = body, path = '/v1/records') => {
      const head = `POST ${path} HTTP/1.1\r\n${headers}Connection: close\r\nContent-Length: ${Buffer.byteLength(text)}\r\n`;
      return (await rawRequest(port, `${head}\r\n${text}`)).status;
    };
    const signed = (text, by) => {
      const hex = createHmac('sha256', by).update(text).digest('hex');
      return `${MINE}X-Hermes-Signature-256: sha256=${hex}\r\n`;
    };
    const delivery = (at) =>
      JSON.stringify({
        hook_event_name: 'on_session_end',
        delivery_id: `d${at}`,
        timestamp: new Date(at).toISOString(),
      });
    const fresh = delivery(Date.now());
    const hook = (headers, text) => post(headers, text, '/hooks/hermes');
    return {
      401: {
        'no token': await post(MINE),
        'a wrong token': await post(`${MINE}Authorization: Bearer ${token}x\r\n`),
        'another scheme': await post(`${MINE}Authorization: Basic ${token}\r\n`),
        'no signature': await hook(MINE, fresh),
        'a wrong signature': await hook(signed(fresh, 'some other secret'), fresh),
        'a signature of another body': await hook(signed(`${fresh} `, secret), fresh),
      },
      403: {
        'another origin': await post(`${MINE}${mine}Origin: http://evil.example\r\n`),
        'a null origin': await post(`${MINE}${mine}Origin: null\r\n`),
        'a foreign host': await post(`Host: evil.example\r\n${mine}`),
        'a host that ends like ours': await post(`Host: localhost.evil.example\r\n${mine}`),
        'an old delivery': await hook(
          signed(delivery(Date.now() - 3_600_000), secret),
          delivery(Date.now() - 3_600_000),
        ),
      },
      400: {
        'two hosts': await post(`${MINE}Host: evil.example\r\n${mine}`),
        'two hosts, ours last': await post(`Host: evil.example\r\n${MINE}${mine}`),
        'two equal hosts': await post(`${MINE}${MINE}${mine}`),
        'no host': await post(mine),
        'two tokens': await post(`${MINE}Authorization: Bearer x\r\n${mine}`),
        'two hosts without a token': await hook(`${MINE}${signed(fresh, secret)}`, fresh),
      },
      200: {
        'the right token': await post(`${MINE}${mine}`, recordLine()),
        'the right signature': await hook(signed(fresh, secret), fresh),
      },
    };
  },
  check: (facts) => [
    ...Object.entries(facts).flatMap(([wanted, cases]) =>
      Object.entries(cases).map(([what, status]) => [`${what}: ${wanted}`, status === Number(wanted), `${status}`]),
    ),
  ],
  producersThatMustNotBe: ['intruder'],
};

const chunk = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** Lengths that disagree: a proxy before us and we would see different requests. */
export const smuggling = {
  async attack({ port, token }) {
    const inner = recordLine({ producer: 'smuggled' });
    const head = `POST /v1/records HTTP/1.1\r\n${MINE}Authorization: Bearer ${token}\r\n`;
    const hidden = `${head}Content-Length: ${inner.length}\r\n\r\n${inner}`;
    const shapes = {
      'length and chunks': `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(inner)}`,
      'chunks and length': `${head}Transfer-Encoding: chunked\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
      'two lengths': `${head}Content-Length: 0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
      'a list of lengths': `${head}Content-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
      'a length with a sign': `${head}Content-Length: +${inner.length}\r\n\r\n${inner}`,
      'a hexadecimal length': `${head}Content-Length: 0x${inner.length.toString(16)}\r\n\r\n${inner}`,
      'an encoding that is none': `${head}Transfer-Encoding: xchunked\r\n\r\n${chunk(inner)}`,
      'chunked twice': `${head}Transfer-Encoding: chunked, identity\r\n\r\n${chunk(inner)}`,
      'a space before the colon': `${head}Transfer-Encoding : chunked\r\n\r\n${chunk(inner)}`,
      'a header over two lines': `${head}Transfer-Encoding:\r\n chunked\r\nContent-Length: 0\r\n\r\n${chunk(inner)}`,
      'a chunk of no number': `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n${inner}\r\n0\r\n\r\n`,
      'a newline alone': `${head.replaceAll('\r\n', '\n')}Content-Length: ${inner.length}\n\n${inner}`,
      'a line feed in a header': `${head}X: a\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
      'no version': `POST /v1/records\r\n${MINE}Authorization: Bearer ${token}\r\n\r\n${inner}`,
      'headers of 1 MiB': `${head}X: ${'a'.repeat(2 ** 20)}\r\n\r\n`,
    };
    const facts = {};
    for (const [what, text] of Object.entries(shapes)) facts[what] = (await rawRequest(port, text, 1_500)).status;
    return facts;
  },
  check: (facts) =>
    Object.entries(facts).map(([what, status]) => [
      `${what} is refused`,
      status === 400 || status === 431,
      `${status}`,
    ]),
  producersThatMustNotBe: ['smuggled'],
};
