import { HookMeta } from '@hermes-observer/core';
import { ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { times, turnCalls, turnStart } from './workload.mjs';
const p={onStart(){},onEnd(){},forceFlush(){},shutdown(){}};
const bridge=new SpanBridge({tracerProvider:process.argv[2]==='own'?new ObserverTracerProvider({spanProcessors:[p]}):new BasicTracerProvider({spanProcessors:[p]})});
let seq=0,n=0;
function measured({calls},clock){ for(let i=0;i<calls.length;i++)bridge.handle(calls[i][1],new HookMeta(calls[i][0],clock[i],'bench',++seq)); }
const [time]=times(1);const res=[];
for(let k=0;k<30000;k++){const t=turnCalls(n++,10);const clock=times(t.calls.length);
bridge.handle(turnStart(t)[1],new HookMeta('pre_llm_call',time,'bench',++seq));
const b=process.hrtime.bigint();measured(t,clock);res.push(Number(process.hrtime.bigint()-b)/30);
bridge.handle({...t.ids,completed:true},new HookMeta('on_session_end',time,'bench',++seq));}
res.sort((a,b)=>a-b);console.log(process.argv[2],'median',res[15000].toFixed(0),'min',res[0].toFixed(0));
