import type { SyntaxNode } from 'unbash';
import type { ShellKind } from './read-line.js';

/**
 * Variables that make programs run other ones, or run as others. Any list of them is short of some: what sets a variable
 * that is not here, and changes what a later program does, is not seen.
 */
const TELLING =
  /^(PATH|HOME|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|CDPATH|BASH_FUNC_.*|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHON.*|PERL5.*|RUBY.*|GIT_.*|EDITOR|VISUAL|PAGER|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|SHELL|GCONV_PATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|AWKPATH|AWKLIBPATH|TAR_OPTIONS|RSYNC_RSH|SUDO_ASKPASS|SSH_ASKPASS|MAKEFLAGS|GREP_OPTIONS|RIPGREP_CONFIG_PATH)$/;

export const isTelling = (variable: string): boolean => TELLING.test(variable);

/** Why one part of a line cannot be judged by itself; `undefined` where it can. */
export function doubtOf(node: SyntaxNode, shell: ShellKind): string | undefined {
  switch (node.type) {
    case 'Assignment':
      if (isTelling(node.name)) return `it sets ${node.name}, which changes what programs do`;
      return node.index === undefined || isPlainIndex(node.index.value) ? undefined : VARIABLE_INDEX;
    case 'For':
    case 'Select':
      if (isTelling(node.name.value)) return `it sets ${node.name.value}, which changes what programs do`;
      return shell === 'any' ? differenceOf(node) : undefined;
    case 'ParameterExpansion':
      if (node.prefix === '!') return 'it reads a variable by a name that is in another one';
      if (node.operation?.type === 'Transform') return 'it expands the text of a variable once more';
      if (node.operation?.type === 'Unknown') return 'it has an expansion that is not known';
      if (node.operation?.type === 'Slice') {
        const { offset, length } = node.operation;
        if (!isNumber(offset.value) || (length !== undefined && !isNumber(length.value))) return VARIABLE_INDEX;
      }
      return node.index === undefined || isPlainIndex(node.index.value) ? undefined : VARIABLE_INDEX;
    case 'ArithmeticWord':
      // The text of a variable is reckoned again, and what stands in brackets there is run.
      return isNumber(node.value) ? undefined : 'it reckons with variables, whose text can run commands';
    case 'TestBinary':
      if (/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator) && !(isNumber(node.left.value) && isNumber(node.right.value))) {
        return 'it reckons with variables, whose text can run commands';
      }
      return undefined;
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R' ? VARIABLE_INDEX : undefined;
    case 'CommandExpansion':
    case 'ProcessSubstitution':
      return node.script === undefined ? 'it has a substitution that cannot be read' : undefined;
    case 'ArithmeticExpansion':
      return node.expression === undefined ? 'it has arithmetic that cannot be read' : undefined;
    case 'ArithmeticCommandExpansion':
      return 'it reckons with what commands give';
    // Only with an option of Bash; without it, another command.
    case 'ExtendedGlob':
      return 'it has a pattern that shells read differently';
    default:
      return shell === 'any' ? differenceOf(node) : undefined;
  }
}

const VARIABLE_INDEX = 'it has an index that is reckoned, which can run commands';
const isNumber = (text: string): boolean => /^\s*-?\d*\s*$/.test(text);
const isPlainIndex = (text: string): boolean => isNumber(text) || text === '@' || text === '*';

/** What Bash and a plain POSIX shell read differently, so that one of them may run what the other does not see. */
function differenceOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'AnsiCQuoted':
      return "it has $'…', which only some shells know";
    case 'LocaleString':
      return 'it has $"…", which only some shells know';
    case 'TestCommand':
      return 'it has [[ … ]], which only some shells know';
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
      return 'it has (( … )), which only some shells know';
    case 'Coproc':
    case 'Select':
      return 'it has a command that only some shells know';
    case 'HereString':
      return 'it has <<<, which only some shells know';
    case 'FileDescriptorVariable':
      return 'it has a redirection that only some shells know';
    case 'FileDescriptor':
      // To some, the digits before the last one are a word of their own.
      return node.value > 9 ? 'it has a redirection that only some shells know' : undefined;
    case 'Redirect':
      return node.operator.startsWith('&') ? 'it has a redirection that only some shells know' : undefined;
    default:
      return undefined;
  }
}
