import { EACH, type PathStep, parseArgPath } from '../hooks/arg-path.js';
import { compileGlob, type TextTest } from '../hooks/glob.js';

const MOST_PATHS = 20;
/** A step upwards leads out of any folder that a glob names. */
const UPWARDS = /(?:^|[\\/])\.\.(?:[\\/]|$)/;

/** Path in the arguments → glob. */
export type ArgPattern = Readonly<Record<string, string>>;

interface Place {
  readonly path: string;
  readonly rest: readonly PathStep[];
  readonly test: TextTest;
}

/** Why a pattern is none; `undefined` where it is good. */
export function faultOfPattern(pattern: ArgPattern): string | undefined {
  const paths = Object.keys(pattern);
  if (paths.length === 0 || paths.length > MOST_PATHS) return `a pattern has 1 to ${MOST_PATHS} paths`;
  try {
    placesOf(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Whether arguments are the approved ones but for what stands at the pattern's paths, and that matches. Each path has to be there.
 * A value at a path is a text, a number, a boolean or null; one with a step upwards (`..`) matches only itself.
 * What cannot be told is no.
 */
export function isCovered(approved: unknown, args: unknown, pattern: ArgPattern): boolean {
  try {
    const places = placesOf(pattern);
    const met = new Set<string>();
    return isAlike(approved, args, places, met) && places.every(({ path }) => met.has(path));
  } catch {
    return false;
  }
}

function placesOf(pattern: ArgPattern): Place[] {
  return Object.entries(pattern).map(([path, glob]) => ({ path, rest: parseArgPath(path), test: compileGlob(glob) }));
}

function isAlike(approved: unknown, value: unknown, places: readonly Place[], met: Set<string>): boolean {
  const here = places.filter(({ rest }) => rest.length === 0);
  if (here.length > 0) {
    for (const { path } of here) met.add(path);
    return isScalar(value) && here.every(({ test }) => test(String(value))) && staysInside(approved, value);
  }
  if (Array.isArray(approved) && Array.isArray(value)) {
    if (approved.length !== value.length) return false;
    return approved.every((item, i) => isAlike(item, value[i], below(places, i), met));
  }
  if (isObject(approved) && isObject(value)) {
    const keys = Object.keys(approved);
    if (keys.length !== Object.keys(value).length) return false;
    return keys.every(
      (key) => Object.hasOwn(value, key) && isAlike(approved[key], value[key], below(places, key), met),
    );
  }
  return Object.is(approved, value);
}

function below(places: readonly Place[], step: string | number): Place[] {
  const isOn = (wanted: PathStep | undefined) => wanted === step || (wanted === EACH && typeof step === 'number');
  return places.filter(({ rest }) => isOn(rest[0])).map((place) => ({ ...place, rest: place.rest.slice(1) }));
}

const staysInside = (approved: unknown, value: unknown) => !UPWARDS.test(String(value)) || approved === value;
const isScalar = (value: unknown) => value === null || typeof value !== 'object';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
