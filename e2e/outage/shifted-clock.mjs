// Loaded before the service: SIGUSR2 sets its clock back by an hour, as an operator or a time server would. The monotonic
// clock goes on.
const HOUR_MILLIS = 3_600_000;
const RealDate = Date;
let shift = 0;

const now = () => RealDate.now() + shift;
globalThis.Date = class ShiftedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }

  static now() {
    return now();
  }
};

process.on('SIGUSR2', () => {
  shift -= HOUR_MILLIS;
});
