// A program that uses both clients, and knows of no observer.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { run } from './loops.mjs';

await run({ OpenAI, Anthropic });
