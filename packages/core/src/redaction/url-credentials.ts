import type { Marker } from './kinds.js';

/** A user and a password, or a token alone, up to the `@` before the host; the user of a Git remote is none. */
const CREDENTIALS = /:\/\/(?!git@)(?:[^\s/?#"'<>@:\\`]{0,256}:[^\s/"'<>\\`]{0,1024}|[^\s/?#"'<>@:\\`]{1,256})@/y;
/** A template whose parts are filled in elsewhere, or a mark. */
const PLACEHOLDER = /^(?:\$?\{[^}]*\}(?::\$?\{[^}]*\})?|\[redacted:[a-z0-9_:]+\])$/;

/** Masks credentials in URLs, behind one of the places where `://` stands. */
export function redactUrls(text: string, places: readonly number[], marker: Marker): string {
  let result = '';
  let done = 0;
  for (const at of places) {
    if (at < done) continue;
    CREDENTIALS.lastIndex = at;
    if (!CREDENTIALS.test(text)) continue;
    const end = CREDENTIALS.lastIndex - 1;
    const credentials = text.slice(at + 3, end);
    if (PLACEHOLDER.test(credentials)) continue;
    result += text.slice(done, at + 3) + marker.mark('credentials', credentials);
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}
