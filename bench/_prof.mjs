import { HookMeta } from '@hermes-observer/core';
import { ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import { times, turnCalls, turnStart } from './workload.mjs';
const p={onStart(){},onEnd(){},forceFlush(){},shutdown(){}};
const bridge=new SpanBridge({tracerProvider:new ObserverTracerProvider({spanProcessors:[p]})});
let seq=0,n=0;const emit=(h,pl,t)=>bridge.handle(pl,new HookMeta(h,t,'bench',++seq));
const [time]=times(1);
const res=[];
for(let k=0;k<12;k++){const turns=Array.from({length:1000},()=>turnCalls(n++,10));
const clock=times(turns[0].calls.length);
let total=0n;
for(const t of turns){emit(...turnStart(t),time);
const {calls}=t;
const b=process.hrtime.bigint();
for(let i=0;i<calls.length;i++)emit(calls[i][0],calls[i][1],clock[i]);
total+=process.hrtime.bigint()-b;
emit('on_session_end',{...t.ids,completed:true},time);}
res.push(Math.round(Number(total)/30000));}
console.log(res.join(' '));
