import type { Finding } from './finding.js';
import { grouped, NEEDED_HOOKS, PAIRS } from './hook-groups.js';
import type { ServiceStatus } from './service-status.js';

/** A producer, as far as the service told of it in the shape that is known. */
export interface SeenProducer {
  readonly producer: string;
  readonly hello: Readonly<Record<string, unknown>>;
  /** Unix milliseconds. */
  readonly lastSeen: number;
  readonly records: number;
  readonly missing: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly hooks: readonly string[];
}

/** As the service calls who sends records without a name; a test holds them together. */
const UNNAMED = '';

/** So many records in, a hook that is needed should have fired. */
const ENOUGH_RECORDS = 20;

export function producersOf({ producers }: ServiceStatus): SeenProducer[] {
  return (Array.isArray(producers) ? producers : []).flatMap((one: unknown): SeenProducer[] => {
    if (typeof one !== 'object' || one === null) return [];
    const { producer, hello, lastSeen, records, missing, dropped, hooks } = one as Record<string, unknown>;
    if (typeof producer !== 'string') return [];
    return [
      {
        producer,
        hello: isObject(hello) ? hello : {},
        lastSeen: numberOf(lastSeen),
        records: numberOf(records),
        missing: numberOf(missing),
        dropped: isObject(dropped) ? (dropped as Record<string, number>) : {},
        hooks: Array.isArray(hooks) ? hooks.filter((hook) => typeof hook === 'string') : [],
      },
    ];
  });
}

/** What a person calls a producer: what it is, and for whom. */
export function nameOf({ hello, producer }: Pick<SeenProducer, 'hello' | 'producer'>): string {
  // Its hooks have no number, and say hello to nobody.
  if (producer === 'claude-code') return 'Claude Code';
  if (producer === UNNAMED) return 'agents without a name, such as Claude Code';
  const surface = typeof hello.surface === 'string' && hello.surface !== '' ? hello.surface : 'an agent';
  const profile = typeof hello.profile === 'string' ? ` of profile ${hello.profile}` : '';
  return `${surface}${profile} (${producer.slice(0, 8)})`;
}

/** Spans of programs that send OTLP, since the service started. */
export function receivedSpans({ counts }: ServiceStatus): number {
  const all = Array.isArray(counts) ? (counts as (Record<string, unknown> | null)[]) : [];
  return numberOf(all.find((count) => count?.name === 'received_spans')?.value);
}

/** Do records arrive, from whom, and are they whole? Programs that send spans need none. */
export function recordFindings(producers: readonly SeenProducer[], now: number, received: number): Finding[] {
  if (producers.length === 0) {
    if (received > 0) {
      const text = `${received === 1 ? '1 span' : `${received} spans`} of other programs came over OTLP since the service started`;
      return [{ id: 'records', level: 'ok', text }];
    }
    return [
      {
        id: 'records',
        level: 'fault',
        text: 'the service has never had a record',
        mend: 'restart the agent, since it loads plugins when it starts; say something to it, and check again',
      },
    ];
  }
  return [
    ...latest(producers).map((producer) => arrival(producer, now)),
    ...neverFired(producers),
    ...losses(producers),
  ];
}

/** The last one of each profile and surface. */
export function latest(producers: readonly SeenProducer[]): SeenProducer[] {
  const last = new Map<string, SeenProducer>();
  for (const producer of producers) {
    const { profile, surface } = producer.hello;
    const key = producer.producer === UNNAMED ? UNNAMED : `${String(profile)}\0${String(surface)}`;
    if ((last.get(key)?.lastSeen ?? -1) < producer.lastSeen) last.set(key, producer);
  }
  return [...last.values()].sort((a, b) => b.lastSeen - a.lastSeen);
}

function arrival(producer: SeenProducer, now: number): Finding {
  const { hello, records, lastSeen } = producer;
  const content = typeof hello.capture === 'string' ? `, content: ${hello.capture}` : '';
  const unasked = hello.policy_unreachable === 'allow' ? ' (not while the service is away)' : '';
  const policy = hello.policy === 'on' ? `, policy: on${unasked}` : '';
  const text = `${nameOf(producer)}: ${records} ${records === 1 ? 'record' : 'records'}, the last ${ago(now - lastSeen)} ago${content}${policy}`;
  const problems = Array.isArray(hello.problems) ? hello.problems.filter((one) => typeof one === 'string') : [];
  if (problems.length === 0) return { id: 'records', level: 'ok', text };
  return {
    id: 'records',
    level: 'warning',
    text: `${text}; it says: ${problems.join('; ')}`,
    mend: 'set these in the environment of the agent, or under plugins.entries.hermes-observer.settings of its config.yaml',
  };
}

function neverFired(all: readonly SeenProducer[]): Finding[] {
  // Whoever has no name has the hooks that it has.
  const producers = all.filter(({ producer }) => producer !== UNNAMED);
  const fired = new Set(producers.flatMap(({ hooks }) => hooks));
  const total = producers.reduce((sum, { records }) => sum + records, 0);
  const isEnough = total >= ENOUGH_RECORDS;
  const needed = isEnough ? NEEDED_HOOKS.filter((hook) => !fired.has(hook)) : [];
  const unended = isEnough ? PAIRS.filter(([start, end]) => fired.has(start) && !fired.has(end)) : [];
  const registered = new Set(
    producers.flatMap(({ hello }) => (Array.isArray(hello.hooks) ? hello.hooks.map(String) : [])),
  );
  const silent = [...registered].filter((hook) => !fired.has(hook) && !needed.includes(hook));
  const id = 'hooks';
  const findings: Finding[] = [];
  if (needed.length > 0) {
    findings.push({
      id,
      level: 'warning',
      text: `never fired in ${total} records: ${needed.join(', ')}; turns will be without what these tell`,
      mend: 'say something to the agent; if it stays so, its version does not have them: update it',
      details: { never_fired: needed },
    });
  }
  if (unended.length > 0) {
    findings.push({
      id,
      level: 'warning',
      text: `never fired, though what they end did: ${unended.map(([, end]) => end).join(', ')}`,
      mend: 'wait until what runs is over; if it stays so, update the agent',
      details: { never_fired: unended.map(([, end]) => end) },
    });
  }
  const withSpans = grouped(silent, true);
  if (Object.keys(withSpans).length > 0) {
    const text = `never fired yet, and in traces once they do: ${Object.keys(withSpans).join(', ')}`;
    findings.push({ id, level: 'note', text, details: { never_fired: withSpans } });
  }
  const without = grouped(silent, false);
  if (Object.keys(without).length > 0) {
    const names = Object.entries(without).map(([name, hooks]) => `${name} (${hooks.length})`);
    const text = `never fired yet, and make no spans: ${names.join(', ')}`;
    findings.push({ id, level: 'note', text, details: { never_fired: without } });
  }
  return findings;
}

function losses(producers: readonly SeenProducer[]): Finding[] {
  return producers.flatMap((producer) => {
    const dropped = Object.entries(producer.dropped).filter(([, count]) => count > 0);
    const parts = dropped.map(([reason, count]) => `${count} (${reason})`);
    if (producer.missing > 0) parts.push(`${producer.missing} missing by number`);
    if (parts.length === 0) return [];
    const text = `${nameOf(producer)} lost records: ${parts.join(', ')}`;
    return [
      {
        id: 'lost',
        level: 'warning',
        text,
        mend: 'keep the service running, or raise the limits of the plugin: HERMES_OBSERVER_QUEUE_RECORDS, _SPOOL_BYTES',
      } as const,
    ];
  });
}

function ago(millis: number): string {
  const seconds = Math.max(0, Math.round(millis / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
