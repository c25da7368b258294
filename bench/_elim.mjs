import { HookMeta } from '@hermes-observer/core';
import { Assembler } from '../packages/otel/dist/assembly/assembler.js';
import { SpanBridge, ObserverTracerProvider } from '@hermes-observer/otel';
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { interleave } from './interleave.mjs';
import { times, turnCalls, turnStart } from './workload.mjs';
const proc=()=>({n:0,onStart(){},onEnd(){this.n++},forceFlush(){},shutdown(){}});
let turnNumber=0; const [time]=times(1);
class LitSink{ constructor(t){this.t=t;this.ctx=undefined}
 start(n,p){ const t=this.t; if(n.kind==='turn'){n.span=t.startSpan('invoke_agent hermes',{attributes:{'gen_ai.conversation.id':p.session_id,'hermes.turn.id':p.turn_id,'gen_ai.operation.name':'invoke_agent','gen_ai.agent.name':'hermes'},startTime:n.start},ROOT_CONTEXT);n.context=trace.setSpan(ROOT_CONTEXT,n.span);}
 else if(n.kind==='tool') n.span=t.startSpan(`execute_tool ${p.tool_name}`,{kind:SpanKind.INTERNAL,startTime:n.start,attributes:{'gen_ai.conversation.id':p.session_id,'hermes.turn.id':p.turn_id,'gen_ai.operation.name':'execute_tool','gen_ai.tool.name':p.tool_name,'gen_ai.tool.call.id':p.tool_call_id,'gen_ai.tool.type':'function','hermes.api.request_id':p.api_request_id}},n.parent.context);
 else n.span=t.startSpan(`chat ${p.model}`,{kind:SpanKind.CLIENT,startTime:n.start,attributes:{'gen_ai.conversation.id':p.session_id,'hermes.turn.id':p.turn_id,'gen_ai.operation.name':'chat','gen_ai.provider.name':p.provider,'gen_ai.request.model':p.model,'server.address':'api.openai.com','gen_ai.request.max_tokens':p.max_tokens,'hermes.api.request_id':p.api_request_id,'hermes.api.call_count':p.api_call_count,'hermes.api.mode':p.api_mode}},n.parent.context);}
 update(){} attemptFailed(){} policyDecision(){}
 end(n,p){const s=n.span; if(n.kind==='tool')s.setAttributes({'hermes.tool.status':p.status,'hermes.tool.duration_ms':p.duration_ms});
 else if(n.kind==='request')s.setAttributes({'hermes.api.attempts':1,'gen_ai.response.model':p.response_model,'gen_ai.response.finish_reasons':[p.finish_reason],'gen_ai.usage.input_tokens':p.usage.prompt_tokens,'gen_ai.usage.output_tokens':p.usage.output_tokens,'gen_ai.usage.cache_read.input_tokens':p.usage.cache_read_tokens,'gen_ai.usage.cache_creation.input_tokens':p.usage.cache_write_tokens,'gen_ai.usage.reasoning.output_tokens':p.usage.reasoning_tokens}); s.end(n.end);}}
function asm(name,handle){let seq=0;const emit=(h,p,t)=>handle(p,new HookMeta(h,t,'b',++seq));
 const all=(calls,clock)=>{for(let i=0;i<calls.length;i++)handle(calls[i][1],new HookMeta(calls[i][0],clock[i],'b',++seq))};
 return {name,run(){let ns=0n,sp=0;for(let k=0;k<10;k++){const t=turnCalls(turnNumber++,10);emit(...turnStart(t),time);const clock=times(t.calls.length);const b=process.hrtime.bigint();all(t.calls,clock);ns+=process.hrtime.bigint()-b;sp+=30;emit('on_session_end',{...t.ids,completed:true},time);}return Number(ns)/sp}}}
function direct(name){const t=new BasicTracerProvider({spanProcessors:[proc()]}).getTracer('x');const sink=new LitSink(t);
 const runTurn=(calls,clock,parent)=>{let n;for(let i=0;i<calls.length;i++){const [h,p]=calls[i];if(h==='pre_tool_call'){n={kind:'tool',start:clock[i],parent,span:undefined};sink.start(n,p)}else if(h==='pre_api_request'){n={kind:'request',start:clock[i],parent,span:undefined};sink.start(n,p)}else{n.end=clock[i];sink.end(n,p)}}};
 return {name,run(){let ns=0n,sp=0;for(let k=0;k<10;k++){const tn=turnCalls(turnNumber++,10);const root={kind:'turn',start:time};sink.start(root,turnStart(tn)[1]);const clock=times(tn.calls.length);const b=process.hrtime.bigint();runTurn(tn.calls,clock,root);ns+=process.hrtime.bigint()-b;sp+=30;root.span.end(time)}return Number(ns)/sp}}}
const lit=new Assembler(new LitSink(new BasicTracerProvider({spanProcessors:[proc()]}).getTracer('x')));
const nul=new Assembler({start(){},update(){},attemptFailed(){},policyDecision(){},end(){}});
const inj=new SpanBridge({tracerProvider:new BasicTracerProvider({spanProcessors:[proc()]})});
const own=new SpanBridge({tracerProvider:new ObserverTracerProvider({spanProcessors:[proc()]})});
const r=interleave([direct('bare'),asm('asm null',(p,m)=>nul.handle(p,m)),asm('asm+literal sink',(p,m)=>lit.handle(p,m)),asm('injected',(p,m)=>inj.handle(p,m)),asm('own',(p,m)=>own.handle(p,m))],{rounds:Number(process.argv[2]||150)});
const b=r.get('bare').median;for(const [n,v] of r)console.log(n.padEnd(20),v.median.toFixed(0),v.min.toFixed(0),(v.median/b).toFixed(3));
