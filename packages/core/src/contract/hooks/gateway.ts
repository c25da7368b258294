import * as z from 'zod';
import { anyObject, anything, hook, id, integer, integerOrText, text, unmarkedHook } from './fields.js';
import { platform, sessionKey, taskId, turnId } from './identity.js';

const liveObject = (what: string) =>
  anything(`Live object of the agent: ${what}. Arrives as its type name in angle brackets, or as its text form.`);

export const preGatewayDispatch = hook(
  'A gateway got a message; a plugin may skip or rewrite it. Not sent for a message into a running turn. Holds live objects only.',
  {
    event: liveObject('the message'),
    gateway: liveObject('the gateway'),
    session_store: liveObject('its sessions'),
  },
);
export type PreGatewayDispatch = z.infer<typeof preGatewayDispatch>;

export const postGatewayAdmission = hook(
  'A gateway took a message in, before its turn. Names no session. Seen since 0.22.',
  {
    session_key: sessionKey,
    platform,
    source: z
      .looseObject({
        platform: text('Chat platform.'),
        chat_id: integerOrText('Chat.'),
        chat_name: text('Its name.'),
        chat_type: text('Kind of chat.', ['dm', 'group']),
        user_id: integerOrText('Who wrote.'),
        user_name: text('Their name.'),
        thread_id: integerOrText('Thread of the chat. Null when none.'),
        chat_topic: text('Topic of the chat. Null when none.'),
        message_id: integerOrText('The message.'),
      })
      .nullish()
      .describe('Where the message came from. Personal data.'),
    message_id: integerOrText('The message, as the platform names it. Null when it does not.'),
    text: text('The message, unredacted.'),
  },
);
export type PostGatewayAdmission = z.infer<typeof postGatewayAdmission>;

export const gatewayPlatformEvent = unmarkedHook(
  'Something a chat platform told the gateway, such as typing. The one hook without the marker of the bus. Since 0.20.1.',
  {
    platform,
    event_type: text('What happened, in the platform’s words.'),
    payload: anyObject('The platform’s own data.'),
  },
);
export type GatewayPlatformEvent = z.infer<typeof gatewayPlatformEvent>;

export const agentLoopStopped = hook(
  'A gateway or terminal UI stopped a running turn. Comes before the turn’s own end and names no turn. Since 0.21.',
  {
    session_key: sessionKey,
    platform,
    reason: text('Why, in words for people.', ['user_stop', 'Stop requested', 'Session reset requested']),
    invalidation_reason: text('Why, as a slug.', ['session_interrupt', 'stop_command', 'new_command']),
  },
);
export type AgentLoopStopped = z.infer<typeof agentLoopStopped>;

export const preCommand = hook('A slash command is about to run. Since 0.20.1.', {
  surface: text('Where it was typed.', ['cli', 'gateway']),
  command: text('Its name without the slash.', ['new', 'quit', 'stop', 'model']),
  alias_used: text('The name that was typed.'),
  args_raw: text('What followed the name, unredacted.'),
  session_key: sessionKey,
  platform,
});
export type PreCommand = z.infer<typeof preCommand>;

export const onRoomMemberActivity = hook(
  'An agent in a shared room did something. Queued like the stream hooks. Since 0.21.',
  {
    room_id: id('The room.'),
    thread_id: id('Thread of the room.'),
    member_id: id('Agent that acts.'),
    turn_id: turnId,
    task_id: taskId,
    execution_generation: integer('Counts the runs of the member.'),
    kind: text('What it did.'),
    seq: integer('Number of the activity in its run. Null when not counted.'),
    payload: anyObject('Details of the activity.'),
  },
);
export type OnRoomMemberActivity = z.infer<typeof onRoomMemberActivity>;
