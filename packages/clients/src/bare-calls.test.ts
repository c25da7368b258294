// Calls outside of any turn, in a program that has none before them: the order of the tests is a part of them.
import { AsyncLocalStorage } from 'node:async_hooks';
import { OpenAI } from 'openai';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chatAnswer, messageAnswer } from './answers.test-support.js';
import { observeAnthropic, observeOpenAI, withTurn } from './index.js';
import { json, unavailable } from './loopback-server.test-support.js';
import { anthropic, chat, message, observed, openAI, type Scene, server } from './scene.test-support.js';

afterEach(() => void vi.restoreAllMocks());

/** Before this one a storage makes each promise dearer. */
const isDear = Number.parseInt(process.versions.node, 10) < 24;
const idOf = (scene: Scene) => scene.observer.traceContext().traceparent?.split('-')[2];
const ok = json(chatAnswer('m', 'Sunny.'));

/** A `fetch` of the program that notes the active span, before and after it waits. */
function noting(scene: Scene) {
  const seen: { atOnce: string | undefined; later: string | undefined }[] = [];
  const own = async (input: string | URL | Request, init?: RequestInit) => {
    const atOnce = idOf(scene);
    await null;
    seen.push({ atOnce, later: idOf(scene) });
    return fetch(input, init);
  };
  return { seen, fetch: own };
}

const spanIdOfRequest = async (scene: Scene) =>
  (await scene.spans()).find(({ name }) => name === 'chat m')?.spanContext().spanId;

describe('a call outside of any turn', () => {
  it.each(['openai', 'anthropic'])(
    'of %s has its span active in a fetch of the program, without a storage',
    async (kind) => {
      const scene = observed();
      const { seen, fetch } = noting(scene);
      const run = vi.spyOn(AsyncLocalStorage.prototype, 'run');
      if (kind === 'openai') {
        server.answers(unavailable(503), json(chatAnswer('m', 'Sunny.')));
        const client = observeOpenAI(openAI({ fetch }), scene.options);
        await client.chat.completions.create(chat);
        expect((client as unknown as { fetch: unknown }).fetch).toBe(fetch);
      } else {
        server.answers(unavailable(503), json(messageAnswer('m', 'Sunny.')));
        const client = observeAnthropic(anthropic({ fetch }), scene.options);
        await client.messages.create(message);
        expect((client as unknown as { fetch: unknown }).fetch).toBe(fetch);
      }
      if (isDear) expect(run).not.toHaveBeenCalled();
      run.mockRestore();
      const tree = await scene.tree();
      expect(tree).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 x503']);
      const id = await spanIdOfRequest(scene);
      expect(id).toMatch(/^\w{16}$/);
      const later = isDear ? undefined : id;
      expect(seen).toEqual([
        { atOnce: id, later },
        { atOnce: id, later },
      ]);
    },
  );

  it('of a client that lets nobody change it is made as well', async () => {
    const scene = observed();
    server.answers(json(messageAnswer('m', 'Sunny.')));
    const { seen, fetch } = noting(scene);
    await observeAnthropic(Object.freeze(anthropic({ fetch })), scene.options).messages.create(message);
    expect(seen).toHaveLength(1);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5']);
  });

  it('has a turn below it that its fetch starts at once', async () => {
    const scene = observed();
    server.answers(ok);
    const own: typeof fetch = async (input, init) => {
      await withTurn({ agentName: 'inner' }, async () => {
        await null;
        expect(idOf(scene)).toBeDefined();
      });
      return fetch(input, init);
    };
    await observeOpenAI(openAI({ fetch: own }), scene.options).chat.completions.create(chat);
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat m: stop 10>5',
      '  invoke_agent inner: completed',
    ]);
  });
});

/** The package as a program has it that has made no call yet. */
async function fresh() {
  vi.resetModules();
  return import('./index.js');
}

describe('attempts of calls with the same options', () => {
  const request = () => Object.freeze({ method: 'post' as const, path: '/chat/completions', body: chat });
  const refused = (tree: readonly string[]) => tree.filter((line) => line.includes('x503')).length;

  it('are told apart', async () => {
    const scene = observed();
    const client = (await fresh()).observeOpenAI(openAI(), scene.options);
    const options = request();
    server.answers(unavailable(503), ok);
    await Promise.all([client.request(options), client.request(options)]);
    expect(server.requests).toHaveLength(3);
    server.answers(unavailable(503), ok);
    await client.request(options);
    expect(refused(await scene.tree())).toBe(2);
  });

  it('are told of no call where they are promised, and apart from then on', async () => {
    const scene = observed();
    const client = (await fresh()).observeOpenAI(openAI(), scene.options);
    const options = request();
    const ask = () => client.request(Promise.resolve(options));
    server.answers(unavailable(503), ok);
    await Promise.all([ask(), ask()]);
    expect(server.requests).toHaveLength(3);
    server.answers(unavailable(503), ok);
    await Promise.all([ask(), ask()]);
    expect(refused(await scene.tree())).toBe(1);
  });
});

describe('attempts that a client makes in a way of its own', () => {
  it('are told where it renews its token in the middle of a call', async () => {
    const scene = observed();
    const exchange = async (input: string | URL | Request, init?: RequestInit) =>
      String(input).includes(server.url)
        ? fetch(input, init)
        : Response.json({ access_token: 't', issued_token_type: 'x', token_type: 'Bearer', expires_in: 3600 });
    const provider = { tokenType: 'jwt' as const, getToken: async () => 'subject' };
    const workloadIdentity = { identityProviderId: 'i', serviceAccountId: 's', provider };
    const client = new OpenAI({
      baseURL: `${server.url}/v1`,
      apiKey: null as never,
      workloadIdentity,
      fetch: exchange,
    });
    (await fresh()).observeOpenAI(client, scene.options);
    server.answers(unavailable(401), unavailable(503), ok);
    await client.chat.completions.create(chat);
    expect(server.requests).toHaveLength(3);
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat m: stop 10>5 x401 x503']);
  });

  it('are told from the second call on where it makes them of copies', async () => {
    class Copying extends OpenAI {
      override fetchWithTimeout(...[url, init, ms, controller]: Parameters<OpenAI['fetchWithTimeout']>) {
        return super.fetchWithTimeout(url, { ...init }, ms, controller);
      }
    }
    const scene = observed();
    const client = new Copying({ apiKey: 'sk', baseURL: `${server.url}/v1` });
    (await fresh()).observeOpenAI(client, scene.options);
    for (let call = 0; call < 2; call++) {
      server.answers(unavailable(503), ok);
      await client.chat.completions.create(chat);
    }
    const requests = (await scene.tree()).filter((line) => line.includes('chat m'));
    expect(requests).toEqual(['  chat m: stop 10>5', '  chat m: stop 10>5 x503']);
  });
});
