/** Whether a name is as a pattern says: `*` stands for any text, case does not count. */
export function namePattern(pattern: string): (name: string) => boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const regex = new RegExp(`^${parts.join('.*')}$`, 'is');
  return (name) => regex.test(name);
}
