import { millisBetween, type Payload } from '@hermes-observer/core';
import type { Attributes } from '@opentelemetry/api';
import type { AnyNode, RequestNode, ToolNode } from '../assembly/span-node.js';
import type { AttributeOptions } from './attribute-options.js';
import type { Capture } from './capture.js';
import { exitReason } from './exit-reason.js';
import { idLabel } from './id-label.js';
import { typeLabel, wordLabel } from './labels.js';
import { responseModels } from './repeated-labels.js';
import * as semconv from './semconv.js';
import { usageOf } from './usage.js';
import { amountOf, countOf, label } from './values.js';

/** Lists of one reason, which all spans with it share. */
class FinishReasons {
  readonly #known = new Map<string, string[]>();
  #last = '';
  #lastList: string[] = [];

  of(reason: string): string[] {
    if (reason === this.#last) return this.#lastList;
    let list = this.#known.get(reason);
    if (list === undefined) {
      list = Object.freeze([reason]) as string[];
      if (this.#known.size >= MOST_REASONS) this.#known.clear();
      this.#known.set(reason, list);
    }
    this.#last = reason;
    this.#lastList = list;
    return list;
  }
}

const MOST_REASONS = 64;
const finishReasons = new FinishReasons();

/** No span has more attributes than this from its end, content included. */
export const MOST_END_ATTRIBUTES = 24;

/**
 * What is known of a span at its end; what is not is `undefined`, which a span passes over. `payload` is that of the
 * record that ended the span, if one did. Each kind is one literal, which V8 makes and a span walks in the least time.
 */
export function endAttributes(node: AnyNode, payload: Payload | undefined, options: AttributeOptions): Attributes {
  const attributes = endOf(node, payload, options.capture);
  if (node.errorType !== undefined) attributes[semconv.ATTR_ERROR_TYPE] = typeLabel(node.errorType, options.capture);
  if ((node.kind === 'turn' || node.kind === 'child') && node.missing > 0) {
    attributes[semconv.ATTR_HERMES_PRODUCER_MISSING_RECORDS] = node.missing;
  }
  if (node.incomplete !== undefined) {
    attributes[semconv.ATTR_HERMES_INCOMPLETE] = true;
    attributes[semconv.ATTR_HERMES_INCOMPLETE_REASON] = node.incomplete;
  }
  return attributes;
}

function endOf(node: AnyNode, payload: Payload | undefined, capture: Capture): Attributes {
  switch (node.kind) {
    case 'turn':
      return {
        [semconv.ATTR_HERMES_TURN_OUTCOME]: node.outcome,
        [semconv.ATTR_HERMES_TURN_EXIT_REASON]: label(exitReason(node.exitReason, capture)),
        [semconv.ATTR_HERMES_TURN_API_CALLS]: node.invocation.apiCalls,
        [semconv.ATTR_HERMES_TURN_TOOL_CALLS]: node.invocation.toolCalls,
      };
    case 'child':
      return { [semconv.ATTR_HERMES_SUBAGENT_STATUS]: label(wordLabel(node.status, capture)) };
    case 'request':
    case 'auxiliary':
      return endOfRequest(node, payload, capture);
    case 'tool':
      return endOfTool(node, payload, capture);
    case 'approval':
      return {
        [semconv.ATTR_HERMES_APPROVAL_CHOICE]: label(wordLabel(node.choice, capture)),
        [semconv.ATTR_HERMES_APPROVAL_DECIDED_BY]: label(wordLabel(node.decidedBy, capture)),
        [semconv.ATTR_HERMES_APPROVAL_APPROVER_REF]: idLabel(payload?.approver_ref, capture),
      };
    case 'human_input':
      return { [semconv.ATTR_HERMES_HUMAN_INPUT_OUTCOME]: label(wordLabel(node.outcome, capture)) };
  }
}

function endOfTool(node: ToolNode, payload: Payload | undefined, capture: Capture): Attributes {
  const attributes: Attributes = {
    [semconv.ATTR_HERMES_TOOL_STATUS]: node.status,
    [semconv.ATTR_HERMES_TOOL_DURATION_MS]: amountOf(payload?.duration_ms),
  };
  if (node.blockedBy !== undefined)
    attributes[semconv.ATTR_HERMES_TOOL_BLOCKED_BY] = typeLabel(node.blockedBy, capture);
  return attributes;
}

function endOfRequest(node: RequestNode, payload: Payload | undefined, capture: Capture): Attributes {
  if (node.errorType !== undefined || payload === undefined) {
    return {
      [semconv.ATTR_HERMES_API_ATTEMPTS]: node.attempts,
      [semconv.ATTR_HTTP_RESPONSE_STATUS_CODE]:
        node.errorType === undefined ? undefined : countOf(node.failure?.statusCode),
    };
  }
  const reason = wordLabel(payload.finish_reason, capture);
  const usage = usageOf(node.usageElsewhere ? undefined : payload.usage);
  const attributes: Attributes = {
    [semconv.ATTR_HERMES_API_ATTEMPTS]: node.attempts,
    [semconv.ATTR_GEN_AI_RESPONSE_MODEL]: responseModels.of(payload.response_model, capture),
    [semconv.ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: reason === undefined ? undefined : finishReasons.of(reason),
    [semconv.ATTR_GEN_AI_USAGE_INPUT_TOKENS]: usage.input,
    [semconv.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: usage.output,
    [semconv.ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: usage.cacheRead,
    [semconv.ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: usage.cacheWrite,
    [semconv.ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: usage.reasoning,
  };
  const { attemptStart, attempts, end } = node;
  if (attemptStart === undefined) return attributes;
  if (attempts > 1 && end !== undefined) {
    attributes[semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS] = amountOf(millisBetween(attemptStart, end));
  }
  const { first_chunk_at } = payload;
  if (typeof first_chunk_at !== 'number') return attributes;
  // Epoch seconds against the record of the attempt's start; both are the producer's clock.
  const seconds = first_chunk_at - attemptStart[0] - attemptStart[1] / 1e9;
  attributes[semconv.ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK] = amountOf(Math.round(seconds * 1e6) / 1e6);
  return attributes;
}
