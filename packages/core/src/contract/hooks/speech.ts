import type * as z from 'zod';
import { hook, text } from './fields.js';

export const preTranscription = hook(
  'Speech is about to be written down; plugins may change prompt, language and model. Since 0.20.1.',
  {
    file_path: text('The recording, as a path of the agent’s machine.'),
    provider: text('Service that transcribes.'),
    model: text('Its model. Null for its default.'),
    language: text('Language of the speech. Null when it is to be found out.'),
    prompt: text('Hint for the service, unredacted. Null when none.'),
    source: text('Where the recording came from. Null when unknown.'),
  },
);
export type PreTranscription = z.infer<typeof preTranscription>;

export const preTtsSynthesis = hook('Text is about to be spoken; plugins may block or rewrite it. Since 0.21.', {
  text: text('The text, unredacted.'),
  provider: text('Service that speaks.'),
});
export type PreTtsSynthesis = z.infer<typeof preTtsSynthesis>;
