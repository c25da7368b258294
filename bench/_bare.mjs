import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { times, turnCalls } from './workload.mjs';
import * as sc from './span-cost.mjs';
const sdk=sc.bareSdk();
let n=0;const [time]=times(1);const res=[];
function measured(turn,o,clock){sdk.runTurn(turn,o,clock)}
for(let k=0;k<30000;k++){const t=turnCalls(n++,10);const o=sdk.openTurn(t,time);const clock=times(t.calls.length);const b=process.hrtime.bigint();measured(t,o,clock);res.push(Number(process.hrtime.bigint()-b)/30);o.span.end(time);}
res.sort((a,b)=>a-b);console.log('bare median',res[15000].toFixed(0),'min',res[0].toFixed(0));
