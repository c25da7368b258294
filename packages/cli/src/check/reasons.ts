/** What a code of the system means, to somebody who wants to know what to do. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'it closed the connection',
  ENOENT: 'there is no such socket',
  EACCES: 'this user may not connect',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host cannot be looked up',
  EHOSTUNREACH: 'no way leads to this host',
  ENETUNREACH: 'no way leads to this network',
  ETIMEDOUT: 'no answer in time',
  EPROTO: 'it speaks no TLS: the address may have to begin with http://',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it speaks no TLS: the address may have to begin with http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it speaks no TLS: the address may have to begin with http://',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP/1.1, so it may be a port for gRPC',
};

/** Codes of certificates that are not trusted. */
const UNTRUSTED: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is of an authority that is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is of an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is of an authority that is not known',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is of an authority that is not known',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

const LATE = 'no answer in time';

/** The code of an error, which `fetch` hides in its cause; its message if it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return LATE;
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return cause?.code ?? (error as NodeJS.ErrnoException).code ?? cause?.message ?? error.message;
}

/** The same in words, with the code behind. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const meaning = MEANINGS[code] ?? UNTRUSTED[code];
  return meaning === undefined ? code : `${meaning} (${code})`;
}

export function isUntrusted(error: unknown): boolean {
  return Object.hasOwn(UNTRUSTED, codeOf(error));
}
