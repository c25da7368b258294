// A program that uses the Claude Agent SDK, and knows of no observer: the file in its first argument, with options as JSON, by
// `import` or `require`.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [, , path, options, form] = process.argv;
const { query } = form === 'require' ? createRequire(path)(path) : await import(pathToFileURL(path).href);

for await (const message of query({ prompt: 'How is the weather?', options: JSON.parse(options) })) {
  if (message.type === 'result') console.log(message.result);
}
