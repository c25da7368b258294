/** Why the libraries cannot be had, or nothing. */
export function installOracles(): string | undefined;
// biome-ignore lint/suspicious/noExplicitAny: libraries without types here
export function oracle(name: string): any;
