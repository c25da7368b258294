import type { Rates } from './rates.js';

/** What a chat span says of who answered. Names as the agent reported them. */
export interface AskedModel {
  readonly provider: string | undefined;
  /** Host that was asked, without a port. */
  readonly host: string | undefined;
  readonly requestModel: string | undefined;
  readonly responseModel: string | undefined;
}

/** What a source of prices knows of a model. */
export interface FoundPrice {
  readonly source: string;
  readonly version: string;
  /** It is this model at this provider for certain, and not one that its name is like. */
  readonly isCertain: boolean;
  /** Cache writes have more than one price, by how long they are kept, which no count tells. */
  readonly hasSeveralWriteRates: boolean;
  /** The rates at a time, in milliseconds since 1970. */
  ratesAt(millis: number): Rates;
}

/** A list of prices. */
export interface PriceSource {
  find(asked: AskedModel): FoundPrice | undefined;
}
