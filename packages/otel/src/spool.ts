export { Sender } from './spool/sender.js';
export { type Request, Spool, type SpoolLimits, type SpoolOptions, type Waiting } from './spool/spool.js';
export { SpoolDelivery, type SpoolDeliveryCounts, type SpoolDeliveryOptions } from './spool/spool-delivery.js';
