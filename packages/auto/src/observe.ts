// The observer of the process, as the environment describes it. Loaded with the first framework.
import { sharedObserver } from '@hermes-observer/adapter';
import { CAPTURE_MODES, type Capture, type ObserverOptions } from '@hermes-observer/otel';
import { LastSpans } from './exit/last-spans.js';
import { beforeSignalsEnd } from './exit/signals.js';
import { tracesUrlOf } from './exit/traces-url.js';
import { settingsOf } from './settings.js';

type Environment = Readonly<Record<string, string | undefined>>;

export const CAPTURE = 'HERMES_OBSERVER_CAPTURE';
export const AGENT_NAME = 'HERMES_OBSERVER_AUTO_AGENT';

let isPrepared = false;

/** Makes the observer that adapters find, unless there is one already. @throws ObserverError for a wrong setting. */
export function prepare(): void {
  if (isPrepared) return;
  isPrepared = true;
  const { options, lastSpans } = optionsOf(process.env);
  const observer = sharedObserver(options);
  if (lastSpans === undefined) return;
  const end = () => {
    // Open turns end now. What the exporter were to do from here on, it does no more.
    void observer.shutdown();
    lastSpans.send();
  };
  process.on('exit', end);
  // What was not understood has been told of.
  if (settingsOf(process.env, []).signals) beforeSignalsEnd(end);
}

function optionsOf(env: Environment): { options: ObserverOptions; lastSpans?: LastSpans } {
  const capture = env[CAPTURE]?.trim().toLowerCase() || undefined;
  if (capture !== undefined && !(CAPTURE_MODES as readonly string[]).includes(capture)) {
    // What is not understood keeps content in.
    process.emitWarning(`${CAPTURE} is ${capture}; there are ${CAPTURE_MODES.join(', ')}.`, { type: 'HermesObserver' });
  }
  const options: ObserverOptions = {
    ...((CAPTURE_MODES as readonly (string | undefined)[]).includes(capture) ? { capture: capture as Capture } : {}),
    ...(env[AGENT_NAME] ? { agentName: env[AGENT_NAME] } : {}),
  };
  const url = tracesUrlOf(env);
  if (url === undefined) return { options };
  const lastSpans = new LastSpans();
  return {
    options: { ...options, processors: [lastSpans], exporters: [lastSpans.exporterTo(url)] },
    lastSpans,
  };
}
