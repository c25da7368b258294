export { type LoadedPolicy, type LoadOptions, loadPolicy, openApprovals, openPolicy } from './config/load-policy.js';
export { type PlanOptions, PolicyPlan } from './config/policy-plan.js';
