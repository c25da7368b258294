// Two agents in processes of their own ask for the very same call in one PostgreSQL, and 50 answers come to both at once: one
// answer decides, and the call runs once or, refused, not at all.
//
// node e2e/policy/deciders/run.mjs [--full], and part of npm run e2e:policy
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { openPostgresStore } from '@hermes-observer/policy';
import { Tally } from '../../kill/tally.mjs';
import { AgentProcess } from '../kill/agent-process.mjs';
import { startPostgres } from '../postgres.mjs';

const DECIDERS = 50;
const LIMIT_MS = 20_000;

/** What both agents said of one call. */
class Round {
  cards = [];
  answers = [];
  ends = [];
  #waiting = [];

  told({ at, ...facts }) {
    if (at === 'card') this.cards.push(facts);
    else if (at === 'answered') this.answers.push(facts);
    else if (at === 'done' || at === 'blocked') this.ends.push(at === 'done' ? 'done' : facts.kind);
    for (const look of this.#waiting) look();
  }

  async until(what, test) {
    if (test()) return;
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`${what}: not within ${LIMIT_MS} ms`)), LIMIT_MS);
      this.#waiting.push(() => {
        if (!test()) return;
        clearTimeout(late);
        resolve();
      });
    });
  }
}

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runDeciders({ full = false } = {}) {
  const tally = new Tally();
  const rounds = full ? 100 : 15;
  const postgres = await startPostgres();
  if (postgres.url === undefined) {
    console.log(`SKIP deciders: ${postgres.skip}`);
    return tally;
  }
  const folder = mkdtempSync(join(tmpdir(), 'policy-deciders-'));
  const effects = join(folder, 'effects');
  writeFileSync(effects, '');
  const settings = { kind: 'postgres', place: postgres.url, effects, sendMs: 300 };
  const all = new Map();
  const agents = [1, 2].map(() => new AgentProcess(settings, (message) => all.get(message.callId)?.told(message)));
  await Promise.all(agents.map(({ ready }) => ready));
  const counts = { approved: 0, rejected: 0 };
  const winners = [0, 0];
  const faults = [];
  for (let n = 1; n <= rounds; n++) {
    const callId = `call-${n}`;
    const round = new Round();
    all.set(callId, round);
    for (const agent of agents) agent.send({ run: callId });
    await round.until('a card', () => round.cards.length > 0);
    const [{ approvalId, token, message }] = round.cards;
    const answers = Array.from({ length: DECIDERS }, (_, i) => ({
      kind: 'decision',
      approvalId,
      token,
      choice: (i + n) % 3 === 0 ? 'reject' : 'approve',
      decider: { channel: 'person', id: `U${i}` },
      source: { tenant: 'T', chat: 'C', message },
      eventId: `${message} ${i}`,
      comment: callId,
    }));
    for (const [which, agent] of agents.entries()) agent.send({ answers: answers.filter((_, i) => i % 2 === which) });
    await round.until('50 answers', () => round.answers.length === DECIDERS);
    await round.until('the end of both', () => round.ends.length === 2);
    const won = round.answers.filter(({ ok }) => ok);
    const [winner] = won;
    const ran = readFileSync(effects, 'utf8')
      .split('\n')
      .filter((line) => line === callId).length;
    const isApproved = winner?.state === 'approved';
    const told = `It was ${winner?.state} already by person:${winner?.id}.`;
    const losers = round.answers.filter(({ ok, text }) => !ok && text === told).length;
    const ends = [...round.ends].sort().join();
    const expected = isApproved ? 'already_run,done' : 'denied,denied';
    const facts = { won: won.length, ran, losers, ends, cards: round.cards.length };
    const isGood = won.length === 1 && ran === (isApproved ? 1 : 0) && losers === DECIDERS - 1 && ends === expected;
    if (!isGood || round.cards.length !== 1) faults.push(`${callId}: ${JSON.stringify(facts)}`);
    else {
      counts[winner.state]++;
      winners[Number(winner.id.slice(1)) % 2]++;
    }
  }
  for (const agent of agents) {
    agent.child.disconnect();
    await agent.exit;
  }
  const store = await openPostgresStore({ connectionString: postgres.url });
  const kept = await store.list({ limit: 10_000 });
  await store.close();
  await postgres.stop();
  rmSync(folder, { recursive: true });
  const what = `${rounds} times, one of ${DECIDERS} deciders in two processes won, all others were told who, and the call ran once or not at all`;
  tally.check(what, faults.length === 0, faults.slice(0, 3).join('; ') || JSON.stringify(counts));
  const states = kept.map(({ state }) => state);
  const isEnded = states.every((state) => state === 'executed' || state === 'rejected');
  tally.check(
    'one record a call, at its end',
    kept.length === rounds && isEnded,
    `${kept.length}: ${[...new Set(states)]}`,
  );
  tally.check('either process has won', !full || winners.every((n) => n > 0), `${winners}`);
  return tally;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { full: { type: 'boolean' } } });
  process.exit((await runDeciders(values)).end());
}
