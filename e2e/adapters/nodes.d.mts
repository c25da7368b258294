export function nodesToRunOn(): Promise<(readonly [version: string, path: string])[]>;
