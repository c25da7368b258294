import { type Fields, fieldsOf } from './events.js';

/** What is read of an event of AI SDK 6, in the words of 7. Whether its content is hidden stands in `metadata` alone. */
export function asVersion7(event: Fields): Fields {
  const { model, system, prompt, messages, maxOutputTokens, functionId } = event;
  const { modelId, provider } = fieldsOf(model);
  const metadata = fieldsOf(event.metadata);
  return {
    modelId,
    provider,
    instructions: system,
    prompt,
    messages: messages ?? (Array.isArray(prompt) ? prompt : undefined),
    maxOutputTokens,
    functionId,
    toolCall: event.toolCall,
    runtimeContext: metadata,
    recordInputs: metadata.recordInputs,
    recordOutputs: metadata.recordOutputs,
  };
}

/** How a tool ended, of `onToolCallFinish`. */
export function toolResultOf({ success, output, error }: Fields): Fields {
  return {
    output: success === false ? { type: 'tool-error', error } : { type: 'tool-result', output },
  };
}
