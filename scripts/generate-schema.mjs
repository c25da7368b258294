// Writes packages/core/record.schema.json from the zod schemas of the built core package. Part of `npm run build`.
import { writeFileSync } from 'node:fs';
import { recordJsonSchema } from '../packages/core/dist/schema.js';

const target = new URL('../packages/core/record.schema.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(recordJsonSchema(), null, 2)}\n`);
