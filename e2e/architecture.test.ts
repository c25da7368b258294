import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkLengths, checkLockFile, checkMachineTexts, checkNames } from './architecture/file-checks.js';
import { checkArrows, checkCycles, countImports } from './architecture/import-checks.js';
import { readSources, type SourceFile } from './architecture/source-tree.js';

const files = readSources(fileURLToPath(new URL('..', import.meta.url)));
const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? '';

describe('the sources', () => {
  it('are all seen', () => {
    const { files: modules, imports } = countImports(files);
    expect(modules).toBeGreaterThan(150);
    expect(imports).toBeGreaterThan(600);
    expect(textOf('packages/otel/src/assembly/assembler.ts')).toContain('class Assembler');
  });

  it('import along the arrows only', () => {
    expect(checkArrows(files)).toEqual([]);
  });

  it('have no import cycle at run time', () => {
    expect(checkCycles(files)).toEqual([]);
  });

  it('stay under the bound on lines', () => {
    expect(checkLengths(files)).toEqual([]);
  });

  it('are in kebab-case files that say what is inside', () => {
    expect(checkNames(files)).toEqual([]);
  });

  it('name no path of a machine and no registry', () => {
    expect(checkMachineTexts(files)).toEqual([]);
    expect(checkLockFile(textOf('package-lock.json'))).toEqual([]);
  });
});

describe('the checks', () => {
  const file = (path: string, text = ''): SourceFile => ({ path, text });

  it('find an arrow that points the wrong way', () => {
    const faults = checkArrows([
      file('packages/core/src/contract/a.ts', "import { SpanBridge } from '@hermes-observer/otel';"),
      file('packages/core/src/contract/b.ts', "export { c } from '../dispatch/c.js';"),
      file('packages/otel/src/assembly/a.ts', "import type { Span } from '@opentelemetry/api';"),
      file('packages/otel/src/assembly/b.ts', "const { now } = await import('../spans/now.js');"),
      file('packages/otel/src/attributes/a.ts', "import type { X } from '../assembly/x.js';"),
      file('packages/otel/src/attributes/b.ts', "import { X } from '@opentelemetry/sdk-trace-base';"),
      file('packages/otel/src/provider/b.ts', "import { X } from '../../../core/src/index.js';"),
      file('packages/viewer/src/api/a.ts', "import type { TurnRow } from '../../../cli/src/wire.js';"),
      file('packages/viewer/src/api/b.ts', "import { TurnRow } from '../../../cli/src/wire.js';"),
      file('packages/viewer/src/turn/c.ts', "import type { TurnRow } from '../../../cli/src/wire.js';"),
      file('packages/cli/src/view/a.test.ts', "import { x } from '../commands/x.js';"),
      file('packages/core/src/dispatch/z.ts', "import * as z from 'zod';"),
      file('packages/core/src/gateway/z.ts'),
      file('packages/core/src/errors.test.ts', "// import '@hermes-observer/cli';\nimport '@hermes-observer/cli';"),
      file('packages/gate/src/index.ts'),
    ]);
    expect(faults).toEqual([
      'packages/core/src/contract/a.ts: core must not import @hermes-observer/otel',
      'packages/core/src/contract/b.ts: contract must not import dispatch (../dispatch/c.js)',
      'packages/otel/src/assembly/a.ts: imports @opentelemetry/api, but assembly knows no OpenTelemetry',
      'packages/otel/src/assembly/b.ts: assembly must not import spans (../spans/now.js)',
      'packages/otel/src/attributes/b.ts: imports @opentelemetry/sdk-trace-base, but attributes need the API alone',
      'packages/otel/src/provider/b.ts: ../../../core/src/index.js leaves the sources of its package',
      'packages/viewer/src/api/b.ts: ../../../cli/src/wire.js leaves the sources of its package',
      'packages/viewer/src/turn/c.ts: ../../../cli/src/wire.js leaves the sources of its package',
      'packages/core/src/dispatch/z.ts: imports zod, but zod stays off the hot path',
      'packages/core/src/gateway/z.ts: folder gateway of core has no place in the rules',
      'packages/core/src/errors.test.ts: core must not import @hermes-observer/cli',
      'packages/gate/src/index.ts: package gate has no place in the rules',
    ]);
  });

  it('find a cycle, and none where only types go round', () => {
    const a = file('packages/core/src/contract/a.ts', "import { b } from './b.js';");
    const back = (text: string) => file('packages/core/src/contract/b.ts', text);
    expect(checkCycles([a, back("import { a } from './a.js';")])).toEqual([
      'packages/core/src/contract/a.ts → packages/core/src/contract/b.ts → packages/core/src/contract/a.ts',
    ]);
    expect(checkCycles([a, back("import type { A } from './a.js';")])).toEqual([]);
  });

  it('find long files, bad names, paths of a machine and registries', () => {
    const line = '\n'.repeat(401);
    expect(checkLengths([file('packages/core/src/a.ts', line), file('docs/a.md', line)])).toHaveLength(1);
    expect(
      checkNames(['e2e/fooBar.ts', 'e2e/string-utils.ts', 'e2e/helpers/a.ts', 'e2e/a.test.ts'].map((p) => file(p))),
    ).toEqual([
      'e2e/fooBar.ts: fooBar.ts is not kebab-case',
      'e2e/string-utils.ts: string-utils.ts does not say what is inside',
      'e2e/helpers/a.ts: helpers does not say what is inside',
    ]);
    const path = ['', 'work', 'thing'].join('/');
    expect(checkMachineTexts([file('a.md', `see\n"${path}"`), file('b.md', 'the network/work/flow')])).toHaveLength(1);
    const lock = {
      packages: { a: { resolved: 'https://registry.example/a.tgz' }, b: { resolved: 'packages/b', link: true } },
    };
    expect(checkLockFile(JSON.stringify(lock))).toEqual([
      'package-lock.json: a is resolved to https://registry.example/a.tgz',
    ]);
  });
});
