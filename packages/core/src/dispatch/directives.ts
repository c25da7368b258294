import type { Payload } from '../contract/record.js';
import type { ErrorClassification, GatewayDecision, VerifyDecision } from './first-inquiry.js';
import { FirstInquiry, readClassification, readGateway, readVerify } from './first-inquiry.js';
import type { Inquiry } from './inquiry.js';
import type { Answers, TranscriptionFields } from './merge-inquiry.js';
import { AnswersInquiry, TranscriptionInquiry } from './merge-inquiry.js';
import type { SpeechDecision } from './speech-inquiry.js';
import { SpeechInquiry } from './speech-inquiry.js';
import type { AddedContext, TransformedText } from './text-inquiry.js';
import { ContextInquiry, TransformInquiry } from './text-inquiry.js';
import type { ToolDecision } from './tool-inquiry.js';
import { ToolInquiry } from './tool-inquiry.js';

/** What `ask` resolves to, by hook. Any other hook: `Answers`. */
export interface AskResults {
  pre_tool_call: ToolDecision;
  pre_llm_call: AddedContext;
  transform_tool_result: TransformedText;
  transform_terminal_output: TransformedText;
  transform_llm_output: TransformedText;
  pre_verify: VerifyDecision;
  pre_gateway_dispatch: GatewayDecision;
  transform_api_error_classification: ErrorClassification;
  pre_transcription: TranscriptionFields;
  pre_tts_synthesis: SpeechDecision;
}

export type AskResult<Hook extends string> = Hook extends keyof AskResults ? AskResults[Hook] : Answers;

const OPENERS: { [Hook in keyof AskResults]: (payload: Payload) => Inquiry<AskResults[Hook]> } = {
  pre_tool_call: (payload) => new ToolInquiry(payload),
  pre_llm_call: (payload) => new ContextInquiry(payload),
  transform_tool_result: (payload) => new TransformInquiry(payload, 'result', true),
  transform_terminal_output: (payload) => new TransformInquiry(payload, 'output', true),
  transform_llm_output: (payload) => new TransformInquiry(payload, 'response_text', false),
  pre_verify: (payload) => new FirstInquiry<VerifyDecision>(payload, { continue: false }, readVerify),
  pre_gateway_dispatch: (payload) => new FirstInquiry<GatewayDecision>(payload, { action: 'allow' }, readGateway),
  transform_api_error_classification: (payload) =>
    new FirstInquiry<ErrorClassification>(payload, {}, readClassification),
  pre_transcription: (payload) => new TranscriptionInquiry(payload),
  pre_tts_synthesis: (payload) => new SpeechInquiry(payload),
};

/** The inquiry of a hook by its rules. May throw where reading the payload does. */
export function openInquiry(hook: string, payload: Payload): Inquiry<unknown> {
  return Object.hasOwn(OPENERS, hook) ? OPENERS[hook as keyof AskResults](payload) : new AnswersInquiry(payload);
}
