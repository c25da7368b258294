import type { MatchLogic, ModelInfo } from '@pydantic/genai-prices';

/** `-20250929`, `-2025-08-07`, `@20250929`, `-latest`, `-preview-09-2025`, `-001`, `-v1:0`: one release of a model, at its price. */
const RELEASE =
  /(?:[-@](?:latest|exp|preview))?(?:[-@]20\d{2}-?[01]\d-?[0-3]\d|-\d{2}-\d{2,4}|-\d{3,4})?(?:-v\d+)?(?::\d+)?$/;

/**
 * Whether a model is called what the list of prices calls it, but for its release. The list also takes names that only begin
 * alike, or have its name in them: those may be other models, at another price.
 */
export function isNamedExactly(name: string, { id, match }: ModelInfo): boolean {
  const own = name.trim().toLowerCase();
  const base = own.replace(RELEASE, '');
  const isOne = (known: string) => known === own || known === base || known.replace(RELEASE, '') === base;
  return isOne(id.toLowerCase()) || textsOf(match).some((text) => isOne(text.toLowerCase())) || fitsWhole(own, match);
}

function textsOf(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(textsOf);
  if ('equals' in match) return [match.equals];
  if ('starts_with' in match) return [match.starts_with];
  if ('ends_with' in match) return [match.ends_with];
  return 'contains' in match ? [match.contains] : [];
}

/** An expression that says what the whole name is. */
function fitsWhole(name: string, match: MatchLogic): boolean {
  if ('or' in match) return match.or.some((one) => fitsWhole(name, one));
  return 'regex' in match && /^\^.*\$$/.test(match.regex) && new RegExp(match.regex).test(name);
}
