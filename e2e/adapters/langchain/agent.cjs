// The same with the copies for CommonJS, which come by `require`.
const modules = {
  testing: require('@langchain/core/testing'),
  messages: require('@langchain/core/messages'),
  langgraph: require('@langchain/langgraph'),
  langchain: require('langchain'),
  z: require('zod').z,
};

import('./program.mjs').then(async ({ play }) => console.log(await play(modules, ...process.argv.slice(2))));
