import { computed, signal } from '@preact/signals';
import { parseRoute } from './route.js';

const place = signal({ pathname: location.pathname, search: location.search });

export const route = computed(() => parseRoute(place.value.pathname));
/** The query of the address, `?` included. */
export const search = computed(() => place.value.search);

const follow = () => {
  place.value = { pathname: location.pathname, search: location.search };
};
addEventListener('popstate', follow);

/** Goes to a path of this page; with `replace`, the step back leads to where one came from. */
export function navigate(path: string, { replace = false } = {}): void {
  if (path === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  follow();
}

/** Clicks on links of this page change the route in place; those with a key or another button stay the browser's. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const link = (event.target as Element).closest('a');
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || /^\/(?:api|approvals)(?:\/|$)/.test(link.pathname)) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
  });
}
