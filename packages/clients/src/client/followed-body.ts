import type { CallGroup } from './call-group.js';
import type { ClientCall } from './client-call.js';
import { followReadable } from './followed-readable.js';
import { StreamFollower } from './followed-stream.js';
import { ServerSentEvents } from './server-sent-events.js';

/** Texts of an answer longer than this are not read a second time. */
const MOST_TEXT = 4_000_000;

/**
 * Has calls told of a response that the client does not read: as it is read by whoever has it, by `json()`, `text()` or its
 * body. Read in any other way, the request ends when the program has it.
 */
export function followBody(response: unknown, group: CallGroup, calls: readonly ClientCall[]): void {
  if (!(response instanceof Response) || response.body === null) {
    for (const call of calls) call.guard.safely(() => call.ended({}));
    return;
  }
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  for (const call of calls) {
    if (isStream) followEvents(response.body, group, call);
    else followWhole(response, group, call);
  }
}

function followWhole(response: Response, group: CallGroup, call: ClientCall): void {
  let isFollowed = false;
  const follow = (name: 'json' | 'text', answerIn: (read: unknown) => unknown) => {
    const read = response[name].bind(response) as () => Promise<unknown>;
    const value = async () => {
      isFollowed = true;
      let result: unknown;
      try {
        result = await read();
      } catch (error) {
        if (!group.isParsed) call.guard.safely(() => call.failed(error));
        throw error;
      }
      if (!group.isParsed) call.guard.safely(() => call.answered(answerIn(result)));
      return result;
    };
    Object.defineProperty(response, name, { value, configurable: true, writable: true });
  };
  follow('json', (result) => result);
  follow('text', (result) => (typeof result === 'string' && result.length <= MOST_TEXT ? parsed(result) : undefined));
  const ended = () => {
    if (!group.isParsed && !isFollowed) call.ended({});
  };
  followReadable(response.body, call.guard, {
    part: () => {},
    done: ended,
    failed: (error) => {
      if (!group.isParsed && !isFollowed) call.failed(error);
    },
    left: ended,
  });
}

function followEvents(body: ReadableStream, group: CallGroup, call: ClientCall): void {
  const answer = call.streamed();
  const events = new ServerSentEvents((event) => call.part(answer, event));
  const follower = new StreamFollower(call, answer, undefined);
  const unlessParsed = (what: () => void) => () => {
    if (!group.isParsed) what();
  };
  followReadable(body, call.guard, {
    part: (chunk) => {
      if (!group.isParsed) events.add(chunk);
    },
    done: unlessParsed(() => follower.done()),
    failed: (error) => unlessParsed(() => call.failed(error))(),
    left: unlessParsed(() => follower.left()),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
