// Reads protobuf without the code that is measured or tested.

/** Length-delimited fields of a protobuf message with this number. */
export function* fieldsOf(message, wanted) {
  let at = 0;
  const number = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = number();
    const kind = tag & 7;
    if (kind === 0) number();
    else if (kind === 1) at += 8;
    else if (kind === 5) at += 4;
    else {
      const length = number();
      if (tag >>> 3 === wanted) yield message.subarray(at, at + length);
      at += length;
    }
  }
}
