// Ordinary code, logs, data and prose, none of which has anything to hide: what redaction changes of it is a false alarm.
// The words are our own; numbers, hashes, names and paths are drawn at random.
import { ALPHANUMERIC } from './random.mjs';

/** Words with a second meaning are more frequent than in most texts: one of five. */
const NOUNS = (
  'harvest orchard apple ladder basket wagon barn market ledger field season weather river bridge village baker miller ' +
  'request response parser buffer queue worker thread socket client server record reader writer folder window button ' +
  'table column index cursor vector matrix sample branch commit module package bundle config option counter timer ' +
  'token secret key password session header author account card number address code phrase pass cookie'
).split(' ');
const VERBS = 'collect carry count weigh sort store sell paint repair visit remember describe compare measure'.split(
  ' ',
);
const ADJECTIVES = 'ripe early late green quiet heavy small public private basic bearer secure open strong weak'.split(
  ' ',
);
const TYPES = 'string number boolean Date Buffer unknown Promise<void> readonly string[] Map<string, number>'.split(
  / (?=[A-Zrbnsu])/,
);

const capital = (word) => word[0].toUpperCase() + word.slice(1);
const noun = (r) => r.pick(NOUNS);
const camel = (r) => noun(r) + capital(noun(r));
const snake = (r) => `${noun(r)}_${noun(r)}`;
const version = (r) => `${r.below(30)}.${r.below(20)}.${r.below(10)}`;
const uuid = (r) => [8, 4, 4, 4, 12].map((n) => r.hex(n)).join('-');
const date = (r) => `20${20 + r.below(9)}-0${1 + r.below(9)}-${10 + r.below(18)}`;
const time = (r) => `${10 + r.below(13)}:${10 + r.below(49)}:${10 + r.below(49)}.${r.digits(3)}`;
const path = (r) =>
  `${r.pick(['src', '/usr/lib', 'packages/core/src', './app', '~/work'])}/${snake(r)}/${camel(r)}.${r.pick(['ts', 'py', 'go', 'rs', 'json', 'md'])}`;
const id = (r) => `${r.pick(['call_', 'toolu_', 'msg_', 'chatcmpl-', 'resp_', 'run_', 'evt_', 'req_'])}${r.text(24)}`;

const SENTENCES = [
  (r) => `The ${r.pick(ADJECTIVES)} ${noun(r)} is what we ${r.pick(VERBS)} before the ${noun(r)} comes.`,
  (r) =>
    `Please ${r.pick(VERBS)} the ${noun(r)} and tell me whether ${r.below(90)} of ${r.digits(3)} are ${r.pick(ADJECTIVES)}.`,
  (r) =>
    `A ${noun(r)} has no ${noun(r)}; the ${noun(r)} is ${r.pick(['wrong', 'missing', 'too long', 'required', 'invalid', 'expired', 'optional'])}.`,
  (r) => `Note: the ${noun(r)} of a ${noun(r)} is described in section ${r.below(9)}.${r.below(9)} of the handbook.`,
  (r) => `Why does the ${noun(r)} need a ${noun(r)}? Because ${r.pick(VERBS)}ing takes ${r.below(60)} minutes.`,
  (r) => `${capital(noun(r))} ${noun(r)}: how to ${r.pick(VERBS)}, ${r.pick(VERBS)} and ${r.pick(VERBS)} a ${noun(r)}`,
  (r) => `On ${date(r)} we met ${r.below(40)} people at number ${r.below(200)}, room ${r.digits(3)}-${r.digits(3)}.`,
  (r) =>
    `Die ${capital(noun(r))} wurde am ${10 + r.below(18)}.0${1 + r.below(9)}.2026 geprüft; das Passwort ist bekannt.`,
  (r) => `I forgot what the ${noun(r)} was, and the ${noun(r)} is not in the ${noun(r)} either.`,
  (r) => `Reset your ${noun(r)} before you ${r.pick(VERBS)} the ${noun(r)}, then pass the ${noun(r)} on.`,
];

const CODE = [
  (r) => `const ${camel(r)} = await ${camel(r)}.${r.pick(VERBS)}(${camel(r)}, ${r.below(100)});`,
  (r) => `  ${camel(r)}: ${r.pick(TYPES)};`,
  (r) =>
    `export function ${r.pick(VERBS)}${capital(noun(r))}(${noun(r)}: ${r.pick(TYPES)}, ${camel(r)}?: string): void {`,
  (r) =>
    `  if (${camel(r)} === undefined || ${camel(r)}.length > ${r.digits(2)}) throw new TypeError('no ${noun(r)}');`,
  (r) => `import { ${camel(r)}, type ${capital(noun(r))} } from './${noun(r)}-${noun(r)}.js';`,
  (r) => `def ${r.pick(VERBS)}_${noun(r)}(self, ${snake(r)}: str, ${noun(r)}: int = ${r.digits(2)}) -> bool:`,
  (r) => `    return self.${snake(r)}.get("${noun(r)}", ${r.pick(['None', '0', 'True', '[]'])})`,
  (r) => `func (s *${capital(noun(r))}) ${capital(r.pick(VERBS))}(ctx context.Context, ${noun(r)} string) error {`,
  (r) => `    let ${snake(r)}: Vec<u8> = ${noun(r)}.iter().map(|x| x + ${r.below(9)}).collect();`,
  (r) =>
    `SELECT ${snake(r)}, count(*) FROM ${noun(r)}s WHERE ${snake(r)} = $1 AND created_at > now() - interval '${r.below(30)} days';`,
  (r) =>
    `  <input type="${r.pick(['text', 'password', 'number'])}" name="${camel(r)}" placeholder="${capital(noun(r))}" />`,
  (r) => `.${noun(r)}-${noun(r)} { margin: ${r.below(20)}px; color: #${r.hex(6)}; }`,
  (r) => `${snake(r).toUpperCase()} = process.env.${snake(r).toUpperCase()} ?? '${noun(r)}'`,
  (r) => `  ${noun(r)} = os.environ["${snake(r).toUpperCase()}"]`,
  (r) => `RUN apt-get install -y lib${noun(r)}-dev=${version(r)} && rm -rf /var/lib/apt/lists/*`,
  (r) => `    - uses: actions/${noun(r)}@v${r.below(9)}`,
  (r) => `expect(${camel(r)}('${noun(r)}')).toEqual({ ${noun(r)}: ${r.below(99)}, ${camel(r)}: null });`,
  (r) => `@@ -${r.below(90)},${r.below(9)} +${r.below(90)},${r.below(9)} @@ class ${capital(noun(r))}`,
  (r) =>
    `  ${camel(r)}(${camel(r)}: ${capital(noun(r))}<${r.pick(TYPES)}>): Promise<${capital(noun(r))}> | undefined {`,
  (r) =>
    `docker run --rm -p ${r.digits(4)}:80 -u ${r.digits(4)}:${r.digits(4)} -v ${path(r)}:/data ${noun(r)}:${version(r)}`,
  (r) =>
    `git commit -m "${r.pick(['feat', 'fix', 'docs'])}(${noun(r)}): ${r.pick(VERBS)} the ${noun(r)}" && git push -u origin ${noun(r)}-${r.digits(3)}`,
  (r) => `npm install ${noun(r)}-${noun(r)}@${version(r)} @${noun(r)}/${noun(r)}@^${version(r)} --save-dev`,
];

const LOGS = [
  (r) =>
    `${date(r)}T${time(r)}Z ${r.pick(['INFO', 'WARN', 'DEBUG'])} [${noun(r)}] ${r.pick(VERBS)} ${noun(r)} took ${r.digits(3)}ms id=${uuid(r)}`,
  (r) =>
    `10.${r.below(255)}.${r.below(255)}.${r.below(255)} - - [29/Nov/2026:21:00:00 +0000] "GET /${noun(r)}/${r.digits(6)}?page=${r.below(9)} HTTP/1.1" 200 ${r.digits(5)}`,
  (r) => `    at ${camel(r)} (${path(r)}:${r.digits(3)}:${r.digits(2)})`,
  (r) => `  File "${path(r)}", line ${r.digits(3)}, in ${snake(r)}`,
  (r) => `Downloading ${noun(r)}-${version(r)}.tar.gz (${r.digits(4)} kB) ${r.digits(2)}% ETA 00:${r.digits(2)}`,
  (r) => `${r.hex(40)} refs/heads/${noun(r)}/${noun(r)}`,
  (r) => `sha256:${r.hex(64)}  ${noun(r)}-${version(r)}.whl`,
  (r) => `sha512-${r.text(86, `${ALPHANUMERIC}+/`)}==`,
  (r) =>
    `[${r.digits(5)}.${r.digits(6)}] usb 1-${r.below(9)}: new device number ${r.below(20)}, serial ${r.digits(10)}`,
  (r) =>
    `tokens: ${r.digits(4)} (prompt_tokens=${r.digits(4)}, completion_tokens=${r.digits(3)}, max_tokens: ${r.digits(4)})`,
  (r) => `PASS ${path(r)} (${r.digits(2)} tests, ${r.digits(3)}ms); 0 failed, ${r.digits(2)} passed`,
  (r) => `drwxr-xr-x ${r.below(9)} root root ${r.digits(5)} Nov 29 21:00 ${noun(r)}-${version(r)}`,
  (r) => `error[E0${r.digits(3)}]: mismatched types in ${snake(r)} --> ${path(r)}:${r.digits(2)}:${r.below(9)}`,
];

const VALUES = [
  (r) => uuid(r),
  (r) => r.hex(r.pick([7, 12, 32, 40, 64])),
  (r) => `v${version(r)}-rc.${r.below(9)}+build.${date(r).replaceAll('-', '')}`,
  (r) => `${noun(r)}@${version(r)}`,
  (r) => id(r),
  (r) => `17${r.digits(8)}`,
  (r) => `17${r.digits(11)}`,
  (r) => `17${r.digits(17)}`,
  (r) => `${date(r)} ${time(r)}`,
  (r) => path(r),
  (r) => `+${r.digits(2)} ${noun(r)}s, -${r.digits(3)}.${r.digits(2)}, ${r.digits(3)},${r.digits(3)}`,
  (r) => `${r.digits(3)}-${r.digits(4)}`,
  (r) => `ISBN 978-${r.below(9)}-${r.digits(2)}-${r.digits(6)}-${r.below(9)}`,
  (r) => `#${r.digits(5)} PR-${r.digits(4)} JIRA-${r.digits(3)} RFC ${r.digits(4)}`,
  (r) => `${r.digits(2)}.${r.digits(15)}`,
  (r) => `https://example.org/${noun(r)}/${uuid(r)}?sort=${noun(r)}&limit=${r.digits(2)}#${noun(r)}`,
  (r) =>
    `20261129_2100${r.digits(2)}_${r.hex(6)}:20261129_2100${r.digits(2)}_${r.hex(6)}:${r.hex(8)}:api:${r.below(9)}`,
  (r) => `data:image/png;base64,iVBORw0KGgo${r.text(60, `${ALPHANUMERIC}+/`)}`,
  (r) => `(${r.digits(2)}) ${r.digits(3)}x${r.digits(3)}px @${1 + r.below(3)}x`,
  (r) => `0x${r.hex(16)} 0b${r.text(8, '01')} 1e${r.digits(2)}`,
];

const DATA = [
  (r) =>
    JSON.stringify({
      id: id(r),
      [camel(r).replace(/secret|password|token|pass|phrase|key|card|address|number/gi, 'barn')]: r.below(99),
      ok: true,
    }),
  (r) =>
    JSON.stringify({ usage: { prompt_tokens: r.below(9999), total_tokens: r.below(9999) }, model: `m-${version(r)}` }),
  (r) => JSON.stringify({ path: path(r), lines: [r.below(99), r.below(99)], hash: r.hex(40) }),
  (r) =>
    JSON.stringify({
      type: 'object',
      properties: { password: { type: 'string', description: `The ${noun(r)} to ${r.pick(VERBS)}` } },
    }),
  (r) => JSON.stringify([noun(r), version(r), uuid(r), null, r.next()]),
  (r) => JSON.stringify({ time: `${date(r)}T${time(r)}Z`, level: 'info', message: r.pick(SENTENCES)(r) }),
  (r) =>
    `${noun(r)}: ${r.below(99)}\n${snake(r).replace(/secret|password|token|pass|phrase|key/g, 'barn')}: ${noun(r)}\n  - ${noun(r)}`,
  (r) => `${noun(r)},${r.digits(3)},${date(r)},${r.digits(2)}.${r.digits(2)},${uuid(r)}`,
];

export const ORDINARY = { prose: SENTENCES, code: CODE, logs: LOGS, values: VALUES, data: DATA };

/** `count` texts of each sort. */
export function ordinaryTexts(random, count) {
  return Object.entries(ORDINARY).flatMap(([sort, makers]) =>
    Array.from({ length: count }, () => ({ sort, text: random.pick(makers)(random) })),
  );
}
