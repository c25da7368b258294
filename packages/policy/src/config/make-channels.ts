import type { BaseChannel } from '../channels/base-channel.js';
import { FeishuChannel } from '../channels/feishu/feishu-channel.js';
import { SlackChannel } from '../channels/slack/slack-channel.js';
import { TerminalChannel } from '../channels/terminal/terminal-channel.js';
import { WebChannel } from '../channels/web/web-channel.js';
import { WebhookChannel } from '../channels/webhook/webhook-channel.js';
import { CommandChannel } from './command-channel.js';
import type { ChannelPlan, PolicyPlan } from './policy-plan.js';

export interface ChannelMaking {
  /** Where the pages of a `web` channel are, if the host has any. */
  readonly webUrl: string | undefined;
  readonly notice: (text: string) => void;
  /** What is typed to answer a request by a command. */
  readonly commandOf: (id: string) => string;
}

/** @throws ObserverError `HO_POLICY_CONFIG`. */
export function makeChannels(plan: PolicyPlan, making: ChannelMaking): BaseChannel[] {
  // Those for commands print a line each, which must not stand behind the question of a terminal.
  const isCommand = ({ kind }: ChannelPlan) => Number(kind !== 'command');
  const ordered = plan.channels.toSorted((a, b) => isCommand(a) - isCommand(b));
  return ordered.map((channel) => {
    try {
      return make(channel, plan, making);
    } catch (error) {
      throw plan.document.faultOf(channel.place, error);
    }
  });
}

function make(
  { name, place, kind, options }: ChannelPlan,
  plan: PolicyPlan,
  { webUrl, notice, commandOf }: ChannelMaking,
): BaseChannel {
  switch (kind) {
    case 'command':
      return new CommandChannel(name, notice, commandOf);
    case 'terminal':
      return new TerminalChannel({ name, device: options.device, maxArgs: options.maxArgs });
    case 'web': {
      const url = options.url ?? webUrl;
      if (url === undefined)
        throw plan.document.fault(place, 'a channel `web` needs a service with HTTP, or its `url`.');
      const deliver =
        options.deliver === 'log' ? (link: string) => notice(`a request waits for an answer: ${link}`) : 'page';
      return new WebChannel({ name, url, deliver });
    }
    case 'webhook': {
      const { url, secret, answerSecret, maxArgs, timeout } = options;
      return new WebhookChannel({ name, url, secret, answerSecret, maxArgs, timeoutMs: timeout });
    }
    case 'slack': {
      const { kind: _, timeout, ...rest } = options;
      return new SlackChannel({ ...rest, name, timeoutMs: timeout });
    }
    case 'feishu': {
      const { kind: _, timeout, ...rest } = options;
      return new FeishuChannel({ ...rest, name, timeoutMs: timeout });
    }
  }
}
