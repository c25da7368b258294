// Kills an agent again and again at each step of calls that a person approves, and accounts for each call: it ran once at most,
// and no answer was lost. With the file store, and with SQLite and PostgreSQL, where the person is another process.
//
// node e2e/policy/kill/run.mjs [--full] [--kills 30] [--seed 7] [--store postgres], and part of npm run e2e:policy
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Approvals, FileStore, hasSqlite, openPostgresStore, openSqliteStore } from '@hermes-observer/policy';
import { Tally } from '../../kill/tally.mjs';
import { startPostgres } from '../postgres.mjs';
import { AgentProcess } from './agent-process.mjs';

/** Where it is killed: behind a message of that kind, or at any moment. */
const STEPS = ['card', 'answered', 'executing', 'ran', 'done', 'anywhere'];
const STORES = ['file', 'sqlite', 'postgres'];
const IN_FLIGHT = 6;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

function randomFrom(seed) {
  let state = seed || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** All that the test was told about one call. */
class Call {
  card;
  /** What the person said, once it was acknowledged. */
  answer;
  end;
  cardsAfterAnswer = 0;
  constructor(id, isRefused) {
    this.id = id;
    this.isRefused = isRefused;
  }
}

class Scene {
  calls = new Map();
  kills = Object.fromEntries(STEPS.map((step) => [step, 0]));
  #random;
  #settings;
  #person;
  #next = 0;
  #agent;

  /** @param person other process that decides; without one it is the agent's own. */
  constructor(settings, random, person) {
    this.#settings = settings;
    this.#random = random;
    this.#person = person;
  }

  get unended() {
    return [...this.calls.values()].filter(({ end }) => end === undefined);
  }

  /** @param step where it is killed; `undefined`: not at all, and no new call begins. */
  async live(step) {
    let strike;
    const struck = new Promise((resolve) => {
      strike = resolve;
    });
    const agent = new AgentProcess(this.#settings, (message) => {
      this.#told(message);
      if (message.at === step) setTimeout(strike, this.#random() < 0.5 ? 0 : this.#random() * 4);
    });
    this.#agent = agent;
    await agent.ready;
    if (step !== undefined) {
      while (this.unended.length < IN_FLIGHT) {
        const id = `call-${++this.#next}`;
        this.calls.set(id, new Call(id, this.#random() < 0.15));
      }
    }
    for (const call of this.unended) {
      agent.send({ run: call.id });
      // A person who was not told that the answer counts gives it again.
      if (call.card !== undefined && call.answer === undefined) this.#answer(call);
    }
    if (step === undefined) {
      const until = Date.now() + 60_000;
      while (this.unended.length > 0 && Date.now() < until && !agent.isOver) await pause(20);
      agent.child.disconnect();
      await agent.exit;
      return;
    }
    const wait = step === 'anywhere' ? this.#random() * 300 : 3_000;
    await Promise.race([struck, pause(wait), agent.exit]);
    await agent.kill();
    this.kills[step]++;
  }

  #told({ at, callId, ...facts }) {
    const call = this.calls.get(callId);
    if (call === undefined) return;
    if (at === 'card') {
      if (call.answer !== undefined) call.cardsAfterAnswer++;
      call.card = facts;
      setTimeout(() => this.#answer(call), this.#random() * 60);
    } else if (at === 'answered') this.#answered(call, facts);
    else if (at === 'done') call.end = 'done';
    else if (at === 'blocked') call.end = facts.kind;
  }

  #answered(call, { ok, text }) {
    const said = call.isRefused ? 'rejected' : 'approved';
    if (ok || text.startsWith(`It was ${said} already`)) call.answer = said;
  }

  #answer(call) {
    const { approvalId, token, message } = call.card;
    const answer = {
      kind: 'decision',
      approvalId,
      token,
      choice: call.isRefused ? 'reject' : 'approve',
      decider: { channel: 'person', id: 'U1' },
      source: { tenant: 'T', chat: 'C', message },
      eventId: message,
      comment: call.id,
    };
    if (this.#person === undefined) this.#agent.send({ answers: [answer] });
    else
      this.#person
        .decide('person', answer, Date.now())
        .then((outcome) => this.#told({ at: 'answered', callId: call.id, ...outcome }));
  }
}

async function killWith(tally, { title, settings, openStore, person, kills, seed }) {
  const scene = new Scene(settings, randomFrom(seed), person);
  const began = performance.now();
  for (let i = 0; i < kills; i++) await scene.live(STEPS[i % STEPS.length]);
  await scene.live(undefined);
  await person?.close();
  // A lease may still run.
  const store = await openStore();
  for (let i = 0; i < 50 && (await store.list({ states: ['executing'], limit: 1 })).length > 0; i++) {
    await store.abandon(Date.now());
    await pause(100);
  }
  const kept = await store.list({ limit: 100_000 });
  await store.close();
  const times = new Map();
  for (const id of readFileSync(settings.effects, 'utf8').split('\n'))
    if (id !== '') times.set(id, (times.get(id) ?? 0) + 1);
  const stateOf = new Map(kept.map(({ callId, state }) => [callId, state]));
  const calls = [...scene.calls.values()];
  const count = (state) => kept.filter((one) => one.state === state).length;
  const named = (list) =>
    list
      .slice(0, 5)
      .map(({ id, answer, end }) => `${id}: ${answer}, ${stateOf.get(id)}, ${end}, ran ${times.get(id) ?? 0}`)
      .join('; ');
  const check = (what, wrong) =>
    tally.check(`${title}: ${what}`, wrong.length === 0, wrong.length === 0 ? '' : `${wrong.length}: ${named(wrong)}`);
  console.log(
    `${title}: ${kills} kills in ${((performance.now() - began) / 1000).toFixed(0)} s, seed ${seed}, ${calls.length} calls, ${times.size} ran; ` +
      ['executed', 'outcome_unknown', 'rejected', 'approved', 'pending']
        .map((state) => `${count(state)} ${state}`)
        .join(', '),
  );
  console.log(
    `   killed at ${Object.entries(scene.kills)
      .map(([step, n]) => `${step} ${n}`)
      .join(', ')}`,
  );
  check(
    'no call ran twice',
    calls.filter(({ id }) => (times.get(id) ?? 0) > 1),
  );
  check(
    'each call that ran had been approved',
    calls.filter(({ id, isRefused }) => times.has(id) && isRefused),
  );
  check(
    'one record a call, none is lost',
    calls.filter(({ id, card }) => card !== undefined && kept.filter(({ callId }) => callId === id).length !== 1),
  );
  const open = ['pending', 'expired', 'cancelled'];
  check(
    'no answer was lost',
    calls.filter(({ id, answer }) => answer !== undefined && open.includes(stateOf.get(id))),
  );
  check(
    'nobody was asked again behind an answer',
    calls.filter(({ cardsAfterAnswer }) => cardsAfterAnswer > 0),
  );
  check(
    'an approved call ran, or its outcome is unknown',
    calls.filter(
      ({ id, answer }) =>
        answer === 'approved' && stateOf.get(id) !== 'executed' && stateOf.get(id) !== 'outcome_unknown',
    ),
  );
  check(
    'what counts as executed ran once',
    calls.filter(({ id }) => stateOf.get(id) === 'executed' && times.get(id) !== 1),
  );
  check(
    'every call came to an end',
    calls.filter(({ end }) => end === undefined),
  );
  // Else the test has not been where it says.
  tally.check(
    `${title}: it was killed while calls ran`,
    kills < 12 || count('outcome_unknown') > 0,
    `${count('outcome_unknown')} unknown`,
  );
}

/** Another process, as far as a store can tell. */
const personAt = async (openStore) => Approvals.open({ store: await openStore(), channels: [] });

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runKill({
  full = false,
  kills = full ? 200 : 12,
  seed = Date.now() % 100_000,
  stores = STORES,
} = {}) {
  const tally = new Tally();
  const folder = mkdtempSync(join(tmpdir(), 'policy-kill-'));
  const settings = (kind, place) => {
    const effects = join(folder, `${kind}.effects`);
    writeFileSync(effects, '');
    return { kind, place, effects, sendMs: 400 };
  };
  const kill = (title, kind, place, openStore, person) =>
    killWith(tally, { title, settings: settings(kind, place), openStore, person, kills, seed });
  if (stores.includes('file')) {
    const place = join(folder, 'approvals');
    await kill('file', 'file', place, () => FileStore.open(place));
  }
  if (stores.includes('sqlite')) {
    const place = join(folder, 'approvals.sqlite');
    const openStore = () => openSqliteStore(place, { leaseMs: 900 });
    if (hasSqlite()) await kill('SQLite', 'sqlite', place, openStore, await personAt(openStore));
    else console.log(`SKIP SQLite: Node.js ${process.versions.node} has no node:sqlite`);
  }
  if (stores.includes('postgres')) {
    const { url, skip, stop } = await startPostgres();
    const openStore = () => openPostgresStore({ connectionString: url, leaseMs: 900 });
    if (skip === undefined) await kill('PostgreSQL', 'postgres', url, openStore, await personAt(openStore));
    else console.log(`SKIP PostgreSQL: ${skip}`);
    await stop();
  }
  if (tally.failed === 0) rmSync(folder, { recursive: true });
  else console.log(folder);
  return tally;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = { type: 'string' };
  const options = { full: { type: 'boolean' }, kills: text, seed: text, store: text };
  const { full, kills, seed, store } = parseArgs({ options }).values;
  const number = (given) => (given === undefined ? undefined : Number(given));
  const stores = store === undefined ? undefined : [store];
  process.exit((await runKill({ full, kills: number(kills), seed: number(seed), stores })).end());
}
