import { describe, expect, it } from 'vitest';
import { redactText } from './redact-text.js';

/** Ordinary texts of an agent's day. None has anything to hide, so none may change. */
const INNOCENT = [
  'The quick brown fox jumps over the lazy dog, and tells no secret.',
  '20251129_210000_a1b2c3:20251129_210000_a1b2c3:0f1e2d3c:api:1',
  'call_abc123DEF456ghi789JKL012 toolu_01A09q90qw90lq917835lq9 chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
  'msg_01XFDUDYJgAACzvnptvVoYEL resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b',
  '550e8400-e29b-41d4-a716-446655440000',
  'commit 8bfe86d2c0f1e2d3a4b5c6d7e8f9a0b1c2d3e4f5 (HEAD -> main, origin/main)',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
  '2025-11-29T21:00:00.123456+00:00 and 2025-11-29 21:00:00Z',
  '1764450000 1764450000123 1764450000123456 1764450000123456789 "time_unix_nano": "1764450000100000000"',
  '{"started_at": 1764450000.1, "duration_ms": 400, "prompt_tokens": 90, "max_tokens": 4096, "total_tokens": 102}',
  'max_tokens=4096 token_count: 17 tokens: 5000 n_tokens=12 "cache_read_tokens": 0, tokenizer: cl100k_base eos_token: "</s>"',
  'const token = getToken(); const password = process.env.PASSWORD; api_key = os.environ["API_KEY"]',
  'def login(username: str, password: str, token: Optional[str] = None) -> bool:',
  'interface Login { password: string; apiKey?: string; token: unknown }',
  'client = OpenAI(api_key=api_key, base_url=base_url)',
  'self.token = token; this.secret = secret; return { password, token };',
  'if (password === "" || token == null) throw new Error("password missing");',
  'type: "string", description: "The password of the user"',
  '{"properties":{"password":{"type":"string","description":"what to log in with"}}}',
  'docker run -p 8080:80 -v /srv/data:/data -e TZ=UTC nginx:1.27',
  'https://api.openai.com/v1/chat/completions http://localhost:3000/a?b=c#d https://example.com/@user/post',
  'git clone git@github.com:owner/repo.git && ssh://git@host.example/x',
  'npm i lodash@4.17.21 @scope/pkg@1.0.0-beta.rc && npx tsc -b',
  'icon@2x.png logo@3x.webp @media (max-width: 100px) @app.route("/")',
  '/usr/lib/node_modules/npm/lib/utils/update-notifier.js:42:17',
  'C:\\Users\\jane\\token\\notes.txt',
  'Version 1.2.3.4 build 20251129.1, 192.168.1.10:8080, ::1, fe80::1%eth0',
  'ISBN 978-3-16-148410-0, order 1234-5678-9012, room 415-555, 12-34-5678',
  'x = 3.14159265358979323846; y = -1234567890123456; z = 0xdeadbeefcafebabe; a+12345678',
  'diff --git a/x b/x\nindex 0123456..89abcde 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n+1764450000123 items',
  'text_response(finish_reason=stop) interrupted_during_api_call max_iterations_reached(12/12)',
  'task-list-of-things-to-do-now-with-20-items risk-free-and-very-long-name-123456',
  'Basic authentication is off. Bearer authentication is on. The token expired. Cookie banners are annoying.',
  'session_id=20251129_210000_da1d4b session_key: agent:main:telegram:dm:12345 cache_key=abc primary_key: id',
  'keyboard shortcut: Ctrl+K; key: value; monkey=banana; turkey: 5; "key": "name"',
  'author: Jane; authors=3; authored by: x; passage: the first; compass=north; bypass: on; tests pass: 12',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'SELECT id, password_hash_version FROM users WHERE token_type = 1 AND created_at > now()',
  'npm_config_registry npm_lifecycle_event hf_hub_download sk-learn SK_CONST AKIA ASIA eyJ',
  'ERROR 1045 (28000): Access denied for user; see https://dev.mysql.com/doc/#error_access',
  'result.pass = problems.length === 0; $.password = args => {}; onToken = function (token) {}; const requireTokenTypes = /* pure */ 1',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code is the case
  'new WebSocket(`ws://host?token=${wsToken}`); headers: { Authorization: `Bearer ${token}` }; "Authorization": "Bearer " + KEY',
  'if (this.token === "function") return; export declare const API_KEY: unique symbol; [API_KEY]: Get<Provider>;',
  'const ATTR_DB_CONNECTION_STRING = "db.connection_string"; const TYPE_VALUE_RESET_PASSWORD = "reset_password";',
  'function sign(password: BinaryLike, privateKey: KeyObject | SignInput): void; const Jwt = /*@__PURE__*/ make()',
  'PWD=/home/jane/project\nOLDPWD=/home/jane\nSHELL=/bin/bash\nPATH=/usr/bin:/bin',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code is the case
  'connect(`mongodb://${user}:${pass}@${host}:${port}`)',
  'The password is wrong, the token is expired, and the secret is safe. Token: the smallest unit of a text.',
  `getpass(prompt='Password: ') print("token=" + repr(x)) header="Cookie:") + '; ' # the Cookie: header of a request`,
  'new Map<ZodJWT>(a)<Format>; typeof options.cookieRewrite === "string"; the next token is `in` or `of`; Decimal(+35236450.6)',
  'case token:\n    return parse(next);',
  'user-1000.slice/user@1000.service/tmux.scope',
  'Überprüfen Sie das Passwort. 密码不正确。 パスワード 🔑',
];

describe('text with nothing to hide', () => {
  it.each(INNOCENT)('%s', (text) => {
    expect(redactText(text)).toBe(text);
    expect(redactText(JSON.stringify({ text }))).toBe(JSON.stringify({ text }));
  });
});
