import type { Command } from 'commander';
import { invocation } from './invocation.js';

/** What is wrong with the use of a command: one line with its code, and where help is. */
export function usageText(text: string, command: Command): string {
  const problem = text
    .replace(/^error: /, '')
    .trim()
    .replace(/\s*\n\s*/g, ' ');
  return `hermes-observer: ${problem} [HO_OPTION]\nsee ${invocation()}${pathOf(command)} --help\n`;
}

/** Names of a command and of those it is part of, without that of the program: ` policy test`. */
const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`;
