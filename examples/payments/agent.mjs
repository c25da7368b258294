// An agent that makes three payments. It hands its hook calls to the service, and asks before it runs a tool: over the socket, as
// docs/protocol.md says. What it runs is what was decided, not what it wanted.
import { appendFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const PAYMENTS = [
  { amount: 40, to: 'Office supplies' },
  { amount: 250, to: 'Anna' },
  { amount: 5000, to: 'Prince of Nowhere' },
];

/** Runs the agent against the service at `socket`; payments that are made become lines of `ledger`. */
export async function runAgent(socket, ledger, say) {
  const service = connect(socket);
  const answers = new Map();
  createInterface({ input: service }).on('line', (line) => {
    const told = JSON.parse(line);
    answers.get(told.answer)?.(told);
    answers.get(told.synced)?.(told);
  });
  let seq = 0;
  const emit = (hook, payload) => {
    const record = {
      hook,
      time_unix_nano: `${BigInt(Date.now()) * 1_000_000n}`,
      producer: `payments-${process.pid}`,
      seq: ++seq,
      payload,
    };
    service.write(`${JSON.stringify(record)}\n`);
  };
  const request = (operation) =>
    new Promise((resolve) => {
      answers.set(operation.id, resolve);
      service.write(`${JSON.stringify(operation)}\n`);
    });

  const session = { session_id: `payments-${Date.now()}`, platform: 'cli' };
  const turn = { ...session, turn_id: `${session.session_id}-1`, task_id: '' };
  emit('on_session_start', session);
  emit('pre_llm_call', { ...turn, user_message: 'Pay what is due.', model: 'none' });
  for (const [i, args] of PAYMENTS.entries()) {
    const call = { ...turn, tool_name: 'pay', tool_call_id: `pay-${i + 1}`, args };
    emit('pre_tool_call', call);
    say(`pay ${args.amount} to ${args.to} …`);
    const began = Date.now();
    const ask = { op: 'ask', hook: 'pre_tool_call', payload: call, deadline_ms: 600_000, id: call.tool_call_id };
    const decision = await request(ask);
    // A service without a policy objects to nothing: that is no decision.
    if (decision.decision === 'allow' && typeof decision.policy !== 'string') {
      Object.assign(decision, { decision: 'block', kind: 'config_error', reason: 'The service has no policy.' });
    }
    if (decision.decision === 'allow') {
      appendFileSync(ledger, `${JSON.stringify(decision.args)}\n`);
      say(`  paid ${decision.args.amount} to ${decision.args.to}`);
      emit('post_tool_call', {
        ...call,
        args: decision.args,
        status: 'ok',
        result: 'paid',
        duration_ms: Date.now() - began,
      });
    } else {
      say(`  blocked (${decision.kind}): ${decision.reason}`);
      emit('post_tool_call', {
        ...call,
        status: 'blocked',
        error_type: 'policy_block',
        error_message: decision.reason,
      });
    }
  }
  emit('post_llm_call', { ...turn, assistant_response: 'Done.' });
  emit('on_session_end', { ...turn, completed: true });
  await request({ op: 'sync', id: 'end' });
  service.end();
}
