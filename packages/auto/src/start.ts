import { ADAPTERS } from './frameworks.js';
import { watchEsModules } from './hooks/es-modules.js';
import { watchRequired } from './hooks/required-files.js';
import { LISTENER } from './hooks/watched-source.js';
import { Instrumentation } from './instrumentation.js';
import { Report } from './report.js';
import { settingsOf } from './settings.js';

const place = globalThis as { [LISTENER]?: Instrumentation };

/** Begins to watch what this thread loads, once; whether it does. Never throws: the program is to run, observed or not. */
export function start(): boolean {
  const report = new Report();
  try {
    // Another copy of this package watches; anything else is none.
    if (typeof place[LISTENER]?.loaded === 'function') return true;
    const settings = settingsOf(process.env, ADAPTERS);
    if (settings.mode === 'off') return false;
    report.isQuiet = settings.mode === 'quiet';
    for (const text of settings.unknown) report.fault(`not understood: ${text}`);
    const instrumentation = new Instrumentation(settings, report);
    place[LISTENER] = instrumentation;
    watchRequired((path, exports) => instrumentation.required(path, exports));
    watchEsModules(settings.only !== undefined);
    instrumentation.begin();
    return true;
  } catch (error) {
    report.fault(`does nothing: ${String(error)}`);
    return false;
  }
}
