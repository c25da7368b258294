import type { Marker } from './kinds.js';
import { matchAt } from './value-end.js';

/** Options by which programs take a password: with a space, and for some also without. */
const FLAGS: Readonly<Record<string, { readonly flags: readonly string[]; readonly attached?: true }>> = {
  sshpass: { flags: ['-p'], attached: true },
  mysql: { flags: [], attached: true },
  mysqldump: { flags: [], attached: true },
  mysqladmin: { flags: [], attached: true },
  mysqlimport: { flags: [], attached: true },
  mariadb: { flags: [], attached: true },
  'redis-cli': { flags: ['-a'] },
  mongosh: { flags: ['-p'] },
  mongo: { flags: ['-p'] },
  mongodump: { flags: ['-p'] },
  mongorestore: { flags: ['-p'] },
  sqlcmd: { flags: ['-P'], attached: true },
  ldapsearch: { flags: ['-w'] },
  ldapmodify: { flags: ['-w'] },
  ldapadd: { flags: ['-w'] },
  plink: { flags: ['-pw'] },
  pscp: { flags: ['-pw'] },
  psftp: { flags: ['-pw'] },
  'docker login': { flags: ['-p'] },
  'podman login': { flags: ['-p'] },
  'helm registry login': { flags: ['-p'] },
  'az login': { flags: ['-p'] },
  'oc login': { flags: ['-p'] },
  unzip: { flags: ['-P'] },
  zip: { flags: ['-P'] },
  '7z': { flags: [], attached: true },
  influx: { flags: ['-t'] },
  smbclient: { flags: ['-U'] },
};

const PROGRAM = new RegExp(
  `(?<![\\w-])(?:${Object.keys(FLAGS)
    .map((name) => name.replace(' ', '[ ]'))
    .join('|')})(?:\\.exe)?[ \\t]`,
  'g',
);
const WORD = /[ \t]{0,16}((?:"[^"\r\n]{0,256}"|'[^'\r\n]{0,256}'|[^\s|;&"'`]){1,256})/y;
/** Words of one command that are looked at. */
const MOST_WORDS = 24;

/** Masks passwords on command lines that stand behind a short option: `mysql -psecret`, `sshpass -p secret ssh …`. */
export function redactCommands(text: string, marker: Marker): string {
  let result = '';
  let done = 0;
  PROGRAM.lastIndex = 0;
  for (let found = PROGRAM.exec(text); found !== null; found = PROGRAM.exec(text)) {
    const program = found[0].replace('.exe', '').trimEnd();
    const { flags, attached } = FLAGS[program] ?? { flags: [] };
    let at = PROGRAM.lastIndex - 1;
    let isNext = false;
    for (let words = 0; words < MOST_WORDS; words++) {
      const word = matchAt(WORD, text, at);
      if (word === null) break;
      const raw = word[1] ?? '';
      const from = at + word[0].length - raw.length;
      at = WORD.lastIndex;
      const flag = attached === true ? attachedFlag(program, raw) : '';
      const secretFrom = isNext ? from : flag === '' ? -1 : from + flag.length;
      isNext = !isNext && flags.includes(raw);
      if (secretFrom < 0 || secretFrom < done) continue;
      const secret = text.slice(secretFrom, at);
      if (isPlaceholder(secret)) continue;
      result += text.slice(done, secretFrom) + marked(program, secret, marker);
      done = at;
      break;
    }
  }
  return done === 0 ? text : result + text.slice(done);
}

function attachedFlag(program: string, word: string): string {
  const flag = program === 'sqlcmd' ? '-P' : '-p';
  return word.length > 2 && word.startsWith(flag) ? flag : '';
}

/** Quotes stay, and so does the user of `user%password`. */
function marked(program: string, secret: string, marker: Marker): string {
  const quote = /^["'](?=.*["']$)/.exec(secret)?.[0] ?? '';
  const inner = quote === '' ? secret : secret.slice(1, -1);
  if (program !== 'smbclient') return `${quote}${marker.mark('secret', inner)}${quote}`;
  const percent = inner.indexOf('%');
  if (percent < 0) return secret;
  return `${quote}${inner.slice(0, percent + 1)}${marker.mark('secret', inner.slice(percent + 1))}${quote}`;
}

const isPlaceholder = (word: string): boolean => /^["']?(?:\$|%\w+%|<|\{\{|\[redacted|-)/.test(word);
