import type { OptionGrammar } from './option-grammar.js';

/** Programs that start the one which is named behind their options. */
export const WRAPPERS: Readonly<Record<string, OptionGrammar>> = {
  env: {
    flags: 'i0v',
    values: 'uC',
    longFlags: ['--ignore-environment', '--null', '--debug'],
    longValues: ['--unset', '--chdir'],
    assigns: true,
  },
  sudo: {
    flags: 'ABbEHKknPSVisN',
    values: 'CDghpRrTtUu',
    longFlags: ['--preserve-env', '--non-interactive', '--stdin', '--set-home', '--background', '--login', '--shell'],
    longValues: ['--user', '--group', '--chdir', '--host', '--prompt', '--close-from', '--chroot'],
    assigns: true,
  },
  doas: { flags: 'Lns', values: 'aCu' },
  nohup: {},
  setsid: { flags: 'cfw', longFlags: ['--ctty', '--fork', '--wait'] },
  nice: { flags: '0123456789', values: 'n', longValues: ['--adjustment'] },
  ionice: { flags: 't', values: 'cn', longFlags: ['--ignore'], longValues: ['--class', '--classdata'] },
  timeout: {
    flags: 'vfp',
    values: 'ks',
    longFlags: ['--preserve-status', '--foreground', '--verbose'],
    longValues: ['--signal', '--kill-after'],
    operands: 1,
  },
  stdbuf: { values: 'ioe', longValues: ['--input', '--output', '--error'] },
  time: { flags: 'apvq', values: 'fo', longFlags: ['--append', '--portability', '--verbose'] },
  command: { flags: 'pvV' },
  builtin: {},
  exec: { flags: 'cl', values: 'a' },
  chrt: { flags: 'abdfimorRv', operands: 1 },
  taskset: { flags: 'ac', operands: 1 },
  flock: { flags: 'sxeunFvo', values: 'wE', operands: 1 },
  busybox: {},
  toybox: {},
  xargs: {
    flags: '0prtxo',
    values: 'adEILnPs',
    attached: 'ile',
    longFlags: ['--null', '--no-run-if-empty', '--interactive', '--verbose', '--exit', '--open-tty'],
    longValues: ['--arg-file', '--delimiter', '--max-args', '--max-procs', '--max-lines', '--max-chars', '--replace'],
  },
};

/** Programs that start others in ways that are not read here. */
export const OPAQUE: ReadonlySet<string> = new Set(
  (
    'parallel strace ltrace gdb lldb script watch su runuser ssh unshare nsenter chroot systemd-run expect screen tmux at ' +
    'batch crontab entr proxychains proxychains4 torsocks fakeroot unbuffer xvfb-run dbus-run-session rlwrap numactl ' +
    'firejail bwrap run-parts start-stop-daemon vi vim nvim ex ed emacs m4 zsh fish csh tcsh pwsh nu xonsh cmd cmd.exe ' +
    'powershell powershell.exe osascript tclsh wish gnuplot octave ' +
    'source . alias bind enable fc compgen complete'
  ).split(' '),
);

/** What loads programs. */
export const LOADER = /^ld(-linux.*|-musl.*|\.so.*|64\.so.*)$/;

/** Options and words with which a program starts others. */
export const STARTS_OTHERS: Readonly<Record<string, RegExp>> = {
  tar: /^(--(to-c|chec|use|rmt|rsh|inf|new-v)|-\w*[IF])/,
  rsync: /^(--rs|-\w*e)/,
  git: /^(-c|-\w*[OXx]|--(config|exec|upl|rec|open|ext)|bisect|submodule|filter-branch|difftool|mergetool|config$)/,
  sort: /^--comp/,
  rg: /^--pre/,
  man: /^(--pager|-\w*[PH])/,
  make: /^--ev/,
  gmake: /^--ev/,
  zip: /^(-\w*T|--unzip)/,
  hash: /^-\w*p/,
  mapfile: /^-\w*C/,
  readarray: /^-\w*C/,
  sqlite3: /\.(shell|system|load)|load_extension|^-\w*(cmd|init)/,
  psql: /\\!|\\o|^-f/,
  fd: /^(-\w*[xX]|--exec)/,
  fdfind: /^(-\w*[xX]|--exec)/,
};
