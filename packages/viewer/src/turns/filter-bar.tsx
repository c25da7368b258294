import { useEffect, useRef, useState } from 'preact/hooks';
import type { TurnRow } from '../api/turn-row.js';
import { navigate } from '../route/router.js';
import { Icon } from '../ui/icon.js';
import { filterSearch, isFiltered, OUTCOMES, parseFilter, SINCE, type TurnFilter } from './filter.js';

/** A pause this long after the last letter asks the service, ms. */
const PAUSE = 200;

/** Filters of the list; each change goes into the address. */
export function FilterBar({ filter, rows }: { filter: TurnFilter; rows: readonly TurnRow[] }) {
  const set = (change: Partial<TurnFilter>) =>
    navigate(`/${filterSearch({ ...filter, ...change })}`, { replace: true });
  // Fields are made anew by Clear: what was typed and is not in the address yet goes too.
  const [clears, setClears] = useState(0);
  const clear = () => {
    setClears(clears + 1);
    navigate(`/${filterSearch(parseFilter(''))}`);
  };
  return (
    <search class="filters">
      <TextFilter key={`text ${clears}`} value={filter.text} set={(text) => set({ text })} />
      <Choice
        label="Outcome"
        value={filter.outcome}
        all="Any outcome"
        options={OUTCOMES}
        set={(outcome) => set({ outcome })}
      />
      <Choice
        label="Time"
        value={filter.since}
        all="Any time"
        options={Object.fromEntries(Object.entries(SINCE).map(([key, { label }]) => [key, label]))}
        set={(since) => set({ since })}
      />
      <Word
        key={`agent ${clears}`}
        label="Agent"
        value={filter.agent}
        known={rows.map(({ agent }) => agent)}
        set={(agent) => set({ agent })}
      />
      <Word
        key={`model ${clears}`}
        label="Model"
        value={filter.model}
        known={rows.map(({ model }) => model)}
        set={(model) => set({ model })}
      />
      <Word key={`tool ${clears}`} label="Tool" value={filter.tool} known={[]} set={(tool) => set({ tool })} />
      {isFiltered(filter) && (
        <button type="button" class="quiet" onClick={clear}>
          <Icon name="close" />
          Clear
        </button>
      )}
    </search>
  );
}

function TextFilter({ value, set }: { value: string; set: (text: string) => void }) {
  const [text, type] = useTyped(value, set);
  return (
    <label class="filter-text">
      <Icon name="search" />
      <span class="hidden">Text</span>
      <input
        id="filter-text"
        type="search"
        placeholder="Search text  ( / )"
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </label>
  );
}

function Choice(props: {
  label: string;
  value: string;
  all: string;
  options: Readonly<Record<string, string>>;
  set: (value: string) => void;
}) {
  return (
    <label>
      <span class="hidden">{props.label}</span>
      <select
        value={props.value}
        data-set={props.value !== ''}
        onChange={(event) => props.set(event.currentTarget.value)}
      >
        <option value="">{props.all}</option>
        {Object.entries(props.options).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

function Word(props: {
  label: string;
  value: string;
  known: readonly (string | null)[];
  set: (value: string) => void;
}) {
  const [text, type] = useTyped(props.value, props.set);
  const known = [...new Set(props.known)].filter((word): word is string => word !== null && word !== '').slice(0, 50);
  const list = `known-${props.label.toLowerCase()}`;
  return (
    <label class="filter-word">
      <span class="hidden">{props.label}</span>
      <input
        placeholder={props.label}
        value={text}
        list={list}
        data-set={text !== ''}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <datalist id={list}>
        {known.map((word) => (
          <option key={word} value={word} />
        ))}
      </datalist>
    </label>
  );
}

/** What is typed, handed on after a pause; follows the address when that changes. */
function useTyped(value: string, set: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const latest = useRef(set);
  latest.current = set;
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => latest.current(next), PAUSE);
  };
  return [text, type];
}
