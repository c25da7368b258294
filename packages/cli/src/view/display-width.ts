import stringWidth from 'string-width';

const PRINTABLE_ASCII = /^[ -~]*$/;
const ELLIPSIS = '…';
/** The longest emoji has under 30 units; a longer cluster is marks heaped on one letter. */
const MOST_CLUSTER_UNITS = 32;

const segmenter = new Intl.Segmenter();

/** Terminal columns of a text without control characters. */
export function displayWidth(text: string): number {
  return PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);
}

/** `text` if it fits into `width` columns, else its start and `…`. Never splits what a terminal shows as one sign. */
export function cutToWidth(text: string, width: number): string {
  if (width <= 0) return '';
  if (PRINTABLE_ASCII.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}${ELLIPSIS}`;
  let kept = '';
  let used = 0;
  /** The longest start that leaves room for the ellipsis. */
  let short = '';
  for (const { segment } of segmenter.segment(text)) {
    const cluster = segment.length > MOST_CLUSTER_UNITS ? segment.slice(0, 1) : segment;
    used += stringWidth(cluster);
    if (used > width) return short + ELLIPSIS;
    kept += cluster;
    if (used < width) short = kept;
  }
  return kept;
}
