// Versions of the clients that the plays run on, beside those in `node_modules`. The ranges in the package's manifest begin with the lowest.
export const OPENAI = ['6.0.0', '6.22.0', '7.0.0'];
export const ANTHROPIC = ['0.100.0', '0.137.0', '1.0.0'];
