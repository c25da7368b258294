import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ReadableSpan } from '@hermes-observer/otel';
import type { Trajectory } from '@hermes-observer/relay';

/** All documents of a folder, by their names. */
export function documentsIn(folder: string): Map<string, Trajectory> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8')) as Trajectory]));
}

/** A document with all that are embedded in it. */
export function* allOf(document: Trajectory): Generator<Trajectory, void, void> {
  yield document;
  for (const subagent of document.subagent_trajectories ?? []) yield* allOf(subagent);
}

/** What no validator looks at: refs that lead nowhere, numbers and sums that are wrong, results of no call. */
export function faultsOf(documents: ReadonlyMap<string, Trajectory>): string[] {
  const faults: string[] = [];
  const referred = new Set<string>();
  for (const [name, document] of documents) {
    for (const trajectory of allOf(document)) {
      const say = (text: string) => faults.push(`${name} ${trajectory.trajectory_id}: ${text}`);
      trajectory.steps.forEach((step, i) => {
        if (step.step_id !== i + 1) say(`step ${i} has the number ${step.step_id}`);
        const before = trajectory.steps[i - 1];
        if (before !== undefined && step.timestamp < before.timestamp && document.extra.kind !== 'session') {
          say(`step ${step.step_id} is before step ${i}`);
        }
        const ids = (step.tool_calls ?? []).map((call) => call.tool_call_id);
        if (new Set(ids).size !== ids.length) say(`step ${step.step_id} has a call twice`);
        for (const result of step.observation?.results ?? []) {
          for (const ref of result.subagent_trajectory_ref ?? []) {
            referred.add(ref.trajectory_id);
            const found =
              ref.trajectory_path === undefined
                ? (trajectory.subagent_trajectories ?? []).some((one) => one.trajectory_id === ref.trajectory_id)
                : isThere(documents.get(basename(ref.trajectory_path)), ref.trajectory_id);
            if (!found) say(`ref ${ref.trajectory_id} leads nowhere`);
            if (ref.trajectory_path !== undefined && dirname(ref.trajectory_path) !== '.') say('ref leaves the folder');
          }
        }
      });
      for (const key of ['prompt_tokens', 'completion_tokens', 'cached_tokens'] as const) {
        const sum = trajectory.steps.reduce((all, { metrics }) => all + (metrics?.[key] ?? 0), 0);
        if ((trajectory.final_metrics[`total_${key}`] ?? 0) !== sum) say(`total_${key} is not ${sum}`);
      }
      if (trajectory.final_metrics.total_steps !== trajectory.steps.length) say('total_steps is wrong');
      const next = trajectory.continued_trajectory_ref;
      if (next !== undefined && !documents.has(next)) say(`there is no ${next}`);
    }
    for (const subagent of [...allOf(document)].slice(1)) {
      if (!referred.has(subagent.trajectory_id)) faults.push(`${name}: nobody refers to ${subagent.trajectory_id}`);
    }
  }
  return faults;
}

function isThere(document: Trajectory | undefined, id: string): boolean {
  const turns = (document?.extra.turns ?? []) as { readonly trajectory_id: string }[];
  return document?.trajectory_id === id || turns.some((turn) => turn.trajectory_id === id);
}

export interface Sums {
  readonly prompt: number;
  readonly completion: number;
  readonly cached: number;
  readonly requests: number;
  readonly tools: number;
  readonly agents: number;
}

/** What all documents of a folder say together: each span once, wherever it stands. */
export function sumsOf(documents: ReadonlyMap<string, Trajectory>): Sums {
  const all = [...documents.values()].flatMap((document) => [...allOf(document)]);
  const steps = all.flatMap((trajectory) => trajectory.steps);
  const sum = (key: 'prompt_tokens' | 'completion_tokens' | 'cached_tokens') =>
    steps.reduce((total, { metrics }) => total + (metrics?.[key] ?? 0), 0);
  const turns = all.flatMap(({ extra }) => (extra.kind === 'session' ? (extra.turns as unknown[]) : []));
  const ran = (step: (typeof steps)[number]) =>
    (step.tool_calls ?? []).filter((call) => call.extra !== undefined && step.extra?.kind !== 'subagent');
  return {
    prompt: sum('prompt_tokens'),
    completion: sum('completion_tokens'),
    cached: sum('cached_tokens'),
    requests: steps.filter((step) => step.llm_call_count === 1).length,
    tools: steps.flatMap(ran).length,
    agents: turns.length + all.filter(({ extra }) => extra.kind === 'turn' || extra.kind === 'child').length,
  };
}

/** The same of the spans. */
export function sumsOfSpans(spans: readonly ReadableSpan[]): Sums {
  const sum = (name: string) => spans.reduce((total, { attributes }) => total + Number(attributes[name] ?? 0), 0);
  const count = (operation: string) =>
    spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === operation).length;
  return {
    prompt: sum('gen_ai.usage.input_tokens'),
    completion: sum('gen_ai.usage.output_tokens'),
    cached: sum('gen_ai.usage.cache_read.input_tokens'),
    requests: count('chat'),
    tools: count('execute_tool'),
    agents: count('invoke_agent'),
  };
}
