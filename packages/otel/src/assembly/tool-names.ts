/** Tools that run other work inside them. Source: the Hermes Agent's tool registry. */
export const EXECUTE_CODE = 'execute_code';
export const DELEGATE_TASK = 'delegate_task';
