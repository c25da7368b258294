import { useRef, useState } from 'preact/hooks';
import { deleteSession, recordsPath } from '../api/client.js';
import { serviceFacts } from '../api/service-facts.js';
import type { TurnRow } from '../api/turn-row.js';
import { visibleLine } from '../format/visible-text.js';
import { navigate } from '../route/router.js';
import { Icon } from '../ui/icon.js';

/** What can be done with a turn: kept as a file, or forgotten with its session. */
export function TurnActions({ row }: { row: TurnRow }) {
  if (serviceFacts.files) return null;
  return (
    <div class="actions">
      {row.turn !== null && (
        <a
          class="button"
          href={recordsPath(row.trace)}
          download={`${row.trace.slice(0, 16)}.ndjson`}
          title="Its records, which replay can read"
        >
          <Icon name="save" />
          <span class="word">Save</span>
        </a>
      )}
      {row.session !== null && <DeleteSession session={row.session} />}
    </div>
  );
}

function DeleteSession({ session }: { session: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [fault, setFault] = useState('');
  const remove = async () => {
    try {
      await deleteSession(session);
      dialog.current?.close();
      navigate('/', { replace: true });
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()} title="Delete this session">
        <Icon name="trash" />
        <span class="word">Delete</span>
      </button>
      <dialog ref={dialog} aria-labelledby="delete-title">
        <h2 id="delete-title">Delete this session?</h2>
        <p>
          All turns of <code>{visibleLine(session, 80)}</code> are removed from memory and from the history on disk.
          What was sent to other backends stays there.
        </p>
        {fault !== '' && <p role="alert">{fault}</p>}
        <div class="actions">
          <button type="button" autofocus onClick={() => dialog.current?.close()}>
            Keep
          </button>
          <button type="button" class="danger" onClick={remove}>
            Delete
          </button>
        </div>
      </dialog>
    </>
  );
}
