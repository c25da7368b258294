import { semconv } from '@hermes-observer/otel';
import { modelOf, textAttribute } from '../spans/content.js';
import type { SpanTree, TreeSpan } from '../spans/span-tree.js';
import { spanUuid } from '../spans/span-uuid.js';
import { endMicros, microsOf, timestamp } from '../spans/times.js';
import { agentName, factsExtra } from './extra.js';
import { trajectoryFile } from './file-name.js';
import { finalMetrics } from './metrics.js';
import { type Subagent, stepsOf } from './steps.js';
import { ATIF_VERSION, type Step, type SubagentRef, type Trajectory } from './trajectory.js';

export interface BuildOptions {
  /** File in which the document of a turn is. */
  readonly turnFile: (turn: TreeSpan) => string;
  /** Where child agents stand: in the document of their parent, or in files of their own beside it. */
  readonly subagents: 'embedded' | 'files';
}

/** Agents below agents; deeper ones are left out, and counted in `extra` of the last one that has room. */
const MOST_DEPTH = 32;

/** One document, and those that have files of their own. */
export interface Built {
  readonly trajectory: Trajectory;
  readonly files: readonly TrajectoryFile[];
}

export interface TrajectoryFile {
  readonly name: string;
  readonly trajectory: Trajectory;
}

/** The trajectory of an agent, or of a root that is none, with all below it. The same spans give the same one. */
export function buildTrajectory(root: TreeSpan, tree: SpanTree, options: BuildOptions, depth = 0): Built {
  const run = tree.runOf(root);
  const embedded: Trajectory[] = [];
  const files: TrajectoryFile[] = [];
  const ownFiles: Trajectory[] = [];
  const subagents: Subagent[] = [];
  const below = [...run.agents, ...run.work.filter(({ role }) => role === 'auxiliary')];
  for (const one of depth < MOST_DEPTH ? below : []) {
    // A turn has a document of its own, wherever it hangs.
    if (one.role === 'turn') {
      subagents.push({ one, ref: refOf(one, options.turnFile(one)) });
      continue;
    }
    const built = buildTrajectory(one, tree, options, depth + 1);
    files.push(...built.files);
    const name = options.subagents === 'files' && one.role === 'child' ? trajectoryFile(one.span) : undefined;
    if (name === undefined) embedded.push(built.trajectory);
    else {
      files.push({ name, trajectory: built.trajectory });
      ownFiles.push(built.trajectory);
    }
    subagents.push({ one, ref: refOf(one, name) });
  }
  const steps = stepsOf(run, tree, subagents).map((step, i): Step => ({ step_id: i + 1, ...step }));
  const leftOut = depth < MOST_DEPTH ? 0 : below.length;
  return { trajectory: documentOf(root, steps, embedded, ownFiles, leftOut), files };
}

function documentOf(
  root: TreeSpan,
  steps: readonly Step[],
  embedded: readonly Trajectory[],
  inFiles: readonly Trajectory[],
  leftOut: number,
): Trajectory {
  const { span, role } = root;
  const { attributes, resource, links } = span;
  const session = sessionOf(root);
  const model = steps.find(({ model_name }) => model_name !== undefined)?.model_name ?? modelOf(attributes);
  const version = resource['service.version'];
  const notes = notesOf(root);
  return {
    schema_version: ATIF_VERSION,
    ...(session !== undefined && { session_id: session }),
    trajectory_id: spanUuid(span.traceId, span.spanId),
    agent: {
      name: nameOf(root),
      version: typeof version === 'string' && version !== '' ? version : 'unknown',
      ...(model !== undefined && { model_name: model }),
    },
    steps: steps.length > 0 ? steps : [emptyStep(root)],
    ...(notes !== undefined && { notes }),
    final_metrics: finalMetrics(steps.length > 0 ? steps : [{}], [...embedded, ...inFiles]),
    extra: {
      producer: 'hermes-observer',
      kind: role,
      trace_id: span.traceId,
      span_id: span.spanId,
      started_at: timestamp(microsOf(span.start)),
      ended_at: timestamp(endMicros(span)),
      ...factsExtra(span),
      ...(leftOut > 0 && { left_out_subagents: leftOut }),
      ...(links.length > 0 && {
        links: links.map((link) => ({
          trajectory_id: spanUuid(link.traceId, link.spanId),
          trace_id: link.traceId,
          span_id: link.spanId,
          ...link.attributes,
        })),
      }),
    },
    ...(embedded.length > 0 && { subagent_trajectories: embedded }),
  };
}

/** A document has one step or more. */
const emptyStep = ({ span }: TreeSpan): Step => ({
  step_id: 1,
  timestamp: timestamp(microsOf(span.start)),
  source: 'system',
  message: '',
});

function nameOf({ span, role }: TreeSpan): string {
  if (role !== 'auxiliary') return agentName(span);
  return `auxiliary ${textAttribute(span.attributes, semconv.ATTR_HERMES_AUX_TASK) ?? ''}`.trim();
}

/** What a reader should know before it uses the steps. */
function notesOf({ span, role }: TreeSpan): string | undefined {
  const { attributes } = span;
  const outcome = attributes[semconv.ATTR_HERMES_TURN_OUTCOME] ?? attributes[semconv.ATTR_HERMES_SUBAGENT_STATUS];
  const reason = attributes[semconv.ATTR_HERMES_INCOMPLETE_REASON];
  const notes = [
    ...(attributes[semconv.ATTR_HERMES_INCOMPLETE] === true
      ? [`Nothing ended this ${role}; it was closed: ${reason}.`]
      : []),
    ...(typeof outcome === 'string' && outcome !== 'completed' ? [`Outcome: ${outcome}.`] : []),
  ];
  return notes.length === 0 ? undefined : notes.join(' ');
}

export const sessionOf = ({ span }: TreeSpan): string | undefined =>
  textAttribute(span.attributes, semconv.ATTR_GEN_AI_CONVERSATION_ID);

function refOf(one: TreeSpan, path: string | undefined): SubagentRef {
  const session = sessionOf(one);
  return {
    trajectory_id: spanUuid(one.span.traceId, one.span.spanId),
    ...(session !== undefined && { session_id: session }),
    ...(path !== undefined && { trajectory_path: path }),
  };
}
