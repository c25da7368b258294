import { useEffect, useRef } from 'preact/hooks';

const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓ PgUp PgDn Home End', 'move'],
  ['Enter', 'open the turn, or the span'],
  ['Esc', 'close the span, then back to the turns'],
  ['← →', 'fold, unfold, to the parent'],
  ['Space', 'fold or unfold'],
  ['letters', 'find the next span with such a name'],
  ['/', 'search turns'],
  ['?', 'this list'],
];

/** Is the person writing? Then letters are letters. */
const isTyping = (target: EventTarget | null) =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null;

/** Keys that work everywhere, and the list of all. */
export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const text = document.querySelector<HTMLInputElement>('#filter-text');
      if (event.key === 'Escape' && event.target === text) {
        document.querySelector<HTMLElement>('.turn-grid')?.focus();
        return;
      }
      if (isTyping(event.target)) return;
      if (event.key === '?') dialog.current?.showModal();
      else if (event.key === '/' && text !== null) text.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  return (
    <>
      <button type="button" class="keys-button" onClick={() => dialog.current?.showModal()} aria-label="Keys">
        ?
      </button>
      <dialog ref={dialog} aria-labelledby="keys-title">
        <h2 id="keys-title">Keys</h2>
        <dl class="keys">
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>{keys}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Close
          </button>
        </div>
      </dialog>
    </>
  );
}
