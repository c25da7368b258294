#!/usr/bin/env node
// A hook of an agent runs for each of its events, and must be over before it is noticed: it loads nothing else.
const isHook = process.argv[2] === 'hook' && process.argv[3] === 'claude-code';
await import(isHook ? '../dist/claude-hook/main.js' : '../dist/main.js');
