// Records of the contract with something planted in every field that can hold text.
import { hookSchemas } from '@hermes-observer/core/schema';

/** Ids tie records together; planted only where that is asked for. */
const IDS = {
  session_id: 's',
  task_id: 'task',
  turn_id: 't',
  api_request_id: 'r',
  tool_call_id: 'c',
  parent_session_id: 's',
  parent_turn_id: 't',
  child_session_id: 'child',
  child_subagent_id: 'sub',
  session_key: 'key',
  request_id: 'ask',
  decision_id: 'decision',
};

/** So that spans of each kind are open when their fields come. The other hooks come in between. */
const ORDER = [
  'observer_hello',
  'on_session_start',
  'pre_llm_call',
  'pre_api_request',
  'api_request_error',
  'transform_api_error_classification',
  'post_api_request',
  'pre_auxiliary_call',
  'post_auxiliary_call',
  'pre_tool_call',
  'observer_policy_decision',
  'observer_evaluation',
  'pre_approval_request',
  'post_approval_response',
  'on_human_input_request',
  'on_human_input_resolved',
  'subagent_start',
  'subagent_stop',
  'transform_terminal_output',
  'post_tool_call',
  'transform_tool_result',
];
const LAST = ['post_llm_call', 'on_session_end', 'on_session_finalize'];
const others = Object.keys(hookSchemas).filter((hook) => !ORDER.includes(hook) && !LAST.includes(hook));
export const HOOKS = [...ORDER, ...others, ...LAST];

function typeOf(schema) {
  let inner = schema;
  while (inner.def.type === 'optional' || inner.def.type === 'nullable') inner = inner.def.innerType;
  return inner.def.type === 'union' ? inner.def.options.map(typeOf) : inner.def.type;
}

const FIELDS = Object.fromEntries(
  Object.entries(hookSchemas).map(([hook, { shape }]) => [
    hook,
    Object.entries(shape).map(([name, schema]) => ({
      name,
      types: [typeOf(schema)].flat(),
      known: schema.meta()?.examples,
    })),
  ]),
);

export const FIELD_COUNT = Object.values(FIELDS)
  .flat()
  .filter(({ types }) => types.some((type) => type !== 'number' && type !== 'boolean')).length;

function objectWith(text, own) {
  return {
    message: text,
    type: text,
    code: text,
    content: text,
    list: [text, { deep: { text } }],
    json: JSON.stringify({ text }),
    [own ?? 'plain']: 1,
  };
}

/** What stands in a field. `plant` gives the next text, `own` is one that may be a key. */
function fieldValue({ name, types, known }, n, plan) {
  if (name in IDS && !plan.inIds) return `${IDS[name]}-${plan.id}`;
  if (known !== undefined && plan.keepsWords) return known[n % known.length];
  const type = types[n % types.length];
  if (type === 'boolean') return name === 'completed' || name === 'finished';
  if (type === 'number') return name === 'status_code' ? 503 : 1 + (n % 3);
  const text = plan.plant(`${name}`);
  if (type === 'string') return text;
  if (type === 'object' || type === 'unknown') {
    const value = objectWith(text, plan.key);
    return name === 'usage' ? { input_tokens: 5, output_tokens: 7, ...value } : value;
  }
  const isTexts = /_keys|paths|hooks|fields/.test(name);
  return isTexts
    ? [text, plan.plant(name)]
    : [
        { role: 'user', content: text },
        { role: 'tool', ...objectWith(text, plan.key) },
      ];
}

/**
 * One turn with each hook of the contract.
 *
 * @param {{ id: string, plant: (field: string) => string, key?: string, inIds: boolean, keepsWords: boolean }} plan
 */
export function turnOf(plan) {
  let n = 0;
  return HOOKS.map((hook) => {
    const payload = {};
    for (const field of FIELDS[hook]) payload[field.name] = fieldValue(field, n++, plan);
    if (plan.plantUnknown !== false) payload.field_of_tomorrow = plan.plant('field_of_tomorrow');
    return { hook, payload };
  });
}
