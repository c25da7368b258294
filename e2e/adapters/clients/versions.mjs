// Versions of the clients that the plays run on, beside those in `node_modules`: by default the lowest, with `--full` also those
// between. The ranges in the package's manifest begin with the lowest.
const isFull = process.env.E2E_FULL === '1';
export const OPENAI = isFull ? ['6.0.0', '6.22.0', '7.0.0'] : ['6.0.0'];
export const ANTHROPIC = isFull ? ['0.100.0', '0.137.0', '1.0.0'] : ['0.100.0'];
