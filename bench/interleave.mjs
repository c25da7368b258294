/** Runs contestants in turn, in a random order each round, and gives each one's median, minimum and 90th percentile. */
export function interleave(contestants, { rounds, warmup = Math.ceil(rounds / 4) }) {
  const samples = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = -warmup; round < rounds; round++) {
    for (const { name, run } of [...contestants].sort(() => Math.random() - 0.5)) {
      const sample = run();
      if (round >= 0) samples.get(name).push(sample);
    }
  }
  return new Map([...samples].map(([name, list]) => [name, quantiles(list)]));
}

/** The same for contestants whose run is a promise. */
export async function interleaveAwaited(contestants, { rounds, warmup = Math.ceil(rounds / 4) }) {
  const samples = new Map(contestants.map(({ name }) => [name, []]));
  for (let round = -warmup; round < rounds; round++) {
    for (const { name, run } of [...contestants].sort(() => Math.random() - 0.5)) {
      const sample = await run();
      if (round >= 0) samples.get(name).push(sample);
    }
  }
  return new Map([...samples].map(([name, list]) => [name, quantiles(list)]));
}

export function quantiles(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
  return { median: at(0.5), min: sorted[0], p90: at(0.9) };
}
