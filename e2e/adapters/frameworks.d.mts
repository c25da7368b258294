export function frameworkAt(
  name: string,
  packages: Readonly<Record<string, string>>,
  // biome-ignore lint/suspicious/noExplicitAny: modules of any version
): Promise<{ readonly folder: string; load(id: string): Promise<any> }>;
