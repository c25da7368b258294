// For `node --import @hermes-observer/clients/register app.js`: observes the clients of the program without a line in it.
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { tellUntested } from '@hermes-observer/adapter/versions';
import { instrumentAnthropic, instrumentOpenAI, type ModuleOptions } from './index.js';

const [, entry] = process.argv;
/** Finds packages as the program does. */
const require = createRequire(entry !== undefined && existsSync(entry) ? realpathSync(entry) : resolve('program.js'));

/** A package as CommonJS and as ES module, which are two copies, if the program has it. */
async function copiesOf(id: string): Promise<object[]> {
  let path: string;
  try {
    path = require.resolve(id);
  } catch {
    return [];
  }
  const modulePath = path.replace(/\.js$/, '.mjs');
  const copies = [require(path)];
  if (existsSync(modulePath)) copies.push(await import(pathToFileURL(modulePath).href));
  return copies;
}

async function instrumented(id: string, instrument: (options: ModuleOptions) => () => void): Promise<(() => void)[]> {
  return (await copiesOf(id)).map((module) => instrument({ module }));
}

const ends = [
  ...(await instrumented('openai', instrumentOpenAI)),
  ...(await instrumented('@anthropic-ai/sdk', instrumentAnthropic)),
];
if (ends.length === 0)
  process.emitWarning('@hermes-observer/clients: the program has neither openai nor @anthropic-ai/sdk', {
    type: 'HermesObserver',
  });

tellUntested(import.meta.url);

/** Ends it. */
export const end = (): void => {
  for (const one of ends) one();
};
