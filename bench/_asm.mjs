import { HookMeta } from '@hermes-observer/core';
import { Assembler } from '../packages/otel/dist/assembly/assembler.js';
import { startAttributes, setEndAttributes } from '../packages/otel/dist/attributes/genai.js';
import { nodeId } from '../packages/otel/dist/spans/node-id.js';
import { times, turnCalls, turnStart } from './workload.mjs';
const mode=process.argv[2];
const o={agentName:'hermes',capture:'none'};
const fake={setAttribute(){}};
const sink={start(n,p){ if(mode.includes('a'))n.span=startAttributes(n,p,o); if(mode.includes('i'))n.context=nodeId(n,'0123456789abcdef0123456789abcdef');},update(){},attemptFailed(){},policyDecision(){},end(n,p){ if(mode.includes('a'))setEndAttributes(fake,n,p,o);}};
const bridge=new Assembler(sink);
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
res.sort((a,b)=>a-b);console.log(mode,'median',res[1500].toFixed(0),'min',res[0].toFixed(0));
