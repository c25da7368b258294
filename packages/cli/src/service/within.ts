/** Resolves when a promise does, or after so many milliseconds. */
export async function within(promise: Promise<unknown>, millis: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, millis);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
