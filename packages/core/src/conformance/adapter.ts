import type { ApprovalStyle, Behaviour } from './behaviours.js';
import type { PlayScene, TestExporter, TestObserver } from './scene.js';

/** Plays a behaviour with the framework itself, on a model that answers by a script. Gives what the framework gave. */
export type Play<O> = (scene: PlayScene<O>) => unknown;

/** A play in two processes. `ask` gives what the program stores; `resume` gets it after it was JSON. */
export interface ResumedPlay<O> {
  ask(scene: PlayScene<O>): unknown;
  resume(scene: PlayScene<O>, stored: unknown): unknown;
}

type Plays<O> = { readonly [B in Behaviour]?: B extends 'approvalResumed' ? ResumedPlay<O> : Play<O> };

/** An adapter to be tried. */
export interface TriedAdapter<O extends TestObserver> {
  readonly name: string;
  /** `createObserver` of `@hermes-observer/otel`. */
  readonly createObserver: (options: {
    readonly exporters: TestExporter[];
    readonly agentName: string;
    readonly env: Readonly<Record<string, string>>;
    readonly onWarning?: (text: string) => void;
  }) => O;
  /** Has the framework observed. Returns what ends that. */
  readonly install: (observer: O) => () => void;
  readonly approvals: ApprovalStyle;
  /** Names of the script that the framework does not let be: its own, by that of the script. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** The framework streams the answers that the agent itself gets, whether the program reads them so or not. */
  readonly streamsAlways?: boolean | undefined;
  readonly play: Plays<O>;
  /** How many of the things that the adapter asks of its observer in a behaviour are made to fail, a play each. @default 6 */
  readonly faults?: number | undefined;
  /** Why a behaviour is not played. One that is neither played nor here fails. */
  readonly skip?: Readonly<Partial<Record<Behaviour, string>>> | undefined;
}
