// Backends of models in the process: what clients get in place of `fetch`.
import { answerLater, STEPS } from './script.mjs';

const headers = (type) => ({ 'content-type': type, 'x-request-id': 'req_1', 'request-id': 'req_1' });

/** Of each step the answer as an object, and as the events of a stream: `[name or undefined, object]`. */
export function fakeFetch({ answers, streams }) {
  const bodies = answers.map((answer) => JSON.stringify(answer));
  const event = ([name, data]) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
  const ends = (events) => (events[0][0] === undefined ? 'data: [DONE]\n\n' : '');
  const encoder = new TextEncoder();
  const chunks = streams.map((events) => [...events.map(event), ends(events)].map((text) => encoder.encode(text)));
  let request = 0;
  return async (_url, { body }) => {
    const step = request++ % STEPS;
    await answerLater();
    if (!body.includes('"stream":true')) return new Response(bodies[step], { headers: headers('application/json') });
    const stream = new ReadableStream({
      start(controller) {
        for (const chunk of chunks[step]) controller.enqueue(chunk);
        controller.close();
      },
    });
    return new Response(stream, { headers: headers('text/event-stream') });
  };
}
