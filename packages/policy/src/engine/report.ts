/** Where a policy's reports go: a hub's `emit`, or the journal of a service. Payloads are those of the contract. */
export interface ReportSink {
  report(
    hook: 'observer_policy_decision' | 'pre_approval_request' | 'post_approval_response',
    payload: Readonly<Record<string, unknown>>,
  ): void;
}
