// `view --terminal` in a real pseudo-terminal of 80 × 24: what it shows of a service, live, and how it leaves.
import { TOKEN } from '../kill/serve-command.mjs';
import { PseudoTerminal } from './pseudo-terminal.mjs';
import { asOfNow, eventually, pause, retimed, Scene } from './scene.mjs';
import { TerminalScreen } from './terminal-screen.mjs';

/** What is meant to be kept; busy machines are given `BOUND`. A frame waits for up to 100 ms. */
const AIM = 400;
const BOUND = 1500;

export async function checkTerminal({ isFull }, checkAll) {
  /** What a screen shows is told only where it is wrong. */
  const check = (what, isGood, details) =>
    checkAll(
      `terminal: ${what}`,
      isGood,
      details instanceof TerminalScreen ? (isGood ? undefined : `\n${details.text}`) : details,
    );
  const scene = await Scene.open();
  try {
    await scene.showRecordings();
    await checkLiveTurn(scene, check);
    await checkWaysOut(scene, check);
    await checkHostileText(scene, check);
    await checkLarge(scene, isFull ? 5_000 : 2_000, check);
  } finally {
    await scene.close();
  }
}

function open(scene, options = {}) {
  const env = {
    ...Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(HERMES_OBSERVER_|OTEL_|NO_COLOR)/.test(name)),
    ),
    TERM: 'xterm-256color',
    HERMES_OBSERVER_DATA: scene.serve.data,
    HERMES_OBSERVER_SOCKET: scene.serve.socket,
    HERMES_OBSERVER_TOKEN: TOKEN,
    ...options.env,
  };
  return new PseudoTerminal(['view', '--terminal'], { ...options, env });
}

const isOurs = ({ modes }) => modes.get(1049) === true && modes.get(25) === false;
const isGivenBack = ({ modes }) => modes.get(1049) === false && modes.get(25) === true && modes.get(7) === true;
const takesLines = ({ echo, lines, signals }) => echo && lines && signals;
const inTime = (check, what, millis) =>
  check(
    `${what} within ${BOUND} ms`,
    millis !== undefined && millis <= BOUND,
    `${millis === undefined ? 'never' : millis.toFixed(0)} ms${millis > AIM ? `, more than the ${AIM} ms that are aimed at` : ''}`,
  );

async function checkLiveTurn(scene, check) {
  const terminal = open(scene);
  const { screen } = terminal;
  try {
    await terminal.shows(/ live$/m);
    check(
      'the list is there, on a screen of its own',
      isOurs(screen) && /^hermes-observer {2}\d+ turns/.test(screen.text),
    );
    check(
      'it says which call was blocked, by whom and why',
      /blocked terminal by a plugin: Commands/.test(screen.text),
      screen,
    );
    const lines = retimed('b-two-sequential-tools', { start: Date.now(), label: 'terminal' });
    await scene.send(asOfNow(lines.slice(0, 4)));
    inTime(check, 'a turn that began is shown', await terminal.shows('1 running'));
    check('it stands first', /^> .* running .*two-tools/.test(screen.lines[2]), screen.lines[2]);
    terminal.press('\r');
    await terminal.shows('chat');
    await scene.send(asOfNow(lines.slice(4, 6)));
    inTime(check, 'a tool that began is shown', await terminal.shows(/terminal {2}running .*>$/m));
    terminal.resize(120, 40);
    await terminal.shows('q quit');
    await pause(300);
    check('it fills a larger window', screen.lines[39].includes('q quit') && screen.faults.length === 0, screen);
    terminal.resize(60, 12);
    await terminal.shows('Enter span');
    await pause(300);
    check('and a smaller one', screen.lines[11].includes('Enter span') && screen.faults.length === 0, screen);
    terminal.resize(80, 24);
    await terminal.shows('q quit');
    await checkStop(terminal, check);
    await checkRestart(scene, terminal, check);
    await scene.send(asOfNow(lines.slice(6)));
    inTime(check, 'the end of the turn is shown', await terminal.shows('completed in'));
    check('all of its spans are there', /read_file/.test(screen.text), screen);
    await checkSpan(terminal, check);
    terminal.press('q');
    const { code, modes } = (await terminal.ended()) ?? {};
    check('q ends it with 0, and the terminal is as before', code === 0 && takesLines(modes) && isGivenBack(screen));
    check('nothing was sent that it does not have to', screen.faults.length === 0, screen.faults.join('\n     '));
  } finally {
    terminal.close();
  }
}

async function checkStop(terminal, check) {
  const before = await terminal.modes();
  // Ctrl-Z, which the command makes a signal to itself and those beside it.
  terminal.press('\x1a');
  await eventually('it stops', () => terminal.stops > 0).catch(() => undefined);
  const stopped = await terminal.modes();
  check(
    'stopped, it gives the terminal back',
    !before.echo && terminal.stops === 1 && takesLines(stopped) && isGivenBack(terminal.screen),
    JSON.stringify({ before, stopped }),
  );
  terminal.signal('SIGCONT');
  await terminal.shows('q quit');
  await pause(200);
  const { echo, lines } = await terminal.modes();
  check(
    'and goes on where it was',
    !echo && !lines && isOurs(terminal.screen) && /running for/.test(terminal.screen.text),
  );
}

async function checkRestart(scene, terminal, check) {
  await scene.serve.kill('SIGKILL');
  check('it says that the service is away', (await terminal.shows('service away')) !== undefined);
  check('and keeps what it knows', /running for/.test(terminal.screen.text), terminal.screen);
  await scene.serve.start();
  const millis = await terminal.shows(/ live$/m, 15_000);
  check(
    'a service that is back is found within 5 s',
    millis !== undefined && millis <= 5_000,
    `${millis?.toFixed(0)} ms`,
  );
  const isRunning = (await terminal.shows(/running for[\s\S]*terminal {2}running/)) !== undefined;
  check('the turn still runs', isRunning, terminal.screen);
}

async function checkSpan(terminal, check) {
  terminal.press('/terminal');
  const found = await terminal.shows(/with "terminal" \(2 of \d+ show\)/);
  check('spans are found', found !== undefined, terminal.screen);
  terminal.press('\rj\r');
  await terminal.shows('attributes');
  terminal.press(' ');
  await pause(300);
  check('a span has its attributes', /gen_ai\.tool\.name: terminal/.test(terminal.screen.text), terminal.screen);
  // Slowly: Esc and what follows it at once are one key.
  for (let i = 0; i < 4; i++) {
    terminal.press('\x1b');
    await pause(120);
  }
  check('Esc goes back to the list', (await terminal.shows(/^hermes-observer/)) !== undefined, terminal.screen);
}

const THROWS = 'data:text/javascript,setTimeout(() => { throw new Error("on purpose") }, 2500)';

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals are sent
const COLOURS = /\x1b\[[1-9][\d;]*m/;

async function checkWaysOut(scene, check) {
  const ways = [
    { what: 'Ctrl-C', leave: (terminal) => terminal.press('\x03'), expected: 0, options: { env: { NO_COLOR: '1' } } },
    { what: 'SIGTERM', leave: (terminal) => terminal.signal('SIGTERM'), expected: 143 },
    { what: 'SIGHUP', leave: (terminal) => terminal.signal('SIGHUP'), expected: 129 },
    { what: 'a fault', leave: () => {}, expected: 1, options: { node: ['--import', THROWS] } },
  ];
  for (const { what, leave, expected, options } of ways) {
    const terminal = open(scene, options);
    await terminal.shows(/ live$/m);
    const wasOurs = isOurs(terminal.screen);
    leave(terminal);
    const { code, modes } = (await terminal.ended()) ?? {};
    check(
      `after ${what} it is as before`,
      wasOurs && code === expected && takesLines(modes) && isGivenBack(terminal.screen),
      JSON.stringify({ wasOurs, code, modes }),
    );
    if (what === 'Ctrl-C') check('no colours where none are wanted', !COLOURS.test(terminal.output));
    if (what === 'SIGTERM') check('and some where they are', COLOURS.test(terminal.output));
    if (what !== 'a fault') continue;
    const left = terminal.output.slice(terminal.output.lastIndexOf('\x1b[?1049l'));
    check(
      'a fault is told on the screen that stays',
      left.includes('on purpose'),
      left.includes('on purpose') ? undefined : left,
    );
  }
}

const HOSTILE = '\x1b[2J\x1b]52;c;AAAA\x07\u202edesrever\u2066\u009b31m\u200b\r\n\t漢字\x1bPq\x1b\\end';
const text = (key, stringValue) => ({ key, value: { stringValue } });
const hex = (number, length) => number.toString(16).padStart(length, '0');
const nanos = (millis) => `${Math.round(millis)}000000`;

async function sendSpans(scene, spans) {
  const answer = await scene.post('/v1/traces', JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  if (!answer.ok) throw new Error(`spans: ${answer.status} ${await answer.text()}`);
}

async function checkHostileText(scene, check) {
  const now = Date.now();
  await sendSpans(scene, [
    {
      traceId: hex(0xbad, 32),
      spanId: hex(1, 16),
      name: `hostile ${HOSTILE}`,
      startTimeUnixNano: nanos(now),
      attributes: [
        text('gen_ai.operation.name', 'execute_tool'),
        text('gen_ai.tool.name', HOSTILE),
        text('hermes.tool.status', 'blocked'),
        text('hermes.tool.blocked_by', HOSTILE),
        text(
          'gen_ai.input.messages',
          JSON.stringify([{ role: HOSTILE, parts: [{ type: 'text', content: HOSTILE.repeat(50) }] }]),
        ),
        text(HOSTILE, HOSTILE.repeat(20_000)),
      ],
      events: [{ name: HOSTILE, timeUnixNano: '1', attributes: [text(HOSTILE, HOSTILE)] }],
      links: [{ traceId: HOSTILE, spanId: HOSTILE }],
    },
  ]);
  const terminal = open(scene);
  try {
    await terminal.shows('end');
    for (const key of ['\r', '\r', 'G', 'f', 'G']) {
      terminal.press(key);
      await pause(400);
    }
    check('the span was shown', /hostile \\x1b/.test(terminal.screen.text), terminal.screen);
    terminal.press('q');
    await terminal.ended();
    const { faults } = terminal.screen;
    check('what was captured is text, whatever it is', faults.length === 0, faults.slice(0, 5).join('\n     '));
  } finally {
    terminal.close();
  }
}

/** Many turns, and one of 20,000 spans. */
async function checkLarge(scene, turns, check) {
  const now = Date.now();
  const spanOf = (trace, id, name, parent) => ({
    traceId: hex(trace, 32),
    spanId: hex(id, 16),
    ...(parent === undefined ? {} : { parentSpanId: hex(parent, 16) }),
    name,
    startTimeUnixNano: nanos(now - 3_600_000 + id),
    endTimeUnixNano: nanos(now - 3_600_000 + id + 50),
  });
  for (let from = 0; from < turns; from += 1_000) {
    await sendSpans(
      scene,
      Array.from({ length: 1_000 }, (_, i) =>
        spanOf(0x10000 + from + i, 100_000 + from + i, `one of many ${from + i}`),
      ),
    );
  }
  for (let from = 0; from < 20_000; from += 2_000) {
    await sendSpans(
      scene,
      Array.from({ length: 2_000 }, (_, i) => {
        const id = from + i + 1;
        return spanOf(0xb16, id, id === 1 ? 'the large one' : `step ${id}`, id === 1 ? undefined : Math.ceil(id / 3));
      }),
    );
  }
  const terminal = open(scene);
  try {
    await terminal.shows(/ live$/m);
    terminal.press('G');
    inTime(check, `the last of ${turns} turns is shown`, await terminal.shows(/^> .*the large one/m, 5_000));
    terminal.press('g/the large one');
    await terminal.shows('1 turn with "the large one"');
    terminal.press('\r\r');
    const opened = await terminal.shows(/step \d/);
    inTime(check, 'a turn of 20,000 spans is shown', opened);
    const delays = [];
    for (const [key, pattern] of [
      ['G', /^> .*step \d+/m],
      ['g', /^> - the large one/m],
      ['/step 19999', /^ .*step 19999/m],
      ['\x7f\x7f\x7f\x7f\x7f\x7f', /step 2 /],
    ]) {
      await pause(250);
      terminal.press(key);
      delays.push(await terminal.shows(pattern, 5_000));
    }
    inTime(check, 'each key in it', Math.max(...delays.map((millis) => millis ?? Number.POSITIVE_INFINITY)));
    terminal.press('\x03');
    await terminal.ended();
    check('no fault in large ones', terminal.screen.faults.length === 0, terminal.screen.faults.slice(0, 3).join(', '));
  } finally {
    terminal.close();
  }
}
