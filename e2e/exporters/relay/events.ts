import { readFileSync } from 'node:fs';

/** One line of ATOF, as far as it is looked at here. */
export interface Event {
  readonly kind: 'scope' | 'mark';
  readonly scope_category?: 'start' | 'end';
  readonly atof_version: string;
  readonly uuid: string;
  readonly parent_uuid: string | null;
  readonly timestamp: string;
  readonly name: string;
  readonly category: string | null;
  readonly category_profile: Readonly<Record<string, unknown>> | null;
  readonly attributes?: readonly string[];
  readonly data: unknown;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export const eventsIn = (path: string): Event[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[5-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const SAME = ['parent_uuid', 'name', 'category'] as const;

/** What NVIDIA's reader does not look at, and the format demands: pairs, order, parents, ids. */
export function faultsOf(events: readonly Event[]): string[] {
  const faults: string[] = [];
  const scopes = new Map<string, { start?: Event; end?: Event }>();
  const marks = new Set<string>();
  for (const event of events) {
    const say = (text: string) => faults.push(`${event.kind} ${event.name} ${event.uuid}: ${text}`);
    if (!UUID.test(event.uuid)) say('is no UUID');
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(event.timestamp)) say(`time ${event.timestamp}`);
    if (event.kind === 'mark') {
      if (marks.has(event.uuid) || scopes.has(event.uuid)) say('is there twice');
      if ('attributes' in event || 'scope_category' in event) say('has fields of a scope');
      marks.add(event.uuid);
      continue;
    }
    const pair = scopes.get(event.uuid) ?? {};
    if (pair[event.scope_category as 'start' | 'end'] !== undefined) say(`has two of ${event.scope_category}`);
    pair[event.scope_category as 'start' | 'end'] = event;
    scopes.set(event.uuid, pair);
    if (event.category === 'custom' && !event.category_profile?.subtype) say('is custom and has no subtype');
  }
  for (const [uuid, { start, end }] of scopes) {
    if (start === undefined || end === undefined) {
      faults.push(`${uuid} has no ${start === undefined ? 'start' : 'end'}`);
      continue;
    }
    if (!(end.timestamp > start.timestamp)) faults.push(`${uuid} does not end after its start`);
    for (const key of SAME) if (start[key] !== end[key]) faults.push(`${uuid} has two of ${key}`);
  }
  for (const { uuid, parent_uuid: parent } of events) {
    if (parent !== null && !scopes.has(parent)) faults.push(`${uuid} stands below ${parent}, which is not there`);
  }
  return faults;
}
