import { connect } from 'node:http2';

const METHOD = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** Not compressed, length 0: a request without spans. */
const EMPTY_MESSAGE = Buffer.alloc(5);

/** Sends a request without spans over gRPC. Resolves with the `grpc-status` of the answer, `'0'` if it was taken. */
export function exportOverGrpc(endpoint: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const session = connect(endpoint).on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': METHOD,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let status: string | undefined;
    stream.on('trailers', (trailers) => {
      status = trailers['grpc-status'] as string | undefined;
    });
    stream.on('error', reject).on('close', () => {
      session.close();
      resolve(status);
    });
    stream.resume().end(EMPTY_MESSAGE);
  });
}
