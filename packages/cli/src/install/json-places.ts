/** Where a value stands in a JSON text, and what is in it. */
export interface JsonPlace {
  readonly start: number;
  readonly end: number;
  /** Of an object: its members in order. Of an array: its elements, without keys. */
  readonly parts: readonly JsonPart[];
}

export interface JsonPart {
  readonly key: string | undefined;
  /** Where the key starts, else the value. */
  readonly start: number;
  readonly value: JsonPlace;
}

const BLANK = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const PLAIN = /[^\s,\]}]+/y;

/** Places of a text that `JSON.parse` takes. */
export function placesOf(text: string): JsonPlace {
  let at = 0;
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const [found = ''] = pattern.exec(text) ?? [];
    at += found.length;
    return found;
  };
  const value = (): JsonPlace => {
    match(BLANK);
    const start = at;
    const open = text[at];
    const parts: JsonPart[] = [];
    if (open === '"') match(STRING);
    else if (open !== '{' && open !== '[') match(PLAIN);
    else {
      const close = open === '{' ? '}' : ']';
      at++;
      match(BLANK);
      while (at < text.length && text[at] !== close) {
        const begin = at;
        const key = open === '{' ? (JSON.parse(match(STRING)) as string) : undefined;
        if (key !== undefined) {
          match(BLANK);
          at++;
        }
        const part = value();
        parts.push({ key, start: key === undefined ? part.start : begin, value: part });
        match(BLANK);
        if (text[at] === ',') at++;
        match(BLANK);
      }
      at++;
    }
    return { start, end: at, parts };
  };
  return value();
}

/** The last member of a name, which is the one that counts. */
export function memberOf(place: JsonPlace, key: string): JsonPlace | undefined {
  return place.parts.findLast((part) => part.key === key)?.value;
}
