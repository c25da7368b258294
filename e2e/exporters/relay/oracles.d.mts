export function installOracles(): string | undefined;
export function runPython(script: string, ...args: string[]): string;
