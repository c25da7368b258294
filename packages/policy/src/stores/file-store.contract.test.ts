import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { FileStore } from './file-store.js';
import { itKeepsApprovals } from './store-contract.test-support.js';

describe('the file store', () => {
  itKeepsApprovals(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'approvals-'));
    return {
      open: () => FileStore.open(folder),
      // What a crash of the process leaves is the same files; a real one is killed in another test.
      crash: (store) => store.close(),
      remove: async () => rmSync(folder, { recursive: true }),
    };
  });
});
