/** What an error says of itself, for a warning. Errors of exporters may throw when they are read. */
export function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return 'no readable reason given';
  }
}
