// A span processor of your own: it copies an entry of the caller's baggage to every span, here whose turn it is.
//
//   node examples/custom-processor.mjs
//
// Any standard SpanProcessor will do. `onStart` gets the context of the parent, and may still write to the span. Prints
// one line a span.
import { createObserver } from '@hermes-observer/otel';
import { propagation } from '@opentelemetry/api';

/** @implements {import('@opentelemetry/sdk-trace-base').SpanProcessor} */
class BaggageProcessor {
  #keys;

  /** Baggage comes from outside, so what is copied is chosen by name. @param {string[]} keys */
  constructor(keys) {
    this.#keys = keys;
  }

  onStart(span, parentContext) {
    const baggage = propagation.getBaggage(parentContext);
    for (const key of this.#keys) {
      const value = baggage?.getEntry(key)?.value;
      if (value !== undefined) span.setAttribute(key, value);
    }
  }

  onEnd() {}
  async forceFlush() {}
  async shutdown() {}
}

/** @type {import('@opentelemetry/sdk-trace-base').SpanExporter} */
const printer = {
  export(spans, done) {
    for (const { name, attributes } of spans) console.log(`${name}: ${attributes['tenant.id'] ?? 'no tenant'}`);
    done({ code: 0 });
  },
  async shutdown() {},
};

const observer = createObserver({ processors: [new BaggageProcessor(['tenant.id'])], exporters: [printer] });

/** A turn as the hooks of an agent tell it. `caller` holds the W3C headers that its request came with. */
function runTurn(turnId, caller) {
  const turn = { session_id: 'chat-1', turn_id: turnId, model: 'gpt-5' };
  const call = { ...turn, tool_call_id: `${turnId}-call`, tool_name: 'search' };
  const meta = caller === undefined ? {} : { traceContext: caller };
  observer.hub.emit('pre_llm_call', turn, meta);
  // The caller of a turn is that of its first hook. What is below gets its baggage, whether told again or not.
  observer.hub.emit('pre_tool_call', { ...call, args: {} });
  observer.hub.emit('post_tool_call', { ...call, status: 'ok' });
  observer.hub.emit('on_session_end', { ...turn, completed: true });
}

runTurn('turn-1', {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  baggage: 'tenant.id=acme,user.plan=free',
});
runTurn('turn-2', {
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  baggage: 'tenant.id=M%C3%BCller;ttl=60',
});
runTurn('turn-3');

await observer.shutdown();
