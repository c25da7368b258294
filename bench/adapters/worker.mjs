// A process with one framework and one way to observe it: what is patched stays patched, so none shares a process with another.
// Started by `startWorker`; answers { mode, runs } with what these runs took.
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { FRAMEWORKS } from './frameworks.mjs';
import { ANSWER } from './script.mjs';

const [frameworkName, variantName, url, folder] = process.argv.slice(2);
/** `import` from the peers' folder, or without one from here: ES modules, where a package has both. */
const { load } =
  folder === undefined
    ? { load: (id) => import(id) }
    : await import(pathToFileURL(join(folder, 'node_modules', 'load.mjs')).href);

const framework = FRAMEWORKS.find(({ name }) => name === frameworkName);
const variant = [{ name: 'nothing', setup: framework.setup }, ...framework.variants].find(
  ({ name }) => name === variantName,
);
const parts = (await variant.setup?.({ load, url })) ?? {};
const agent = await framework.agent({ load, parts });

/** Microseconds of wall time that each run takes its caller; and of the processor a run, until all is delivered. Not of the `lead`. */
async function sample(run, runs, lead) {
  const walls = [];
  for (let i = 0; i < lead; i++) await run();
  await parts.flush?.();
  await nextTurn();
  const cpu = process.cpuUsage();
  for (let i = 0; i < runs; i++) {
    const began = performance.now();
    const answer = await run();
    walls.push((performance.now() - began) * 1000);
    if (answer !== ANSWER) throw new Error(`${variantName}: the agent answered ${JSON.stringify(answer)}`);
  }
  await parts.flush?.();
  const { user, system } = process.cpuUsage(cpu);
  return { walls, cpu: (user + system) / runs };
}

process.on('message', async ({ mode, runs, lead = 0 }) => {
  try {
    process.send(await sample(agent[mode], runs, lead));
  } catch (error) {
    // Else the spans until then would count for the next one.
    await parts.flush?.();
    process.send({ error: String(error?.stack ?? error) });
  }
});
process.on('disconnect', () => process.exit());
process.send({ modes: Object.keys(agent) });
