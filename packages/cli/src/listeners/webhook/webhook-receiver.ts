import type { IncomingMessage, ServerResponse } from 'node:http';
import { ObserverError } from '@hermes-observer/core';
import { withoutContent } from '../../service/intake/content-fields.js';
import { RequestBody } from '../http/request-body.js';
import { RequestError } from '../http/request-error.js';
import { respondJson } from '../http/respond.js';
import type { ListenerContext } from '../listener-context.js';
import { DeliveryFile } from './delivery-file.js';
import { DeliveryWindow, isInWindow } from './delivery-window.js';
import { isSigned } from './signature.js';
import { recordOfWebhook, webhookBodyOf } from './webhook-record.js';

const MOST_BYTES = 16 * 1024 * 1024;

export interface WebhookOptions {
  readonly secret: string;
  /** Without it nothing that people, models and tools said is kept: webhooks always carry it. */
  readonly keepsContent: boolean;
  /** File of the deliveries that were taken lately, for after a restart. Its folder must be there. */
  readonly file: string;
  /** Unix milliseconds. For tests. */
  readonly now?: () => number;
}

/** `POST /hooks/hermes`: outbound webhooks of the agent, each signed, timely and taken once. */
export class WebhookReceiver {
  readonly #secret: string;
  readonly #keepsContent: boolean;
  readonly #context: ListenerContext;
  readonly #deliveries: DeliveryWindow;
  readonly #file: DeliveryFile;
  readonly #now: () => number;
  #isFileWell = true;

  private constructor(
    { secret, keepsContent, now = Date.now }: WebhookOptions,
    file: DeliveryFile,
    deliveries: DeliveryWindow,
    context: ListenerContext,
  ) {
    this.#secret = secret;
    this.#keepsContent = keepsContent;
    this.#now = now;
    this.#file = file;
    this.#deliveries = deliveries;
    this.#context = context;
  }

  /** Deliveries that were taken before a restart stay taken. @throws ObserverError `HO_STORE_FAILED`. */
  static async open(options: WebhookOptions, context: ListenerContext): Promise<WebhookReceiver> {
    const file = new DeliveryFile(options.file);
    try {
      const known = await file.load((options.now ?? Date.now)());
      return new WebhookReceiver(options, file, new DeliveryWindow(undefined, known), context);
    } catch (cause) {
      throw new ObserverError('HO_STORE_FAILED', `Cannot read ${options.file}: ${reasonOf(cause)}. Check it.`, {
        cause,
      });
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') throw new RequestError(405, 'HO_REQUEST', 'webhooks are posted');
    const { limits, waiting } = this.#context;
    const body = new RequestBody(request, waiting, Math.min(MOST_BYTES, limits.bodyBytes));
    try {
      const bytes = await body.readAll();
      const header = request.headers['x-hermes-signature-256'];
      if (!isSigned(bytes, String(header ?? ''), this.#secret)) {
        throw new RequestError(401, 'HO_REQUEST_FORBIDDEN', 'the signature is missing or wrong');
      }
      respondJson(response, 200, await this.#takeSigned(bytes));
    } finally {
      body.release();
    }
  }

  async #takeSigned(bytes: Buffer): Promise<unknown> {
    const webhook = webhookBodyOf(parsed(bytes));
    if (webhook === undefined) {
      throw new RequestError(400, 'HO_REQUEST', 'a webhook has hook_event_name, delivery_id and timestamp');
    }
    const now = this.#now();
    if (!isInWindow(webhook.time, now)) {
      throw new RequestError(
        403,
        'HO_REQUEST_FORBIDDEN',
        'the timestamp is more than five minutes off: check the clocks',
      );
    }
    const verdict = this.#deliveries.enter(webhook.deliveryId, webhook.time, now);
    if (verdict === 'full') throw new RequestError(429, 'HO_SERVICE_BUSY', 'too many webhooks in five minutes');
    // The agent posts again what it got no answer to: no fault, and nothing to do.
    if (verdict === 'repeated') return { records: 0, repeated: true };
    const whole = recordOfWebhook(webhook, now);
    const record = this.#keepsContent ? whole : withoutContent(whole);
    try {
      await this.#context.ports.intake.take({ lines: [Buffer.from(JSON.stringify(record))], records: [record] });
    } catch (error) {
      this.#deliveries.leave(webhook.deliveryId);
      throw error;
    }
    await this.#keep(webhook.deliveryId);
    return { records: 1 };
  }

  /** The record is on disk: that it cannot be noted must not lose it, and is said once. */
  async #keep(id: string): Promise<void> {
    try {
      await this.#file.add([id, this.#deliveries.untilOf(id)], this.#now());
      this.#isFileWell = true;
    } catch (cause) {
      if (this.#isFileWell) {
        const text = `webhooks of the last minutes may be taken again after a restart: ${reasonOf(cause)}`;
        this.#context.onFault(new ObserverError('HO_STORE_FAILED', text, { cause }));
      }
      this.#isFileWell = false;
    }
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));
