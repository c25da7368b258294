// Consumers in strict mode that check the declarations of their libraries as well: the packed packages beside each framework, which
// must compile, and add no error to those that the framework has by itself.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, install, pack, TOP } from '../../compat/apps.mjs';
import { check, command, counts } from '../../compat/check.mjs';
import { PROJECTS } from './projects.mjs';

const API = '1.9.1';
const CONSUMERS = fileURLToPath(new URL('consumers', import.meta.url));

/** Errors that `file` gives, if any; without `lib` those of a project that has Node.js and nothing else. */
async function errorsOf(folder, file, lib = []) {
  const [, args, options] = compile(folder, [file], {
    noEmit: true,
    lib: ['es2023', 'esnext.disposable', ...lib],
  });
  try {
    await command(join(TOP, 'node_modules/.bin/tsc'), args, options);
    return [];
  } catch (error) {
    const lines = error.message.split('\n').filter((line) => line.includes('error TS'));
    if (lines.length === 0) throw error;
    return lines.sort();
  }
}

/** The versions the adapter was tested with first: the lower ends of the ranges in its manifest. */
function lowest({ name, frameworks, lowest }) {
  if (lowest !== undefined) return lowest;
  const { testedVersions } = JSON.parse(readFileSync(join(TOP, 'packages', name, 'package.json'), 'utf8'));
  return Object.fromEntries(
    Object.keys(frameworks).map((id) => [id, /^>=([\d.]+)/.exec(testedVersions[id])?.[1] ?? frameworks[id]]),
  );
}

async function checkProject(project, frameworks, which, packages, full) {
  const { name, consumer = name, needs, besideLowest, isWithoutOptional = false } = project;
  const title = `${consumer}, ${which}: ${Object.entries(frameworks)
    .map((one) => one.join(' '))
    .join(', ')}`;
  const ours = ['core', 'otel', 'adapter', name].map((id) => `@hermes-observer/${id}`);
  const folder = await install(
    {
      name: `types-${consumer}-${which}`,
      sdk: title,
      dependencies: {
        '@opentelemetry/api': API,
        ...frameworks,
        ...needs.packages,
        ...(which === 'lowest' ? besideLowest : {}),
      },
      isWithoutOptional,
      isKept: true,
    },
    Object.fromEntries(ours.map((id) => [id, packages[id]])),
  );
  for (const file of ['same.ts', `${consumer}.ts`]) cpSync(join(CONSUMERS, file), join(folder, file));
  const imports = Object.keys(frameworks).map((id) => `import '${id}';\n`);
  writeFileSync(join(folder, 'framework.ts'), imports.join(''));
  await check(`${title}: compiles with what the framework needs`, async () => {
    const errors = await errorsOf(folder, `${consumer}.ts`, needs.lib);
    // Declarations of some first versions are broken whatever one does: then without us they give the very same errors.
    const own = errors.length > 0 && which === 'lowest' ? await errorsOf(folder, 'framework.ts', needs.lib) : [];
    assert.deepEqual(errors, own);
    for (const error of own) console.log(`     by itself: ${error}`);
  });
  if (!full) return;
  await check(`${title}: no error more than the framework has by itself`, async () => {
    const own = await errorsOf(folder, 'framework.ts');
    // What the docs say is needed is needed.
    if (which === 'newest') assert.equal(own.length > 0, needs.lib.length > 0, own.join('\n'));
    const added = (await errorsOf(folder, `${consumer}.ts`)).filter((error) => !own.includes(error));
    assert.deepEqual(added, []);
  });
}

async function checkAlone(packages) {
  const dependencies = { '@opentelemetry/api': API };
  const folder = await install({ name: 'types-alone', sdk: 'no framework', dependencies, isKept: true }, packages);
  cpSync(join(CONSUMERS, 'alone.ts'), join(folder, 'alone.ts'));
  await check('all adapters without a framework compile', async () => {
    assert.deepEqual(await errorsOf(folder, 'alone.ts'), []);
  });
}

export async function run({ full }) {
  const before = { ...counts };
  const packages = await pack();
  // Two at a time: the rest of it is the network.
  const jobs = [() => checkAlone(packages)];
  for (const project of PROJECTS) {
    jobs.push(() => checkProject(project, project.frameworks, 'newest', packages, full));
    if (full) jobs.push(() => checkProject(project, lowest(project), 'lowest', packages, full));
  }
  const worker = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await job();
  };
  await Promise.all([worker(), worker(), worker()]);
  return { passed: counts.passed - before.passed, failed: counts.failed - before.failed };
}
