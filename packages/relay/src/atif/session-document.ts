import { finalMetrics } from './metrics.js';
import { ATIF_VERSION, type Step, type Trajectory } from './trajectory.js';

/** One turn of a session, as its document lists them. */
interface TurnEntry {
  readonly trajectory_id: string;
  readonly started_at: string;
  readonly ended_at?: unknown;
  readonly kind?: unknown;
  readonly attributes?: unknown;
  /** How many steps of the document are its. */
  readonly steps: number;
  readonly notes?: string;
}

/** A document of a session, as far as it can be gone on with; `undefined` for one that is none of ours. */
export function sessionDocumentOf(text: string): Trajectory | undefined {
  try {
    const document = JSON.parse(text) as Trajectory;
    const isOurs = document.extra.producer === 'hermes-observer' && Array.isArray(document.extra.turns);
    return isOurs ? document : undefined;
  } catch {
    return undefined;
  }
}

export const turnsOf = ({ extra }: Trajectory): readonly TurnEntry[] => extra.turns as readonly TurnEntry[];

/** A document of a session with one turn more, or with one in another version. Turns stand in the order of their starts. */
export function withTurn(session: Trajectory | undefined, turn: Trajectory): Trajectory {
  const parts = session === undefined ? [] : partsOf(session).filter((part) => part.id !== turn.trajectory_id);
  parts.push({
    id: turn.trajectory_id,
    entry: entryOf(turn),
    steps: turn.steps,
    subagents: turn.subagent_trajectories ?? [],
  });
  parts.sort((a, b) =>
    a.entry.started_at < b.entry.started_at ? -1 : a.entry.started_at > b.entry.started_at ? 1 : 0,
  );
  let prompt: string | undefined;
  const kept = parts.map((part) => {
    // The same prompt stands once.
    const steps = part.steps.filter((step) => {
      if (step.extra?.kind !== 'system_prompt') return true;
      const isNew = step.message !== prompt;
      prompt = step.message;
      return isNew;
    });
    return { ...part, steps, entry: { ...part.entry, steps: steps.length } };
  });
  const steps = kept.flatMap((part) => part.steps).map((step, i): Step => ({ ...step, step_id: i + 1 }));
  const subagents = kept.flatMap((part) => part.subagents);
  const { session_id, agent, continued_trajectory_ref } = session ?? turn;
  return {
    schema_version: ATIF_VERSION,
    ...(session_id !== undefined && { session_id }),
    trajectory_id: session?.trajectory_id ?? `session:${turn.trajectory_id}`,
    agent,
    steps,
    final_metrics: finalMetrics(steps, subagents),
    ...(continued_trajectory_ref !== undefined && { continued_trajectory_ref }),
    extra: { producer: 'hermes-observer', kind: 'session', turns: kept.map(({ entry }) => entry) },
    ...(subagents.length > 0 && { subagent_trajectories: subagents }),
  };
}

interface TurnPart {
  readonly id: string;
  readonly entry: TurnEntry;
  readonly steps: readonly Step[];
  readonly subagents: readonly Trajectory[];
}

/** What of a document is of which turn. */
function partsOf(session: Trajectory): TurnPart[] {
  let from = 0;
  return turnsOf(session).map((entry) => {
    const steps = session.steps.slice(from, from + entry.steps);
    from += entry.steps;
    const refs = new Set(
      steps.flatMap(({ observation }) =>
        (observation?.results ?? []).flatMap(({ subagent_trajectory_ref: all = [] }) =>
          all.map(({ trajectory_id }) => trajectory_id),
        ),
      ),
    );
    const subagents = (session.subagent_trajectories ?? []).filter(({ trajectory_id }) => refs.has(trajectory_id));
    return { id: entry.trajectory_id, entry, steps, subagents };
  });
}

function entryOf({ trajectory_id, extra, notes, steps }: Trajectory): TurnEntry {
  return {
    trajectory_id,
    started_at: String(extra.started_at),
    ended_at: extra.ended_at,
    kind: extra.kind,
    attributes: extra.attributes,
    steps: steps.length,
    ...(notes !== undefined && { notes }),
  };
}
