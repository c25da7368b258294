/** Shapes on a field of 16 by 16, drawn as lines. */
const SHAPES = {
  turn: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.6-2.6 2.6-4 5-4s4.4 1.4 5 4',
  child: 'M4 2.5v5a2 2 0 0 0 2 2h3M11.5 11.8a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4Z',
  request: 'M2.5 3.5h11v7h-6l-3 3v-3h-2Z',
  auxiliary: 'M8 2.5v3M8 10.5v3M2.5 8h3M10.5 8h3M4.5 4.5l1.5 1.5M10 10l1.5 1.5M4.5 11.5 6 10M10 6l1.5-1.5',
  tool: 'M10 2.6a3.5 3.5 0 0 0-3.3 4.7L2.7 11.3l2 2 4-4A3.5 3.5 0 0 0 13.4 6l-2 1.6-2.2-.8-.8-2.2Z',
  approval: 'M8 2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4ZM5.8 8l1.6 1.6 3-3.2',
  human:
    'M5.5 8V4.5a1 1 0 0 1 2 0V3.3a1 1 0 0 1 2 0v1.2a1 1 0 0 1 2 0V10c0 2.5-1.5 4-3.7 4-2 0-2.8-1-4.3-4.3a1 1 0 0 1 1.7-1Z',
  other: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z',
  check: 'm3.5 8.5 3 3 6-7',
  error: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.7M8 10.8v.4',
  blocked: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM3.8 3.8l8.4 8.4',
  cancelled: 'm4 4 8 8M12 4l-8 8',
  timeout: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 4.8V8l2.4 1.6',
  running: 'M8 2.5a5.5 5.5 0 1 1-5.5 5.5',
  incomplete: 'M3 8h2.5M10.5 8H13M8 3v2.5M8 10.5V13',
  interrupted: 'M4.5 4.5h7v7h-7Z',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  background: 'M3 4.5h7M3 8h10M8 11.5h5',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  back: 'M10 3.5 5.5 8l4.5 4.5',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5h7v8h-7ZM10 5.5v-3H3.5v8h2',
  save: 'M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M3 13.5h10',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  link: 'M6.5 9.5 13 3M9 3h4v4M11 9.5v3.5H3V5h3.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.3 10.3l3.2 3.2',
  media: 'M2.5 3.5h11v9h-11ZM2.5 10.5l3-3 3 3 2-2 3 3',
} as const;

export type IconName = keyof typeof SHAPES;

/** A picture beside its word: it says nothing of its own to who listens. */
export function Icon({ name, class: more = '' }: { name: IconName; class?: string }) {
  return (
    <svg class={`icon ${more}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
