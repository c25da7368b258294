import { isRegExp } from 'node:util/types';
import { type ArgsTest, compileArgTest, configured } from './arg-test.js';
import { compileRegExp } from './bounded-regexp.js';
import { checkFields, configError, kindOf } from './config-error.js';
import { compileGlob, type TextTest } from './glob.js';
import type { ArgTest, Matcher } from './matcher.js';

/** Who calls, as a matcher asks. */
export interface Caller {
  readonly agent: string;
  readonly platform: string;
  /** As in `ToolCall.childRoles`; an empty name is a role that is not known. */
  readonly childRoles: readonly string[] | undefined;
}

/** A matcher in three parts, by how often each has to be asked. All of them have to hold. Each may throw: it cannot tell. */
export interface CompiledMatcher {
  readonly tool: TextTest | undefined;
  readonly caller: ((caller: Caller) => boolean) | undefined;
  readonly args: ArgsTest | undefined;
}

const FIELDS = ['tool', 'args', 'agent', 'childRole', 'platform'];
const LONGEST_TOOL_NAME = 4096;

/** Throws `HO_POLICY_CONFIG`. `where` names the hook. */
export function compileMatcher(matcher: Matcher | undefined, where: string): CompiledMatcher {
  if (matcher === undefined) return { tool: undefined, caller: undefined, args: undefined };
  const fields = checkFields(matcher, FIELDS, `The matcher of ${where}`);
  const { tool, args, agent, childRole, platform } = fields as Matcher;
  return {
    tool: tool === undefined ? undefined : compileTool(tool, where),
    caller: compileCaller(
      names(agent, 'agent', where),
      names(platform, 'platform', where),
      names(childRole, 'childRole', where),
    ),
    args: args === undefined ? undefined : compileArgs(args, where),
  };
}

function compileTool(given: NonNullable<Matcher['tool']>, where: string): TextTest {
  const place = `The matcher of ${where}, \`tool\``;
  const patterns = Array.isArray(given) ? (given as readonly unknown[]) : [given];
  if (patterns.length === 0) throw configError(`${place} is an empty list: it would match nothing.`);
  const tests = patterns.map((pattern) => {
    if (isRegExp(pattern)) return configured(place, () => compileRegExp(pattern, true));
    if (typeof pattern === 'string' && pattern !== '') return configured(place, () => compileGlob(pattern));
    throw configError(`${place} must be a glob or a regular expression, got ${kindOf(pattern)}.`);
  });
  return (name) => {
    if (name.length > LONGEST_TOOL_NAME) throw new RangeError('a name of a tool that is too long to look at');
    return tests.some((test) => test(name));
  };
}

function names(
  given: string | readonly string[] | undefined,
  field: string,
  where: string,
): ReadonlySet<string> | undefined {
  if (given === undefined) return undefined;
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length === 0 || !list.every((name) => typeof name === 'string' && name !== '')) {
    throw configError(
      `The matcher of ${where}, \`${field}\`, must be a name or a list of names, got ${kindOf(given)}.`,
    );
  }
  return new Set(list as readonly string[]);
}

type Names = ReadonlySet<string> | undefined;

function compileCaller(agents: Names, platforms: Names, roles: Names): CompiledMatcher['caller'] {
  if (agents === undefined && platforms === undefined && roles === undefined) return undefined;
  return ({ agent, platform, childRoles }) =>
    (agents === undefined || agents.has(agent)) &&
    (platforms === undefined || platforms.has(platform)) &&
    // Of whom the role is not known may have it.
    (roles === undefined || childRoles === undefined || childRoles.some((role) => role === '' || roles.has(role)));
}

function compileArgs(given: Readonly<Record<string, ArgTest>>, where: string): ArgsTest {
  const place = `The matcher of ${where}`;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw configError(`${place}, \`args\`, must be an object of paths, got ${kindOf(given)}.`);
  }
  const tests = Object.entries(given).map(([path, test]) => compileArgTest(path, test, place));
  return (args) => tests.every((test) => test(args));
}
