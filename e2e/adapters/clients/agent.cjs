// As agent.mjs, with the copies of the clients that CommonJS gets.
const { Anthropic } = require('@anthropic-ai/sdk');
const { OpenAI } = require('openai');

import('./loops.mjs').then(({ run }) => run({ OpenAI, Anthropic }));
