export type {
  CountHealth as Count,
  ExporterHealth as Exporter,
  HealthAnswer,
  ProducerHealth as Producer,
} from '../../../cli/src/wire.js';
