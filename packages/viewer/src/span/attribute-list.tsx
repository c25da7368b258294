import { Fragment } from 'preact';
import type { Attributes } from '../api/span-answer.js';
import { visibleLine } from '../format/visible-text.js';
import { JsonTree } from '../ui/json-tree.js';
import { jsonIn } from './message-parts.js';

/** Attributes by name. @param without names that are shown elsewhere */
export function AttributeList({ attributes, without }: { attributes: Attributes; without?: ReadonlySet<string> }) {
  const names = Object.keys(attributes)
    .filter((name) => without?.has(name) !== true)
    .sort();
  if (names.length === 0) return <p class="soft">None</p>;
  return (
    <dl class="attributes">
      {names.map((name) => (
        <div key={name}>
          <dt>{breakable(visibleLine(name, 120))}</dt>
          <dd>
            <JsonTree value={jsonIn(attributes[name])} open={false} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A name that breaks between its words, where it has to. */
function breakable(name: string) {
  return name.split(/(?<=[._])(?=[^._])/).map((word, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {word}
    </Fragment>
  ));
}
