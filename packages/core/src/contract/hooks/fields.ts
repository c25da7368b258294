import * as z from 'zod';

// Makers of payload fields. Every field of a hook is optional and may be null: agents leave fields out by version and by
// surface, and absent, `null` and `''` all mean "not known". What a maker checks is the type alone. `examples` are the
// values seen so far; each such set is open.

/** A string. `known` are values seen so far, never the only ones allowed. */
export const text = (description: string, known?: readonly string[]) =>
  z
    .string()
    .nullish()
    .meta(known === undefined ? { description } : { description, examples: [...known] });

/** An opaque id: never parsed, compared only as a whole. */
export const id = (description: string) => text(`${description} Opaque; '' means absent.`);

/** A whole number from 0. */
export const count = (description: string) => z.int().min(0).nullish().describe(description);

/** A whole number that may be negative. */
export const integer = (description: string) => z.int().nullish().describe(description);

/** Any number. */
export const number = (description: string) => z.number().nullish().describe(description);

/** A number with a fraction: seconds since the Unix epoch, or a length in seconds. */
export const seconds = (description: string) => z.number().nullish().describe(description);

/** A length in milliseconds, with a fraction where the clock has one. */
export const millis = (description: string) => z.number().min(0).nullish().describe(description);

export const flag = (description: string) => z.boolean().nullish().describe(description);

export const list = (description: string) => z.array(z.unknown()).nullish().describe(description);

export const texts = (description: string) => z.array(z.string()).nullish().describe(description);

/** An object with any keys. */
export const anyObject = (description: string) => z.looseObject({}).nullish().describe(description);

/** A string, or a list of content parts where the message is multimodal. */
export const textOrParts = (description: string) =>
  z
    .union([z.string(), z.array(z.unknown())])
    .nullish()
    .describe(description);

/** A whole number or a string: agents send both. */
export const integerOrText = (description: string) => z.union([z.int(), z.string()]).nullish().describe(description);

/** Anything at all: live objects of the agent arrive as whatever the producer made of them. */
export const anything = (description: string) => z.unknown().optional().describe(description);

const marker = {
  telemetry_schema_version: text(
    'Marker of the hook bus, `hermes.observer.v1`. Not a version of this hook; never required. Added by the agent to every hook but `gateway_platform_event`.',
  ),
};

/** The payload of a hook the agent marks with `telemetry_schema_version`. Unknown keys pass. */
export const hook = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z.looseObject({ ...marker, ...shape }).describe(description);

/** The payload of a hook without the marker. Unknown keys pass. */
export const unmarkedHook = <Shape extends z.core.$ZodLooseShape>(description: string, shape: Shape) =>
  z.looseObject(shape).describe(description);
