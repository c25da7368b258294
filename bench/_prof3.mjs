// hot variant: payloads generated just before
import { HookMeta } from '@hermes-observer/core';
import { ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { times, turnCalls, turnStart } from './workload.mjs';
const p={onStart(){},onEnd(){},forceFlush(){},shutdown(){}};
const bridge=new SpanBridge({tracerProvider:new BasicTracerProvider({spanProcessors:[p]})});
let seq=0,n=0;
function measured(turns,clock){ for(const {calls} of turns)for(let i=0;i<calls.length;i++)bridge.handle(calls[i][1],new HookMeta(calls[i][0],clock[i],'bench',++seq)); }
const [time]=times(1);
const res=[];
for(let k=0;k<3000;k++){const turns=Array.from({length:10},()=>turnCalls(n++,10));
const clock=times(turns[0].calls.length);
for(const t of turns)bridge.handle(turnStart(t)[1],new HookMeta('pre_llm_call',time,'bench',++seq));
const b=process.hrtime.bigint();
measured(turns,clock);
res.push(Number(process.hrtime.bigint()-b)/300);
for(const t of turns)bridge.handle({...t.ids,completed:true},new HookMeta('on_session_end',time,'bench',++seq));}
res.sort((a,b)=>a-b);console.log('median',res[1500],'min',res[0]);
