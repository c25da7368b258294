/**
 * What may import what. Arrows point one way: a package or folder imports only what stands in its list, tests and types
 * included for packages, types included for folders. `docs/architecture.md` says the same in words.
 */

/** Packages a package may import from, by folder in `packages/`. */
export const PACKAGE_IMPORTS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  otel: ['core'],
  policy: ['core'],
  profiles: ['core', 'otel'],
  signals: ['core', 'otel'],
  cost: ['core', 'otel'],
  relay: ['core', 'otel'],
  adapter: ['core', 'otel'],
  'ai-sdk': ['adapter', 'core', 'otel'],
  'openai-agents': ['adapter', 'core', 'otel'],
  langchain: ['adapter', 'core', 'otel'],
  claude: ['adapter', 'core', 'otel'],
  clients: ['adapter', 'core', 'otel'],
  auto: ['adapter', 'core', 'otel', 'ai-sdk', 'claude', 'clients', 'langchain', 'openai-agents'],
  cli: ['core', 'otel', 'policy', 'profiles', 'signals', 'cost', 'relay'],
  viewer: [],
};

/** Types alone that a folder may take from another package: gone when it runs. By folder, the files. */
export const SHARED_TYPES: Readonly<Record<string, readonly string[]>> = {
  'viewer/api': ['packages/cli/src/wire.ts'],
};

export const PACKAGE_NAMES: Readonly<Record<string, string>> = {
  core: '@hermes-observer/core',
  otel: '@hermes-observer/otel',
  policy: '@hermes-observer/policy',
  profiles: '@hermes-observer/profiles',
  signals: '@hermes-observer/signals',
  cost: '@hermes-observer/cost',
  relay: '@hermes-observer/relay',
  adapter: '@hermes-observer/adapter',
  'ai-sdk': '@hermes-observer/ai-sdk',
  'openai-agents': '@hermes-observer/openai-agents',
  langchain: '@hermes-observer/langchain',
  claude: '@hermes-observer/claude',
  clients: '@hermes-observer/clients',
  auto: '@hermes-observer/auto',
  cli: '@hermes-observer/cli',
  viewer: '@hermes-observer/viewer',
};

/**
 * Folders a folder of a package's `src` may import from. A file at the top of `src` counts as a folder of its name;
 * `*` is the whole package. A folder that is not here fails the check: decide where it stands and add it.
 */
export const FOLDER_IMPORTS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: {
    errors: [],
    snapshot: [],
    contract: ['errors'],
    ndjson: ['contract', 'errors', 'snapshot'],
    dispatch: ['contract', 'errors'],
    redaction: ['errors', 'snapshot'],
    reporting: [],
    segments: ['errors'],
    conformance: ['contract', 'dispatch'],
    testing: ['conformance'],
    index: ['*'],
    schema: ['contract'],
  },
  otel: {
    api: [],
    assembly: [],
    sdk: [],
    provider: ['api', 'sdk'],
    pipeline: ['api', 'provider', 'sdk'],
    attributes: ['assembly'],
    encoding: ['api', 'attributes', 'provider', 'sdk'],
    transport: ['encoding'],
    spool: ['encoding', 'sdk', 'transport'],
    exporters: ['attributes', 'encoding', 'provider', 'sdk', 'spool', 'transport'],
    redaction: ['exporters', 'provider', 'sdk'],
    spans: ['api', 'assembly', 'attributes', 'provider'],
    bridge: ['assembly', 'attributes', 'provider', 'spans'],
    instrument: ['api'],
    observer: [
      'assembly',
      'attributes',
      'bridge',
      'exporters',
      'instrument',
      'pipeline',
      'provider',
      'redaction',
      'sdk',
      'transport',
    ],
    index: ['*'],
  },
  policy: {
    call: [],
    hooks: ['call'],
    approvals: ['call', 'channels', 'hooks', 'stores'],
    stores: ['approvals', 'call'],
    channels: ['approvals', 'call', 'hooks'],
    engine: ['approvals', 'call', 'channels', 'hooks', 'stores'],
    builtin: ['call', 'hooks'],
    scripts: ['call', 'hooks'],
    config: ['approvals', 'builtin', 'channels', 'engine', 'hooks', 'scripts', 'stores'],
    index: ['*'],
  },
  profiles: {
    semconv: [],
    source: ['semconv'],
    mapping: ['semconv', 'source'],
    genai: ['mapping', 'semconv', 'source'],
    openinference: ['mapping', 'semconv', 'source'],
    langfuse: ['mapping', 'source'],
    exporter: ['genai', 'langfuse', 'mapping', 'openinference'],
    presets: ['exporter', 'langfuse', 'openinference'],
    index: ['*'],
  },
  signals: {
    scope: [],
    semconv: [],
    deferred: [],
    'span-kind': [],
    'recording-sampler': [],
    metrics: ['deferred', 'scope', 'semconv', 'span-kind'],
    cumulative: ['metrics'],
    logs: ['deferred', 'scope', 'semconv', 'span-kind'],
    providers: [],
    'open-signals': ['logs', 'metrics', 'providers'],
    index: ['*'],
  },
  cost: {
    semconv: [],
    prices: [],
    'cost-calculator': ['prices'],
    spans: ['cost-calculator', 'prices', 'semconv'],
    index: ['*'],
  },
  relay: {
    semconv: [],
    spans: [],
    files: [],
    atof: ['files', 'spans'],
    atif: ['files', 'semconv', 'spans'],
    index: ['*'],
  },
  adapter: {
    guard: [],
    host: [],
    bounded: [],
    failure: [],
    usage: [],
    session: [],
    turn: ['failure', 'guard', 'host', 'session', 'usage'],
    index: ['*'],
  },
  'ai-sdk': {
    sdk: [],
    options: ['sdk'],
    tracing: ['options', 'sdk'],
    instrument: ['options', 'sdk', 'tracing'],
    register: ['index'],
    index: ['*'],
  },
  'openai-agents': {
    index: ['*'],
    register: ['index'],
  },
  langchain: {
    index: ['*'],
    register: ['index'],
  },
  claude: {
    index: ['*'],
    register: ['index'],
  },
  clients: {
    index: ['*'],
    register: ['index'],
  },
  auto: {
    index: ['*'],
  },
  cli: {
    input: [],
    cost: [],
    output: ['cost'],
    view: ['input', 'output', 'traces', 'wire'],
    config: ['cost', 'output'],
    service: ['config'],
    listeners: ['config', 'service'],
    wire: [],
    traces: ['wire'],
    policy: ['listeners', 'service', 'wire'],
    receiver: ['listeners', 'traces'],
    terminal: ['traces', 'view', 'wire'],
    viewer: ['listeners', 'receiver', 'service', 'traces', 'wire'],
    'claude-hook': ['config'],
    install: ['claude-hook', 'config'],
    check: ['config', 'install'],
    commands: [
      'check',
      'config',
      'cost',
      'input',
      'install',
      'listeners',
      'output',
      'policy',
      'receiver',
      'service',
      'terminal',
      'traces',
      'view',
      'viewer',
    ],
    main: ['commands', 'output'],
  },
  viewer: {
    api: [],
    format: ['api'],
    route: [],
    grid: [],
    ui: ['api', 'format', 'route'],
    span: ['api', 'format', 'route', 'ui'],
    turns: ['api', 'format', 'grid', 'route', 'ui'],
    turn: ['api', 'format', 'grid', 'route', 'span', 'ui'],
    health: ['api', 'format', 'ui'],
    style: [],
    shell: ['api', 'health', 'route', 'turn', 'turns', 'ui'],
    main: ['route', 'shell', 'style'],
  },
};

/** Modules from outside that a part must not import; `in` is a package or `package/folder`. Tests may. */
export const FORBIDDEN_MODULES: readonly { readonly in: string; readonly module: RegExp; readonly why: string }[] = [
  { in: 'core', module: /^@opentelemetry\//, why: 'core knows no OpenTelemetry' },
  { in: 'otel/assembly', module: /^@opentelemetry\//, why: 'assembly knows no OpenTelemetry' },
  { in: 'otel/assembly', module: /^node:/, why: 'assembly is pure: no clock, no timers, no files' },
  { in: 'otel/attributes', module: /^@opentelemetry\/(?!api$)/, why: 'attributes need the API alone' },
  { in: 'otel/spans', module: /^@opentelemetry\/(?!api$)/, why: 'spans are written through the API alone' },
  { in: 'otel/bridge', module: /^@opentelemetry\/(?!api$)/, why: 'the bridge needs the API alone' },
  { in: 'otel/instrument', module: /^@opentelemetry\/(?!api$)/, why: 'agents are instrumented through the API alone' },
  { in: 'core/dispatch', module: /^zod$/, why: 'zod stays off the hot path' },
  { in: 'core/ndjson', module: /^zod$/, why: 'zod stays off the hot path' },
  { in: 'core/snapshot', module: /^zod$/, why: 'zod stays off the hot path' },
  { in: 'core/redaction', module: /^zod$/, why: 'zod stays off the hot path' },
  { in: 'policy', module: /^@opentelemetry\//, why: 'policy knows no OpenTelemetry' },
  { in: 'core/segments', module: /^zod$/, why: 'zod stays off the hot path' },
  { in: 'viewer', module: /^(?!(preact|@preact\/signals)(\/|$))/, why: 'the page has no library but Preact' },
  { in: 'otel', module: /^zod$/, why: 'zod stays off the hot path' },
];

export const MAX_LINES = 400;

/** Names that say nothing of what is inside. */
export const EMPTY_NAMES = /(^|[-.])(utils?|helpers?|managers?|misc|common)([-.]|$)/;

/** Names that tools or habit fix. */
export const FIXED_NAMES: ReadonlySet<string> = new Set(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'LICENSE']);
