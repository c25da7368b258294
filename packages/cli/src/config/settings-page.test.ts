import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { EXPORTER_FIELDS } from './exporter.js';
import { type Setting, variableOf } from './setting.js';
import { SETTING_KEYS, SETTINGS } from './settings.js';

// `UPDATE_DOCS=1 npx vitest run packages/cli/src/config` writes the tables anew.

const PAGE = fileURLToPath(new URL('../../../../docs/serve.md', import.meta.url));

function settingsTable(): string {
  const rows = SETTING_KEYS.map((key) => {
    const setting: Setting = SETTINGS[key];
    const { meaning, flag, preset, shownDefault } = setting;
    const variable = variableOf(key, setting);
    const ways = [
      `\`${key}\``,
      ...(variable === undefined ? [] : [`\`${variable}\``]),
      ...(flag ? [`\`${flag.replaceAll('|', '\\|')}\``] : []),
    ];
    const written = Array.isArray(preset) ? 'none' : `\`${String(preset)}\``;
    return `| ${ways.join('<br>')} | ${shownDefault ?? written} | ${meaning} |`;
  });
  return ['| setting, variable, flag | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

function exportersTable(): string {
  return ['| | |', '| --- | --- |', ...EXPORTER_FIELDS.map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)].join(
    '\n',
  );
}

it('docs/serve.md has the settings there are', () => {
  const page = readFileSync(PAGE, 'utf8');
  const put = (text: string, name: string, table: string) =>
    text.replace(
      new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
      (_, begin, end) => `${begin}${table}\n${end}`,
    );
  const wanted = put(put(page, 'settings', settingsTable()), 'exporters', exportersTable());
  expect(wanted).toContain('`HERMES_OBSERVER_HTTP_PORT`');
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted);
  else expect(page).toBe(wanted);
});

it('every preset is a value that the file could have', () => {
  for (const key of SETTING_KEYS) {
    const setting: Setting = SETTINGS[key];
    if (setting.preset === undefined) continue;
    expect([key, setting.schema.safeParse(setting.preset).success]).toEqual([key, true]);
  }
});
