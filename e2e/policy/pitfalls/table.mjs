// Each row: `what` goes wrong elsewhere, or is asked for; where it was `seen`; and its `tests`, by file and title. A title of
// `it.each` goes up to its first placeholder.

const at = (file) => (title) => ({ file, title });
const person = at('e2e/policy/pitfalls/approvals.e2e.ts');
const guard = at('e2e/policy/pitfalls/guards.e2e.ts');
const policy = (path) => at(`packages/policy/src/${path}.test.ts`);
const serve = at('packages/cli/src/commands/policy-serve.test.ts');
const commands = at('packages/cli/src/commands/policy-commands.test.ts');
const config = policy('config/load-policy');
const decisions = policy('approvals/decisions');
const request = policy('approvals/request');
const properties = policy('engine/properties');
const scripts = policy('scripts/command-hook');
const trace = at('e2e/policy-trace.test.ts');

/** Pitfalls of guards and approvals, each with a test that attacks the real thing. */
export const PITFALLS = [
  {
    what: 'what runs is not what was approved',
    seen: [
      'pydantic/pydantic-ai#6968',
      'extra-org/extra#139',
      'VoltAgent/voltagent#1403',
      'langchain-ai/langchain#40166',
    ],
    tests: [
      person('a yes for some arguments is none for others under the same ids'),
      properties('is byte for byte what was approved, whatever hooks and the caller do meanwhile'),
      policy('engine/approval')('whatever the caller does to its arguments while a person thinks'),
      policy('engine/modifiers')(
        'a rule that changes arguments has all rules asked anew, so that each said yes to what runs',
      ),
    ],
  },
  {
    what: 'a person is shown less, or another thing',
    seen: ['FIM One: 800 characters', 'pydantic/pydantic-ai#6968'],
    tests: [
      person(
        'nobody approves what was not shown: another digest decides nothing, and long arguments are shown to their end',
      ),
      commands('arguments that fill many answers of the service are shown and approved whole'),
      policy('channels/slack/slack-channel')(
        'arguments longer than a message: says how much is missing, with digest and page, and Slack takes it',
      ),
      policy('channels/feishu/feishu-channel')(
        'arguments over 30 KB: says how much is missing, with digest and page, and Feishu takes it',
      ),
      policy('channels/terminal/terminal-channel')(
        'escapes, direction marks and forged questions in arguments, tool and title are shown as what they are',
      ),
    ],
  },
  {
    what: 'approvals that a client holds are forged',
    seen: ['vercel/ai#15947', 'vercel/ai#16068', 'vercel/ai#19964', 'PostHog/posthog#98318'],
    tests: [person('what an agent says of approvals counts for nothing: no field, no record, no decision of its own')],
  },
  {
    what: 'a callback is replayed, a button is old',
    seen: ['sseshachala/conductai#1464', 'vellum-ai/vellum-assistant#6663'],
    tests: [
      person('a signed answer that is sent again decides nothing more'),
      policy('channels/slack/slack-channel')(
        'with one byte changed, a time that is off, another secret or no signature is refused before it is read',
      ),
      policy('channels/feishu/feishu-channel')(
        'of one event counts once, whatever nonce and signature it comes with again',
      ),
      decisions('that comes second is told who decided, and changes nothing: a token is good for one answer'),
    ],
  },
  {
    what: 'a valid signature is taken for an authorised person',
    seen: ['fabriziosalmi/proxxx#249', 'NousResearch/hermes-agent#6735', 'clawvisor/clawvisor#677'],
    tests: [
      person('a valid signature of somebody who may not decide decides nothing'),
      decisions('is in the list by channel and immutable id, for a rejection too'),
      decisions('is not whoever asked, where that is said; rejecting is theirs all the same'),
    ],
  },
  {
    what: 'ids in buttons are guessed or used again',
    seen: ['NousResearch/hermes-agent#81748', 'NousResearch/hermes-agent#80283', 'Aventerica89/vaporforge#93'],
    tests: [
      person('tokens are random, another one each time, and nowhere on the disk'),
      serve(
        'pages are for who may read the viewer, and deciding takes the code of the request, from a form of these pages',
      ),
      decisions('with the token of another request, or of another channel, is refused'),
    ],
  },
  {
    what: 'a callback of one tenant or channel decides in another',
    seen: ['FIM One'],
    tests: [
      person('a channel cannot decide what was shown in another one, with all keys of its own'),
      policy('channels/slack/slack-channel')(
        'with a token, a request, a team, a person of another team, a channel or a message that is not its own decides nothing',
      ),
      policy('channels/feishu/feishu-channel')(
        'with a token, request, tenant, chat, message, person or verification token that is not its own decides nothing',
      ),
    ],
  },
  {
    what: 'a guard that crashes, is late, gone or misspelt lets through',
    seen: [
      'anthropics/claude-code#84656',
      'anthropics/claude-code#6305',
      'FIM One',
      'Hermes Agent: exit code without output',
    ],
    tests: [
      guard(
        'hooks that crash, hang, are gone or talk nonsense block, each with its kind; only onError allow lets through',
      ),
      guard('a guard that is misspelt, or whose file is gone, starts no service'),
      config('a start is stopped, with the place, by a mistake in '),
      commands('test: a mistake in the file is told with its place, a call that is none is refused'),
      serve('what is wrong only when it is opened starts nothing either'),
    ],
  },
  {
    what: 'arguments or names reach a shell',
    seen: [
      'HKUDS/OpenHarness#35',
      'mpfaffenberger/code_puppy#431',
      'Ark0N/Codeman#17',
      'tcconnally/perseus#97',
      'DietrichGebert/ponytail#827',
    ],
    tests: [
      guard('nothing of a call is run by a shell: arguments, names of tools, ids'),
      scripts('gives it no variable but those that are named'),
    ],
  },
  {
    what: 'a call runs twice after a resume or a crash',
    seen: [
      'crewAIInc/crewAI#5802',
      'microsoft/agent-framework#7458',
      'langchain-ai/langgraph#6208',
      'langchain-ai/langgraph#6603',
    ],
    tests: [
      person('killed while the call runs: the very same call does not run again'),
      policy('engine/restart')('while the call runs: nobody knows how it ended, and it never runs again'),
      policy('stores/file-store')('has lost nothing that it said, and what it was executing is given up'),
      policy('stores/postgres-store')('does not take what a process that lives is executing, however long it takes'),
    ],
  },
  {
    what: 'an approval is used up before the run, or by one that fails',
    seen: ['microsoft/agent-framework#7458'],
    tests: [
      person('a call that another rule blocks does not use up a yes, and one that was let run does, however it ends'),
      serve('who is gone while it waits finds the question again: it is not called off, and its yes is not used up'),
      request('is claimed once, settled by whoever claimed it, and found as executed'),
    ],
  },
  {
    what: 'a timeout is taken for consent, or for an error to route around',
    seen: ['NousResearch/hermes-agent#24912'],
    tests: [
      person('silence is told from a no, and says that nobody agreed'),
      decisions('is no consent: an answer at or behind the expiry decides nothing'),
      serve('who waits as long as it said it would is told so, and gets the answer when it asks again'),
    ],
  },
  {
    what: 'fatigue: one yes for a whole prefix',
    seen: ['openai/codex#22181'],
    tests: [
      person('an answer that is remembered is bounded, listed and revoked; a prefix is none'),
      policy('approvals/remembering')('an answer for these very arguments covers them in any session'),
      commands('remembered and revoke'),
    ],
  },
  {
    what: 'secrets in cards, logs and traces',
    seen: ['FIM One: logs bodies', 'sweatco/archie-hq#168'],
    tests: [
      guard('secrets are masked in cards, in what the service prints, in commands and in spans'),
      request('shows all arguments with secrets masked, and its digest is of what it shows'),
      policy('channels/callbacks')('tells operators why it was refused, and nothing of what was in it'),
      config('secrets come from the environment, and no error quotes them'),
    ],
  },
  {
    what: 'an agent edits the hooks that judge it',
    seen: ['Hermes Agent: keeps the time of change alone'],
    tests: [
      guard('an agent that edits the script that judges it is blocked, and the service does not start with it'),
      scripts('blocks once the script was edited, also with its old time of change, and says how to accept it'),
      config('who may change a file, or read its secrets, is warned of'),
    ],
  },
];

/** What users ask for elsewhere. */
export const ASKS = [
  {
    what: 'a hook that fails closed, for each entry',
    seen: ['openai/codex#41979', 'anthropics/claude-code#84656', 'anthropics/claude-code#31250'],
    tests: [
      guard(
        'hooks that crash, hang, are gone or talk nonsense block, each with its kind; only onError allow lets through',
      ),
    ],
  },
  {
    what: 'a broken hook that is told from a deny',
    seen: ['anthropics/claude-code#80697'],
    tests: [guard('a script that is gone is no deny, also where Python ends with 2 for it')],
  },
  {
    what: 'guards that hold in children, in every mode',
    seen: ['anthropics/claude-code#43772', 'anthropics/claude-code#78970', 'openai/openai-agents-js#243'],
    tests: [
      guard('guards hold in children, and in children of children, of every session'),
      serve('a question that is here before the record of its call waits for it: the guard knows whose child asks'),
      policy('engine/modes')(
        'have the hooks of their parents; an exemption names the role of the child, and is reported',
      ),
    ],
  },
  {
    what: 'an approval that is bound to the final arguments',
    seen: ['pydantic/pydantic-ai#6968', 'NousResearch/hermes-agent#104690', 'nicobailon/pi-mcp-adapter#367'],
    tests: [
      person('a yes for some arguments is none for others under the same ids'),
      policy('engine/approval')('a modifier runs before the question, never behind it'),
    ],
  },
  {
    what: 'a block that beats an approval in any order',
    seen: ['NousResearch/hermes-agent#87420', 'NousResearch/hermes-agent#118844'],
    tests: [guard('a deny wins over a yes in any order of the file'), properties('deny beats ask beats allow')],
  },
  {
    what: 'an approval that waits for hours',
    seen: ['NousResearch/hermes-agent#76235', 'MoonshotAI/kimi-cli#1823', 'openai/codex#29627'],
    tests: [
      person(
        'a person may take longer than any timeout: a request that never expires waits, and is answered by whom it reaches',
      ),
      trace('an approval takes longer than any guard has, and is a span below the call'),
    ],
  },
  {
    what: 'pending approvals that survive a restart, whose call runs once',
    seen: [
      'netclaw-dev/netclaw#1204',
      'tinyhumansai/opencompany#1825',
      'mastra-ai/mastra#20492',
      'Oolab-labs/patchwork-os#1238',
    ],
    tests: [
      person('killed while a person thinks: the request is there, and its call runs once'),
      serve('a restart while somebody waits: the question is found again by who asks again, and its call runs once'),
      policy('approvals/several-processes')('are shown once, answered in any of them, and wake all who wait'),
    ],
  },
  {
    what: 'requests that are made once, with states',
    seen: ['evoila/meho#3486', 'paperclipai/paperclip#8556', 'datalayer/agent-runtimes#104', 'nstfkc/gemi#458'],
    tests: [
      request('is one, shown once, however often the very same call asks'),
      person(
        'two services on one PostgreSQL: a request of one is answered at the other, and of two answers at once one decides',
      ),
      decisions('one of 50 at once decides, on two channels'),
    ],
  },
  {
    what: 'a service outside that answers, with one prompt',
    seen: ['MoonshotAI/kimi-code#2960', 'MoonshotAI/kimi-cli#1751', 'NousResearch/hermes-agent#16475'],
    tests: [
      person(
        'a person may take longer than any timeout: a request that never expires waits, and is answered by whom it reaches',
      ),
      serve('callbacks need no bearer token and a signature, and one answers once'),
    ],
  },
  {
    what: 'approval for any tool',
    seen: ['NousResearch/hermes-agent#51221'],
    tests: [person('a person is asked about any tool, also of a child, and reads whose it is')],
  },
  {
    what: 'questions that reach a person on every surface, of children too',
    seen: ['NousResearch/hermes-agent#59260', 'agentscope-ai/QwenPaw#5295', 'larksuite/openclaw-lark#569'],
    tests: [
      person('a person is asked about any tool, also of a child, and reads whose it is'),
      request('reaches who can be reached: a channel that is down is counted, and tried again with the next'),
    ],
  },
  {
    what: 'decisions for each action of a batch',
    seen: ['langchain-ai/langchainjs#10176', 'langchain-ai/langchainjs#11391'],
    tests: [person('calls of one batch are decided one by one')],
  },
  {
    what: 'remembering that is scoped and ends',
    seen: ['openai/codex#22181', 'can1357/oh-my-pi#4608', 'truefoundry/trueforge#351'],
    tests: [
      person('an answer that is remembered is bounded, listed and revoked; a prefix is none'),
      policy('approvals/remembering')('ends by the hooks’ bound, is listed, can be revoked, and survives a restart'),
    ],
  },
  {
    what: 'the approval in the trace',
    seen: ['open-telemetry/semantic-conventions-genai#95', 'briancaffey/hermes-otel#30'],
    tests: [
      person('the wait for a person is in the trace: how long, what they chose, who, by an opaque reference'),
      serve('what it reports goes through the journal: an event on the span of the tool, the same after a replay'),
      trace('each gate is an event of the call’s span, with what it decided and why'),
    ],
  },
  {
    what: 'hooks for failed tools, that know the kind of child',
    seen: ['anthropics/claude-code#4831', 'anthropics/claude-code#6371'],
    tests: [guard('hooks for results see calls that failed, and the roles of children')],
  },
];
