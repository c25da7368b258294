import { useEffect } from 'preact/hooks';
import { approvals, watchApprovals } from '../api/approvals.js';
import { HealthPage } from '../health/health-page.js';
import { route } from '../route/router.js';
import { TurnPage } from '../turn/turn-page.js';
import { TurnsPage } from '../turns/turns-page.js';
import { Notice } from '../ui/notice.js';
import { FaultBoundary } from './fault-boundary.js';
import { KeyHelp } from './key-help.js';

export function App() {
  const here = route.value;
  const waiting = approvals.value;
  useEffect(() => watchApprovals(), []);
  return (
    <>
      <header class="app-bar">
        <a class="brand" href="/" aria-current={here.page === 'turns' ? 'page' : undefined}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <rect width="16" height="16" rx="4" />
            <path d="M3 5h7M5 8h8M4 11h4" />
          </svg>
          <span class={`brand-name ${waiting.path === null ? '' : 'is-third'}`}>Hermes Observer</span>
        </a>
        <nav aria-label="Pages">
          <a href="/" aria-current={here.page === 'turns' ? 'page' : here.page === 'turn' ? 'true' : undefined}>
            Turns
          </a>
          <a href="/health" aria-current={here.page === 'health' ? 'page' : undefined}>
            Health
          </a>
          {waiting.path !== null && (
            <a href={waiting.path} class={waiting.waiting > 0 ? 'has-waiting' : ''}>
              Approvals{waiting.waiting > 0 ? ` (${waiting.waiting.toLocaleString('en')})` : ''}
            </a>
          )}
        </nav>
        <KeyHelp />
      </header>
      <FaultBoundary key={here.page + ('trace' in here ? here.trace : '')}>
        <Page />
      </FaultBoundary>
    </>
  );
}

function Page() {
  const here = route.value;
  switch (here.page) {
    case 'turns':
      return <TurnsPage />;
    case 'turn':
      return <TurnPage key={here.trace} trace={here.trace} span={here.span} />;
    case 'health':
      return <HealthPage />;
    case 'unknown':
      return (
        <main>
          <Notice title="There is no such page">
            <a href="/">All turns</a>
          </Notice>
        </main>
      );
  }
}
