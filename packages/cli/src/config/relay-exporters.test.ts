import { describe, expect, it } from 'vitest';
import { exporterSchema } from './exporter.js';
import { loadConfig } from './load-config.js';
import { serviceOptions } from './service-options.js';
import { shownSettings } from './show-config.js';

const NOWHERE = { HERMES_OBSERVER_CONFIG: '', XDG_CONFIG_HOME: '/nowhere', HOME: '/nowhere' };

describe('exporters that write files of NeMo Relay', () => {
  it.each([
    [{ kind: 'atof' }, 'of kind atof must have a file, and no url'],
    [{ kind: 'atof', file: 'f', url: 'http://h' }, 'of kind atof must have a file, and no url'],
    [{ kind: 'atif' }, 'of kind atif must have a folder, and no url or file'],
    [{ kind: 'atif', folder: 'f', file: 'g' }, 'of kind atif must have a folder, and no url or file'],
    [{ kind: 'atif', folder: 'f', trajectory: 'run' }, 'must be turn or session'],
    [{ kind: 'atif', folder: 'f', subagents: 'none' }, 'must be embedded or files'],
    [{ kind: 'atof', file: 'f', profiles: ['genai'] }, 'is for backends of OTLP'],
    [{ kind: 'atof', file: 'f', folder: 'g' }, 'is a setting of kind: atif'],
    [{ url: 'http://h', trajectory: 'turn' }, 'is a setting of kind: atif'],
  ])('%j %s', (exporter, message) => {
    const { error } = exporterSchema.safeParse({ name: 'relay', ...exporter });
    expect(error?.issues.map((issue) => issue.message)).toContain(message);
  });

  it('reach the service with paths from where they were written, and are shown', async () => {
    const exporters = [
      { name: 'events', kind: 'atof', file: 'events.jsonl' },
      { name: 'turns', kind: 'atif', folder: 'turns', trajectory: 'session', subagents: 'files' },
    ];
    const config = await loadConfig({ exporters, env: NOWHERE, cwd: '/home' });
    expect(serviceOptions(config, {}).exporters).toEqual([
      { kind: 'atof', name: 'events', path: '/home/events.jsonl' },
      { kind: 'atif', name: 'turns', path: '/home/turns', trajectory: 'session', subagents: 'files' },
    ]);
    expect(shownSettings(config).find(({ key }) => key === 'exporters')?.value).toMatchObject([
      { kind: 'atof', file: '/home/events.jsonl' },
      { kind: 'atif', folder: '/home/turns' },
    ]);
  });
});
