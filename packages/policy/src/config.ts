export { type LoadedPolicy, type LoadOptions, loadPolicy, openApprovals, openPolicy } from './config/load-policy.js';
export { type DryPolicy, type HookSaid, openDry } from './config/open-dry.js';
export { type AuditPlan, type PlanOptions, PolicyPlan } from './config/policy-plan.js';
