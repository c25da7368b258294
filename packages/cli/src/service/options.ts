import type { HookRecord, HrTime } from '@hermes-observer/core';
import type { SyncPolicy } from '@hermes-observer/core/segments';
import type { Capture, ClockLimits, OtlpProtocol, SpanProcessor, SpanRedactionOptions } from '@hermes-observer/otel';
import type { Profile } from '@hermes-observer/profiles';
import type { MetricTarget } from './metrics/metric-export.js';
import type { TraceFollower } from './ports.js';

/** What spans are written as for a target. */
interface TargetForm {
  /** Names that attributes have there. Targets with the same list share what is made of it. @default as spans have them */
  readonly profiles?: readonly Profile[];
  /** The most bytes of one request, before compression. @default 4 MiB */
  readonly maxRequestBytes?: number;
}

/** A backend that takes OTLP over HTTP. */
export interface HttpTarget extends TargetForm {
  readonly kind: 'http';
  /** Names its spool and its counts: letters, digits, `-` and `_`, used by one target only. */
  readonly name: string;
  /** The full address, `/v1/traces` included. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long one request may take, in milliseconds. @default 10000 */
  readonly timeoutMillis?: number;
  /** @default 'http/json' */
  readonly protocol?: OtlpProtocol;
  /** @default 'none' */
  readonly compression?: 'none' | 'gzip';
  /** Certificates that are trusted instead of those of the system, PEM. */
  readonly ca?: string;
  /** What this client shows of itself where it is asked, and its key, PEM. */
  readonly cert?: string;
  readonly key?: string;
  /** Its own limits, where they differ from `ServiceOptions.spool`. */
  readonly spool?: SpoolLimits;
}

/** A file of OTLP/JSON, one request a line, which is appended to. */
export interface FileTarget extends TargetForm {
  readonly kind: 'file';
  /** As of an `HttpTarget`. */
  readonly name: string;
  readonly path: string;
  readonly spool?: SpoolLimits;
}

/** A file of ATOF events, which is appended to, or a folder of ATIF trajectories. */
export interface RelayTarget extends TargetForm {
  readonly kind: 'atof' | 'atif';
  /** As of an `HttpTarget`. */
  readonly name: string;
  readonly path: string;
  /** Of `atif`: one file a turn or a session. @default 'turn' */
  readonly trajectory?: 'turn' | 'session';
  /** Of `atif`: child agents in the file of their parent, or in files of their own. @default 'embedded' */
  readonly subagents?: 'embedded' | 'files';
  readonly spool?: SpoolLimits;
}

export type ExportTarget = HttpTarget | FileTarget | RelayTarget;

/** How much of the journal is kept, and how large it may become. */
export interface JournalLimits {
  /**
   * Records whose spans are done are kept as history up to this age and size, so that they can be replayed; `off` keeps
   * none. @default 7 days, 1 GiB
   */
  readonly history?: 'off' | { readonly ageMillis?: number; readonly bytes?: number };
  /** Over this, with all history deleted, the service takes no more records until there is room. @default 8 GiB */
  readonly maxBytes?: number;
}

/** What waits for a backend. Over a limit the oldest is given up and counted. */
export interface SpoolLimits {
  /** Of each target. @default 1 GiB */
  readonly bytes?: number;
  /** @default 7 days */
  readonly ageMillis?: number;
}

export interface ServiceOptions {
  /** Everything the service keeps is below it; made with mode 0700. One service at a time may have it open. */
  readonly dataFolder: string;
  /** When a record counts as being on disk. @default 'interval' */
  readonly sync?: SyncPolicy;
  /** Of `interval`, in milliseconds. @default 100 */
  readonly syncMillis?: number;
  readonly journal?: JournalLimits;
  /** How much content spans carry and the journal keeps; less where a producer said that it sends less. @default 'none' */
  readonly capture?: Capture;
  /**
   * Redacts every field of each span before it goes to a spool. With `hash` it needs a `salt`: a span that is made again after
   * a crash must be the same one. @default none
   */
  readonly redaction?: SpanRedactionOptions;
  /** @default 'hermes' */
  readonly agentName?: string;
  /** `service.name` of the spans. @default 'hermes-agent' */
  readonly serviceName?: string;
  /** Further attributes of the resource of all spans, such as those of `OTEL_RESOURCE_ATTRIBUTES`. */
  readonly resourceAttributes?: Readonly<Record<string, string>>;
  readonly clock?: Partial<ClockLimits>;
  /** How long after its last connection has closed a producer counts as lost, in milliseconds. @default 60000 */
  readonly producerGraceMillis?: number;
  /** The same for one that never had a connection, from its last record on. @default 1800000 (30 min) */
  readonly producerSilenceMillis?: number;
  /** Where spans go; none is said once. @default none */
  readonly exporters?: readonly ExportTarget[];
  readonly spool?: SpoolLimits;
  /** `host:port` the service itself listens at: no exporter may point there. */
  readonly ownAddresses?: readonly string[];
  /** Told of what a person should know, one line each. By default a warning of the process. */
  readonly onWarning?: (text: string) => void;
  /**
   * Standard span processors, which see each span before it is kept. What one of them puts on a span has to be the same when
   * the span is made again after a crash.
   */
  readonly processors?: readonly SpanProcessor[];
  /** Counts and durations of what agents do; where they go beside `agentMetrics`. @default none are counted */
  readonly metrics?: { readonly target?: MetricTarget };
  /** Where log records of spans go, over OTLP. @default none are made */
  readonly logs?: { readonly url: string; readonly headers?: Readonly<Record<string, string>> };
  /** Sees spans as they are made, open ones too. */
  readonly follower?: TraceFollower;
  /** Sees records that are new, with all content, at once and in the order of the journal, before they are on disk. */
  readonly onRecords?: (records: readonly HookRecord[]) => void;
  /** Time of day. For tests. @default `now` of core */
  readonly now?: () => HrTime;
}
