import * as z from 'zod';
import { EVENTS } from './hook-schema.js';
import { duration } from './quantity.js';
import { choice, flag, number, type Secrets, strict, text } from './values.js';

const list = z.array(z.unknown(), 'must be a list of hooks').nullish();

/** All but hooks and channels, which are looked at one by one. */
export const fileSchema = (secrets: Secrets) =>
  strict({
    name: text.optional(),
    mode: choice('enforce', 'observe').optional(),
    evaluation: choice('deny', 'allow').optional(),
    state: text.optional(),
    approverSalt: secrets.one.optional(),
    store: z
      .union([
        strict({ file: text, keep: duration.optional() }),
        strict({ sqlite: text, keep: duration.optional(), lease: duration.optional() }),
        strict({
          postgres: secrets.one,
          schema: text.optional(),
          listen: flag.optional(),
          keep: duration.optional(),
          lease: duration.optional(),
        }),
      ])
      .optional(),
    channels: z.record(z.string(), z.unknown(), 'must be a map of channels').nullish(),
    hooks: strict(
      Object.fromEntries(EVENTS.map((event) => [event, list])) as Record<(typeof EVENTS)[number], typeof list>,
    ),
  });

const kind = text.optional();

/** Options of channels, by kind. */
export const channelOptions = (secrets: Secrets) => ({
  command: strict({ kind }),
  terminal: strict({ kind, device: text.optional(), maxArgs: number.optional() }),
  web: strict({ kind, url: text.optional(), deliver: choice('page', 'log').optional() }),
  webhook: strict({
    kind,
    url: text,
    secret: z.union([secrets.one, z.array(secrets.one).min(1)], 'must be a text'),
    answerSecret: z.union([secrets.one, z.array(secrets.one).min(1)], 'must be a text').optional(),
    maxArgs: number.optional(),
    timeout: duration.optional(),
  }),
  slack: strict({
    kind,
    token: secrets.one,
    signingSecret: secrets.one,
    channel: text,
    appId: text.optional(),
    baseUrl: text.optional(),
    timeout: duration.optional(),
  }),
  feishu: strict({
    kind,
    appId: text,
    appSecret: secrets.one,
    receiveId: text,
    receiveIdType: choice('chat_id', 'open_id', 'user_id', 'union_id', 'email').optional(),
    verificationToken: secrets.one.optional(),
    encryptKey: secrets.one.optional(),
    oldCallbacks: flag.optional(),
    tenantKey: text.optional(),
    idType: choice('open_id', 'user_id', 'union_id').optional(),
    site: choice('feishu', 'lark').optional(),
    baseUrl: text.optional(),
    timeout: duration.optional(),
  }),
});

export type ChannelKind = keyof ReturnType<typeof channelOptions>;
