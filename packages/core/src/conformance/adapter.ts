import type { ApprovalStyle, Behaviour } from './behaviours.js';
import type { KeptSpans, PlayScene, TestObserver } from './scene.js';

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
    readonly exporters: KeptSpans[];
    readonly agentName: string;
    readonly env: Readonly<Record<string, string>>;
  }) => O;
  /** Has the framework observed. Returns what ends that. */
  readonly install: (observer: O) => () => void;
  readonly approvals: ApprovalStyle;
  /** Names of the script that the framework does not let be: its own, by that of the script. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** The framework streams the answers that the agent itself gets, whether the program reads them so or not. */
  readonly streamsAlways?: boolean | undefined;
  readonly play: Plays<O>;
  /** Why a behaviour is not played. One that is neither played nor here fails. */
  readonly skip?: Readonly<Partial<Record<Behaviour, string>>> | undefined;
}
