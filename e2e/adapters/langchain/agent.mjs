import * as messages from '@langchain/core/messages';
import * as testing from '@langchain/core/testing';
import * as langgraph from '@langchain/langgraph';
import * as langchain from 'langchain';
import { z } from 'zod';
import { play } from './program.mjs';

console.log(await play({ testing, messages, langchain, langgraph, z }, ...process.argv.slice(2)));
